"""How a linked jackpot came about, line by line of the ledger."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.core import inputs
from controller.core.meters import open_meter
from controller.link import deriving
from controller.link.derived import derived_at
from controller.link.deriving import CONTRIBUTION, OPENED, LinkedDerivation, Row, derive
from controller.link.memory import MemoryLink
from controller.link.sessions import LinkRefusedError
from tests.core.play import DEALER, FLOOR, FLOOR2, HEAVENLY, SUPERVISOR, SUPERVISOR2
from tests.link.books import Books
from tests.link.desk import Desk
from tests.link.floor import HEAVENLY9, Floor
from tests.link.player import NAME
from tests.link.server import Server
from tests.link.test_memory_link import SIX_KINGS, Linked, link_for, locked, seated

UNIT = 1_000_000  # of a cent


def backwards(link: MemoryLink, meter: str, seq: int) -> Iterator[Row]:
    for past in reversed(link.lines[meter]):
        if past.seq <= seq:
            yield Row(past.seq, "2026-11-18T01:02:03.000004Z", past.line.round, past.kind, past.line)


def derived(link: MemoryLink, table: Linked, meter: str, seq: int, position: int) -> LinkedDerivation:
    assert table.state.filed is not None
    filed = table.state.filed.meters()[meter]
    draws = () if meter == "harmony" else link._chances.ready(None, filed, 1).draws  # noqa: SLF001 -- what it was opened with
    opened, _ = open_meter(filed, "harmony", draws[0] if draws else None)
    return derive(filed, opened, backwards(link, meter, seq), seq, position)


def hits_of(link: MemoryLink, meter: str) -> list[tuple[int, int, int]]:
    """Every hit: its line, a winner, and what the winner got."""
    return [(past.seq, won.position, won.amount_cents) for past in link.lines[meter] for won in past.line.hits]


def reopened(table: Linked, *seats: int, wager: str = "harmony") -> None:
    table.now += 10_000_000
    for seat in seats:
        table.do(inputs.WagerAbsent, position=seat, wager=wager)
    table.do(inputs.Button)
    table.now += 10_000_000


def test_a_jackpot_is_its_opening_and_every_contribution_since() -> None:
    table, link = seated()
    locked(table, 1, 2)
    table.answer(link)
    reopened(table, 1, 2, 3)
    locked(table, 3)
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    table.answer(link)
    ((seq, position, cents),) = hits_of(link, "harmony")
    found = derived(link, table, "harmony", seq, position)
    assert [(step.what, step.units, step.position) for step in found.steps] == [
        (OPENED, 2_500_000 * UNIT, None),
        (CONTRIBUTION, 95 * UNIT, 1),
        (CONTRIBUTION, 95 * UNIT, 2),
        (CONTRIBUTION, 95 * UNIT, 3),
    ]
    assert (found.amount_cents, found.total, found.ok) == (cents, cents * UNIT, True)
    assert {step.table for step in found.steps[1:]} == {"valley-forge/mb-07"}


def test_the_next_jackpot_begins_with_what_opened_its_cycle() -> None:
    table, link = seated()
    locked(table, 1, 2, 3)
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    table.answer(link)
    reopened(table, 1, 2, 3)
    locked(table, 2)
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    table.answer(link)
    first, *_, last = hits_of(link, "harmony")
    assert first[0] < last[0]
    found = derived(link, table, "harmony", last[0], last[1])
    words = [step.what for step in found.steps]
    assert words == ["left of the jackpot before", "reserve released", "seed or top-up", CONTRIBUTION]
    assert found.ok
    assert found.amount_cents == last[2] == found.total // UNIT
    shared = derived(link, table, "harmony", first[0], first[1])
    assert (shared.winners, shared.ok) == (3, True)
    assert shared.amount_cents == 3 * first[2]


def test_a_wager_taken_out_and_an_award_returned_are_steps_too() -> None:
    table, link = seated()
    locked(table, 1, 2)
    table.answer(link)
    table.do(inputs.WagerVoided, by=FLOOR, second=FLOOR2, round=1, position=2, wager="harmony", reason="no chip")
    table.answer(link)
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    table.answer(link)
    (award,) = table.state.awards
    table.do(inputs.AwardRejected, by=FLOOR, second=FLOOR2, award=award, reason="wrong cards")
    table.answer(link)
    reopened(table, 1, 2)
    locked(table, 1)
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    table.answer(link)
    before, after = hits_of(link, "harmony")
    found = derived(link, table, "harmony", before[0], before[1])
    assert [step.what for step in found.steps] == [OPENED, CONTRIBUTION, CONTRIBUTION, "contribution returned"]
    assert found.ok
    found = derived(link, table, "harmony", after[0], after[1])
    assert "award returned" in [step.what for step in found.steps]
    assert found.ok


def test_a_jackpot_shared_anew_and_an_adjustment_are_steps_of_the_next_one() -> None:
    table, link = seated()
    locked(table, 1, 2, 3)
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    table.answer(link)
    for award in list(table.state.awards)[:2]:
        table.do(inputs.AwardRejected, by=FLOOR, second=FLOOR2, award=award, reason="no base wager")
    table.answer(link)
    two = {"by": SUPERVISOR, "second": SUPERVISOR2, "key": "adjust", "reason": "reading of the day"}
    table.do(
        inputs.MeterAdjusted, **two, meter="harmony", delta_cents=123, expected_cents=table.state.linked["harmony"]
    )
    table.answer(link)
    reopened(table, 1, 2, 3)
    locked(table, 2)
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    table.answer(link)
    shared, last = hits_of(link, "harmony")[0], hits_of(link, "harmony")[-1]
    found = derived(link, table, "harmony", last[0], last[1])
    words = {step.what: step.units for step in found.steps}
    assert words["adjustment"] == 123 * UNIT
    # $25,002.85 leaves a cent where three share it, and none where one has all of it.
    assert (words["left of the jackpot before"], words["jackpot shared anew"]) == (UNIT, -UNIT)
    assert (found.amount_cents, found.ok) == (last[2], True)
    assert derived(link, table, "harmony", shared[0], shared[1]).ok  # as it was made


def test_mystery_hits_are_derived_each_in_its_cycle() -> None:
    table = Linked(HEAVENLY, {"must-hit-by": "bank"})
    for seat in (1, 2, 3):
        table.do(inputs.WagerAbsent, position=seat, wager="heavenly9")
    table.do(inputs.TableOpened, by=DEALER)
    filed = table.state.filed
    assert filed is not None
    low = filed.meters()["must-hit-by"].filing.reset_cents
    link = link_for(table, "bank", low, low, 10**9)  # the first two are passed by any contribution
    locked(table, 1, 2, 3, wager="heavenly9")
    table.answer(link)
    hits = hits_of(link, "must-hit-by")
    assert [(seq, position) for seq, position, _ in hits] == [(1, 1), (1, 2)]  # both in one lock-out
    for (seq, position, cents), opening in zip(hits, (OPENED, "seed or top-up"), strict=True):
        found = derived(link, table, "must-hit-by", seq, position)
        assert found.steps[0].what == opening
        assert found.steps[-1].position == position
        assert (found.amount_cents, found.ok) == (cents, True)


def test_a_line_that_is_no_hit_is_refused() -> None:
    table, link = seated()
    locked(table, 1)
    table.answer(link)
    for seq, position in ((1, 1), (2, 1)):
        with pytest.raises(LinkRefusedError, match="is no hit of position 1"):
            derived(link, table, "harmony", seq, position)


def test_a_cycle_has_so_many_lines_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    table, link = seated()
    locked(table, 1)
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    table.answer(link)
    ((seq, position, _),) = hits_of(link, "harmony")
    monkeypatch.setattr(deriving, "MOST_LINES", 2)
    assert derived(link, table, "harmony", seq, position).ok
    monkeypatch.setattr(deriving, "MOST_LINES", 1)
    with pytest.raises(LinkRefusedError, match="more than 1 lines"):
        derived(link, table, "harmony", seq, position)


def _passed(desk: Desk) -> tuple[int, int]:
    """Play until a mystery value is passed in a cycle that another line began; that line's number, and who won."""
    calm = 0  # lines of the cycle before
    while True:
        desk.lock_out(1)
        asyncio.run(desk.ask_anew())
        seq = desk.state.link_heads[f"{NAME}/must-hit-by"].seq
        if not desk.state.pending():
            calm += 1
        elif calm:
            return seq, desk.state.pending()[0].position
        while desk.state.pending():
            desk.validate()
            asyncio.run(desk.ask_anew())
            calm = 0
        desk.reopen()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE jackpotd.ledger SET payload = '{' WHERE meter = 'must-hit-by'",
        "UPDATE jackpotd.meters SET opened = '{}' WHERE meter = 'must-hit-by'",
        # A line that ends its cycle although nobody has won.
        """UPDATE jackpotd.ledger SET payload = jsonb_set(payload::jsonb, '{after,cycle}', '77')::text
        WHERE meter = 'must-hit-by' AND kind = 'contribute' AND payload::jsonb -> 'hits' IS NULL""",
    ],
    ids=["line", "meter", "cycle"],
)
def test_what_somebody_made_of_the_ledger_is_said_of_the_ledger(
    tmp_path: Path, server: Server, database: str, statement: str
) -> None:
    """Whoever asks gets an answer, and the journal of the table is not blamed."""
    floor = Floor(tmp_path, server.dsn(database), HEAVENLY9)
    floor.open("t-1")
    with Desk(floor.setup("t-1")) as desk:
        seq, position = _passed(desk)
    assert derived_at(floor.settings, None, "must-hit-by", seq, position).ok
    Books(floor, server).run(statement)
    with pytest.raises(LinkRefusedError, match=r"what the link bank keeps cannot be read .* `jackpotd link audit`"):
        derived_at(floor.settings, None, "must-hit-by", seq, position)
