"""Fifty controllers, each a process of its own with a journal of its own, bet on one jackpot at once."""

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec import json

from controller.link.lines import Line
from tests.link.floor import HARMONY, HEAVENLY9, Floor
from tests.link.server import Server

ROOT = Path(__file__).parents[2]
TABLES = 50
ROUNDS = 200 if os.environ.get("JACKPOTD_SOAK") else 5
PATIENCE_S = 24 * ROUNDS  # for a loaded machine


@pytest.mark.parametrize("meters", [HARMONY, HEAVENLY9], ids=["harmony", "heavenly9-and-must-hit-by"])
@pytest.mark.verify
def test_fifty_controllers_at_once_each_give_everything_once_and_hits_have_one_order(
    tmp_path: Path,
    server: Server,
    database: str,
    meters: tuple[str, ...],
    record_property: Callable[[str, object], None],
) -> None:
    floor = Floor(tmp_path, server.dsn(database), meters)
    tables = [f"t-{number:02}" for number in range(1, TABLES + 1)]
    floor.open(*tables)
    setups = tmp_path / "setups.json"
    setups.write_bytes(json.encode([floor.setup(table, rounds=ROUNDS) for table in tables]))
    done = subprocess.run(
        [sys.executable, "-m", "tests.link.crowd", str(setups)],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
    found = floor.audit(*tables)  # every contribution exactly once, to the last unit, in ledger and journals
    assert found["under_way"] == []
    assert found["not_compared"] == []
    assert [each["table"] for each in found["journals"]] == [f"valley-forge/{table}" for table in tables]
    assert {each["difference_units"] for each in found["journals"]} == {0}
    assert {each["difference_units"] for each in found["meters"]} == {0}
    hits = _hits_in_one_order(server, database)
    assert hits
    record_property("hits", hits)
    _under_the_ceiling(server, database)


def _hits_in_one_order(server: Server, database: str) -> int:
    """Hits of a meter, each in a line of its own place; the cycles they end follow one another without a gap."""
    rows = server.run("SELECT meter, seq, payload FROM jackpotd.ledger ORDER BY meter, seq", database=database)
    hits = 0
    for before, after in pairwise(rows):
        if before[0] != after[0]:
            continue
        assert after[1] == before[1] + 1
        earlier, later = (json.decode(row[2], type=Line) for row in (before, after))
        cycles = later.after.cycle - earlier.after.cycle
        assert cycles == (len(later.hits) if not later.hit else not later.split)
        hits += cycles
    return hits


def _under_the_ceiling(server: Server, database: str) -> None:
    rows = server.run(
        "SELECT filed, payload FROM jackpotd.ledger JOIN jackpotd.meters USING (link, meter)", (), database
    )
    for filed, payload in rows:
        most = json.decode(filed)["filing"].get("maximum_cents")
        line = json.decode(payload, type=Line)
        if most:
            assert line.after.units <= most * 1_000_000
            assert all(each.amount_cents <= most for each in line.hits)
