"""What must hold between any two facts. Checked before every commit, at every start, and in every simulation."""

from controller.core.accounts import (
    UnbalancedError,
    carry_account,
    meter_account,
    paid_account,
    pending_account,
    reserve_account,
    units,
)
from controller.core.filed import MYSTERY
from controller.core.meters import PENDING, Meter
from controller.core.state import State


def check(state: State, before: State | None = None) -> None:
    """Raise where money does not add up. What was decided is then not committed.

    `before` is a state that was checked: where money and awards are the very same objects still, they need no look.
    """
    accounts = state.accounts
    if before is not None and (
        accounts is before.accounts
        and state.meters is before.meters
        and state.awards is before.awards
        and state.rounds is before.rounds
    ):
        return
    if sum(accounts.values()):
        raise UnbalancedError(f"the accounts sum to {sum(accounts.values())} units, not to zero")
    pending: dict[str, int] = {}
    held = 0
    for id_ in state.awards:
        award = state.award(id_)
        if award is None or award.fate != PENDING:
            continue
        held += 1
        if accounts.get(pending_account(id_), 0) != units(award.amount_cents):
            raise UnbalancedError(f"award {id_} is {award.amount_cents} cents and its account is not")
        pending[award.meter] = pending.get(award.meter, 0) + award.amount_cents
    if sum(name.startswith("pending:") for name in accounts) != held:
        raise UnbalancedError("there is money pending for an award that is not")
    for meter in state.meters.values():
        _check_meter(meter, accounts, pending.get(meter.id, 0))


def _check_meter(meter: Meter, accounts: dict[str, int], pending_cents: int) -> None:
    for name, amount in (
        (meter_account(meter.id), meter.units),
        (reserve_account(meter.id), meter.reserve),
        (carry_account(meter.id), meter.carry),
        (paid_account(meter.id), units(meter.paid_cents)),
    ):
        if accounts.get(name, 0) != amount:
            raise UnbalancedError(f"{name} holds {accounts.get(name, 0)} units, and its meter says {amount}")
        if amount < 0:
            raise UnbalancedError(f"{name} is {amount} units: less than nothing")
    if meter.wins_cents != meter.paid_cents + pending_cents:
        raise UnbalancedError(
            f"{meter.id} has won {meter.wins_cents} cents; paid and pending are {meter.paid_cents + pending_cents}"
        )
    if meter.kind == MYSTERY and meter.units > units(meter.filing.maximum_cents):
        raise UnbalancedError(f"{meter.id} is above its ceiling of {meter.filing.maximum_cents} cents")
