"""`jackpotd settle --stdin` as another program uses it: a line in, a line out, whatever the line is."""

import json
import re
import select
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, Any

import pytest

from controller.cli.settle_stream import MOST_LINE_BYTES
from tests.cli.calls import LAYOUT, NOT_BY_HANDS, OUTCOMES, deals
from tests.rules import restatement

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "controller", "settle", "--stdin"]
GOOD = b'{"player": ["KS", "9S"], "banker": ["KH", "9H"]}'
LONGEST = GOOD.ljust(MOST_LINE_BYTES)


def _answers(given: bytes, *options: str) -> list[dict[str, Any]]:
    done = subprocess.run([*COMMAND, *options], cwd=ROOT, input=given, capture_output=True, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.endswith(b"\n") or not done.stdout
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_line_is_answered_as_the_restatement_has_it() -> None:
    rounds = list(deals())[::7]
    given = "".join(json.dumps({"banker": banker, "player": player}) + "\n" for player, banker in rounds)
    plain, seated = _answers(given.encode()), _answers(given.encode(), "--layout", ",".join(LAYOUT))
    assert len(plain) == len(seated) == len(rounds)
    for (player, banker), answer, at_seats in zip(rounds, plain, seated, strict=True):
        expected = {
            "player_total": restatement.point_count(player),
            "banker_total": restatement.point_count(banker),
            "outcomes": restatement.outcomes(player, banker),
        }
        royal9 = {str(seat): restatement.royal9(player, banker, LAYOUT, seat) for seat in (1, 2, 3)}
        assert answer == expected
        assert at_seats == expected | {"royal9": royal9}
    assert set(plain[0]["outcomes"]) == {id_ for id_ in OUTCOMES if not id_.startswith(NOT_BY_HANDS)}


BAD = [
    (b"", "not JSON"),
    (b" ", "not JSON"),
    (b"player", "not JSON"),
    (GOOD[:-1], "not JSON"),
    (GOOD + GOOD, "not JSON"),
    (b"\xff" + GOOD, "not JSON"),
    (b'{"player": ["K\xe9", "9S"], "banker": ["KH", "9H"]}', "not JSON"),
    (b"[" * 4000, "not JSON"),
    (b'{"a":' * 800, "not JSON"),
    (b"[" * 900 + b"]" * 900, "object"),
    (b'{"player": [' + b"[" * 900 + b"]" * 900 + b'], "banker": []}', "not a card"),
    (b"NaN", "object"),
    (b"null", "object"),
    (b'[["KS", "9S"], ["KH", "9H"]]', "object"),
    (b"{}", "player"),
    (b'{"player": ["KS", "9S"]}', "banker"),
    (b'{"player": ["KS", "9S"], "banker": null}', "banker must be a list"),
    (b'{"player": "KS 9S", "banker": ["KH", "9H"]}', "player must be a list"),
    (b'{"player": {"KS": 1, "9S": 2}, "banker": ["KH", "9H"]}', "player must be a list"),
    (b'{"player": ["KS", "9S"], "banker": ["KH", "9H"], "seat": 1}', "unknown key 'seat'"),
    (b'{"player": ["KS", "9S"], "player": ["KS", "9S"], "banker": ["KH", "9H"]}', "twice"),
    (b'{"player": ["KS", "1S"], "banker": ["KH", "9H"]}', "'1S' is not a card"),
    (b'{"player": ["KS", "9S\\n"], "banker": ["KH", "9H"]}', "is not a card"),
    (b'{"player": ["KS", NaN], "banker": ["KH", "9H"]}', "is not a card"),
    (b'{"player": ["KS", 9], "banker": ["KH", "9H"]}', "is not a card"),
    (b'{"player": ["KS", null], "banker": ["KH", "9H"]}', "is not a card"),
    (b'{"player": ["KS", "9S", "2H"], "banker": ["KH", "9H"]}', "natural 9"),
    (b'{"player": ["KS", "2S", "8H"], "banker": ["KH", "3H", "2S"]}', "the Banker stays on 3"),
    (b'{"player": ["KS", "2S", "2H", "2D"], "banker": ["KH", "3H"]}', "more than three"),
    (b'{"player": ["KS", "2S"], "banker": ["KH", "3H"]}', "incomplete:"),
    (b'{"player": [], "banker": []}', "incomplete:"),
    (LONGEST + b" ", f"longer than {MOST_LINE_BYTES} bytes"),
    (b"9" * 5_000_000, f"longer than {MOST_LINE_BYTES} bytes"),
]


@cache
def _answers_among_good_lines() -> list[dict[str, Any]]:
    return _answers(b"\n".join([GOOD, *(part for line, _ in BAD for part in (line, GOOD))]))


@pytest.mark.parametrize("index", range(len(BAD)), ids=[repr(line[:60]) for line, _ in BAD])
def test_a_bad_line_gives_one_error_and_the_rest_goes_on(index: int) -> None:
    answers = _answers_among_good_lines()
    assert len(answers) == 2 * len(BAD) + 1
    before, error, after = answers[2 * index : 2 * index + 3]
    says = BAD[index][1]
    assert set(error) == {"error"}
    assert error["error"].startswith(says) if says == "incomplete:" else says in error["error"]
    assert before == after
    assert before["player_total"] == 9


@pytest.mark.parametrize(
    ("given", "totals"),
    [
        (b"", []),
        (GOOD, [9]),
        (GOOD + b"\n" + GOOD, [9, 9]),
        ((GOOD + b"\r\n") * 2, [9, 9]),
        (LONGEST + b"\n" + LONGEST, [9, 9]),
        (GOOD + b"\n" + b"9" * 5_000_000, [9, None]),
    ],
    ids=["nothing", "no newline", "no last newline", "CRLF", "as long as may be", "a last line without end"],
)
def test_lines_end_as_they_may(given: bytes, totals: list[int | None]) -> None:
    assert [answer.get("banker_total") for answer in _answers(given)] == totals


@contextmanager
def _running() -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes], IO[bytes]]]:
    with subprocess.Popen(
        COMMAND, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        overdue = threading.Timer(30, process.kill)  # so that an answer that never comes is an end of file
        overdue.start()
        try:
            yield process, process.stdin, process.stdout
        finally:
            overdue.cancel()
            process.kill()


def test_a_line_is_answered_before_the_next_is_sent() -> None:
    with _running() as (_, given, told):
        for line in (GOOD, b"nonsense", GOOD):
            given.write(line + b"\n")
            given.flush()
            assert select.select([told], [], [], 10)[0]
            assert ("error" in json.loads(told.readline())) is (line != GOOD)
        given.write(GOOD[:20])
        given.flush()
        assert not select.select([told], [], [], 0.1)[0]
        given.write(GOOD[20:] + b"\n")
        given.flush()
        assert select.select([told], [], [], 10)[0]


def test_a_reader_that_leaves_ends_it_quietly() -> None:
    with _running() as (process, given, told):
        given.write((GOOD + b"\n") * 10)
        given.flush()
        assert told.readline()
        told.close()
        with suppress(BrokenPipeError):
            for _ in range(100):
                given.write((GOOD + b"\n") * 1000)
        assert process.wait(10) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


def _resident_kb(process: subprocess.Popen[bytes]) -> int:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{process.pid}/status").read_text())
    assert found is not None
    return int(found[1])


def test_memory_does_not_grow_with_the_input() -> None:
    batch = (GOOD + b"\n" + b'{"player": ["KS", "2S", "8H"], "banker": ["KH", "3H"]}\n' + b"no round\n\n") * 500
    with _running() as (process, given, told):

        def feed(batches: int, more: bytes = b"") -> int:
            data = [batch] * batches + [more] * bool(more)
            feeder = threading.Thread(target=lambda: [given.write(part) for part in data] and given.flush())
            feeder.start()
            for _ in range(2000 * batches + bool(more)):
                assert told.readline()
            feeder.join()
            return _resident_kb(process)

        after_2_000 = feed(1)
        after_60_000 = feed(29)
        after_a_line_without_end = feed(1, b"9" * 30_000_000 + b"\n")
    assert after_60_000 - after_2_000 < 3000
    assert after_a_line_without_end - after_2_000 < 3000
