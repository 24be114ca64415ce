"""A meter that shows less than before says which fact made it, whoever said the amount before. A hit says it itself."""

from msgspec import json

from controller.core import inputs
from controller.core.state import State
from controller.journal.memory import MemoryJournal
from controller.outlets.corrections import Shown, corrections, shown_before
from controller.outlets.messages import retained
from tests.core.play import FLOOR, SUPERVISOR, SUPERVISOR2, Table
from tests.journal.played import entries
from tests.outlets.test_messages import MINOR, locked, opened, opened_again


def journal_of(table: Table) -> MemoryJournal:
    journal = MemoryJournal()
    journal.append(entries(table.facts))
    return journal


def found(before: State, table: Table) -> dict[str, int]:
    """The corrections, as this process knows what it said, which must be those by what the broker keeps."""
    kept = {topic: json.encode(message) for topic, message in retained(before, 1).items()}
    ours, theirs = shown_before(before, {}), shown_before(None, kept)
    assert ours == theirs
    return corrections(ours, table.state, journal_of(table))


def test_a_void_says_so_and_facts_after_it_do_not() -> None:
    table = locked(opened())
    before = table.state
    table.do(inputs.RoundVoided, by=FLOOR, round=1, reason="misdeal")
    void = table.state.seq
    table.do(inputs.DeviceRestored, device="broker", device_kind="broker")
    assert table.state.seq > void
    fell = found(before, table)
    assert set(fell) == {"royal9-mega", "royal9-major", "royal9-minor", "royal9-mystery"}
    assert set(fell.values()) == {void}


def test_a_hit_explains_itself() -> None:
    table = locked(opened())
    before = table.state
    table.do(inputs.HandComplete, **MINOR)
    assert table.state.meters["royal9-minor"].display_cents < before.meters["royal9-minor"].display_cents
    assert found(before, table) == {}


def test_an_adjustment_says_so_and_what_rises_does_not() -> None:
    table = locked(opened())
    table.do(inputs.RoundVoided, by=FLOOR, round=1, reason="misdeal")
    before = table.state
    table.do(
        inputs.MeterAdjusted,
        by=SUPERVISOR,
        second=SUPERVISOR2,
        meter="harmony",
        delta_cents=-100,
        expected_cents=before.meters["harmony"].display_cents,
        reason="moved to another table",
    )
    assert found(before, table) == {"harmony": table.state.seq}
    before = table.state
    locked(opened_again(table))
    assert found(before, table) == {}


def test_what_the_broker_keeps_may_be_anything() -> None:
    kept = {"meters/harmony": b"junk", "meters/royal9-mega": b'{"seq":3,"display_cents":7}', "status": b"{}"}
    assert shown_before(None, kept) == {"royal9-mega": Shown(3, 7)}
