"""Kill, unplug and cut at random under load, for as long as is asked for, with the auditor's verdict at the end.

JACKPOTD_SOAK_MINUTES says how long (half a minute by default), JACKPOTD_SOAK_SEED plays an evening's troubles again;
when exactly they come the machine decides. An evening has a journal, a broker and a folder of its own, which are gone
after it: hours take no more room than one evening.
"""

import os
import shutil
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import SystemRandom

import pytest

from tests.outlets.brokers import needs_mosquitto
from tests.soak.evening import an_evening
from tests.soak.verdict import verdict

pytestmark = needs_mosquitto
CHECK_MINUTES = 0.5  # with the same troubles each time; longer is a search
MINUTES = float(os.environ.get("JACKPOTD_SOAK_MINUTES", CHECK_MINUTES))
SEED = os.environ.get("JACKPOTD_SOAK_SEED", "")
# Some ten thousand facts: enough for a snapshot, and little enough to remember all that was told.
EVENING_SECONDS = 240.0
# At most: it takes one or two power cuts, of which there is one every few seconds, and fewer on a busy machine. The
# evening ends with the first that is noticed.
UNSYNCED_SECONDS = 900.0


@pytest.mark.verify
def test_kill_unplug_and_cut(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    seed = str(SystemRandom().getrandbits(32)) if MINUTES > CHECK_MINUTES else "known"
    until = time.monotonic() + 60 * MINUTES
    total: Counter[str] = Counter()
    while not total["evenings"] or (not SEED and time.monotonic() < until):
        own, folder = SEED or f"{seed}-{total['evenings']}", tmp_path / "evening"
        folder.mkdir()
        try:
            evening = an_evening(folder, own, min(EVENING_SECONDS, max(1.0, until - time.monotonic())))
            total += verdict(evening.house, evening.floor) + evening.done + Counter(evenings=1)
        finally:  # whatever it came to, how to play it again
            print(f"JACKPOTD_SOAK_SEED={own}: so far {dict(sorted(total.items()))}")  # noqa: T201 -- shown if it fails
        shutil.rmtree(folder)
    record_property(f"seed {seed}", dict(sorted(total.items())))
    assert total["kills"] + total["power cuts"]
    assert total["rounds"]


@pytest.mark.verify
def test_a_controller_that_does_not_sync_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"refused-to-start|facts that are not there|fact \d+, "):
        an_evening(tmp_path, "unsynced", UNSYNCED_SECONDS, sabotage="off")
