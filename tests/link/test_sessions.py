"""A session with a link: who is let in, what is taken once, and what happens when the other end falls silent."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from msgspec.structs import replace
from psycopg import sql

from controller.core.state import LinkHead
from controller.link import postgres, schema
from controller.link.sessions import Identity, LinkLostError, LinkRefusedError
from controller.wire.link import LinkSettings
from tests.link.desk import Desk
from tests.link.floor import HARMONY, Floor
from tests.link.limits import SHIPPED, shipped
from tests.link.player import meeting, near_chances
from tests.link.proxy import proxied
from tests.link.server import Server

TABLE = "t-1"
Refusing = Callable[..., str]


@pytest.fixture
def floor(tmp_path: Path, server: Server, database: str) -> Floor:
    found = Floor(tmp_path, server.dsn(database), HARMONY)
    found.open(TABLE, "t-2")
    return found


def refused(floor: Floor, identity: Identity, settings: LinkSettings | None = None) -> str:
    """Why a table is refused."""

    async def tried() -> None:
        async with postgres.session(settings or floor.settings, identity, near_chances(floor.credentials)):
            pytest.fail("it was let in")

    with pytest.raises(LinkRefusedError) as why:
        asyncio.run(tried())
    return str(why.value)


def within(desk: Desk, done: Callable[[postgres.Session], Coroutine[Any, Any, Any]]) -> Any:  # noqa: ANN401 -- whatever it is
    """Do something in a session."""

    async def met() -> Any:  # noqa: ANN401 -- the same
        async with meeting(desk.setup)(desk.identity()) as session:
            assert isinstance(session, postgres.Session)
            return await done(session)

    return asyncio.run(met())


# -- once --


def test_an_intent_asked_again_is_applied_once_and_answered_the_same(floor: Floor, server: Server) -> None:
    with Desk(floor.setup(TABLE)) as desk:
        desk.lock_out(1, 2)
        (intent,), at = desk.intents, desk.now()

        async def thrice(session: postgres.Session) -> list[Any]:
            return [await session.apply(intent, at) for _ in range(3)]

        answers = within(desk, thrice)
        assert answers[0] == answers[1] == answers[2]
        assert answers[0].ledger_seq == 1
        desk.take(answers[0])
    assert server.run("SELECT count(*) FROM jackpotd.ledger", database=floor.database) == [(1,)]
    floor.audit(TABLE)


def test_what_another_table_gave_is_seen(floor: Floor) -> None:
    with Desk(floor.setup(TABLE)) as one, Desk(floor.setup("t-2")) as other:
        other.lock_out(1, 2, 3)
        asyncio.run(other.ask_anew())

        async def looked(session: postgres.Session) -> int:
            await session.look()
            return session.shown["harmony"].meter.display_cents

        assert within(one, looked) == 2_500_000 + 3 * 95


def test_a_hit_is_listed_with_its_table_and_round_for_every_table(floor: Floor) -> None:
    with Desk(floor.setup(TABLE)) as one, Desk(floor.setup("t-2")) as other:
        other.lock_out(3)
        other.jackpot()
        asyncio.run(other.ask_anew())

        async def looked(session: postgres.Session) -> list[tuple[str, int, tuple[int, ...], str]]:
            await session.look()
            listed = session.shown["harmony"].listed
            return [(each.table, each.round, each.hit.positions, each.hit.fate) for each in listed]

        assert within(one, looked) == [("valley-forge/t-2", 1, (3,), "pending")]
        other.validate()
        asyncio.run(other.ask_anew())
        assert within(one, looked) == [("valley-forge/t-2", 1, (3,), "paid")]


# -- who is let in --


def test_an_unknown_table_is_refused(floor: Floor) -> None:
    with Desk(floor.setup("t-9")) as desk:
        told = refused(floor, desk.identity())
    assert "does not know the table valley-forge/t-9" in told
    assert "jackpotd link init" in told


def test_a_table_that_is_active_already_is_refused_and_let_in_when_the_other_has_ended(floor: Floor) -> None:
    with Desk(floor.setup(TABLE)) as desk:

        async def tried() -> None:
            async with meeting(desk.setup)(desk.identity()) as session:
                with shipped("_TAKE_OVER_TRIES"), pytest.raises(LinkRefusedError, match="is active at the link bank"):
                    async with meeting(desk.setup)(desk.identity("another controller")):
                        pass
                await session.look()  # and the one that was there has noticed nothing
            async with meeting(desk.setup)(desk.identity("another controller")):
                pass

        asyncio.run(tried())


def test_a_session_of_this_very_process_that_was_cut_off_is_taken_over(floor: Floor, server: Server) -> None:
    with Desk(floor.setup(TABLE)) as desk:

        async def tried() -> None:
            async with proxied(server.port) as proxy:
                through = replace(desk.setup, dsn=proxy.dsn(floor.database))
                async with meeting(through)(desk.identity()) as first:
                    proxy.freeze()  # the server hears nothing of the end of it
                    with shipped("ANSWER_SECONDS"), pytest.raises(LinkLostError):
                        await first.look()
                    async with meeting(desk.setup)(desk.identity()) as second:
                        await second.look()
                    proxy.thaw()

        asyncio.run(tried())


def test_other_filings_are_refused_by_key(floor: Floor) -> None:
    floor.toml = floor.toml.replace('seed = "25000.00"', 'seed = "26000.00"')
    with Desk(floor.setup(TABLE)) as desk:
        assert "harmony.seed" in refused(floor, desk.identity())


def test_another_site_is_refused(floor: Floor) -> None:
    with Desk(floor.setup(TABLE)) as desk:
        told = refused(floor, desk.identity()._replace(site="parx"))
    assert "the link bank is of valley-forge" in told


def test_a_database_that_was_set_back_is_refused(floor: Floor) -> None:
    with Desk(floor.setup(TABLE)) as desk:
        desk.lock_out(1)
        asyncio.run(desk.ask_anew())
        ahead = desk.identity()._replace(heads={"harmony": LinkHead(2, "00" * 32)})
        assert "the database was set back" in refused(floor, ahead)
        other = desk.identity()._replace(heads={"harmony": LinkHead(1, "00" * 32)})
        assert "line 1 of the ledger is not the one" in refused(floor, other)


def test_a_database_without_links_or_of_another_version_is_refused(floor: Floor, server: Server, database: str) -> None:
    with Desk(floor.setup(TABLE)) as desk:
        server.run("UPDATE jackpotd.version SET version = 7", database=database)
        assert f"version 7, not {schema.VERSION}" in refused(floor, desk.identity())
        server.run("DROP SCHEMA jackpotd CASCADE", database=database)
        assert "the database keeps no links" in refused(floor, desk.identity())


# -- what is durable --


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes"])
def test_a_server_that_would_lose_what_it_acknowledged_is_refused(
    tmp_path: Path, own_server: Server, setting: str
) -> None:
    floor = Floor(tmp_path, own_server.database("floor"), HARMONY)
    floor.open(TABLE)
    own_server.set(setting, "off")
    with Desk(floor.setup(TABLE)) as desk:
        assert f"{setting} is off" in refused(floor, desk.identity())
        careless = replace(floor.settings, allow_not_durable=True)

        async def taken() -> None:
            async with postgres.session(careless, desk.identity(), near_chances(floor.credentials)) as session:
                await desk.ask(session)

        asyncio.run(taken())


def test_commits_are_synchronous_whatever_the_server_does_by_default(tmp_path: Path, own_server: Server) -> None:
    floor = Floor(tmp_path, own_server.database("floor"), HARMONY)
    floor.open(TABLE)
    own_server.set("synchronous_commit", "off")
    with Desk(floor.setup(TABLE)) as desk:

        async def asked(session: postgres.Session) -> str:
            row = await (await session._connection.execute("SHOW synchronous_commit")).fetchone()  # noqa: SLF001 -- its own
            return str(row and row[0])

        assert within(desk, asked) == "on"


def test_a_standby_that_is_asked_for_and_not_there_is_missed(floor: Floor) -> None:
    with Desk(floor.setup(TABLE)) as desk:
        told = refused(floor, desk.identity(), replace(floor.settings, standby=True))
        assert "synchronous_standby_names is empty, and link.standby asks for one" in told
        told = refused(floor, desk.identity(), replace(floor.settings, synchronous_commit="remote_apply"))
        assert "remote_apply waits for nobody" in told


def test_a_standby_itself_is_refused(tmp_path: Path, own_server: Server) -> None:
    floor = Floor(tmp_path, own_server.database("floor"), HARMONY)
    floor.open(TABLE)
    standby = own_server.standby()
    try:
        floor.dsn = standby.dsn("floor")
        with Desk(floor.setup(TABLE)) as desk:
            assert "the server is a standby" in refused(floor, desk.identity())
    finally:
        standby.end()


# -- over a network --


def test_a_server_is_known_by_its_certificate(tmp_path: Path, own_server: Server) -> None:
    floor = Floor(tmp_path, own_server.database("floor"), HARMONY)
    floor.open(TABLE)
    stranger, known = tmp_path / "stranger.crt", tmp_path / "known.crt"
    stranger.write_bytes(own_server.encrypt().read_bytes())
    known.write_bytes(own_server.encrypt().read_bytes())  # made anew
    own_server.restart()
    with Desk(floor.setup(TABLE)) as desk:

        async def met(root: Path) -> str:
            there = f"host=localhost port={own_server.port} user=postgres dbname=floor"
            settings = replace(floor.settings, dsn=f"{there} sslmode=verify-full sslrootcert={root}")
            async with postgres.session(settings, desk.identity(), near_chances(floor.credentials)) as session:
                row = await (await session._connection.execute(_SSL)).fetchone()  # noqa: SLF001 -- its own
                return str(row and row[0])

        assert asyncio.run(met(known)) == "True"
        with pytest.raises(LinkLostError, match="certificate verify failed"):
            asyncio.run(met(stranger))


_SSL = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"


# -- silence --


def test_a_server_that_hangs_is_lost_in_the_time_it_has(tmp_path: Path, own_server: Server) -> None:
    floor = Floor(tmp_path, own_server.database("floor"), HARMONY)
    floor.open(TABLE)
    with Desk(floor.setup(TABLE)) as desk:
        desk.lock_out(1)

        async def asked() -> None:
            async with meeting(desk.setup)(desk.identity()) as session:
                own_server.freeze()
                why = f"does not answer within {SHIPPED['ANSWER_SECONDS']} s"
                try:
                    with shipped("ANSWER_SECONDS"), pytest.raises(LinkLostError, match=why):
                        await session.apply(desk.intents[0], desk.now())
                finally:
                    own_server.thaw()

        asyncio.run(asked())
        asyncio.run(desk.ask_anew())
    floor.audit(TABLE)


def test_who_waits_too_long_for_the_row_asks_again(floor: Floor, server: Server) -> None:
    with Desk(floor.setup(TABLE)) as desk:
        desk.lock_out(1)
        with server.connect(floor.database) as other, other.transaction():
            other.execute("SELECT * FROM jackpotd.meters FOR UPDATE")
            with shipped("LOCK_MS"), pytest.raises(LinkLostError, match="lock timeout"):
                asyncio.run(desk.ask_anew())
        asyncio.run(desk.ask_anew())
    floor.audit(TABLE)


def test_a_controller_that_hangs_with_the_row_is_put_out_by_the_server(floor: Floor) -> None:
    # At once, so that it has the row before it can be put out.
    begin = "BEGIN; SELECT * FROM jackpotd.meters FOR UPDATE"
    with Desk(floor.setup(TABLE)) as one, Desk(floor.setup("t-2")) as other:
        other.lock_out(1)

        async def hung() -> None:
            async with AsyncExitStack() as stack:
                with shipped("IN_TRANSACTION_MS"):  # of this session alone
                    session = await stack.enter_async_context(meeting(one.setup)(one.identity()))
                assert isinstance(session, postgres.Session)
                await session._connection.execute(begin, prepare=False)  # noqa: SLF001 -- as one that stops in mid-intent
                await other.ask_anew()

        asyncio.run(hung())
        assert other.intents == []


def test_who_hangs_is_put_out_before_others_have_waited_too_long_and_they_before_they_are_hung_up() -> None:
    assert SHIPPED["IN_TRANSACTION_MS"] < SHIPPED["LOCK_MS"] < SHIPPED["ANSWER_SECONDS"] * 1000


# -- rights --


def test_the_ledger_only_grows_even_for_who_may_write_it(floor: Floor, server: Server) -> None:
    with Desk(floor.setup(TABLE)) as desk:
        desk.lock_out(1)
        asyncio.run(desk.ask_anew())
    for statement in (
        "UPDATE jackpotd.ledger SET payload = '{}'",
        "DELETE FROM jackpotd.ledger",
        "TRUNCATE jackpotd.ledger",
        "DELETE FROM jackpotd.meters",
    ):
        with pytest.raises(psycopg.errors.RaiseException, match="only grows"):
            server.run(statement, database=floor.database)


def test_a_controller_plays_with_a_controllers_rights_and_its_own_password(
    floor: Floor, server: Server, database: str
) -> None:
    with server.connect() as connection:
        connection.execute("DROP ROLE IF EXISTS keyed")
        connection.execute(sql.SQL("CREATE ROLE keyed LOGIN PASSWORD {}").format(sql.Literal("let me in")))
    owner, floor.dsn = floor.dsn, server.dsn(database, "keyed", tcp=True)
    assert floor.call("link", "init", "--config", str(floor.config(TABLE)), "--dsn", owner).code == 0
    with Desk(floor.setup(TABLE)) as desk:
        desk.lock_out(1, 2)
        desk.jackpot()

        async def asked(password: str) -> None:
            chances = near_chances(floor.credentials)
            async with postgres.session(floor.settings, desk.identity(), chances, password=password) as session:
                await desk.ask(session)

        with pytest.raises(LinkLostError, match="password authentication failed"):
            asyncio.run(asked("let him in"))
        asyncio.run(asked("let me in"))
        assert desk.intents == []
    secret = floor.credentials / "link-password"
    secret.write_text("let me in\n")
    secret.chmod(0o600)
    floor.audit(TABLE)
