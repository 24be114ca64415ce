"""The books kept a second time: money folded from the moves alone and held against what the facts say of the meters.

Nothing here shares code with `evolve`: a slip there and a forgery in the file show alike.
"""

from typing import NamedTuple

from msgspec import UNSET

from controller.core.accounts import (
    WAGERS,
    carry_account,
    meter_account,
    paid_account,
    pending_account,
    reserve_account,
    units,
)
from controller.core.facts import Fact, LockedOut, SubmissionFiled
from controller.core.meters import PENDING, Meter
from controller.core.state import State

_LINKS = "links"  # all meters that links keep, as one


class Accounts(NamedTuple):
    """The accounts of one meter."""

    meter: str
    reserve: str
    carry: str
    paid: str


class Books:
    """Balances of all accounts that hold something, fact by fact."""

    def __init__(self) -> None:
        self.balances: dict[str, int] = {}  # as the moves add up
        self._said: dict[str, int] = {}  # as the facts last said, of every account of a meter
        self._meters: dict[str, Accounts] = {}

    @classmethod
    def of(cls, state: State) -> "Books":
        """The books as they stand in a state, where the facts before it are not there."""
        made = cls()
        made.balances = {account: amount for account, amount in state.accounts.items() if amount}
        for meter in state.meters.values():
            made._open(meter, set())
        return made

    def flaw(self, fact: Fact) -> str | None:
        """Book the next fact; why its money does not add up, None if it does."""
        touched: set[str] = set()
        if isinstance(fact, SubmissionFiled):
            for meter in fact.opened:
                self._open(meter, touched)
        if fact.moves and (why := self._book(fact, touched)):
            return why
        if fact.meters:
            self._hear(fact, touched)
        if touched and (why := self._differs(touched)):
            return why
        if isinstance(fact, LockedOut) and (why := self._uncovered(fact)):
            return why
        return self._unheld(fact) if fact.awards or fact.fates else None

    def _open(self, meter: Meter, touched: set[str]) -> None:
        makers = (meter_account, reserve_account, carry_account, paid_account)
        accounts = self._meters[meter.id] = Accounts(*(make(meter.id) for make in makers))
        amounts = (meter.units, meter.reserve, meter.carry, units(meter.paid_cents))
        self._said.update(zip(accounts, amounts, strict=True))
        touched.update(accounts)

    def _book(self, fact: Fact, touched: set[str]) -> str | None:
        balances = self.balances
        for move in fact.moves:
            source, target, amount = move.source, move.target, move.units
            if amount <= 0:
                return f"it moves {amount} units from {source} to {target}: a move is of more than nothing"
            for account, change in ((source, -amount), (target, amount)):
                balance = balances.get(account, 0) + change
                if balance:
                    balances[account] = balance
                else:
                    balances.pop(account, None)  # every award has an account of its own: settled, it is not kept
                touched.add(account)
        return None

    def _hear(self, fact: Fact, touched: set[str]) -> None:
        for after in fact.meters:
            accounts = self._meters.get(after.id)
            if accounts is None:
                continue  # the replay finds a meter that never opened
            if after.units is not UNSET:
                self._said[accounts.meter] = after.units
            if after.reserve is not UNSET:
                self._said[accounts.reserve] = after.reserve
            if after.carry is not UNSET:
                self._said[accounts.carry] = after.carry
            if after.paid_cents is not UNSET:
                self._said[accounts.paid] = units(after.paid_cents)
            touched.update(accounts)

    def _differs(self, touched: set[str]) -> str | None:
        said, balances = self._said, self.balances
        for account in touched:
            amount = said.get(account)
            if amount is None:
                continue  # not of a meter: nothing is said of it
            holds = balances.get(account, 0)
            if amount != holds:
                return f"{account} is said to hold {amount} units, and all moves so far add up to {holds}"
            if holds < 0:
                return f"{account} holds {holds} units: less than nothing"
        return None

    def _uncovered(self, fact: LockedOut) -> str | None:
        """Contributions listed wager by wager that are not the money that moved."""
        given: dict[str, int] = {}
        reserved: dict[str, int] = {}
        for wager in fact.wagers:
            for share in wager.shares:
                given[share.meter] = given.get(share.meter, 0) + share.units
                if share.reserve:
                    reserved[share.meter] = reserved.get(share.meter, 0) + share.reserve
        listed = self._by_account(given, "meter")
        for account, amount in self._by_account(reserved, "reserve").items():
            listed[account] = listed.get(account, 0) + amount
        for move in fact.moves:
            if move.source == WAGERS:
                target = move.target if move.target in self._said else _LINKS
                listed[target] = listed.get(target, 0) - move.units
        for account, difference in listed.items():
            if difference:
                return f"its wagers give {account} {difference} units more than move there"
        return None

    def _by_account(self, given: dict[str, int], kind: str) -> dict[str, int]:
        """Amounts by meter as amounts by account; meters that links keep are one."""
        found: dict[str, int] = {}
        for meter, amount in given.items():
            accounts = self._meters.get(meter)
            account: str = getattr(accounts, kind) if accounts else _LINKS
            found[account] = found.get(account, 0) + amount
        return found

    def _unheld(self, fact: Fact) -> str | None:
        """Awards whose account does not hold what is due, or holds something after they are settled."""
        due = {award.id: (award.fate, award.amount_cents) for award in fact.awards}
        due |= {fate.award: (fate.fate, fate.amount_cents) for fate in fact.fates}
        for award, (fate, cents) in due.items():
            wanted = units(cents) if fate == PENDING else 0
            holds = self.balances.get(pending_account(award), 0)
            if holds != wanted:
                return f"award {award} is {fate} at {cents} cents, and its account holds {holds} units"
        return None
