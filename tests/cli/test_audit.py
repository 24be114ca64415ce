"""`jackpotd audit`: what it answers, as text and as JSON, and how it ends."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from controller.core.facts import Recorded
from controller.core.inputs import (
    Button,
    LateHand,
    LinkAnswered,
    LinkHit,
    TableClosed,
    TableOpened,
    WagerAbsent,
    WagerPresent,
)
from controller.journal.rows import Row, Snapshot
from controller.journal.sqlite import SqliteJournal
from tests.cli.calls import Said, call, refusal
from tests.core.play import DEALER, FLOOR, HEAVENLY, Rigged, Table
from tests.journal import played
from tests.journal.tampering import Payload, first, forged, rewritten

ROOT = Path(__file__).parents[2]
QUESTIONS = ("verify", "report", "hits", "derive", "reveal")
SHARED, LATE, CORRECTED, REJECTED = "mb-07-60-1", "mb-07-82-2", "mb-07-98-1", "mb-07-45-2"
MYSTERY, CARDS, FIXED = "mb-07-20-1", "mb-07-37-2", "mb-07-37-1"


@cache
def made() -> tuple[list[Recorded], list[Snapshot]]:
    table, snapshots = played.eventful()
    return table.facts, snapshots


@cache
def rows() -> list[Row]:
    return played.rows(made()[0])


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(played.write(tmp_path_factory.mktemp("audit") / "table.journal", *made()))


def answer(capsys: Said, *arguments: str, code: int = 0) -> Any:  # noqa: ANN401 -- JSON of any shape
    assert call("audit", *arguments, "--json") == code
    return json.loads(capsys.readouterr().out)


def told(capsys: Said, *arguments: str, code: int = 0) -> str:
    assert call("audit", *arguments) == code
    said = capsys.readouterr()
    assert said.err == ""
    return said.out


def forgery(path: Path, type_: str, holding: str, change: Callable[[Payload], object]) -> str:
    return str(rewritten(path / "forged", forged(rows(), first(rows(), type_, holding), change)))


# -- verify --


def test_a_whole_journal_is_said_to_be_whole(journal: str, capsys: Said) -> None:
    found = answer(capsys, "verify", journal)
    head = rows()[-1]
    assert found == {
        "ok": True,
        "facts": head.seq,
        "head": {"seq": head.seq, "hash": head.hash.hex()},
        "first_bad": None,
        "since": 1,
        "replayed_since": 1,
        "archives": {"seen": [], "missing": []},
    }
    assert f"whole: {head.seq} facts, head {head.seq}:{head.hash.hex()}" in told(capsys, "verify", journal)


def test_a_journal_is_held_against_a_head_noted_before(journal: str, capsys: Said) -> None:
    then = rows()[49]
    assert "and contains 50:" in told(capsys, "verify", journal, "--head", f"50:{then.hash.hex()}")
    assert answer(capsys, "verify", journal, "--head", f"50:{then.hash.hex().upper()}")["ok"]
    found = answer(capsys, "verify", journal, "--head", f"50:{'0' * 64}", code=1)
    assert (found["ok"], found["facts"], found["first_bad"]["seq"]) == (False, 49, 50)
    found = answer(capsys, "verify", journal, "--head", f"999:{'0' * 64}", code=1)
    assert found["first_bad"]["seq"] == rows()[-1].seq + 1


def test_the_first_bad_fact_is_named(tmp_path: Path, capsys: Said) -> None:
    path = forgery(tmp_path, "locked-out", "", lambda p: p["meters"][0].update(units=1))
    bad = first(rows(), "locked-out")
    assert f"NOT whole: fact {bad}: meter:royal9-mega is said" in told(capsys, "verify", path, code=1)
    found = answer(capsys, "verify", path, code=1)
    assert (found["ok"], found["facts"], found["head"]["seq"], found["first_bad"]["seq"]) == (
        False,
        bad - 1,
        bad - 1,
        bad,
    )
    assert "royal9-mega" in found["first_bad"]["why"]


@pytest.mark.parametrize("head", ["", "12", "12:", ":00", "0:" + "0" * 64, "-1:" + "0" * 64, "12:" + "0" * 63, "x:y"])
def test_a_head_that_is_none_is_refused(journal: str, head: str, capsys: Said) -> None:
    assert "write the number of a fact and its hash" in refusal(capsys, "audit", "verify", journal, f"--head={head}")


def test_a_bar_is_shown_on_a_terminal_and_only_there(journal: str) -> None:
    master, slave = pty.openpty()
    for extra, shown in (((), True), (("--json",), False)):
        done = subprocess.run(
            [sys.executable, "-m", "controller", "audit", "verify", journal, *extra],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=slave,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
            check=True,
        )
        assert b"verifying" not in done.stdout
        os.write(slave, b"end")
        assert (b"verifying" in os.read(master, 65536)) == shown
    os.close(master)
    os.close(slave)


# -- report --


def test_a_day_is_explained_to_the_last_unit(journal: str, capsys: Said) -> None:
    found = answer(capsys, "report", journal, "--date", "2026-11-16")
    assert (found["ok"], found["ended"], found["table"]) == (True, True, "valley-forge/mb-07")
    assert (found["timezone"], found["day_start"]) == ("America/New_York", "06:00")
    assert found["from"]["seq"] == 1
    for meter in found["meters"]:
        for account in (meter["display"], meter["reserve"], meter["carry"]):
            changes = sum(account["changes_units"].values())
            assert account["closing_units"] == account["opening_units"] + changes
            assert account["unexplained_units"] == 0
    minor = next(meter for meter in found["meters"] if meter["meter"] == "royal9-minor")
    assert minor["display"]["changes_units"] == {
        "opening amount": 45_000_000_000,
        "contribution": 320_984_000,
        "award": -180_300_000_000,
        "seed or top-up": 180_000_000_000,
        "award returned": 90_060_000_000,
        "seed returned": -90_000_000_000,
        "voided round": -40_123_000,
        "wager taken out": -20_061_500,
    }
    assert minor["hits"] == {"opening": 0, "closing": 3}
    assert minor["paid_by_attendant_cents"] == {"opening": 0, "closing": 135_360}


def test_a_day_begins_where_the_one_before_ended(journal: str, capsys: Said) -> None:
    first_day, second = (answer(capsys, "report", journal, "--date", f"2026-11-{day}") for day in (16, 17))
    assert second["from"]["seq"] == first_day["to"]["seq"] + 1
    for before, after in zip(first_day["meters"], second["meters"], strict=True):
        assert before["display"]["closing_units"] == after["display"]["opening_units"]
    assert second["to"]["seq"] == rows()[-1].seq
    carry = next(meter["carry"] for meter in second["meters"] if meter["meter"] == "royal9-mystery")
    assert set(carry["changes_units"]) == {"award rejected", "adjusted into a meter"}


def test_a_day_that_has_not_ended_is_told_as_the_day_so_far(journal: str, capsys: Said) -> None:
    assert not answer(capsys, "report", journal, "--date", "2026-11-17")["ended"]
    text = told(capsys, "report", journal, "--date", "2026-11-17")
    assert "the day so far" in text
    assert "06:08:50 to 2026-11-17 06:11:30 there" in text
    assert "the day so far" not in told(capsys, "report", journal, "--date", "2026-11-16")


def test_a_reading_that_nothing_accounts_for_is_an_alarm(tmp_path: Path, capsys: Said) -> None:
    path = forgery(tmp_path, "readings-taken", "", lambda p: p["readings"][0].update(units=5_500_650_000_001))
    found = answer(capsys, "report", path, "--date", "2026-11-16", code=1)
    assert (found["ok"], found["meters"][0]["display"]["unexplained_units"]) == (False, 1)
    assert told(capsys, "report", path, "--date", "2026-11-16", code=1).count("NOT EXPLAINED") == 2
    assert answer(capsys, "report", path, "--date", "2026-11-17", code=1)["meters"][0]["ok"] is False


def test_a_day_that_is_none_is_refused(journal: str, capsys: Said) -> None:
    assert "it has 2026-11-16, 2026-11-17" in refusal(capsys, "audit", "report", journal, "--date", "2026-11-15")
    for day in ("", "yesterday", "2026-13-01", "20261116", "2026-11-16 "):
        assert "YYYY-MM-DD" in refusal(capsys, "audit", "report", journal, f"--date={day}")
    assert "--date" in refusal(capsys, "audit", "report", journal)


# -- hits --


def test_hits_are_listed_the_newest_last(journal: str, capsys: Said) -> None:
    found = answer(capsys, "hits", journal)["hits"]
    assert [each["seq"] for each in found] == sorted(each["seq"] for each in found)
    by_id = {each["hit"]: each for each in found}
    assert set(by_id) == {"mb-07-20-1", "mb-07-37-2", *(REJECTED, SHARED, LATE, CORRECTED), *_OTHERS}
    assert (by_id[SHARED]["fate"], len(by_id[SHARED]["awards"])) == ("paid", 3)
    assert (by_id[REJECTED]["fate"], by_id[CORRECTED]["fate"]) == ("rejected", "unwound")
    assert (by_id[LATE]["paid_from"], by_id[MYSTERY]["paid_from"]) == ("house:late", "meter:royal9-mystery")
    assert by_id[MYSTERY]["reveal"]["value_cents"] == 25_030
    text = told(capsys, "hits", journal).splitlines()
    assert [line.split()[0] for line in text[1:]] == [each["hit"] for each in found]


_OTHERS = ("mb-07-78-2", "mb-07-110-1", "mb-07-122-2")


def test_a_journal_without_hits_says_so(tmp_path: Path, capsys: Said) -> None:
    path = str(played.write(tmp_path / "new", played.Played().facts))
    assert told(capsys, "hits", path) == "no meter was hit yet\n"
    assert answer(capsys, "hits", path) == {"hits": []}


# -- derive --


@pytest.mark.parametrize("hit", [MYSTERY, CARDS, REJECTED, SHARED, LATE, CORRECTED, *_OTHERS])
def test_the_lines_of_an_amount_add_up_to_it(journal: str, hit: str, capsys: Said) -> None:
    found = answer(capsys, "derive", journal, hit)
    total = 0
    for line in found["lines"]:
        total += line["units"]
        assert line["total_units"] == total
        if line["what"] == "contribution":
            assert line["units"] == line["stake_cents"] * line["rate_millionths"]
    assert found["total_units"] == total
    assert found["amount_cents"] == total // 1_000_000
    assert found["remainder_units"] == total % 1_000_000
    assert found["ok"] is True


def test_an_amount_is_told_contribution_by_contribution(journal: str, capsys: Said) -> None:
    text = told(capsys, "derive", journal, CARDS)
    assert text.count(" contribution ") == 4
    assert "royal9-minor held 450.80246000: the jackpot is $450.80, 0.00246000 stays" in text
    assert "paid by house:late because the meter had been hit since" in told(capsys, "derive", journal, LATE)


def test_any_share_names_the_hit(journal: str, capsys: Said) -> None:
    whole = answer(capsys, "derive", journal, SHARED)
    assert answer(capsys, "derive", journal, "mb-07-60-3") == whole
    assert [each["amount_cents"] for each in whole["awards"]] == [1_250_190, 833_460, 1_250_190]


def test_a_correction_between_is_a_line_of_its_own(journal: str, capsys: Said) -> None:
    what = [line["what"] for line in answer(capsys, "derive", journal, "mb-07-122-2")["lines"]]
    corrections = [each for each in what if each != "contribution"]
    assert corrections == [
        "left of the jackpot before",
        "seed or top-up",
        "voided round",
        "wager taken out",
        "award",
        "seed or top-up",
        "award returned",
        "seed returned",
    ]


def test_a_late_hand_takes_what_its_meter_held_at_its_lock_out(tmp_path: Path, capsys: Said) -> None:
    table = played.Played()
    table.bets(1, 2)
    missed = table.lock()
    table.next()
    table.play(1, 2, 3)  # these belong to the next jackpot
    player, banker = played.MINOR_AT_1
    table.do(LateHand, round=missed, player=player, banker=banker, by=FLOOR)
    table.play(1, hands=played.MINOR_AT_1)
    late, following = (award.id for award in table.pending())
    path = str(played.write(tmp_path / "late", table.facts))
    lines = answer(capsys, "derive", path, late)["lines"]
    assert {line["round"] for line in lines if "round" in line} == {missed}
    lines = answer(capsys, "derive", path, following)["lines"]
    assert [line["round"] for line in lines] == [missed, 2, 2, 2, missed, 3]
    assert (lines[0]["what"], lines[4]["what"]) == ("left of the jackpot before", "seed or top-up")


def test_mystery_awards_at_the_ceiling_spill_into_the_next_cycle_and_add_up(tmp_path: Path, capsys: Said) -> None:
    table = played.Played(played.LARGE, must_hit_by=[99_999, 30_000, 99_999, 50_000, 60_000])
    for _ in range(2):
        table.bets(1, 2, 3, wager="heavenly9")
        table.lock()
        table.deal()
        for award in table.pending():
            table.validate(award.id)
        table.next()
    table.do(TableClosed, by=DEALER)
    path = str(played.write(tmp_path / "large", table.facts))
    assert answer(capsys, "verify", path)["ok"]
    found = answer(capsys, "hits", path)["hits"]
    assert len(found) == 6
    seen = set()
    for hit in found:
        derived = answer(capsys, "derive", path, hit["hit"])
        assert derived["ok"] is True
        assert derived["amount_cents"] == min(derived["total_units"] // 1_000_000, 100_000)
        seen |= {line["what"] for line in derived["lines"]}
        assert answer(capsys, "reveal", path, hit["hit"])["match"] is True
    assert seen == {"opening amount", "contribution", "seed", "left of the award before", "above the next ceiling"}
    assert answer(capsys, "report", path, "--date", "2026-11-16")["ok"] is True


def test_an_amount_that_its_lines_do_not_make_is_an_alarm(tmp_path: Path, capsys: Said) -> None:
    path = forgery(
        tmp_path, "hand-entered", '"listed"', lambda p: p["meters"][0]["listed"][0].update(amount_cents=45_081)
    )
    assert answer(capsys, "derive", path, CARDS, code=1)["ok"] is False
    assert "NOT EXPLAINED" in told(capsys, "derive", path, CARDS, code=1)


@pytest.mark.parametrize(
    ("hit", "why"),
    [
        ("mb-07-20-9", "there is no award 'mb-07-20-9'"),
        ("mb-07-9999999999999999999999-1", "there is no award"),
        ("mb-07-13-1", "there is no award"),
        ("mb-07", "is no award"),
        ("", "is no award"),
        ("mb-07-²-1", "is no award"),
        (FIXED, "came from no meter"),
    ],
)
@pytest.mark.parametrize("question", ["derive", "reveal"])
def test_a_hit_that_is_none_is_refused(journal: str, question: str, hit: str, why: str, capsys: Said) -> None:
    assert why in refusal(capsys, "audit", question, journal, hit)


# -- reveal --


def test_a_reveal_is_held_against_the_commitment_of_its_draw(journal: str, capsys: Said) -> None:
    found = answer(capsys, "reveal", journal, MYSTERY)
    assert (found["match"], found["published"]["seq"], found["cycle"]) == (True, 1, 1)
    assert found["recomputed"] == found["commitment"]
    assert found["value_cents"] == 25_030
    assert answer(capsys, "reveal", journal, "mb-07-110-1")["published"]["seq"] == 20
    assert told(capsys, "reveal", journal, MYSTERY).endswith("they match\n")


@pytest.mark.parametrize(
    "changes", [{"value_cents": 25_031}, {"nonce": "00" * 32}, {"nonce": "no"}, {"commitment": "0"}]
)
def test_a_reveal_that_does_not_match_is_an_alarm(tmp_path: Path, changes: dict[str, object], capsys: Said) -> None:
    def change(payload: Payload) -> None:
        for meter in payload["meters"]:
            for hit in meter.get("listed", ()):
                hit["reveal"].update(changes)

    path = forgery(tmp_path, "locked-out", '"reveal"', change)
    assert answer(capsys, "reveal", path, MYSTERY, code=1)["match"] is False
    assert "DO NOT MATCH" in told(capsys, "reveal", path, MYSTERY, code=1)


def test_a_hit_by_the_cards_has_nothing_to_reveal(journal: str, capsys: Said) -> None:
    assert "royal9-minor has no mystery value" in refusal(capsys, "audit", "reveal", journal, CARDS)


# -- a meter that a link keeps --


def test_a_linked_meter_is_derived_where_it_is_kept(tmp_path: Path, capsys: Said) -> None:
    table = Table(HEAVENLY, rigged=Rigged(), links={"must-hit-by": "valley"})
    table.do(WagerAbsent, position=1, wager="heavenly9")
    table.do(TableOpened, by=DEALER)
    table.do(WagerPresent, position=1, wager="heavenly9")
    table.do(Button)
    intent = next(iter(table.state.intents))
    table.do(LinkAnswered, intent=intent, display_cents=1, hits=(LinkHit(1, 30_000, 29_000, "00" * 32, 4, "ab" * 32),))
    path = str(played.write(tmp_path / "linked", table.facts))
    (hit,) = answer(capsys, "hits", path)["hits"]
    assert (hit["paid_from"], hit["kind"]) == ("link:valley", "mystery")
    assert "kept by a link" in refusal(capsys, "audit", "derive", path, hit["hit"])
    found = answer(capsys, "reveal", path, hit["hit"], code=1)
    assert (found["table"], found["published"], found["match"]) == ("valley", None, False)
    assert "does not fit its commitment" in answer(capsys, "verify", path, code=1)["first_bad"]["why"]


# -- files --


def _arguments(question: str, path: str) -> list[str]:
    return [
        question,
        path,
        *{"report": ["--date", "2026-11-16"], "derive": [CARDS], "reveal": [MYSTERY]}.get(question, []),
    ]


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_is_no_journal_is_refused(question: str, tmp_path: Path, capsys: Said) -> None:
    other = tmp_path / "other"
    assert "name a journal" in refusal(capsys, "audit", *_arguments(question, str(other)))
    other.write_text("a shopping list, which is not a database at all")
    assert str(other) in refusal(capsys, "audit", *_arguments(question, str(other)))
    other.write_bytes(b"")
    assert str(other) in refusal(capsys, "audit", *_arguments(question, str(other)))
    assert str(tmp_path) in refusal(capsys, "audit", *_arguments(question, str(tmp_path)))


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_damaged_file_is_refused_or_found_bad(question: str, journal: str, tmp_path: Path, capsys: Said) -> None:
    damaged = tmp_path / "damaged"
    content = bytearray(Path(journal).read_bytes())
    content[8192:20480] = bytes(12288)
    damaged.write_bytes(content)
    assert call("audit", *_arguments(question, str(damaged))) in (1, 2)
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_journal_in_use_is_read_and_left_as_it_is(question: str, tmp_path: Path, capsys: Said) -> None:
    path = played.write(tmp_path / "used", *made())
    with SqliteJournal(path) as journal:
        before = path.read_bytes()
        assert call("audit", *_arguments(question, str(path))) == 0
        assert capsys.readouterr().out
        assert path.read_bytes() == before
        assert journal.head().seq == rows()[-1].seq


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_has_help(question: str, capsys: Said) -> None:
    assert call("audit", question, "--help") == 0
    assert capsys.readouterr().out.startswith(f"usage: jackpotd audit {question}")


def test_no_question_or_an_unknown_one_is_bad_usage(capsys: Said) -> None:
    for arguments in ([], ["nope"], ["verify"], ["verify", "a", "b"], ["derive", "a"], ["ver", "a"]):
        assert refusal(capsys, "audit", *arguments).startswith("usage: jackpotd")


def test_text_of_the_file_cannot_steer_the_terminal(tmp_path: Path, capsys: Said) -> None:
    path = forgery(tmp_path, "locked-out", "", lambda p: p["moves"].append(["wagers", "\x1b[2J\nfine", -1]))
    text = told(capsys, "verify", path, code=1)
    assert "\x1b" not in text
    assert text.count("\n") == 1


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_key_of_an_answer_is_documented(question: str, journal: str, capsys: Said) -> None:
    document = (ROOT / "docs/commands.md").read_text().partition("## `jackpotd audit verify")[2]
    keys: set[str] = set()

    def gather(value: object) -> None:
        if isinstance(value, dict):
            keys.update(value)
            for inner in value.values():
                gather(inner)
        elif isinstance(value, list):
            for inner in value:
                gather(inner)

    gather(answer(capsys, *_arguments(question, journal)))
    assert [key for key in keys if f"`{key}`" not in document and f'"{key}"' not in document] == []
