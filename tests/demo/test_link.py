"""A demonstration whose tables share their Harmony meter."""

import re
from pathlib import Path

import pytest

from controller.demo.linking import DemoLink
from controller.demo.state import held
from tests.cli.calls import Said, refusal
from tests.demo.test_demo import demo, rounds_of
from tests.link.server import Server


@pytest.mark.verify
def test_four_tables_feed_one_meter_that_adds_up(tmp_path: Path, server: Server, database: str) -> None:
    dsn = server.dsn(database, tcp=True)
    ended = demo(tmp_path / "s", "--tables", "4", "--rounds", "3", "--speed", "0", "--link", dsn)
    assert (ended.returncode, ended.stderr) == (0, "")
    shown = set(re.findall(r"^mb-0[1-4]  Harmony +(\$[0-9,.]+)$", ended.stdout, re.MULTILINE))
    assert len(shown) == 1  # the same at every table
    assert shown != {"$25,000.00"}
    assert re.search(r"^link demo-[0-9a-f]{8}: the link demo-[0-9a-f]{8} adds up$", ended.stdout, re.MULTILINE)
    assert [rounds_of(tmp_path / "s", f"mb-0{number}") for number in range(1, 5)] == [3] * 4
    again = demo(tmp_path / "s", "--tables", "4", "--rounds", "1", "--speed", "0", "--link", dsn)
    assert (again.returncode, again.stderr) == (0, "")
    other = demo(tmp_path / "t", "--rounds", "1", "--speed", "0", "--link", dsn)  # another one, on the same database
    assert (other.returncode, other.stderr) == (0, "")


def test_a_password_does_not_stay_in_a_configuration(tmp_path: Path) -> None:
    with held(tmp_path / "s") as state:
        state.make_credentials({})
        told = DemoLink("host=127.0.0.1 password=hushhush dbname=x", state).settings()
        assert "hushhush" not in str(told)
        assert (state.credentials / "link-password").read_text() == "hushhush\n"
        DemoLink("host=127.0.0.1 dbname=x", state)
        assert not (state.credentials / "link-password").exists()


def test_a_database_that_is_not_there_is_named(tmp_path: Path, capsys: Said) -> None:
    why = refusal(capsys, "demo", "--state", str(tmp_path / "s"), "--rounds", "1", "--link", "port=no such thing")
    assert "--link" in why
    ended = demo(tmp_path / "t", "--rounds", "1", "--link", "host=127.0.0.1 port=1 dbname=x")
    assert ended.returncode == 2
    assert "--link: " in ended.stderr
