"""The verdict over an evening: everything anybody was told, or put in, is in the journal; once, and to the cent."""

import subprocess
import sys
from collections import Counter
from typing import Any

from msgspec import json

from controller.core.invariants import check
from controller.journal.reading import open_readonly
from controller.journal.rows import Row
from controller.journal.starting import recorded
from controller.outlets.public import told
from controller.vault import load
from tests.service.house import CLIENT
from tests.service.truth import check_told
from tests.soak.house import SoakedHouse
from tests.soak.people import Floor
from tests.soak.second_books import check_second_books


def verdict(house: SoakedHouse, floor: Floor) -> Counter[str]:
    """Fail where something is not as it must be; how much was looked at."""
    command = [sys.executable, "-m", "controller", "audit", "verify", str(house.journal)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = Counter(messages=check_told(house.journal, house.sign.messages))
    with open_readonly(house.journal) as journal:
        rows = [Row._make(each) for each in journal.db.execute("SELECT * FROM facts ORDER BY seq")]
    _check_facts_told(house, rows)
    payloads = [json.decode(row.payload) for row in rows]
    _check_replies(floor, payloads)
    coins = house.coins()
    assert len(coins) == len(set(coins)) == len(house.slot.credited), "every coin the slot took is there once"
    state = house.state()
    check(state)
    assert sum(state.accounts.values()) == 0, "money came from nowhere, or went there"
    auditor = check_second_books([recorded(row) for row in rows], load(house.keys))
    found.update(facts=len(rows), rounds=len(auditor.rounds), coins=len(coins), replies=len(floor.done))
    found.update({f"second books: {what}": times for what, times in auditor.happened.items() if times})
    return found


def _check_facts_told(house: SoakedHouse, rows: list[Row]) -> None:
    """Every fact a sign was told is there as it was told. Of those it missed, the broker's death took some with it."""
    facts = {fact["seq"]: fact for fact in json.decode(json.encode(told(rows)))}
    assert house.sign.facts
    assert all(facts.get(fact["seq"]) == fact for fact in house.sign.facts)


def _check_replies(floor: Floor, payloads: list[dict[str, Any]]) -> None:
    """Every command that was answered with yes is one fact, the one that was named."""
    keys = Counter(payload.get("key", "") for payload in payloads)
    for id_, seq in floor.done.items():
        assert payloads[seq - 1]["key"] == f"{CLIENT}/{id_}"
        assert keys[f"{CLIENT}/{id_}"] == 1
