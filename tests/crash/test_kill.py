"""SIGKILL at any moment, of opening, migrating, playing or saving: what was acknowledged is there exactly once."""

import multiprocessing
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crash.lives import MOMENTS, OPENING, READY, Table

SEED = "kill"
LIVES = 16  # of one table: its journal grows from nothing through snapshots and checkpoints
TABLES = 1000 if os.environ.get("JACKPOTD_SOAK") else 32


def one_table(folder: Path, seed: str, sabotage: str = "") -> tuple[Counter[str], str]:
    """How a table's controller was killed, and what was wrong then. A reported seed plays and kills alike again.

    When exactly a kill comes the machine decides: repeat it until it shows.
    """
    folder.mkdir()
    table = Table(folder, seed, sabotage=sabotage)
    try:
        while table.lives < LIVES:
            table.live_and_die()
    except Exception as error:  # noqa: BLE001 -- whatever it is, it is reported with the seed
        return table.kinds, f"one_table({folder!r}, {seed!r}, {sabotage!r}), life {table.lives}: {error!r}"
    return table.kinds, ""


@pytest.mark.verify
def test_nothing_acknowledged_is_lost_and_nothing_is_taken_twice(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    tables = [(tmp_path / str(number), f"{SEED}-{number}") for number in range(TABLES)]
    with multiprocessing.get_context("fork").Pool(len(os.sched_getaffinity(0)) + 1) as pool:
        results = pool.starmap(one_table, tables, chunksize=1)
    assert [failure for _, failure in results if failure] == []
    kinds = sum((kinds for kinds, _ in results), Counter[str]())
    kills = kinds[OPENING] + kinds[READY]
    record_property("kills", f"{kills}: {dict(kinds)}")
    assert kills == TABLES * LIVES >= 200
    # The moments that matter were hit, not only the quiet ones.
    assert all(kinds[kind] for kind in MOMENTS), kinds


def test_an_answer_before_the_commit_would_be_noticed(tmp_path: Path) -> None:
    results = [one_table(tmp_path / str(number), f"{SEED}-{number}", "answer-first") for number in range(6)]
    assert any("acknowledged" in failure for _, failure in results), results
