"""One evening, three keepers: a meter of the table's own, a link in memory, a link on PostgreSQL. All end alike.

The table with a meter of its own is the core alone; the other two ask, and take the answers in. One table plays, and
nobody comes between: so the meter at lock-out, by which a table's own pays, is the meter when the hand is applied.
"""

import asyncio
from pathlib import Path
from random import Random
from typing import NamedTuple, Protocol

import pytest
from msgspec import json
from msgspec.structs import replace

from controller.clock import WallClock
from controller.core import inputs
from controller.core.meters import Meter
from controller.core.state import Intent, State
from controller.link import postgres, reaching
from controller.link.filings import filings
from controller.link.lines import After, LedgerError, after
from controller.link.opening import initialise
from controller.link.sessions import LinkRefusedError
from controller.service.starting import configuration
from tests.core.play import DEALER, FLOOR, FLOOR2, HEAVENLY, MINI, SUPERVISOR, SUPERVISOR2, Rigged, Table
from tests.link.desk import Desk
from tests.link.floor import HARMONY, HEAVENLY9, Floor
from tests.link.player import JACKPOTS, NAME, meeting
from tests.link.server import Server
from tests.link.test_memory_link import Linked, Values, link_for

ROUNDS = 24
SEATS = range(1, 6)


class Keeper(Protocol):
    """A table, whoever keeps its meters."""

    def give(self, kind: type[inputs.Input], **parts: object) -> None:
        """An input, and everything settled that it asks for."""

    def meters(self) -> dict[str, Meter]:
        """The meters, as they are kept."""

    def state(self) -> State:
        """The table's own state."""


class Seen(NamedTuple):
    """What there is after a round: the meters, and what became of every award of the table so far."""

    meters: dict[str, After]
    awards: list[tuple[int, int, str, int, str]]  # round, position, meter, cents and fate


def evening(table: Keeper, wager: str, seed: str, rounds: int) -> list[Seen]:
    """Play rounds made up from a seed, adjust a meter now and then, and settle awards at once, later or never."""
    chance, seen = Random(seed), list[Seen]()
    table.give(inputs.TableOpened, by=DEALER)
    for number in range(1, rounds + 1):
        if chance.random() < 0.3:
            _adjust(table, wager, chance)
        for seat in SEATS:
            table.give(inputs.WagerAbsent, position=seat, wager=wager)
        seats = sorted(chance.sample(SEATS, chance.randrange(1, 5)))
        for seat in seats:
            table.give(inputs.WagerPresent, position=seat, wager=wager)
        table.give(inputs.Button, reopen_after_ms=0)
        luck = chance.random()
        if luck < 0.4:
            table.give(inputs.HandComplete, **JACKPOTS[wager], source="shoe")
        elif luck < 0.6:
            table.give(inputs.RoundVoided, by=FLOOR, round=number, reason="misdeal")
        elif luck < 0.8 and (seat := chance.choice(seats)):
            parts = {"round": number, "position": seat, "wager": wager, "reason": "wrong chip"}
            table.give(inputs.WagerVoided, by=FLOOR, second=FLOOR2, **parts)
        _settle(table, wager, chance)
        if not 0.4 <= luck < 0.6:
            table.give(inputs.Button, reopen_after_ms=0)
        seen.append(_seen(table))
    return seen


def _settle(table: Keeper, wager: str, chance: Random) -> None:
    leaning = chance.choice((0.1, 0.5, 0.9))
    for award in table.state().pending():
        if chance.random() < leaning:
            table.give(inputs.AwardRejected, by=FLOOR, second=FLOOR2, award=award.id, reason="no base wager")
        elif wager == "heavenly9" or chance.random() < 0.8:  # its table plays on when all is settled
            parts = {"award": award.id, "method": "slip", "base_wager": True}
            table.give(inputs.AwardValidated, by=FLOOR, second=FLOOR2, **parts)


def _seen(table: Keeper) -> Seen:
    records = sorted(table.state().records(), key=lambda record: record.round)
    awards = [award for record in records for award in record.awards if award.meter]
    told = sorted((each.round, each.position, each.meter, each.amount_cents, each.fate) for each in awards)
    return Seen({id_: _plain(meter) for id_, meter in table.meters().items()}, told)


def _adjust(table: Keeper, wager: str, chance: Random) -> None:
    """Two people put something on the meter, out of what is carried where there is any, or take something off."""
    meters = table.meters()
    meter, carry = meters[wager], sum(each.carry for each in meters.values()) // 1_000_000
    least = meter.filing.reset_cents - meter.display_cents
    delta = carry or (chance.randrange(least, 0) if least < 0 and chance.random() < 0.5 else chance.randrange(1, 10**6))
    source = "carry:must-hit-by" if carry else "adjustments"
    parts = {"meter": wager, "delta_cents": delta, "expected_cents": meter.display_cents, "source": source}
    who = {"by": SUPERVISOR, "second": SUPERVISOR2, "key": f"adjust-{table.state().seq}"}
    table.give(inputs.MeterAdjusted, **who, **parts, reason="reading of the day")


def _plain(meter: Meter) -> After:
    """A meter's numbers, without the promise that each keeper words in its own name."""
    return replace(after(meter), commitment="")


class Own:
    """A table that keeps its meters itself."""

    def __init__(self, toml: str, values: tuple[int, ...]) -> None:
        self._table = Table(toml, rigged=Rigged(must_hit_by=list(values)))

    def give(self, kind: type[inputs.Input], **parts: object) -> None:
        self._table.do(kind, **parts)

    def meters(self) -> dict[str, Meter]:
        return {id_: self._table.state.meters[id_] for id_ in (*HARMONY, *HEAVENLY9) if id_ in self._table.state.meters}

    def state(self) -> State:
        return self._table.state


class InMemory:
    """A table whose meters a link in memory keeps."""

    def __init__(self, toml: str, meters: tuple[str, ...], values: tuple[int, ...]) -> None:
        self._table = Linked(toml, dict.fromkeys(meters, NAME))
        self._link = link_for(self._table, NAME, *values)

    def give(self, kind: type[inputs.Input], **parts: object) -> None:
        self._table.do(kind, **parts)
        while self._table.asked:
            self._table.answer(self._link)

    def meters(self) -> dict[str, Meter]:
        return self._link.meters

    def state(self) -> State:
        return self._table.state


class OnPostgres:
    """A table whose meters a link on PostgreSQL keeps."""

    def __init__(self, floor: Floor, server: Server, values: tuple[int, ...]) -> None:
        self._floor, self._server, self._values = floor, server, Values(*values)
        found = configuration(floor.config("t-1"), WallClock().now()).files
        with reaching.connected(floor.settings, "tests") as connection:
            initialise(connection, NAME, (found.site, found.name), filings(found, NAME), self._values)
        self.desk = Desk(floor.setup("t-1"), opened=False)

    def give(self, kind: type[inputs.Input], **parts: object) -> None:
        self.desk.do(kind, **parts)
        if self.desk.intents:
            asyncio.run(self._asked())

    async def _asked(self) -> None:
        async with postgres.session(self._floor.settings, self.desk.identity(), self._values) as session:
            await self.desk.ask(session)

    def meters(self) -> dict[str, Meter]:
        rows = self._server.run("SELECT meter, state FROM jackpotd.meters", database=self._floor.database)
        return {meter: json.decode(state, type=Meter) for meter, state in rows}

    def state(self) -> State:
        return self.desk.state


@pytest.mark.parametrize("seed", ["one", "two"])
@pytest.mark.parametrize("meters", [HARMONY, HEAVENLY9], ids=["harmony", "heavenly9-and-must-hit-by"])
def test_the_same_evening_leaves_the_same_amounts_whoever_keeps_the_meter(
    tmp_path: Path, server: Server, database: str, meters: tuple[str, ...], seed: str
) -> None:
    floor = Floor(tmp_path, server.dsn(database), meters)
    wager = meters[0]
    chance = Random(seed)
    values = tuple(25_000 + chance.randrange(1, 90) for _ in range(60))
    alone = evening(Own(floor.toml, values), wager, seed, ROUNDS)
    assert alone[-1].meters[meters[-1]].hits > 0
    assert evening(InMemory(floor.toml, meters, values), wager, seed, ROUNDS) == alone
    linked = OnPostgres(floor, server, values)
    with linked.desk:
        assert evening(linked, wager, seed, ROUNDS) == alone
    assert floor.call("audit", "verify", str(floor.journal("t-1"))).code == 0
    kinds = {kind for (kind,) in server.run("SELECT kind FROM jackpotd.ledger", database=database)}
    assert kinds == {"contribute", "hit", "paid", "unwind", "resplit", "reverse", "adjust"}
    (summed,) = [each for each in floor.audit("t-1")["meters"] if each["meter"] == wager]
    assert summed["adjusted_units"] == summed["tables"][0]["adjusted_units"] != 0


@pytest.mark.parametrize("meters", [HARMONY, HEAVENLY9], ids=["harmony", "heavenly9-and-must-hit-by"])
def test_many_an_evening_leaves_the_same_amounts_on_a_link_as_at_the_table(meters: tuple[str, ...]) -> None:
    toml = MINI if meters == HARMONY else HEAVENLY
    for number in range(40):
        chance = Random(number)
        values = tuple(25_000 + chance.randrange(1, 90) for _ in range(60))
        alone = evening(Own(toml, values), meters[0], str(number), ROUNDS)
        assert evening(InMemory(toml, meters, values), meters[0], str(number), ROUNDS) == alone, number


@pytest.mark.parametrize("kind", ["memory", "postgres"])
def test_an_intent_that_no_link_can_take_changes_nothing(
    tmp_path: Path, server: Server, database: str, kind: str
) -> None:
    floor = Floor(tmp_path, server.dsn(database), HARMONY)
    floor.open("t-1")
    with Desk(floor.setup("t-1")) as desk:
        desk.lock_out(1)
        (intent,) = desk.intents
        twin = Linked(floor.toml, {"harmony": NAME})
        memory = link_for(twin, NAME)

        async def applied(asked: Intent) -> None:
            if kind == "memory":
                try:
                    memory.apply(asked, desk.now())
                except LedgerError as error:
                    raise LinkRefusedError(str(error)) from error
                return
            async with meeting(desk.setup)(desk.identity()) as session:
                await session.apply(asked, desk.now())

        asyncio.run(applied(intent))
        for wrong, why in (
            (replace(intent, id="x-1", kind="conjure"), "knows no 'conjure'"),
            (replace(intent, id="x-2", kind="paid", stakes=(), positions=(1,)), "no award of position 1"),
            (replace(intent, id="x-3", kind="unwind", stakes=(), positions=(1,)), "no award of position 1"),
            (replace(intent, id="x-5", kind="resplit", stakes=(), positions=(1,)), "no award of position 1"),
            (replace(intent, id="x-4", kind="reverse", stakes=((5, 500),)), "has given nothing that could come back"),
        ):
            with pytest.raises(LinkRefusedError, match=why):
                asyncio.run(applied(wrong))
        if kind == "postgres":
            assert server.run("SELECT seq FROM jackpotd.meters", database=database) == [(1,)]
            desk.take(asyncio.run(_again(desk, intent)))
            floor.audit("t-1")
        else:
            assert len(memory.lines["harmony"]) == 1


async def _again(desk: Desk, intent: Intent) -> inputs.LinkAnswered:
    async with meeting(desk.setup)(desk.identity()) as session:
        return await session.apply(intent, desk.now())
