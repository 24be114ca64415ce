"""The wire is cut before and after every single message of an intent: it is applied once all the same, and adds up."""

import asyncio
import os
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.link import postgres
from controller.link.sessions import LinkLostError
from tests.link.desk import Desk
from tests.link.floor import HARMONY, HEAVENLY9, Floor
from tests.link.player import meeting
from tests.link.proxy import AFTER, BEFORE, TO_CLIENT, TO_SERVER, Cut, Proxy, proxied
from tests.link.server import Server

TABLE = "t-1"
# Those that differ in what is said on the wire: one of them in every run, all in a long one.
HEAVIER = ["mystery", "hit", "resplit", "reverse", "adjust"]
HEAVIER += ["paid", "unwind"] if os.environ.get("JACKPOTD_SOAK") else []
KINDS = ["contribute", *(pytest.param(kind, marks=pytest.mark.verify) for kind in HEAVIER)]
WAYS = [(direction, when) for direction in (TO_SERVER, TO_CLIENT) for when in (BEFORE, AFTER)]


async def _intend(desk: Desk, kind: str) -> None:
    """Play until one intent of a kind waits, and no other."""
    while desk.state.pending():
        desk.validate()
    if desk.state.phase.value != "open":
        desk.reopen()
    desk.lock_out(1, 2)
    # The contribution, that of the mystery meter where there is one, is what was intended last.
    await desk.ask_anew(leave=1 if kind in ("contribute", "mystery") else 0)
    if kind in ("hit", "paid", "unwind", "resplit"):
        desk.jackpot()
    if kind in ("paid", "unwind", "resplit"):
        await desk.ask_anew()
    if kind == "unwind":  # one is paid: the other goes back to the meter
        desk.validate()
        await desk.ask_anew()
    if kind == "paid":
        desk.validate()
    if kind in ("unwind", "resplit"):
        desk.reject()
    if kind == "adjust":
        desk.adjust(100)
    if kind == "reverse":
        desk.void()


async def cut_everywhere(floor: Floor, desk: Desk, proxy: Proxy, kind: str) -> tuple[int, list[str]]:
    """Cut at every message of an intent of a kind; how often, and what was wrong afterwards."""
    direct, through = desk.setup, replace(desk.setup, dsn=proxy.dsn(floor.database))
    cuts, wrong = 0, list[str]()
    for direction, when in WAYS:
        for n in count(1):
            desk.setup = direct
            await _intend(desk, kind)
            cut = Cut(direction, n, when)
            before = proxy.cuts
            intent = desk.intents[0]
            try:
                async with meeting(through)(desk.identity()) as session:
                    proxy.arm(cut)
                    answer = await session.apply(intent, desk.now())
                    proxy.arm(None)
                    desk.take(answer)
            except LinkLostError:
                wrong += [f"{kind} {cut}, unresolved: {why}" for why in floor.flaws(TABLE)]
            desk.setup = through
            try:
                await desk.ask_anew()
            except LinkLostError as error:
                wrong.append(f"{kind} {cut}: {error}")
                return cuts, wrong
            wrong += [f"{kind} {cut}: {why}" for why in floor.flaws(TABLE)]
            if wrong or proxy.cuts == before:
                break
            cuts += 1
    desk.setup = direct
    return cuts, wrong


async def _through(floor: Floor, server: Server, kind: str, **more: int) -> tuple[int, list[str]]:
    async with proxied(server.port) as proxy:
        with Desk(floor.setup(TABLE, **more)) as desk:
            return await cut_everywhere(floor, desk, proxy, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_a_cut_at_any_message_of_an_intent_costs_nothing(
    tmp_path: Path, server: Server, database: str, kind: str, record_property: Callable[[str, object], None]
) -> None:
    floor = Floor(tmp_path, server.dsn(database), HEAVENLY9 if kind == "mystery" else HARMONY)
    floor.open(TABLE)
    cuts, wrong = asyncio.run(_through(floor, server, kind, near=1))
    assert wrong == []
    assert cuts > 80
    record_property("cuts", cuts)
    assert floor.audit(TABLE)["under_way"] == []


@pytest.mark.verify
def test_a_link_that_would_apply_an_intent_again_is_caught(
    tmp_path: Path, server: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    floor = Floor(tmp_path, server.dsn(database), HARMONY)
    floor.open(TABLE)
    # Nothing keeps it from being applied twice: neither the look for its line, nor the database.
    monkeypatch.setattr(postgres, "_SEEN", f"{postgres._SEEN} AND false")  # noqa: SLF001 -- the saboteur's
    server.run("ALTER TABLE jackpotd.ledger DROP CONSTRAINT ledger_link_name_intent_key", database=database)
    server.run("DROP INDEX jackpotd.ledger_once", database=database)
    _, wrong = asyncio.run(_through(floor, server, "contribute"))
    assert any("the ledger was changed" in why or "between its journal and the ledger" in why for why in wrong), wrong
