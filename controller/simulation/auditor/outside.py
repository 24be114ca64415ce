"""Everything the outside saw, held against what was durable by then and against what the books show after that fact."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from controller.simulation.auditor.bookkeeper import Bookkeeper
from controller.simulation.auditor.messages import award_wrong, meter_wrong, proof_wrong, round_wrong, status_wrong
from controller.simulation.auditor.verdicts import Verdict
from controller.simulation.trace import Commanded, Committed, Heard, LampShown, Replied, Said, Shown

LAMP_SECONDS = 60  # a line that is plugged in again shows at last what was so before; longer ago is nobody's any more
LIT = {"invite", "placed", "accepted", "refused", "won"}  # lamps that promise something
PLACES = ("meters", "awards", "proofs", "round", "journal", "events")
# Commands that leave a fact: an `ok` without one is forgotten.
ACTIONS = {
    *("enter-hand", "correct-hand", "validate", "reject", "void-round", "void-wager", "simulated-round", "open-table"),
    *("close-table", "position-service", "confirm-return", "adjust-meter", "operator-add", "operator-disable"),
    *("change-submission", "print-slip"),
}
Find = Callable[[Verdict], None]


@dataclass(frozen=True)
class Word:
    """A message of the table, as it was said."""

    at: int
    place: str  # like `meters`
    name: str  # like the meter's id
    told: dict[str, Any]


class Outside:
    """Messages, lamps and replies. They are taken as they come and judged once the journal is read."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self.heads: list[Committed] = []
        self._words: list[Word] = []
        self._said: set[tuple[str, int]] = set()
        self._last: dict[str, tuple[int, int]] = {}
        self._epoch = 0
        self._events = 0  # the last fact that was told
        self._shown: dict[tuple[str, str], tuple[int, int]] = {}
        self._lamps: list[tuple[LampShown, int, int]] = []  # with the facts durable a while ago, and then
        self._awards: dict[str, int] = {}  # those on display, and since when
        self._asked: dict[tuple[str, str], str] = {}
        self._oks: list[tuple[int, str, str]] = []
        self.at_rest = False  # everything was healed, and nothing was under way any more
        self._lately = 0  # where in `heads` a while ago is

    @property
    def durable(self) -> int:
        """The last fact that is said to be durable."""
        return self.heads[-1].seq if self.heads else 0

    def committed(self, event: Committed) -> None:
        """An append returned."""
        if event.seq < self.durable:
            why = f"an append ends at fact {event.seq}, after {self.durable} was durable"
            self._find(Verdict("forgotten", event.at, why, event.seq))
        elif self.heads and event.seq == self.durable and event.hash != self.heads[-1].hash:
            self._find(Verdict("chain", event.at, "another fact of the same number", event.seq))
        self.heads.append(event)

    def said(self, event: Said) -> None:
        """The broker has taken a message."""
        self._said.add((event.topic, hash(event.payload)))
        place, name = _place(event.topic)
        if place == "awards" and not event.payload:
            self._awards.pop(name, None)
        elif place == "awards":
            self._awards[name] = event.at
        if not event.life or not event.payload or place not in {*PLACES, "status"}:
            return
        told = json.loads(event.payload)
        if place == "status":  # its number is of when the connection was made
            self._started(event.at, told["epoch"])
            self._words.append(Word(event.at, place, name, told))
            return
        stand = (told["epoch"], told["seq"])
        if told["seq"] > self.durable:
            why = f"{place}/{name} stands at fact {told['seq']}, durable is {self.durable}"
            self._find(Verdict("early", event.at, why, told["seq"]))
        if place == "events":
            self._told_of(event.at, [fact["seq"] for fact in told["facts"]])
        else:
            if stand < self._last.get(event.topic, stand):
                why = f"{place}/{name} at {stand}, after {self._last[event.topic]}"
                self._find(Verdict("regress", event.at, why, told["seq"]))
            self._last[event.topic] = stand
        self._words.append(Word(event.at, place, name, told))

    def _told_of(self, at: int, seqs: list[int]) -> None:
        """Every fact is told, in order; some more than once."""
        for seq in seqs:
            if seq > self._events + 1:
                self._find(Verdict("untold", at, f"events go from fact {self._events} to {seq}", seq))
            self._events = max(seq, self._events)

    def _started(self, at: int, epoch: int) -> None:
        if epoch < self._epoch:
            self._find(Verdict("regress", at, f"the status of start {epoch}, after one of {self._epoch}"))
        self._epoch = max(epoch, self._epoch)

    def heard(self, event: Heard) -> None:
        """A subscriber heard a message: one that was said."""
        if _place(event.topic)[0] in PLACES and (event.topic, hash(event.payload)) not in self._said:
            self._find(Verdict("unsaid", event.at, f"{event.client} hears on {event.topic} what was never said"))

    def shown(self, event: Shown) -> None:
        """A sign shows another amount: one that was said, and never an older one."""
        place = _place(event.topic)[0]
        if place not in PLACES or not event.payload:
            return
        if (event.topic, hash(event.payload)) not in self._said:
            self._find(Verdict("display", event.at, f"{event.sign} shows on {event.topic} what was never said"))
        told = json.loads(event.payload)
        stand, last = (told["epoch"], told["seq"]), self._shown.get((event.sign, event.topic), (0, 0))
        if stand < last:
            self._find(Verdict("regress", event.at, f"{event.sign} shows {stand} after {last}", told["seq"]))
        self._shown[event.sign, event.topic] = stand

    def lamp(self, event: LampShown) -> None:
        """A lamp was told what to show."""
        while self._lately < len(self.heads) and self.heads[self._lately].at < event.at - LAMP_SECONDS * 1_000_000:
            self._lately += 1
        if event.pattern in LIT:
            since = self.heads[max(0, self._lately - 1)].seq if self.heads else 0
            self._lamps.append((event, since, self.durable))

    def commanded(self, event: Commanded) -> None:
        """Someone asked."""
        self._asked.setdefault((event.client, event.id), event.name)

    def replied(self, event: Replied) -> None:
        """Someone got an answer."""
        told = json.loads(event.payload)
        name = self._asked.get((event.client, event.id), "")
        if told.get("seq", 0) > self.durable:
            why = f"the reply to {name} stands at fact {told['seq']}, durable is {self.durable}"
            self._find(Verdict("early", event.at, why, told["seq"]))
        if told.get("ok") and name in ACTIONS:
            self._oks.append((event.at, name, f"{event.client}/{event.id.lower()}"))

    # -- once the journal is read --

    def judge(self, books: Bookkeeper, hashes: dict[int, str], last: int) -> None:
        """Hold all of it against the books, which are sound up to `last`: of what stands later nothing is known."""
        self._heads(hashes)
        before: dict[str, Word] = {}
        for word in self._words:
            if word.told["seq"] > last:
                if last == max(hashes, default=0) and word.place != "status":
                    why = f"{word.place}/{word.name} stood at a fact that is not in the journal"
                    self._find(Verdict("forgotten", word.at, why, word.told["seq"]))
                continue
            self._word(word, books, hashes, before)
        if self.at_rest:
            self._left(before.values(), books)
        for lamp, since, durable in self._lamps:
            if durable <= last:
                self._lamp(lamp, since, durable, books)
        for at, name, key in self._oks:
            if key not in books.keys and last == max(hashes, default=0):
                self._find(Verdict("forgotten", at, f"{name} was answered with ok under {key}, and left no fact"))

    def _heads(self, hashes: dict[int, str]) -> None:
        end = max(hashes, default=0)
        for head in self.heads:
            if hashes.get(head.seq, head.hash) != head.hash:
                self._find(Verdict("chain", head.at, "the journal has another fact than was committed", head.seq))
            elif head.seq > end:
                why = f"fact {head.seq} was committed, the journal ends at {end}"
                self._find(Verdict("forgotten", head.at, why, head.seq))
                return

    def _word(self, word: Word, books: Bookkeeper, hashes: dict[int, str], before: dict[str, Word]) -> None:
        wrong: list[tuple[str, str]] = []
        if word.place == "meters":
            last = before.get(word.name)
            wrong = meter_wrong(word.name, word.told, last.told if last else None, books)
            before[word.name] = word
        elif word.place == "round":
            wrong = round_wrong(word.told, books)
        elif word.place == "awards":
            wrong = award_wrong(word.name, word.told, books)
        elif word.place == "status":
            wrong = status_wrong(word.told, books)
        elif word.place == "proofs":
            wrong = proof_wrong(word.name, word.told, books)
        elif word.place == "journal" and hashes.get(word.told["seq"]) != word.told["hash"]:
            wrong = [("chain", "a published head is not in the journal")]
        elif word.place == "events":
            wrong = [
                ("chain", f"an event of fact {fact['seq']} says {fact['type']}")
                for fact in word.told["facts"]
                if books.types.get(fact["seq"]) != (fact["type"], fact["at"], hash(_open(fact)))
            ]
        for kind, why in wrong:
            self._find(Verdict(kind, word.at, why, word.told["seq"]))

    def _left(self, words: Iterable[Word], books: Bookkeeper) -> None:
        """When all has come to rest, every meter has been said as it is, and awards only where they wait."""
        history = books.history
        for word in words:
            stood = history.meters[word.name].at(history.last) if word.name in history.meters else None
            if stood is not None and stood.cents != word.told["display_cents"]:
                why = f"{word.name} is left at {word.told['display_cents']} cents, {stood.cents} can be won"
                self._find(Verdict("display", word.at, why, word.told["seq"]))
        waiting = history.awards.at(history.last) or {}
        for name, at in self._awards.items():
            if name not in waiting:
                self._find(Verdict("award", at, f"{name} is left on display, and waits no more"))

    def _lamp(self, lamp: LampShown, since: int, durable: int, books: Bookkeeper) -> None:
        spot = (lamp.position, lamp.wager)
        if not any(each.get(spot) == lamp.pattern for each in books.history.lamps.between(since, durable)):
            why = (
                f"{lamp.pattern} at position {lamp.position}, {lamp.wager}: not so between facts {since} and {durable}"
            )
            self._find(Verdict("lamp", lamp.at, why, durable))


def _open(fact: dict[str, Any]) -> str:
    return json.dumps(fact.get("payload", {}), sort_keys=True)


def _place(topic: str) -> tuple[str, str]:
    """What a topic of a table is about, and the rest of its name."""
    parts = topic.split("/", 4)
    return (parts[3], parts[4] if len(parts) > 4 else "") if len(parts) > 3 else ("", "")  # noqa: PLR2004 -- jackpot/site/table/…
