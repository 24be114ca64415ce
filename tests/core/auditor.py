"""Every input of a test booked a second time, by the simulation's auditor, and the product's state held against it."""

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction

from controller.core import inputs
from controller.core.chance import Chance
from controller.core.decision import Decision
from controller.core.phases import TABLE as PHASES
from controller.core.phases import Phase
from controller.core.refusals import Refused
from controller.core.state import Award as TheirAward
from controller.core.state import State
from controller.simulation.auditor.books import Values
from controller.simulation.auditor.entries import NotDueError, Person, Round, Told
from controller.simulation.auditor.law import ZERO
from controller.simulation.auditor.table import TableBooks
from controller.vault import Vault
from tests.core.play import Rigged, Table

_TOLD = {each.name for each in fields(Told)}


class DifferenceError(AssertionError):
    """The product and the auditor differ."""


def told(input_: inputs.Input) -> Told:
    """What an input says, in the auditor's own type."""
    parts = {name: getattr(input_, name) for name in input_.__struct_fields__ if name in _TOLD}
    for name in ("by", "second"):
        if isinstance(parts.get(name), inputs.Person):
            parts[name] = Person(parts[name].id, parts[name].role)
    return Told(kind=input_.kind, **parts)


class Auditor(TableBooks):
    """The second set of books. Give it each input with the product's answer, then compare."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: dict[str, tuple[str, str, str]] = {}
        self.forgotten = False  # whether the last key was used on a day too long ago
        self.answer: Decision | Refused = Decision(None)

    def take(self, input_: inputs.Input, answer: Decision | Refused, values: Values) -> None:
        """Book an input; raise where the product answered otherwise than it must."""
        self.values, self.answer = values, answer
        self.refused = answer.refusal.value if isinstance(answer, Refused) else ""
        key, content = getattr(input_, "key", ""), repr((input_.kind, self._content(input_)))
        if key:
            self.forgotten = key in self.keys and self.keys[key][2] not in {self.day, self.previous_day}
            if key in self.keys and not self.forgotten:
                self._tick(input_)
                self._again(*self.keys[key][:2], content)
                return
        self._judge(input_)
        if key:
            if isinstance(answer, Decision) and answer.fact is None:
                raise DifferenceError(f"{input_} was accepted and left nothing to know its key by")
            self.keys[key] = (content, self.refused, self.day)

    def _tick(self, input_: inputs.Input) -> None:
        """Time passes with every input, also with one that comes again."""
        self.book(Told("tick", at=input_.at))

    def _judge(self, input_: inputs.Input) -> None:
        """Book an input that must be accepted; hold the product's refusal against the one that is due."""
        try:
            self.book(told(input_))
        except NotDueError as no:
            if not self.refused:
                raise DifferenceError(f"{input_} was accepted, must be refused: {no} ({no.reasons})") from None
            if self.refused not in (self._wrong_phase(input_) or no.reasons):
                raise DifferenceError(f"{input_}: {self.answer}, must be {no.reasons}: {no}") from None
        else:
            if self.refused:
                raise DifferenceError(f"{input_} must be accepted, got {self.answer}")

    def _wrong_phase(self, input_: inputs.Input) -> set[str]:
        """The phase, or the fault, is the first reason given where others hold too."""
        if self.faulted and input_.kind not in PHASES[Phase.FAULTED]:
            return {"wrong-phase", "faulted"}
        return set() if input_.kind in PHASES[Phase(self.phase)] else {"wrong-phase"}

    @staticmethod
    def _content(input_: inputs.Input) -> list[tuple[str, object]]:
        apart = {"at", "by", "second", "key"}
        return [(name, getattr(input_, name)) for name in input_.__struct_fields__ if name not in apart]

    def _again(self, told: str, refusal: str, content: str) -> None:
        got = self.refused
        if isinstance(self.answer, Decision) and self.answer.repeated is not None:
            got = self.answer.repeated.refusal
        if told != content:
            if not got:
                raise DifferenceError(f"a key used again with other content was accepted: {content}")
        elif got != refusal or (isinstance(self.answer, Decision) and self.answer.fact is not None):
            raise DifferenceError(f"{content} again: {self.answer}, must be as before: {refusal or 'accepted'}")

    def compare(self, state: State) -> None:
        """Raise with every difference between the product's state and these books."""
        wrong = [
            *self._compare_play(state),
            *self._compare_meters(state),
            *self._compare_rounds(state),
            *self._compare_accounts(state),
        ]
        if wrong:
            raise DifferenceError("\n".join(wrong))
        self.their_returns = {one.id: (one.position, one.wager, one.cents) for one in state.returns.values()}

    def _compare_play(self, state: State) -> list[str]:
        theirs = {
            "phase": (state.prior or state.phase).value,
            "faulted": state.phase is Phase.FAULTED,
            "round": state.round,
            "standing": {(one.position, one.wager): one.source for one in state.standing.values()},
            "to return": Counter((one.position, one.wager, one.cents) for one in state.returns.values()),
            "slip": state.slip,
            "staff": {id_: (one.name, one.role, one.active) for id_, one in state.operators.items()},
            "wrong PINs": {id_: one.count for id_, one in state.wrong_pins.items()},
            "starts": (state.mode, state.epoch),
            "day": state.day,
        }
        ours = {
            "phase": self.phase,
            "faulted": self.faulted,
            "round": self.round,
            "standing": {spot: source for spot, (source, _) in self.standing.items()},
            "to return": +self.to_return,
            "slip": self.slip,
            "staff": self.staff,
            "wrong PINs": {id_: count for id_, (count, _) in self.wrong_pins.items()},
            "starts": (self.mode, self.starts),
            "day": self.day,
        }
        return [f"{what}: {theirs[what]}, must be {ours[what]}" for what in ours if theirs[what] != ours[what]]

    def _compare_meters(self, state: State) -> list[str]:
        wrong = []
        if state.meters.keys() != self.meters.keys():
            wrong.append(f"meters: {list(state.meters)}, must be {list(self.meters)}")
        for id_, meter in self.meters.items():
            theirs = state.meters.get(id_)
            if theirs is None:
                continue
            filing = theirs.filing
            pairs = {
                "amount": (Fraction(theirs.units, 10**8), self.balance(f"meter:{id_}")),
                "reserve": (Fraction(theirs.reserve, 10**8), self.balance(f"reserve:{id_}")),
                "carry": (Fraction(theirs.carry, 10**8), self.balance(f"carry:{id_}")),
                "in": (Fraction(theirs.in_cents, 100), meter.taken_in),
                "hits": (theirs.hits, meter.hits),
                "wins": (Fraction(theirs.wins_cents, 100), meter.wins),
                "paid": (Fraction(theirs.paid_cents, 100), meter.paid),
                "rate": (Fraction(filing.rate, 10**6), meter.numbers.rate),
                "reserve rate": (Fraction(filing.reserve_rate, 10**6), meter.numbers.reserve_rate),
                "reset": (Fraction(filing.reset_cents, 100), meter.numbers.reset),
                "next reset": (
                    Fraction((theirs.next_filing or filing).reset_cents, 100),
                    (meter.pending or meter.numbers).reset,
                ),
            }
            if meter.kind == "mystery":
                pairs["cycle"] = (theirs.cycle, meter.cycle)
                pairs["maximum"] = (Fraction(filing.maximum_cents, 100), meter.numbers.maximum)
            wrong += [
                f"{id_} {what}: {_shown(got)}, must be {_shown(want)}"
                for what, (got, want) in pairs.items()
                if got != want
            ]
        return wrong

    def _compare_rounds(self, state: State) -> list[str]:
        gone = [number for number in self.rounds if state.record(number) is None]
        wrong = [f"round {number} is not kept" for number in gone if self._to_keep(number)]
        for number in gone:
            del self.rounds[number]
        for number, round_ in self.rounds.items():
            record = state.record(number)
            if record is None:
                continue
            wrong += self._compare_awards(number, round_, record.awards)
            theirs = {id_: (Fraction(a.units, 10**8), Fraction(a.reserve, 10**8)) for id_, a in record.amounts.items()}
            theirs = {id_: amount for id_, amount in theirs.items() if id_ in round_.amounts}
            if theirs != round_.amounts and not round_.voided:
                wrong.append(f"round {number} recorded {_table(theirs)}, must be {_table(round_.amounts)}")
            got = [(wager.position, wager.wager, wager.out) for wager in record.wagers]
            want = [(wager.position, wager.wager, wager.out) for wager in round_.wagers]
            if sorted(got, key=_feeds) != sorted(want, key=_feeds):
                wrong.append(f"round {number} wagers {got}, must be {want}")
            if (record.player, record.banker, record.complete) != (round_.player, round_.banker, round_.complete):
                wrong.append(f"round {number} cards {record.player} {record.banker}, must be {round_}")
        return wrong

    def _to_keep(self, number: int) -> bool:
        """Rounds of this and the previous day, the last ones, and those with an award pending."""
        round_ = self.rounds[number]
        pending = any(award.fate == "pending" for award in round_.awards)
        return (
            pending or number > self.last_locked - self.filed.late_hands or round_.day in {self.day, self.previous_day}
        )

    def _compare_awards(self, number: int, round_: Round, theirs: tuple[TheirAward, ...]) -> list[str]:
        known = {award.theirs: award for award in round_.awards if award.theirs}
        wrong = []
        for their in theirs:
            award = known.get(their.id)
            if award is None:
                spot = (their.position, their.wager.partition("/")[0], their.kind == "mystery")
                fresh = [a for a in round_.awards if not a.theirs and (*a.spot, a.kind == "mystery") == spot]
                if not fresh:
                    wrong.append(f"round {number}: {their} must not be")
                    continue
                award = fresh[0]
                award.theirs = their.id
            fate = their.fate  # what a wager that was taken out had won may be called either
            if award.fate == "taken out" and fate in {"rejected", "unwound"}:
                fate = award.fate
            got = (their.kind, their.wager, their.amount_cents, their.meter, their.listed, their.validate, fate)
            want = (
                award.kind,
                award.id,
                int(award.amount * 100),
                award.meter,
                award.listed,
                award.validate,
                award.fate,
            )
            if got != want or (award.kind != "mystery" and their.outcome != award.outcome):
                wrong.append(f"round {number}: {their} must be {award}")
        missing = [award for award in round_.awards if not award.theirs]
        return wrong + [f"round {number}: missing {award}" for award in missing]

    def _compare_accounts(self, state: State) -> list[str]:
        theirs = {name: Fraction(units, 10**8) for name, units in state.accounts.items()}
        wrong = [f"the accounts do not sum to zero: {theirs}"] if sum(theirs.values()) else []
        pending = {name: amount for name, amount in theirs.items() if name.startswith("pending:")}
        want = {f"pending:{award.theirs}": award.amount for award in self.pending()}
        if pending != {name: amount for name, amount in want.items() if amount}:
            wrong.append(f"pending {_table(pending)}, must be {_table(want)}")
        return wrong + [
            f"{name}: {_shown(theirs.get(name, ZERO))}, must be {_shown(self.balance(name))}"
            for name in sorted({*theirs, *self.books} - {*pending, "pending"})
            if theirs.get(name, ZERO) != self.balance(name)
        ]


def _feeds(wager: tuple[int, str, bool]) -> str:
    """Wagers on different meters have no order among each other."""
    return wager[1]


def _shown(what: object) -> str:
    return f"{float(what):.8f}" if isinstance(what, Fraction) else str(what)


def _table(amounts: Mapping[str, object]) -> str:
    def one(what: object) -> str:
        return f"({', '.join(_shown(part) for part in what)})" if isinstance(what, tuple) else _shown(what)

    return "{" + ", ".join(f"{name}: {one(amount)}" for name, amount in sorted(amounts.items())) + "}"


class Audited(Table):
    """A table whose every input is booked a second time, and compared."""

    def __init__(self, toml: str, *, rigged: Rigged | None = None, seed: int = 0) -> None:
        self.auditor = Auditor()
        self.random = random.Random(seed)
        self.values: dict[tuple[str, int], int] = {}
        self.nonces: dict[tuple[str, int], str] = {}
        self.balances: Counter[str] = Counter()
        self.last_chance: Chance = {}
        bytes_ = self.random.randbytes
        self.seeded = Vault({"test": bytes(range(32))}, "test", randbelow=self.random.randrange, token_bytes=bytes_)
        super().__init__(toml, rigged=rigged)

    def chance(self, input_: inputs.Input) -> Chance:
        """What is prepared for an input, remembered for the auditor."""
        self.vault = self.seeded
        self.last_chance = ready = super().chance(input_)
        for id_, one in ready.items():
            cycle = self.state.meters[id_].cycle if id_ in self.state.meters else 0
            if one.cents is not None:
                self.values[id_, cycle], self.nonces[id_, cycle] = one.cents, one.nonce
            for ahead, draw in enumerate(one.draws, 1):
                self.values[id_, cycle + ahead], self.nonces[id_, cycle + ahead] = draw.cents, draw.nonce
        return ready

    def give(self, input_: inputs.Input) -> Decision | Refused:
        """Decide an input, book it, compare."""
        before = len(self.facts)
        answer = super().give(input_)
        for recorded in self.facts[before:]:
            for move in recorded.fact.moves:
                self.balances[move.source] -= move.units
                self.balances[move.target] += move.units
        self.auditor.take(input_, answer, self.values)
        self.auditor.compare(self.state)
        if {name: units for name, units in self.balances.items() if units} != self.state.accounts:
            raise DifferenceError(f"the moves make {self.balances}, the state has {self.state.accounts}")
        return answer
