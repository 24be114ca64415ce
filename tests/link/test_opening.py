"""`jackpotd link init`: a database made ready, meters opened, tables added; again and again, and nothing twice."""

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from msgspec import json
from psycopg import sql

from controller.core.filed import FiledMeter
from controller.core.meters import Meter
from controller.link import schema
from controller.vault import commitment
from tests.link.floor import HEAVENLY9, Floor
from tests.link.server import Server


@pytest.fixture
def floor(tmp_path: Path, server: Server, database: str) -> Floor:
    return Floor(tmp_path, server.dsn(database))


@pytest.fixture
def heavenly(tmp_path: Path, server: Server, database: str) -> Floor:
    return Floor(tmp_path, server.dsn(database), HEAVENLY9)


def test_the_first_table_makes_the_database_ready_and_opens_the_meter(
    floor: Floor, server: Server, database: str
) -> None:
    done = floor.call("link", "init", "--config", str(floor.config()))
    assert (done.code, done.out.splitlines()) == (
        0,
        [
            "database: brought to version 1",
            "harmony: opened at $25,000",
            "valley-forge/mb-07: added to the link bank",
        ],
    )
    assert server.run("SELECT link, meter, site, wager, stake_cents, seq FROM jackpotd.meters", database=database) == [
        ("bank", "harmony", "valley-forge", "harmony/B", 500, 0)
    ]


def test_it_can_be_done_again_and_changes_nothing(floor: Floor, server: Server, database: str) -> None:
    floor.init("mb-07")
    whole = "SELECT m::text, t::text FROM jackpotd.meters m, jackpotd.tables t"
    before = server.run(whole, database=database)
    done = floor.call("link", "init", "--config", str(floor.config()), "--json")
    assert done.json == {
        "link": "bank",
        "table": "valley-forge/mb-07",
        "from_version": 1,
        "version": 1,
        "meters": [{"meter": "harmony", "new": False, "display_cents": 2_500_000, "commitment": ""}],
        "added": False,
        "role": "",
    }
    assert server.run(whole, database=database) == before


def test_another_table_is_added_to_the_same_meters(floor: Floor, server: Server, database: str) -> None:
    floor.init("mb-07", "mb-08")
    names = server.run("SELECT name FROM jackpotd.tables ORDER BY name", database=database)
    assert names == [("valley-forge/mb-07",), ("valley-forge/mb-08",)]
    assert server.run("SELECT count(*) FROM jackpotd.meters", database=database) == [(1,)]


def test_a_mystery_meter_is_opened_with_a_value_sealed_and_committed_to_in_the_name_of_the_link(
    heavenly: Floor, server: Server, database: str
) -> None:
    heavenly.init("bac-01")
    rows = server.run("SELECT state FROM jackpotd.meters WHERE meter = 'must-hit-by'", database=database)
    meter = json.decode(rows[0][0], type=Meter)
    filed = server.run("SELECT filed FROM jackpotd.meters WHERE meter = 'must-hit-by'", database=database)
    ready = heavenly.chances().ready(meter, json.decode(filed[0][0], type=FiledMeter), 0)
    assert ready.cents is not None
    assert commitment("bank", "must-hit-by", 1, ready.cents, bytes.fromhex(ready.nonce)) == meter.commitment
    assert str(ready.nonce) not in rows[0][0]


def test_a_mystery_meter_is_not_opened_without_the_key_of_the_link(heavenly: Floor) -> None:
    (heavenly.credentials / "link-key").unlink()
    done = heavenly.call("link", "init", "--config", str(heavenly.config("bac-01")))
    assert done.code == 2
    assert "link-key" in done.err


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (('site = "valley-forge"', 'site = "parx"'), "table.site: the link bank is of valley-forge"),
        (('paytable = "B"', 'paytable = "C"'), "harmony.paytable (harmony/B there, harmony/C here)"),
        (
            ('seed = "25000.00"', 'seed = "26000.00"'),
            "harmony.seed (initial_cents 2500000 there, initial_cents 2600000 here)",
        ),
        (
            ('[harmony]\npaytable = "B"\ndenomination = 5', '[harmony]\npaytable = "B"\ndenomination = 1'),
            "harmony.denomination (500 cents there, 100 cents here)",
        ),
    ],
)
def test_a_table_that_files_something_else_is_refused_by_key_and_remedy(
    floor: Floor, server: Server, database: str, change: tuple[str, str], key: str
) -> None:
    floor.init("mb-07")
    done = floor.call("link", "init", "--config", str(floor.config("mb-08", change=change)))
    assert done.code == 2
    assert key in done.err
    assert "file here what they file" in done.err or "choose another link.name" in done.err
    assert server.run("SELECT count(*) FROM jackpotd.tables", database=database) == [(1,)]


def test_a_configuration_without_a_link_is_told_how_to_get_one(floor: Floor) -> None:
    path = floor.config()
    path.write_text(path.read_text().partition("[link]")[0])
    done = floor.call("link", "init", "--config", str(path))
    assert (done.code, done.out) == (2, "")
    assert "has no link: give it one in [link]" in done.err


def test_a_database_of_a_later_version_is_left_alone(floor: Floor, server: Server, database: str) -> None:
    floor.init("mb-07")
    server.run("UPDATE jackpotd.version SET version = 99", database=database)
    done = floor.call("link", "init", "--config", str(floor.config()))
    assert done.code == 2
    assert f"version 99, this software knows {schema.VERSION}" in done.err


def test_a_step_that_fails_leaves_the_version_before_it(
    floor: Floor, server: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, "CREATE TABLE jackpotd.half (n int); SELECT 1 / 0"))
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    done = floor.call("link", "init", "--config", str(floor.config()))
    assert (done.code, "division by zero" in done.err) == (2, True)
    assert server.run("SELECT version FROM jackpotd.version", database=database) == [(1,)]
    assert server.run("SELECT to_regclass('jackpotd.half')", database=database) == [(None,)]
    monkeypatch.undo()
    floor.init("mb-07")


def test_two_who_do_it_at_once_open_every_meter_once(heavenly: Floor, server: Server, database: str) -> None:
    tables = [f"bac-{number:02}" for number in range(1, 7)]
    paths = [heavenly.config(table) for table in tables]
    environ = os.environ | {"CREDENTIALS_DIRECTORY": str(heavenly.credentials)}
    running = [
        subprocess.Popen([sys.executable, "-m", "controller", "link", "init", "--config", str(path)], env=environ)
        for path in paths
    ]
    assert [each.wait(60) for each in running] == [0] * len(tables)
    assert server.run("SELECT count(*) FROM jackpotd.meters", database=database) == [(2,)]
    assert server.run("SELECT count(*) FROM jackpotd.tables", database=database) == [(6,)]


def test_the_controllers_role_gets_what_it_needs_and_no_more(floor: Floor, server: Server, database: str) -> None:
    role = f"controller_{database}"
    with server.connect() as connection:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
    owner, floor.dsn = floor.dsn, server.dsn(database, role)
    done = floor.call("link", "init", "--config", str(floor.config()), "--dsn", owner)
    assert done.out.splitlines()[-1] == f"{role}: has the rights of a controller"
    with server.connect(database, role) as connection:
        connection.execute("SELECT * FROM jackpotd.meters FOR UPDATE")
        for forbidden in (
            "INSERT INTO jackpotd.tables (link, name) VALUES ('bank', 'valley-forge/mb-99')",
            "DELETE FROM jackpotd.meters",
            "UPDATE jackpotd.meters SET filed = ''",
            "UPDATE jackpotd.version SET version = 2",
            "DELETE FROM jackpotd.ledger",
            "UPDATE jackpotd.ledger SET payload = ''",
            "TRUNCATE jackpotd.ledger",
            "CREATE TABLE jackpotd.mine (n int)",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(forbidden)


def test_a_role_that_is_not_there_is_named_with_the_way_to_make_it(floor: Floor) -> None:
    done = floor.call("link", "init", "--config", str(floor.config()), "--role", "nobody-knows")
    assert (done.code, "CREATE ROLE nobody-knows LOGIN" in done.err) == (2, True)


def test_a_database_that_is_not_there_is_bad_input_and_no_traceback(floor: Floor, tmp_path: Path) -> None:
    floor.dsn = f"host={tmp_path} dbname=nowhere"
    done = floor.call("link", "init", "--config", str(floor.config()))
    assert done.code == 2
    assert "Traceback" not in done.err


def test_without_the_extra_the_way_to_it_is_told(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("controller.link.", "controller.cli.link"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    done = floor.call("link", "init", "--config", str(floor.config()))
    assert (done.code, "pip install jackpotd[link]" in done.err) == (2, True)
