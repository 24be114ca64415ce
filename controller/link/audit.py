"""`jackpotd link audit`: does a link add up? Every line proven, every table summed, every journal given compared."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from controller.link.comparing import Compared, compare, money
from controller.link.journaled import Journaled
from controller.link.proving import Proof
from controller.link.reading import Ledger
from controller.link.sums import Flows


class Given(NamedTuple):
    """A table's journal, and the last fact it had before the ledger was read."""

    journaled: Journaled
    settled: int


class MeterSum(NamedTuple):
    """One meter: what came in and went out, and what is there."""

    proof: Proof
    flows: Flows

    @property
    def held(self) -> int:
        """What is there, by the meter's own row."""
        state = self.proof.stored.state
        return state.units + state.reserve + state.carry

    @property
    def difference(self) -> int | None:
        """What is there, less what the lines add up to; None where a line is not whole, and the sum ends before it."""
        return None if self.proof.bad else self.held - self.proof.opened_units - self.flows.held


class Audit(NamedTuple):
    """What an audit found."""

    link: str
    meters: list[MeterSum]
    compared: list[Compared]
    not_compared: list[str]  # tables of the link whose journals were not given
    differences: list[str]
    under_way: list[str]

    @property
    def ok(self) -> bool:
        """Whether everything adds up. What is under way is no difference."""
        return not self.differences


def audit(ledger: Ledger, journals: Mapping[str, Given], unread: Sequence[str] = ()) -> Audit:
    """Prove and sum a link's ledger, and hold journals against it, by table; `unread` are those that are not whole."""
    meters, differences = list[MeterSum](), list(unread)
    for stored in ledger.meters.values():
        proof = Proof(ledger.link, stored, ledger.tables)
        proof.take(ledger.lines(stored.meter))
        proof.end()
        summed = MeterSum(proof, _total(proof.tables.values()))
        meters.append(summed)
        if proof.bad:
            differences.append(f"{stored.meter}: {_where(proof)}: {proof.bad.why}")
        if summed.difference:
            differences.append(f"{stored.meter}: {money(summed.difference)} on the meter that no line accounts for")
    last = {each.proof.stored.meter: each.proof.stored.seq for each in meters}
    compared = [
        compare(given.journaled, ledger.lines_of(table), last, given.settled) for table, given in journals.items()
    ]
    differences += [why for each in compared for why in each.differences]
    return Audit(
        ledger.link,
        meters,
        compared,
        [table for table in ledger.tables if table not in journals],
        differences,
        [what for each in compared for what in each.under_way],
    )


def _total(parts: Iterable[Flows]) -> Flows:
    found = Flows()
    for each in parts:
        found.add(each)
    return found


def _where(proof: Proof) -> str:
    """The place of what is not whole."""
    if proof.bad is None or proof.bad.seq == 0:
        return "its opening"
    return f"line {proof.bad.seq}" if proof.bad.seq <= proof.stored.seq else "after the last line"
