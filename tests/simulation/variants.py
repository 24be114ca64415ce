"""The product, deliberately broken in one place each: what the simulator must find, or it proves nothing.

Each is a patch for as long as it is entered. None of it is in the product.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from msgspec.structs import replace

from controller import engine
from controller.core import awards, decide, floor, lamps, lockout, meters, taking_back, voids, wagers
from controller.core.accounts import VOID, WAGERS, Move, meter_account, pending_account, units
from controller.core.chance import Draw
from controller.core.draft import Draft
from controller.core.facts import Placed
from controller.core.inputs import Input
from controller.core.lamps import Lamp
from controller.core.meters import Changed, Contributed, Due, Meter, Share
from controller.core.phases import Phase
from controller.core.state import Award, Round, Standing, State
from controller.engine import Answer, Engine
from controller.journal import opening
from controller.journal.rows import Entry, Row, Snapshot
from controller.journal.starting import packed
from controller.outlets import broker, messages
from controller.outlets.meters import meter_message
from controller.rules.money import UNITS_PER_CENT
from controller.service.table import Table
from controller.simulation.life import WitnessedVault
from controller.vault import Vault
from drivers import cctalk_credits
from drivers.cctalk_credits import LAST, Credits
from drivers.driver import Bookmark

Broken = Callable[[], Any]  # enters as a context manager


@contextmanager
def patched(owner: Any, name: str, new: Any) -> Iterator[None]:  # noqa: ANN401 -- anything there is
    """Another thing under this name, for a while."""
    before = owner[name] if isinstance(owner, dict) else getattr(owner, name)
    put = owner.__setitem__ if isinstance(owner, dict) else lambda key, value: setattr(owner, key, value)
    put(name, new)
    try:
        yield
    finally:
        put(name, before)


# -- durability --


@contextmanager
def acknowledged_before_the_sync() -> Iterator[None]:
    """A commit returns before the disk has it: what `synchronous = NORMAL` does."""
    weak = tuple(("synchronous", "NORMAL", 1) if each[0] == "synchronous" else each for each in opening.PRAGMAS)
    with patched(opening, "PRAGMAS", weak):
        yield


@contextmanager
def acknowledged_before_the_commit() -> Iterator[None]:
    """Lamps and answers first, then the journal."""

    def step(self: Engine, inputs: Sequence[Input]) -> list[Answer]:
        real, kept = self._commit, list[tuple[Sequence[Entry], int | None, Snapshot | None]]()
        self._snapshot_every = 10**9

        def later(entries: Sequence[Entry], *, cursor: int | None, snapshot: Snapshot | None) -> object:
            kept.append((entries, cursor, snapshot))
            return None

        self._commit = later
        try:
            answers, effects = self._step(inputs)
            self._lines.release(effects, self.state)
        finally:
            self._commit = real
        for entries, cursor, snapshot in kept:
            real(entries, cursor=cursor, snapshot=snapshot)
        return answers

    with patched(Engine, "step", step):
        yield


@contextmanager
def published_before_it_is_durable() -> Iterator[None]:
    """Commits are put off for a moment, so that many are one; what was said meanwhile rests on nothing."""
    real = Table._commit

    def later(self: Table, entries: Sequence[Entry], *, cursor: int | None, snapshot: Snapshot | None) -> object:
        try:
            asyncio.get_running_loop().call_later(0.1, lambda: real(self, entries, cursor=cursor, snapshot=snapshot))
        finally:
            self.broker.look_again() if self.broker is not None else None
        return None

    def commit(self: Table, entries: Sequence[Entry], *, cursor: int | None, snapshot: Snapshot | None) -> object:
        if self.broker is None or snapshot is not None:
            return real(self, entries, cursor=cursor, snapshot=snapshot)
        return later(self, entries, cursor=cursor, snapshot=snapshot)

    with patched(Table, "_commit", commit), patched(engine, "SNAPSHOT_EVERY", 10**9):
        yield


@contextmanager
def snapshot_of_another_state() -> Iterator[None]:
    """A snapshot that is not what the facts add up to."""
    real = packed
    with patched(engine, "packed", lambda state: real(replace(state, slip=state.slip + 1))):
        yield


@contextmanager
def outbox_skips_a_fact() -> Iterator[None]:
    """Of a message of several facts, the first is forgotten."""
    real = broker._short

    def short(rows: Any) -> list[Row]:  # noqa: ANN401 -- as the broker gives them
        found = real(rows)
        return found[1:] if len(found) > 2 else found

    with patched(broker, "_short", short):
        yield


# -- money --


def _contribute_by(change: Callable[[Meter, int], int]) -> Callable[..., Contributed]:
    """Contributions of another amount than the rate has it, in good order otherwise."""
    real = meters.contribute

    def contribute(meter: Meter, stakes: Sequence[int], name: Any, ready: Any) -> Contributed:  # noqa: ANN401 -- as it is
        found = real(meter, stakes, name, ready)
        if found.won:
            return found
        given = sum(stakes) * meter.filing.rate
        wanted = change(meter, given)
        after = replace(found.meter, units=found.meter.units - given + wanted)
        moves = tuple(
            Move(each.source, each.target, wanted) if each.target == meter_account(meter.id) else each
            for each in found.moves
        )
        return Contributed(after, moves, found.shares, found.won)

    return contribute


@contextmanager
def float_money() -> Iterator[None]:
    """Dollars as floating-point numbers."""

    def dollars(meter: Meter, given: int) -> int:
        return max(0, int((meter.units / 1e8 + given / 1e8) * 1e8) - meter.units)

    with patched(lockout, "contribute", _contribute_by(dollars)):
        yield


@contextmanager
def fraction_of_a_cent_dropped() -> Iterator[None]:
    """Contributions in whole cents."""
    whole = _contribute_by(lambda _meter, given: given // UNITS_PER_CENT * UNITS_PER_CENT)
    with patched(lockout, "contribute", whole):
        yield


@contextmanager
def reserve_lost() -> Iterator[None]:
    """The part of a wager that is for the next cycle stays in the drawer."""
    real = meters.contribute

    def contribute(meter: Meter, stakes: Sequence[int], name: Any, ready: Any) -> Contributed:  # noqa: ANN401 -- as it is
        found = real(meter, stakes, name, ready)
        moves = tuple(each for each in found.moves if not each.target.startswith("reserve:"))
        shares = [replace(each, reserve=0) for each in found.shares]
        return Contributed(replace(found.meter, reserve=meter.reserve), moves, shares, found.won)

    with patched(lockout, "contribute", contribute):
        yield


@contextmanager
def overshoot_clipped() -> Iterator[None]:
    """What the winning contribution had above the award is nobody's."""
    real = meters._next_mystery

    def next_mystery(meter: Meter, won_cents: int, draw: Draw) -> tuple[Meter, tuple[Move, ...]]:
        after, moves = real(meter, won_cents, draw)
        rest = after.units - units(after.filing.reset_cents)
        return replace(after, units=after.units - rest), (*moves, Move(meter_account(meter.id), VOID, rest))

    with patched(meters, "_next_mystery", next_mystery):
        yield


@contextmanager
def carry_lost() -> Iterator[None]:
    """A mystery award that is rejected goes to the house."""

    def carry(draft: Draft, award: Award) -> None:
        meter, money = draft.meter(award.meter), units(award.amount_cents)
        after = replace(
            meter,
            wins_cents=meter.wins_cents - award.amount_cents,
            last=tuple(replace(each, fate="rejected") if each.id == award.hit else each for each in meter.last),
        )
        draft.put(after, (Move(pending_account(award.id), VOID, money),))

    with patched(taking_back, "_carry", carry):
        yield


@contextmanager
def next_cycle_without_its_seed() -> Iterator[None]:
    """After a jackpot the meter begins with what the reserve had, and no more."""
    real = meters.hit

    def hit(meter: Meter, due: Due) -> Changed:
        return real(replace(meter, filing=replace(meter.filing, reset_cents=0)), due)

    def restored(meter: Meter, due: Due) -> Changed:
        found = hit(meter, due)
        return Changed(replace(found.meter, filing=meter.next_filing or meter.filing), found.moves)

    with patched(awards, "hit", restored):
        yield


@contextmanager
def void_keeps_the_reserve() -> Iterator[None]:
    """A round that is called off gives back all but what went to the reserve."""
    real = meters.reverse

    def reverse(meter: Meter, share: Share, stake_cents: int, *, inside: bool) -> Changed:
        return real(meter, replace(share, reserve=0), stake_cents, inside=inside)

    with patched(voids, "reverse", reverse):
        yield


@contextmanager
def contributions_in_wrong_order() -> Iterator[None]:
    """The last who bet is the first to contribute, and wins what another should have."""
    real = lockout.in_order
    with patched(lockout, "in_order", lambda state: real(state)[::-1]):
        yield


@contextmanager
def second_wager_of_a_position() -> Iterator[None]:
    """A chip counts twice where it lies first."""
    real = lockout.in_order

    def twice(state: State) -> list[Standing]:
        found = real(state)
        return [*found, *found[:1]]

    with patched(lockout, "in_order", twice):
        yield


# -- play --


@contextmanager
def late_bet_accepted() -> Iterator[None]:
    """A chip laid down after "no more bets" is a wager."""
    real = floor.bar

    def bar(state: State, position: int, wager: str) -> str:
        return "" if state.phase is Phase.LOCKED else real(state, position, wager)

    with patched(wagers, "bar", bar):
        yield


@contextmanager
def stale_sensor_counted_at_reopen() -> Iterator[None]:
    """A chip that was never lifted is in again with the next round."""
    real = floor.stakes

    def stakes(state: State, *given: Any, **more: Any) -> tuple[Placed, ...]:  # noqa: ANN401 -- as it is
        lifted = {place: replace(sensor, lifted=True) for place, sensor in state.sensors.items()}
        return real(replace(state, sensors=lifted), *given, **more)

    with patched(floor, "stakes", stakes), patched(wagers, "stakes", stakes):
        yield


@contextmanager
def redrawn_on_restart() -> Iterator[None]:
    """A start draws mystery values anew."""
    real_draw, real_unseal = WitnessedVault.draw, Vault.unseal
    drawn: dict[tuple[int, str, int], None] = {}

    def draw(self: WitnessedVault, table: str, meter: str, cycle: int, low: int, high: int) -> Draw:
        drawn[id(self._life), meter, cycle] = None
        return real_draw(self, table, meter, cycle, low, high)

    def unseal(self: WitnessedVault, table: str, meter: str, cycle: int, key: str, sealed: str) -> tuple[int, str]:
        cents, nonce = real_unseal(self, table, meter, cycle, key, sealed)
        return (cents, nonce) if (id(self._life), meter, cycle) in drawn else (cents - cents % 1000 + 7, nonce)

    with (
        patched(WitnessedVault, "draw", draw),
        patched(Vault, "unseal", unseal),
        patched(engine, "_flaw", lambda *_: ""),
    ):
        yield


@contextmanager
def paid_twice_when_sent_again() -> Iterator[None]:
    """A validation that is sent again is done again."""
    real = awards.undecided_award

    def pending(state: State, id_: str) -> tuple[Award, Round]:
        award = state.award(id_)
        if award is not None and award.fate == "paid":
            record = state.record(award.round)
            assert record is not None
            return award, record
        return real(state, id_)

    real_validate = awards.validate

    def validate(state: State, command: Any) -> Any:  # noqa: ANN401 -- as it is
        found = real_validate(state, command)
        award = state.award(command.award)
        if award is None or award.fate != "paid" or found.fact is None:
            return found
        moves = tuple(
            Move(WAGERS if each.source.startswith("pending:") else each.source, each.target, each.units)
            for each in found.fact.moves
        )
        wins = tuple(
            replace(each, wins_cents=each.wins_cents + award.amount_cents)  # type: ignore[operator]  # a whole meter if each.id == award.meter else each
            for each in found.fact.meters
        )
        return replace(found, fact=replace(found.fact, moves=moves, meters=wins))

    with (
        patched(awards, "undecided_award", pending),
        patched(decide._DECIDE, "award-validated", validate),
        patched(State, "answered", lambda _self, _key: None),
    ):
        yield


# -- coins --


@contextmanager
def double_credit_on_counter_wrap() -> Iterator[None]:
    """An acceptor's counter goes from 255 to 1, which is one event and is taken for two."""
    with (
        patched(cctalk_credits, "_between", lambda last, counter: (counter - last) % 256),
        patched(Credits, "_goes_on", lambda *_: True),
    ):
        yield


@contextmanager
def last_coin_counted_again_after_a_restart() -> Iterator[None]:
    """A start goes on from the event before the last."""
    real = Credits.__init__

    def begun(self: Credits, bookmark: Bookmark | None = None) -> None:
        back = bookmark and bookmark._replace(counter=(bookmark.counter - 2) % LAST + 1, coin=False)
        real(self, back)

    with patched(Credits, "__init__", begun):
        yield


@contextmanager
def second_coin_is_a_second_wager() -> Iterator[None]:
    """Whoever drops another coin has bet twice: the first is forgotten."""
    real = wagers.dropped

    def dropped(state: State, credit: Any) -> Any:  # noqa: ANN401 -- as it is
        place = (credit.position, credit.wager)
        others = {key: each for key, each in state.standing.items() if (each.position, each.wager) != place}
        return real(replace(state, standing=others), credit)

    with patched(decide._DECIDE, "wager-dropped", dropped):
        yield


# -- displays --


@contextmanager
def display_above_the_true_amount() -> Iterator[None]:
    """A sign promises a cent more than can be won."""
    real = meter_message

    def more(*given: Any) -> Any:  # noqa: ANN401 -- as it is
        found = real(*given)
        return replace(found, display_cents=found.display_cents + 1)

    with patched(messages, "meter_message", more):
        yield


@contextmanager
def lamp_promises_too_early() -> Iterator[None]:
    """A lamp says that a wager is accepted as soon as the chip lies there."""
    real = lamps._lamp

    def lamp(*given: Any) -> Lamp:  # noqa: ANN401 -- as it is
        found = real(*given)
        return Lamp.ACCEPTED if found is Lamp.PLACED else found

    with patched(lamps, "_lamp", lamp):
        yield


VARIANTS: dict[str, Broken] = {
    each.__name__: each
    for each in (
        acknowledged_before_the_sync,
        acknowledged_before_the_commit,
        published_before_it_is_durable,
        snapshot_of_another_state,
        outbox_skips_a_fact,
        float_money,
        fraction_of_a_cent_dropped,
        reserve_lost,
        overshoot_clipped,
        carry_lost,
        next_cycle_without_its_seed,
        void_keeps_the_reserve,
        contributions_in_wrong_order,
        second_wager_of_a_position,
        late_bet_accepted,
        stale_sensor_counted_at_reopen,
        redrawn_on_restart,
        paid_twice_when_sent_again,
        double_credit_on_counter_wrap,
        last_coin_counted_again_after_a_restart,
        second_coin_is_a_second_wager,
        display_above_the_true_amount,
        lamp_promises_too_early,
    )
}
