"""A link in memory: the rules of a shared meter, without a store."""

from collections.abc import Iterable
from typing import Protocol

from msgspec.structs import replace

from controller.core.accounts import Move, carry_account, moved, pending_account, units
from controller.core.chance import Ready
from controller.core.filed import MYSTERY, FiledMeter
from controller.core.inputs import LinkAnswered, LinkHit
from controller.core.meters import (
    REJECTED,
    UNWOUND,
    Due,
    Hit,
    Meter,
    Share,
    Won,
    contribute,
    hit,
    is_inside,
    listed,
    open_meter,
    reverse,
    unwind,
)
from controller.core.state import Intent


class Chances(Protocol):
    """Where a link's mystery values come from."""

    def ready(self, meter: Meter | None, filed: FiledMeter, draws: int) -> Ready:
        """The standing value of a meter, None where it is being opened, and the next draws."""


Place = tuple[str, str, int, int]  # table, meter, round, position


class MemoryLink:
    """Shared meters, and an answer to every intent: the same one, however often it is asked."""

    def __init__(self, name: str, meters: Iterable[tuple[FiledMeter, str]], chances: Chances) -> None:
        self.name = name
        self.accounts: dict[str, int] = {}
        self.meters: dict[str, Meter] = {}
        self._filed: dict[str, FiledMeter] = {}
        self._chances = chances
        self._seq = 0  # intents applied: the link's own order, as rounds of different tables have none
        self._answers: dict[tuple[str, str], LinkAnswered] = {}
        self._given: dict[Place, tuple[int, int, Share]] = {}  # when, cents, what
        self._won: dict[Place, tuple[str, str, int]] = {}  # hit, award, cents
        for filed, wager in meters:
            draws = chances.ready(None, filed, 1).draws if filed.kind == MYSTERY else ()
            meter, moves = open_meter(filed, wager, draws[0] if draws else None)
            self._filed[filed.id] = filed
            self._put(meter, moves)

    def _put(self, meter: Meter, moves: Iterable[Move]) -> None:
        self.meters[meter.id] = meter
        self.accounts = moved(self.accounts, moves)

    def apply(self, intent: Intent, at: str) -> LinkAnswered:
        """Apply an intent once, and answer it."""
        key = (intent.table, intent.id)
        if key not in self._answers:
            self._seq += 1
            hits, returned = _KINDS[intent.kind](self, intent, at)
            display = self.meters[intent.meter].display_cents
            self._answers[key] = LinkAnswered(
                at=at, intent=intent.id, display_cents=display, hits=hits, returned_units=returned
            )
        return replace(self._answers[key], at=at)

    def _contribute(self, intent: Intent, at: str) -> tuple[tuple[LinkHit, ...], int]:
        filed, before = self._filed[intent.meter], self.meters[intent.meter]
        ready = self._chances.ready(before, filed, len(intent.stakes)) if filed.kind == MYSTERY else None
        names = (f"{intent.id}/{number}" for number in range(1, len(intent.stakes) + 1))
        given = contribute(before, [cents for _, cents in intent.stakes], names.__next__, ready)
        self._put(given.meter, given.moves)
        for (position, cents), share in zip(intent.stakes, given.shares, strict=True):
            self._given[intent.table, intent.meter, intent.round, position] = (self._seq, cents, share)
        return tuple(self._revealed(intent, at, won) for won in given.won), 0

    def _revealed(self, intent: Intent, at: str, won: Won) -> LinkHit:
        position, reveal = intent.stakes[won.nth][0], won.reveal
        record = Hit(won.award, self._seq, at, self._seq, won.cents, (won.award,), (position,), reveal=reveal)
        self._put(listed(self.meters[intent.meter], record), ())
        self._won[intent.table, intent.meter, intent.round, position] = (won.award, won.award, won.cents)
        return LinkHit(position, won.cents, reveal.value_cents, reveal.nonce, reveal.cycle, reveal.commitment)

    def _hit(self, intent: Intent, at: str) -> tuple[tuple[LinkHit, ...], int]:
        meter = self.meters[intent.meter]
        awards = tuple(f"{intent.id}/{position}" for position in intent.positions)
        due = Due(self._seq, at, self._seq, awards, intent.positions, meter.units, meter.reserve)
        self._put(*hit(meter, due))
        for award, position in zip(awards, intent.positions, strict=True):
            self._won[intent.table, intent.meter, intent.round, position] = (awards[0], award, due.each_cents)
        return tuple(LinkHit(position, due.each_cents) for position in intent.positions), 0

    def _unwind(self, intent: Intent, _at: str) -> tuple[tuple[LinkHit, ...], int]:
        """Shares come back to the meter; when the last one has, so does what opened the cycle after the hit."""
        for position in intent.positions:
            id_, award, cents = self._won.pop((intent.table, intent.meter, intent.round, position))
            meter = self.meters[intent.meter]
            record = next(each for each in meter.last if each.id == id_)
            if meter.kind == MYSTERY:
                money = units(cents)
                last = tuple(replace(each, fate=REJECTED) if each.id == id_ else each for each in meter.last)
                carried = replace(meter, carry=meter.carry + money, wins_cents=meter.wins_cents - cents, last=last)
                self._put(carried, (Move(pending_account(award), carry_account(meter.id), money),))
                continue
            whole = not any(id_ == other for other, _, _ in self._won.values())
            self._put(*unwind(meter, record, [(award, cents)], UNWOUND, whole=whole))
        return (), 0

    def _reverse(self, intent: Intent, _at: str) -> tuple[tuple[LinkHit, ...], int]:
        before = self.accounts.get("wagers", 0)
        house = self.accounts.get("house:void", 0)
        for position, _ in intent.stakes:
            when, cents, share = self._given.pop((intent.table, intent.meter, intent.round, position))
            meter = self.meters[intent.meter]
            self._put(*reverse(meter, share, cents, inside=is_inside(meter, share, when)))
        refunded = house - self.accounts.get("house:void", 0)
        return (), self.accounts.get("wagers", 0) - before - refunded


_KINDS = {
    "contribute": MemoryLink._contribute,  # noqa: SLF001 -- the class's own table, beside it
    "hit": MemoryLink._hit,  # noqa: SLF001 -- the same
    "unwind": MemoryLink._unwind,  # noqa: SLF001 -- the same
    "reverse": MemoryLink._reverse,  # noqa: SLF001 -- the same
}
