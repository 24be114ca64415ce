"""One evening, three keepers: a meter of the table's own, a link in memory, a link on PostgreSQL. All end alike.

The table with a meter of its own is the core alone; the other two ask, and take the answers in. One table plays, and
nobody comes between: so the meter at lock-out, by which a table's own pays, is the meter when the hand is applied.
"""

import asyncio
from pathlib import Path
from random import Random
from typing import Protocol

import pytest
from msgspec import json
from msgspec.structs import replace

from controller.clock import WallClock
from controller.core import inputs
from controller.core.meters import Meter
from controller.core.state import Intent
from controller.link import postgres, reaching
from controller.link.filings import filings
from controller.link.ledger import After, LedgerError, after
from controller.link.opening import initialise
from controller.link.sessions import LinkRefusedError
from controller.service.starting import configuration
from tests.core.play import DEALER, FLOOR, FLOOR2, Rigged, Table
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

    def awards(self) -> list[str]:
        """Awards to be validated."""


def evening(table: Keeper, wager: str, seed: str, rounds: int) -> list[dict[str, After]]:
    """Play rounds made up from a seed; the meters after each."""
    chance, seen = Random(seed), []
    table.give(inputs.TableOpened, by=DEALER)
    for number in range(1, rounds + 1):
        for seat in SEATS:
            table.give(inputs.WagerAbsent, position=seat, wager=wager)
        for seat in sorted(chance.sample(SEATS, chance.randrange(1, 4))):
            table.give(inputs.WagerPresent, position=seat, wager=wager)
        table.give(inputs.Button, reopen_after_ms=0)
        luck = chance.random()
        if luck < 0.4:
            table.give(inputs.HandComplete, **JACKPOTS[wager], source="shoe")
        elif luck < 0.6:
            table.give(inputs.RoundVoided, by=FLOOR, round=number, reason="misdeal")
        rejected = chance.random() < 0.4
        for award in table.awards():
            if rejected:
                table.give(inputs.AwardRejected, by=FLOOR, second=FLOOR2, award=award, reason="no base wager")
            else:
                parts = {"award": award, "method": "slip", "base_wager": True}
                table.give(inputs.AwardValidated, by=FLOOR, second=FLOOR2, **parts)
        if not 0.4 <= luck < 0.6:
            table.give(inputs.Button, reopen_after_ms=0)
        seen.append({id_: _plain(meter) for id_, meter in table.meters().items()})
    return seen


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

    def awards(self) -> list[str]:
        return [award.id for award in self._table.state.pending()]


class InMemory:
    """A table whose meters a link in memory keeps."""

    def __init__(self, toml: str, meters: tuple[str, ...], values: tuple[int, ...]) -> None:
        self._table = Linked(toml, dict.fromkeys(meters, NAME))
        self._link = link_for(self._table, NAME, *values)

    def give(self, kind: type[inputs.Input], **parts: object) -> None:
        self._table.do(kind, **parts)
        self._table.answer(self._link)

    def meters(self) -> dict[str, Meter]:
        return self._link.meters

    def awards(self) -> list[str]:
        return [award.id for award in self._table.state.pending()]


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

    def awards(self) -> list[str]:
        return [award.id for award in self.desk.state.pending()]


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
    assert alone[-1][meters[-1]].hits > 0
    assert evening(InMemory(floor.toml, meters, values), wager, seed, ROUNDS) == alone
    linked = OnPostgres(floor, server, values)
    with linked.desk:
        assert evening(linked, wager, seed, ROUNDS) == alone


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
