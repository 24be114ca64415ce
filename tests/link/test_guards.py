"""What keeps one fault from becoming another: rows nobody can read, ids given twice, commits that only wait."""

import asyncio
import secrets
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
from msgspec.structs import replace

from controller.core import inputs
from controller.core.phases import Phase
from controller.link import postgres
from controller.link.chances import Sealed
from controller.link.sessions import LinkLostError, LinkRefusedError
from controller.vault import Vault, key_id
from tests.core.play import FLOOR, SUPERVISOR, SUPERVISOR2
from tests.link.desk import Desk
from tests.link.floor import HARMONY, HEAVENLY9, Floor
from tests.link.limits import shipped
from tests.link.player import NAME, meeting, near_chances
from tests.link.server import Server

TABLE, OTHER = "t-1", "t-2"


@pytest.fixture
def floor(tmp_path: Path, server: Server, database: str) -> Floor:
    found = Floor(tmp_path, server.dsn(database), HARMONY)
    found.open(TABLE, OTHER)
    return found


def lines(server: Server, database: str) -> int:
    """How many lines anybody can see."""
    ((number,),) = server.run("SELECT seq FROM jackpotd.meters", database=database)
    return int(number)


@pytest.mark.parametrize("broken", ["state = '{}'", "state = 'no JSON'", "hits = '[7]'"])
def test_a_row_that_cannot_be_read_ends_the_session_and_nothing_else(
    floor: Floor, server: Server, database: str, broken: LiteralString
) -> None:
    async def scene() -> None:
        with Desk(floor.setup(TABLE)) as desk:
            desk.lock_out(1)
            desk.jackpot()
            async with meeting(desk.setup)(desk.identity()) as session:
                with server.connect(database) as owner:
                    owner.execute("SET session_replication_role = replica")
                    owner.execute(f"UPDATE jackpotd.meters SET {broken}")  # noqa: S608 -- as written above
                with pytest.raises(LinkRefusedError, match="cannot be read"):
                    await session.look()
            with pytest.raises(LinkRefusedError, match="cannot be read"):
                await desk.ask_anew()

    asyncio.run(scene())


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE jackpotd.meters SET state = replace(state, '\"units\":25', '\"units\":99')",
        "UPDATE jackpotd.meters SET seq = seq + 1",
        "UPDATE jackpotd.meters SET hits = '[]', seq = 0",
    ],
)
def test_a_meter_moves_only_with_the_next_line(
    floor: Floor, server: Server, database: str, change: LiteralString
) -> None:
    with Desk(floor.setup(TABLE)) as desk:
        desk.lock_out(1)
        asyncio.run(desk.ask_anew())
    with server.connect(database) as owner, pytest.raises(psycopg.errors.RaiseException, match="next line"):
        owner.execute(change)
    floor.audit(TABLE)


def test_a_line_is_of_a_table_the_link_knows(floor: Floor, server: Server, database: str) -> None:
    with Desk(floor.setup(TABLE)) as desk:
        desk.lock_out(1)
        asyncio.run(desk.ask_anew())
    with server.connect(database) as owner, pytest.raises(psycopg.errors.ForeignKeyViolation):
        owner.execute(
            "INSERT INTO jackpotd.ledger SELECT link, meter, seq + 1, at, round + 1, kind, version, payload, "
            "prev_hash, hash, 'valley-forge/nobody', intent FROM jackpotd.ledger"
        )


def test_an_id_that_the_ledger_has_for_something_else_is_refused(floor: Floor) -> None:
    async def scene() -> None:
        with Desk(floor.setup(TABLE)) as desk:
            desk.lock_out(1, 2)
            (intent,), at = desk.intents, desk.now()
            async with meeting(desk.setup)(desk.identity()) as session:
                desk.take(await session.apply(intent, at))
                for other in (
                    replace(intent, round=99),
                    replace(intent, stakes=intent.stakes[:1]),
                    replace(intent, kind="paid", stakes=(), positions=(1,)),
                ):
                    with pytest.raises(LinkRefusedError, match="another intent under this id"):
                        await session.apply(other, at)

    asyncio.run(scene())


def test_a_key_that_does_not_open_the_standing_value_is_refused_before_any_wager(
    tmp_path: Path, server: Server, database: str
) -> None:
    floor = Floor(tmp_path, server.dsn(database), HEAVENLY9)
    floor.open(TABLE)
    key = secrets.token_bytes(32)
    wrong = Sealed(NAME, Vault({key_id(key): key}, key_id(key)))

    async def scene() -> None:
        with Desk(floor.setup(TABLE)) as desk:
            for chances, why in ((wrong, "which is not here"), (Sealed(NAME, None), "give the link's key")):
                with pytest.raises(LinkRefusedError, match=why):
                    async with postgres.session(floor.settings, desk.identity(), chances):
                        pytest.fail("it was let in")
            async with postgres.session(floor.settings, desk.identity(), near_chances(floor.credentials)):
                pass

    asyncio.run(scene())


def test_what_waits_for_a_standby_that_is_gone_is_shown_to_nobody(tmp_path: Path, own_server: Server) -> None:
    own_server.database("waiting")
    floor = Floor(tmp_path, own_server.dsn("waiting"), HARMONY)
    floor.open(TABLE, OTHER)

    async def scene() -> None:
        with Desk(floor.setup(TABLE)) as desk, Desk(floor.setup(OTHER)) as idle:
            desk.lock_out(1)
            async with meeting(idle.setup)(idle.identity()) as watching:
                async with meeting(desk.setup)(desk.identity()) as session:
                    own_server.set("synchronous_standby_names", "nobody")
                    asking = asyncio.create_task(desk.ask(session))
                    # Hung up no sooner: the line must be written, and its commit wait.
                    await asyncio.to_thread(own_server.until_a_commit_waits)
                    assert isinstance(session, postgres.Session)
                    session.hang_up()
                    with pytest.raises(LinkLostError):
                        await asking
                for _ in range(2):  # its own session is not thrown out: that would make the line visible
                    with shipped("_TAKE_OVER_TRIES"), pytest.raises(LinkRefusedError, match="is active at the link"):
                        await desk.ask_anew()
                await watching.look()
                assert watching.shown["harmony"].seq == lines(own_server, "waiting") == 0
                # And a table that asks nothing learns that nothing can be committed.
                with shipped("ANSWER_SECONDS"), pytest.raises(LinkLostError, match="does not answer within"):
                    await watching.prove()
            own_server.set("synchronous_standby_names", "")
            own_server.wait_until(lambda: lines(own_server, "waiting") == 1, "does not go on")
            await desk.ask_anew()
            assert not desk.intents

    asyncio.run(scene())
    assert lines(own_server, "waiting") == 1
    floor.audit(TABLE, OTHER)


def test_a_table_that_abandoned_what_the_link_has_done_is_let_in_again(
    tmp_path: Path, server: Server, database: str
) -> None:
    floor = Floor(tmp_path, server.dsn(database), HEAVENLY9)
    floor.open(TABLE, OTHER)

    async def scene() -> None:
        with Desk(floor.setup(TABLE, near=1)) as desk:
            while not desk.state.pending():
                if desk.state.play is not Phase.OPEN:
                    desk.reopen()
                desk.lock_out(1, 2, 3, 4, 5, 6, 7)
                await desk.ask_anew()
            for _ in desk.state.pending():
                desk.reject()
            await desk.ask_anew()
            desk.reopen()
            desk.do(inputs.TableClosed, by=FLOOR)
            desk.adjust(100, source="carry:must-hit-by")
            async with meeting(desk.setup)(desk.identity()) as session:
                await session.apply(desk.intents[0], desk.now())  # and the answer is lost with the line
            desk.do(inputs.DeviceLost, device=f"link:{NAME}", device_kind="link", wagers=("heavenly9",))
            without = desk.setup.toml.replace('must_hit_by = { paytable = "D", configuration = 5 }\n', "")
            people = {"by": SUPERVISOR, "second": SUPERVISOR2, "reason": "no more"}
            links = {"heavenly9": NAME, "must-hit-by": NAME}
            desk.do(inputs.SubmissionChanged, toml=without, day="2026-11-16", links=links, **people)
            assert desk.state.abandoned
            async with meeting(desk.setup)(desk.identity()) as session:
                await session.look()

    asyncio.run(scene())
    found = floor.audit(TABLE)
    assert found["ok"]
    assert any("abandoned" in each for each in found["under_way"]), found["under_way"]
