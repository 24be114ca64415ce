"""What a shoe says, in whatever protocol: its messages, their sequence, and the game they tell of. No bytes, no clock.

The first rule is that no hand is handed up that differs from the one dealt without a fault beside it. So a message that
is missing, or makes no sense where it stands, is a fault, and from a fault until the next game begins nothing of the
game is handed up: no card and no end. Whoever takes the events cannot complete a wrong hand.
"""

from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from drivers.events import BANKER, BURN, PLAYER, Card, Cleared, Event, Faulted, Game

RANKS, SUITS = "A23456789TJQK", "SHDC"
CARDS = frozenset(rank + suit for suit in SUITS for rank in RANKS)

# Copies of one message follow one another. What is older than four other readings is no copy of the same message, and
# the shortest sequence, of ten, cannot have come round in four.
MOST_AWAITED = 4

UNNUMBERED = 0  # the index of a burn card that the reader does not number

MISSING = "a message of the shoe is missing"
NOT_UNDERSTOOD = "a message of the shoe is not understood"
INTERRUPTED = "the shoe was not heard during a game: cards may be missing"


class Begun(Struct, frozen=True):
    """A game begins."""


class Dealt(Struct, frozen=True):
    """A card left the shoe."""

    hand: str
    index: int
    card: str


class Retold(Struct, frozen=True):
    """A card that was told already is told once more."""

    hand: str
    index: int
    card: str


class Ended(Struct, frozen=True):
    """The game is over."""

    result: str


class Cancelled(Struct, frozen=True):
    """The game was broken off."""


class Failed(Struct, frozen=True):
    """The shoe itself says that something is wrong, or says what nobody understands."""

    why: str


class Noted(Struct, frozen=True):
    """Something that changes no hand: a sign of life, a lock, the cutting card."""


Message: TypeAlias = Begun | Dealt | Retold | Ended | Cancelled | Failed | Noted


class Reading(Struct, frozen=True):
    """One copy of a message, as it came: its place in the sequence (None: it is no place there), and its content."""

    place: int | None
    content: bytes
    message: Message


class Heard(Enum):
    """What a reading is to those before it."""

    AWAITED = "awaited"  # too few copies of it yet
    REPEAT = "repeat"  # one more copy of the last message
    NEXT = "next"
    GAP = "gap"  # not the next one: at least one message between is missing
    STRAY = "stray"  # too few copies of it yet, and already not the next one


class Sequence:
    """The order of messages, which are numbered from 0 to `size` - 1 and then from 0 again.

    A reading is a message once `copies` equal ones have come. It may be any at first, and the next one from then on. A
    single copy is enough to show that messages were missed: were it not, `size` of them could be missed one by one,
    each with a copy too few, and the one after them would pass for the next. What remains unseen is a loss of exactly
    `size` messages, or a multiple, without a single copy of any. Where copies are not `checked`, a single one shows
    nothing: it may be damaged. `size` has to be so large there that it is not lost at a time.
    """

    def __init__(self, size: int, copies: int, *, checked: bool = True) -> None:
        self._size = size
        self._copies = copies
        self._checked = checked
        self._last: tuple[int, bytes] | None = None
        self._awaited: dict[tuple[int | None, bytes], int] = {}

    def restart(self) -> None:
        """Take any message as the next one."""
        self._last = None
        self._awaited.clear()

    def heard(self, reading: Reading) -> Heard:
        """What a reading is."""
        place, content = reading.place, reading.content
        if (place, content) == self._last:
            return Heard.REPEAT
        last = self._last
        follows = place is not None and (last is None or place == (last[0] + 1) % self._size)
        if not self._enough((place, content)):
            return Heard.AWAITED if follows or not self._checked else Heard.STRAY
        self._awaited.clear()
        self._last = None if place is None else (place, content)
        return Heard.NEXT if follows else Heard.GAP

    def _enough(self, said: tuple[int | None, bytes]) -> bool:
        count = self._awaited.pop(said, 0) + 1
        self._awaited[said] = count
        if len(self._awaited) > MOST_AWAITED:
            del self._awaited[next(iter(self._awaited))]
        return count >= self._copies


class Games:
    """The games a shoe tells of, as events. `fault` is why nothing of this one counts; empty while all is well."""

    def __init__(self, device: str) -> None:
        self.fault = ""
        self._device = device
        self._playing = False
        self._told: dict[tuple[str, int], str] = {}  # the cards of the hands, of this game or else of the last one
        self._burned = 0  # since the last game began

    def take(self, message: Message) -> list[Event]:
        """What is to be handed up for the next message."""
        match message:
            case Begun():
                return self._begin()
            case Failed(why):
                return self.fail(why)
            case _ if self.fault:
                return []
            case Dealt():
                return self._burn(message) if message.hand == BURN else self._deal(message)
            case Retold(hand, index, card):
                known = self._told.get((hand, index))
                return [] if known == card else self.fail(f"card {index} of the {hand} is told anew as another")
            case Ended(result):
                return self._end(Game(device=self._device, what="ended", result=result))
            case Cancelled():
                return self._end(Game(device=self._device, what="cancelled"))
            case Noted():
                return []

    def fail(self, why: str) -> list[Event]:
        """Nothing of this game counts from here on. The same reason is handed up once."""
        again = why == self.fault
        self.fault = why
        self._playing = False
        return [] if again else [Faulted(device=self._device, reason=why)]

    def interrupt(self) -> None:
        """The shoe cannot be heard. In a game that is a fault, to be told when it is heard again."""
        if self._playing:
            self.fail(INTERRUPTED)

    def pause(self, seconds: float) -> list[Event]:
        """Nothing came for longer than this. In a game that is a fault: it may be another game that goes on."""
        return self.fail(f"nothing came for {seconds:g} s of a game: messages may be missing") if self._playing else []

    def look(self) -> dict[str, str]:
        """The game for people to look at: how it stands, and the cards told of it."""
        hands = {hand: [card for (to, _), card in self._told.items() if to == hand] for hand in (PLAYER, BANKER)}
        state = self.fault or ("playing" if self._playing else "between games")
        return {"game": state, **{hand: " ".join(cards) for hand, cards in hands.items()}}

    def _begin(self) -> list[Event]:
        events = self.fail("a game began before the last one had ended") if self._playing else []
        if self.fault:
            events.append(Cleared(device=self._device))
        self.fault = ""
        self._playing = True
        self._told.clear()
        self._burned = 0
        return [*events, Game(device=self._device, what="begun")]

    def _deal(self, dealt: Dealt) -> list[Event]:
        if not self._playing:
            return self.fail(f"a card of the {dealt.hand} came without a game")
        due = 1 + sum(hand == dealt.hand for hand, _ in self._told)
        if dealt.index != due:
            return self.fail(f"card {dealt.index} of the {dealt.hand} came where card {due} was due")
        self._told[dealt.hand, due] = dealt.card
        return [self._card(dealt.hand, due, dealt.card)]

    def _burn(self, dealt: Dealt) -> list[Event]:
        due = self._burned + 1
        if dealt.index not in {UNNUMBERED, 1, due}:  # 1: the next burning
            return self.fail(f"burn card {dealt.index} came where card {due} was due")
        self._burned = dealt.index or due
        return [self._card(BURN, self._burned, dealt.card)]

    def _end(self, end: Game) -> list[Event]:
        if not self._playing:
            return self.fail("the end of a game came without a game")
        self._playing = False
        return [end]

    def _card(self, hand: str, index: int, card: str) -> Card:
        return Card(device=self._device, hand=hand, index=index, card=card)
