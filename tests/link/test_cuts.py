"""The wire is cut before and after every single message of an intent: it is applied once all the same, and adds up."""

import asyncio
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.link.sessions import LinkLostError
from tests.link.desk import Desk
from tests.link.floor import HARMONY, Floor
from tests.link.player import meeting
from tests.link.proxy import AFTER, BEFORE, TO_CLIENT, TO_SERVER, Cut, Proxy, proxied
from tests.link.server import Server

TABLE = "t-1"
WAYS = [(direction, when) for direction in (TO_SERVER, TO_CLIENT) for when in (BEFORE, AFTER)]


async def _intend(desk: Desk, kind: str) -> None:
    """Play until one intent of a kind waits, and no other."""
    if desk.state.phase.value == "settled":
        desk.reopen()
    if kind == "unwind" and desk.state.pending():
        desk.reject()  # the second share of the last jackpot
        return
    if kind == "paid" and desk.state.pending():
        desk.validate()
        return
    if desk.state.pending():
        desk.reject()
        await desk.ask_anew()
    if desk.state.phase.value == "settled":
        desk.reopen()
    if desk.state.phase.value == "locked":
        desk.reopen()
    desk.lock_out(1, 2)
    steps: dict[str, Callable[[], None]] = {"hit": desk.jackpot, "reverse": desk.void}
    if kind == "contribute":
        return
    await desk.ask_anew()
    if kind in ("paid", "unwind"):
        desk.jackpot()
        await desk.ask_anew()
        steps[kind] = desk.validate if kind == "paid" else desk.reject
    steps[kind]()


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


@pytest.mark.parametrize("kind", ["contribute", "hit", "paid", "unwind", "reverse"])
def test_a_cut_at_any_message_of_an_intent_costs_nothing(
    tmp_path: Path, server: Server, database: str, kind: str, record_property: Callable[[str, object], None]
) -> None:
    floor = Floor(tmp_path, server.dsn(database), HARMONY)
    floor.open(TABLE)

    async def tried() -> tuple[int, list[str]]:
        async with proxied(server.port) as proxy:
            with Desk(floor.setup(TABLE)) as desk:
                return await cut_everywhere(floor, desk, proxy, kind)

    cuts, wrong = asyncio.run(tried())
    assert wrong == []
    assert cuts > 40
    record_property("cuts", cuts)
    print(cuts)
