"""What befalls servers and controllers in mid-play. Afterwards every contribution is there once, and all adds up."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path

import pytest
from msgspec import json

from controller.link.sessions import LinkLostError, LinkRefusedError
from tests.link.desk import Desk
from tests.link.floor import HEAVENLY9, Floor
from tests.link.limits import shipped
from tests.link.player import Player, Setup, meeting
from tests.link.server import Server

ROOT = Path(__file__).parents[2]
TABLES = ("t-1", "t-2")
ROUNDS_BETWEEN = 3
DATABASE = "floor"
DEATHS = 100 if os.environ.get("JACKPOTD_SOAK") else 8
PATIENCE_S = 120


@pytest.fixture
def floor(tmp_path: Path, own_server: Server) -> Floor:
    own_server.database(DATABASE)
    found = Floor(tmp_path, own_server.dsn(DATABASE, tcp=True), HEAVENLY9)
    found.open(*TABLES)
    return found


def play_through(floor: Floor, *faults: Callable[[], object]) -> list[Player]:
    """Two tables play; after every few rounds something happens; then they play on."""

    async def evening() -> list[Player]:
        async with AsyncExitStack() as stack:
            players = [await stack.enter_async_context(Player(floor.setup(table)).there()) for table in TABLES]
            playing = [asyncio.create_task(_playing(player)) for player in players]
            for fault in faults:
                target = [player.engine.state.round + ROUNDS_BETWEEN for player in players]
                for player, round_ in zip(players, target, strict=True):
                    await player.until(lambda state, least=round_: state.round >= least)  # type: ignore[misc]
                await asyncio.to_thread(fault)
                # Wherever they were, they are back.
                for player in players:
                    await player.until(player.is_linked)
            for task in playing:
                task.cancel()
            await asyncio.wait(playing)
            assert [task for task in playing if not task.cancelled()] == []
            for player in players:
                await player.settled()
            return players

    return asyncio.run(evening())


async def _playing(player: Player) -> None:
    while True:
        await player.round()


def adds_up(floor: Floor) -> None:
    found = floor.audit(*TABLES)
    assert found["under_way"] == []
    assert all(each["asked"] == each["applied"] == each["answered"] > 0 for each in found["journals"])


def test_a_server_that_is_killed_loses_nothing(floor: Floor, own_server: Server) -> None:
    def killed() -> None:
        own_server.crash()
        own_server.start()

    players = play_through(floor, killed, killed, killed)
    assert all(player.link.losses >= 3 for player in players)
    adds_up(floor)


def test_a_server_that_is_restarted_loses_nothing(floor: Floor, own_server: Server) -> None:
    players = play_through(floor, own_server.restart, own_server.restart)
    assert all(player.link.losses >= 2 for player in players)
    adds_up(floor)


def test_a_frozen_server_is_lost_and_comes_back_where_it_was(floor: Floor, own_server: Server) -> None:
    lost = dict[str, str]()

    async def evening() -> None:
        async with AsyncExitStack() as stack:
            players = [await stack.enter_async_context(Player(floor.setup(table)).there()) for table in TABLES]
            for player in players:
                await player.play(2)
            own_server.freeze()
            try:
                with shipped("ANSWER_SECONDS"):
                    for player in players:
                        await player.until(lambda state, who=player: not who.is_linked(state))  # type: ignore[misc]
                        lost[player.setup.table] = player.link.reason
            finally:
                own_server.thaw()
            for player in players:
                await player.play(2)

    asyncio.run(evening())
    assert all("does not answer" in why or "timeout" in why for why in lost.values()), lost
    adds_up(floor)


def test_a_standby_takes_over_in_mid_play(floor: Floor, own_server: Server) -> None:
    standby = own_server.standby()
    try:
        floor.dsn = (
            f"host=127.0.0.1,127.0.0.1 port={own_server.port},{standby.port} user=postgres dbname={DATABASE} "
            "target_session_attrs=read-write"
        )

        def failed_over() -> None:
            own_server.crash()
            standby.promote()

        players = play_through(floor, failed_over, lambda: None)
        assert all(player.link.losses for player in players)
        adds_up(floor)
        _the_former_server_is_refused(floor, own_server)
    finally:
        standby.end()


def _the_former_server_is_refused(floor: Floor, former: Server) -> None:
    """It is started by mistake, and comes first in the DSN: it lacks lines that the tables were told of."""
    former.start()
    with Desk(floor.setup(TABLES[0])) as desk:

        async def met() -> None:
            async with meeting(desk.setup)(desk.identity()):
                pass

        with pytest.raises(LinkRefusedError, match="the database was set back"):
            asyncio.run(met())


def test_without_its_standby_a_server_acknowledges_nothing(floor: Floor, own_server: Server) -> None:
    standby = own_server.standby()
    with Desk(floor.setup(TABLES[0])) as desk:
        desk.lock_out(1, 2)
        standby.end()

        async def asked() -> None:
            with shipped("ANSWER_SECONDS", "_TAKE_OVER_TRIES"):
                with pytest.raises(LinkLostError):
                    await desk.ask_anew()
                with pytest.raises(LinkLostError):  # nor when it is asked again, and another session still waits
                    await desk.ask_anew()

        asyncio.run(asked())
        assert len(desk.intents) == 2
        assert floor.flaws(TABLES[0]) == []
        standby.start()
        own_server.until_followed(standby.name)
        asyncio.run(desk.ask_anew())
        assert desk.intents == []
    standby.end()
    floor.audit(TABLES[0])


def test_an_audit_in_mid_play_finds_nothing_that_is_not_there(floor: Floor) -> None:
    audits = [0]

    def audited() -> None:
        for _ in range(5):
            floor.audit(*TABLES)  # journals and ledger move on while they are read
            audits[0] += 1

    play_through(floor, audited, audited)
    assert audits == [10]
    adds_up(floor)


def _die(setup: Setup) -> int:
    """Play in a process of its own; how it ended."""
    path = Path(setup.journal).with_suffix(".setup")
    path.write_bytes(json.encode([setup]))
    done = subprocess.run(
        [sys.executable, "-m", "tests.link.crowd", str(path)],
        cwd=ROOT,
        env=os.environ,
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.returncode if "ended with -9" not in done.stdout else -signal.SIGKILL


def test_a_controller_killed_between_the_links_commit_and_its_own_asks_again(floor: Floor) -> None:
    deaths = 0
    for answers in count(1):
        setup = floor.setup(TABLES[0], seed=f"life {answers}", rounds=4, die_after=answers % 5 + 1)
        if _die(setup) != -signal.SIGKILL:
            continue
        deaths += 1
        found = floor.audit(TABLES[0])  # the link has a line its table does not know of: named, and no difference
        assert any("has no answer yet" in what for what in found["under_way"]), found
        if deaths == DEATHS:
            break
    assert _die(floor.setup(TABLES[0], rounds=1)) == 0
    assert floor.audit(TABLES[0])["under_way"] == []
