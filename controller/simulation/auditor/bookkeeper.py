"""Every fact of the journal booked a second time from its cause alone, and its results held against the books."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from controller.simulation.auditor.entries import OPEN, Award, NotDueError, Person, Spot
from controller.simulation.auditor.facts import Fact, cause, commitment, told_to_all
from controller.simulation.auditor.history import History
from controller.simulation.auditor.law import ZERO
from controller.simulation.auditor.results import award_differences, meter_differences
from controller.simulation.auditor.table import TableBooks

UNITS = 10**8  # of the journal's amounts, in a dollar
Finding = tuple[str, str]  # a kind of verdict, and why
_PEOPLE, _PHASE = {"not-allowed", "second-person"}, {"wrong-phase", "faulted"}


class Bookkeeper:
    """The second set of books. `take` each fact in order; it tells what is wrong with it."""

    def __init__(self, roles: Mapping[str, str]) -> None:
        self.books = TableBooks()
        self.history = History()
        self.drawn: dict[str, tuple[str, int, int]] = {}  # by commitment: meter, cycle, cents
        self.committed: dict[tuple[str, int], str] = {}  # to each meter and cycle
        self.keys: dict[str, Fact] = {}  # the first fact of each command and coin
        self.types: dict[int, tuple[str, str, int]] = {}  # of each fact, its time, and the hash of what all may know
        self._roles = roles
        self._values: dict[tuple[str, int], int] = {}
        self.books.values = self._values

    def take(self, fact: Fact) -> list[Finding]:
        """Book a fact. After the first that is wrong the books follow nobody any more."""
        self.types[fact.seq] = (fact.type, fact.at, hash(told_to_all(fact.type, fact.payload)))
        wrong = [*self._key(fact), *self._chance(fact), *self._round(fact)]
        told = cause(fact, self._who)
        if told is None:
            wrong += self._aside(fact)
            self.history.note(fact.seq, self.books)
            return wrong
        if told.kind == "meter-adjusted":
            shown = self.history.meters[told.meter].at(fact.seq) if told.meter in self.history.meters else None
            told = replace(told, expected_cents=shown.cents if shown else 0)
        if told.what == "signed-in" and self.books.is_shut_out(told.operator, fact.at):
            wrong.append(("people", f"{told.operator} is let in, and no PIN of theirs may be looked at"))
        before, standing = dict(self.books.books), set(self.books.standing)
        owed = self.books.to_return.copy()
        made = {number: len(self._awards(number)) for number in (self.books.round, told.round)}
        try:
            self.books.book(told)
        except NotDueError as no:
            return [*wrong, (_kind(fact, no), f"{fact.type} must be refused: {no}")]
        except KeyError as missing:
            return [*wrong, ("undrawn", f"{fact.type}: nothing is known of {missing}")]
        new = [award for number, count in made.items() for award in self._awards(number)[count:]]
        found = [
            *award_differences(self.books, fact, new),
            *meter_differences(self.books, fact),
            *self._accounts(fact, before),
            *self._standing(fact, standing),
            *self._play(fact),
            *self._returns(fact, owed),
        ]
        self._note_returns(fact)
        self.history.note(fact.seq, self.books)
        if fact.type == "readings-taken":
            self._forget()
        return wrong + found

    def _awards(self, number: int) -> list[Award]:
        return self.books.rounds[number].awards if number in self.books.rounds else []

    def _who(self, id_: str) -> Person | None:
        if not id_:
            return None
        known = self.books.staff.get(id_)
        if known and not known[2]:
            return Person(id_, "")  # let go
        return Person(id_, known[1] if known else self._roles.get(id_, ""))

    def _aside(self, fact: Fact) -> list[Finding]:
        """What is booked without being an event of its own."""
        if fact.type == "simulated-ended":
            self.books.end_simulated()
        elif fact.type == "button-ignored" and fact.payload.get("switch"):
            self.books.switch = fact.payload["switch"]
        elif fact.type == "button-ignored" and self.books.heeds(fact.at):
            return [("phase", f"a press of a table that is {self.books.phase} led to nothing")]
        by = self._who(fact.payload.get("by", ""))
        if by is not None and not by.role:
            return [("people", f"{by.id} may do nothing, and is heard")]
        return []

    def _round(self, fact: Fact) -> list[Finding]:
        must = fact.payload.get("round", self.books.round) or None
        return [("books", f"{fact.type} lies under round {fact.round}, is of {must}")] if fact.round != must else []

    def _returns(self, fact: Fact, before: Counter[tuple[int, str, int]]) -> list[Finding]:
        """Coins that must be given back from here on."""
        theirs = Counter((each["position"], each["wager"], each["cents"]) for each in fact.payload.get("returns", ()))
        ours = self.books.to_return - before
        return [("credit", f"{fact.type} gives back {dict(theirs)}, must {dict(ours)}")] if theirs != ours else []

    def _key(self, fact: Fact) -> list[Finding]:
        key = fact.payload.get("key", "")
        if not key:
            return []
        first = self.keys.setdefault(key, fact)
        if first is fact:
            return []
        kind = "paid-twice" if fact.type == "award-validated" else "books"
        return [(kind, f"{fact.type} under the key {key}, which fact {first.seq} has had")]

    # -- chance --

    def _chance(self, fact: Fact) -> list[Finding]:
        """Every value that a fact commits to or reveals: drawn, of its meter and cycle, and never another."""
        wrong: list[Finding] = []
        for id_, cycle, told in _commitments(fact):
            first = self.committed.setdefault((id_, cycle), told)
            if first != told:
                wrong.append(("redrawn", f"{id_} cycle {cycle}: {told[:16]}…, and before that {first[:16]}…"))
            known = self.drawn.get(told)
            if known is None or known[:2] != (id_, cycle):
                wrong.append(("undrawn", f"{id_} cycle {cycle}: the commitment {told[:16]}… is to no value drawn"))
            else:
                self._values[id_, cycle] = known[2]
        for id_, told_reveal in reveals(fact):
            wrong += self._revealed(id_, told_reveal)
        return wrong

    def _revealed(self, id_: str, told: dict[str, Any]) -> list[Finding]:
        cycle, value, nonce = told["cycle"], told["value_cents"], told["nonce"]
        table = f"{self.books.filed.site}/{self.books.filed.table}"
        stood = self.committed.setdefault((id_, cycle), told["commitment"])
        if told["commitment"] != stood:
            return [("redrawn", f"{id_} cycle {cycle} revealed {told['commitment'][:16]}…, but {stood[:16]}… stood")]
        if commitment(table, id_, cycle, value, nonce) != stood:
            return [("undrawn", f"{id_} cycle {cycle}: the value {value} does not fit its commitment")]
        known = self.drawn.get(stood)
        if known is None or known[2] != value:
            return [("undrawn", f"{id_} cycle {cycle}: the value {value} was never drawn")]
        self._values[id_, cycle] = value
        return []

    # -- comparing --

    def _accounts(self, fact: Fact, before: Mapping[str, Fraction]) -> list[Finding]:
        theirs: Counter[str] = Counter()
        for source, target, units in fact.payload.get("moves", ()):
            theirs[_plain(source)] -= units
            theirs[_plain(target)] += units
        ours = {name: amount - before.get(name, ZERO) for name, amount in self.books.books.items()}
        names = {name for name, amount in ours.items() if amount} | {name for name, units in theirs.items() if units}
        return [
            (
                name.partition(":")[0] if name.startswith(("reserve:", "carry:")) else "books",
                f"{name} changes by {_shown(Fraction(theirs[name], UNITS))}, must by {_shown(ours.get(name, ZERO))}",
            )
            for name in sorted(names)
            if Fraction(theirs[name], UNITS) != ours.get(name, ZERO)
        ]

    def _standing(self, fact: Fact, before: set[Spot]) -> list[Finding]:
        now = set(self.books.standing)
        if fact.type == "locked-out":
            now, before = set(), set()
        placed = {(each["position"], each["wager"]) for each in fact.payload.get("placed", ())}
        gone = {(each["position"], each["wager"]) for each in fact.payload.get("withdrawn", ())}
        wrong = []
        if placed - gone != now - before:
            kind = "phase" if self.books.phase == OPEN else "late-bet"
            wrong.append((kind, f"{fact.type} makes wagers {sorted(placed)}, must make {sorted(now - before)}"))
        if gone - placed != before - now:
            wrong.append(("phase", f"{fact.type} withdraws {sorted(gone)}, must withdraw {sorted(before - now)}"))
        return wrong

    def _play(self, fact: Fact) -> list[Finding]:
        phase, books = fact.payload.get("phase", ""), self.books
        wrong = (
            [("phase", f"{fact.type} leads to {phase}, must to {books.phase}")]
            if phase not in {"", books.phase}
            else []
        )
        if fact.type in {"reopened", "table-opened"} and fact.payload["round"] != books.round:
            wrong.append(("books", f"round {fact.payload['round']}, must be {books.round}"))
        if fact.type == "controller-started" and fact.payload["epoch"] != books.starts:
            wrong.append(("regress", f"epoch {fact.payload['epoch']}, must be {books.starts}"))
        if fact.type == "award-validated" and fact.payload["slip"] != books.slip:
            wrong.append(("books", f"slip {fact.payload['slip']}, must be {books.slip}"))
        if fact.type == "locked-out":
            wrong += self._locked(fact)
        return wrong

    def _locked(self, fact: Fact) -> list[Finding]:
        theirs = [(each["position"], each["wager"]) for each in fact.payload["wagers"]]
        round_ = self.books.rounds.get(fact.payload["round"])
        ours = [(each.position, each.wager) for each in round_.wagers] if round_ else []
        if sorted(theirs, key=lambda spot: spot[1]) != sorted(ours, key=lambda spot: spot[1]):
            return [(_who_is_in(theirs, ours), f"round {fact.payload['round']} has {theirs} in, must have {ours}")]
        return []

    def _note_returns(self, fact: Fact) -> None:
        for back in fact.payload.get("returns", ()):
            self.books.their_returns[back["id"]] = (back["position"], back["wager"], back["cents"])

    def _forget(self) -> None:
        """Rounds of older days, as the product may: nothing can be asked of them any more."""
        days = {self.books.day, self.books.previous_day}
        for number in [n for n, each in self.books.rounds.items() if each.day not in days]:
            awards = self.books.rounds[number].awards
            recent = number > self.books.last_locked - self.books.filed.late_hands
            if not recent and not any(award.fate == "pending" for award in awards):
                del self.books.rounds[number]


def _plain(account: str) -> str:
    return "pending" if account.startswith("pending:") else account


def _shown(amount: Fraction) -> str:
    units = int(amount * UNITS)
    return f"{'-' if units < 0 else ''}${abs(units) // UNITS}.{abs(units) % UNITS:08}"


def _who_is_in(theirs: list[Spot], ours: list[Spot]) -> str:
    if len(set(theirs)) < len(theirs):
        return "contribution-doubled"
    if set(theirs) - set(ours):
        return "late-bet"
    return "contribution-missing" if set(ours) - set(theirs) else "contribution-wrong"  # another order


def _kind(fact: Fact, no: NotDueError) -> str:
    if fact.type == "award-validated" and "no longer pending" in str(no):
        return "paid-twice"
    reasons = set(no.reasons)
    if reasons <= _PEOPLE:
        return "people"
    return "phase" if reasons & _PHASE and len(reasons) <= len(_PHASE) else "books"


def _commitments(fact: Fact) -> list[tuple[str, int, str]]:
    """Every commitment a fact brings: meter, cycle, commitment."""
    opened = [(m["id"], m.get("cycle", 1), m.get("commitment", "")) for m in fact.payload.get("opened", ())]
    after = [(m["id"], m.get("cycle", 0), m.get("commitment", "")) for m in fact.payload.get("meters", ())]
    return [each for each in opened + after if each[2]]


def reveals(fact: Fact) -> list[tuple[str, dict[str, Any]]]:
    """Every mystery value that a fact reveals, with its meter."""
    listed = [(m["id"], hit) for m in fact.payload.get("meters", ()) for hit in m.get("listed", ())]
    return [(id_, hit["reveal"]) for id_, hit in listed if hit.get("reveal")]
