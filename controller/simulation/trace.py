"""What a run is: everything that was done, asked, drawn and seen, in the order of virtual time.

An auditor is fed these in this order, and judges the product by them alone. `at` is true time: microseconds since the
run began, whatever the controller's clock says. The order of the trace is the order in which things happened, also
where the time is the same. The lines of a trace, each an event as JSON and a newline, are the run: their SHA-256 is its
identity.
"""

from collections.abc import Callable
from hashlib import sha256
from typing import TypeAlias

from msgspec import Struct, json


def _tag(name: str) -> str:
    """`ChipPut` is `chip-put`."""
    return "".join(f"-{each.lower()}" if each.isupper() else each for each in name).removeprefix("-")


class Event(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="what", tag=_tag):
    """Something that happened."""

    at: int


# -- the frame --


class Operator(Struct, frozen=True):
    """Someone who may sign in."""

    id: str
    role: str


class Spot(Struct, frozen=True):
    """Where a chip can lie, and the input of which board senses it."""

    position: int
    wager: str
    board: str
    input: int


class Slot(Struct, frozen=True):
    """Where coins are dropped in."""

    id: str
    position: int
    wager: str
    cents: int  # of the coin that is the wager


class Began(Event, frozen=True, kw_only=True):
    """The run. `wall` is the controller's clock at its beginning, in microseconds since 1970."""

    seed: int
    toml: str  # the Rules Submission that is filed first
    wall: int
    faults: tuple[str, ...]  # which kinds can happen
    operators: tuple[Operator, ...]
    spots: tuple[Spot, ...]
    button: str  # the board that carries the button
    shoe: bool  # hands come from a shoe, not from the dealer's keys
    slots: tuple[Slot, ...] = ()


class Ended(Event, frozen=True, kw_only=True):
    """The run is over: everything was healed, the controller has come to rest and was stopped."""


class Row(Event, frozen=True, kw_only=True):
    """One row of the journal, read at the end: in order, from the first. `hash` is in hex."""

    seq: int
    told_at: str  # the journal's own word for when
    round: int | None
    type: str
    version: int
    payload: bytes
    hash: str


# -- the machine --


class Started(Event, frozen=True, kw_only=True):
    """The controller begins to start, on the disk as it was left; `life` counts starts from 1."""

    life: int


class Ready(Event, frozen=True, kw_only=True):
    """The controller says that it can be played."""

    life: int


class Refused(Event, frozen=True, kw_only=True):
    """The controller did not start, or ended by itself, and says why."""

    life: int
    why: str


class Stopped(Event, frozen=True, kw_only=True):
    """The controller was stopped as systemd stops it, and has ended."""

    life: int


class PowerCut(Event, frozen=True, kw_only=True):
    """The controller's power fails: its memory is gone, and of its disk what was not synced may be."""

    life: int


class Killed(Event, frozen=True, kw_only=True):
    """The controller's process ends in the middle of what it does; the disk keeps all that was written."""

    life: int


class Committed(Event, frozen=True, kw_only=True):
    """The journal's append returned: facts up to this one are said to be durable from here on. `hash` is in hex."""

    life: int
    seq: int
    hash: str


class ClockStepped(Event, frozen=True, kw_only=True):
    """The controller's clock is set, by so many microseconds."""

    by: int


class FaultBegan(Event, frozen=True, kw_only=True):
    """Something begins to be wrong. `id` pairs it with its end; one that is over at once has none."""

    id: int
    kind: str
    where: str = ""  # a line, a spot, a client, a file
    detail: str = ""


class FaultEnded(Event, frozen=True, kw_only=True):
    """It is as it should be again."""

    id: int
    kind: str
    where: str = ""


# -- at the table --


class ChipPut(Event, frozen=True, kw_only=True):
    """A player lays a chip on a spot."""

    position: int
    wager: str


class ChipLifted(Event, frozen=True, kw_only=True):
    """A chip is taken off its spot, by whomever."""

    position: int
    wager: str


class SensorTurned(Event, frozen=True, kw_only=True):
    """The electrical level of a chip's sensor changes. Stuck or chattering, it is not what lies there."""

    position: int
    wager: str
    on: bool


class ButtonTurned(Event, frozen=True, kw_only=True):
    """The electrical level of the lock-out button changes."""

    on: bool


class ButtonPressed(Event, frozen=True, kw_only=True):
    """The dealer presses the button; `why`: to lock, to reopen, by mistake. Where it is lost nothing turns."""

    why: str


class BoardAnswered(Event, frozen=True, kw_only=True):
    """What a board told of its inputs, where that is not what it told before: one digit for each, from input 0.

    It is what the board said; noise on the wire may have kept it from being understood.
    """

    board: str
    levels: str


class BoardLit(Event, frozen=True, kw_only=True):
    """The coils of a board are others: one digit for each, from coil 0."""

    board: str
    coils: str


class CoinDropped(Event, frozen=True, kw_only=True):
    """A player drops a coin into a slot. One that is not `taken` falls through, into the tray."""

    slot: str
    cents: int
    taken: bool


class SlotReset(Event, frozen=True, kw_only=True):
    """A slot's acceptor begins anew: of the coins it took, those it was not asked for yet are in nobody's memory."""

    slot: str


class CardsDealt(Event, frozen=True, kw_only=True):
    """The cards that lie on the felt, all of them, as surveillance sees them."""

    game: int  # counts deals of this run from 1
    player: tuple[str, ...]
    banker: tuple[str, ...]


class CardTold(Event, frozen=True, kw_only=True):
    """The shoe says which card left it; what it says may get lost on its line."""

    game: int
    hand: str
    index: int
    card: str


# -- asked, drawn, seen --


class Commanded(Event, frozen=True, kw_only=True):
    """Someone sends a command. `by` and `second` are who they truly are; a repetition has the id of the first."""

    client: str
    name: str
    id: str
    payload: bytes
    by: str = ""
    second: str = ""
    meant: str = ""  # what the sender is up to: "", or "mistake", "again", "stale", "wrong-pin", "altered"


class Replied(Event, frozen=True, kw_only=True):
    """A client hears a reply."""

    client: str
    id: str
    payload: bytes


class Drawn(Event, frozen=True, kw_only=True):
    """Chance: the vault drew a mystery value. Not every value drawn comes to be used."""

    life: int
    meter: str
    cycle: int
    cents: int
    nonce: str  # in hex
    commitment: str
    sealed: str  # in hex: the nonce of the seal, and what it seals


class Said(Event, frozen=True, kw_only=True):
    """The broker has taken a message of the controller; `life` 0: the broker itself says a last will."""

    life: int
    topic: str
    payload: bytes
    retain: bool = False


class Heard(Event, frozen=True, kw_only=True):
    """A subscriber hears a message. `kept`: it was retained from before the subscription."""

    client: str
    topic: str
    payload: bytes
    kept: bool = False


class Shown(Event, frozen=True, kw_only=True):
    """What a sign puts on display, once it has dropped what is older than what it shows. Empty: nothing any more."""

    sign: str
    topic: str
    payload: bytes


class LampShown(Event, frozen=True, kw_only=True):
    """A lamp is told to show another pattern: off, invite, placed, accepted, refused, won, fault."""

    board: str
    position: int
    wager: str
    pattern: str


class LampFlashed(Event, frozen=True, kw_only=True):
    """A lamp flashes once, and goes back to its pattern."""

    board: str
    position: int
    wager: str


Any_: TypeAlias = (
    Began
    | Ended
    | Row
    | Started
    | Ready
    | Refused
    | Stopped
    | PowerCut
    | Killed
    | Committed
    | ClockStepped
    | FaultBegan
    | FaultEnded
    | ChipPut
    | ChipLifted
    | SensorTurned
    | ButtonTurned
    | ButtonPressed
    | BoardAnswered
    | BoardLit
    | CoinDropped
    | SlotReset
    | CardsDealt
    | CardTold
    | Commanded
    | Replied
    | Drawn
    | Said
    | Heard
    | Shown
    | LampShown
    | LampFlashed
)

_ENCODER = json.Encoder()
DECODER: json.Decoder[Any_] = json.Decoder(Any_)


class Trace:
    """Takes events in their order, hands each on, and knows the hash of all."""

    def __init__(self, *takers: Callable[[Any_], None]) -> None:
        self._takers = takers
        self._hash = sha256()
        self.count = 0

    def add(self, event: Any_) -> None:
        """It happened. Whoever is fed may raise: then the run ends there."""
        self._hash.update(line(event))
        self.count += 1
        for take in self._takers:
            take(event)

    def digest(self) -> str:
        """The identity of the run so far, in hex."""
        return self._hash.hexdigest()


def line(event: Any_) -> bytes:
    """An event as it stands in a trace."""
    return _ENCODER.encode(event) + b"\n"
