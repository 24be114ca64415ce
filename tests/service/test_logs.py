"""The log: one event a line, none lost without a word, and no reader can hold up play."""

import io
import threading

import pytest
from msgspec import json

from controller.core.facts import TYPES
from controller.service import logs, told
from tests.journal.played import entries, eventful


class Slow(io.StringIO):
    """A reader that does not read until it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.let = threading.Event()

    def write(self, text: str) -> int:
        self.let.wait(30)
        return super().write(text)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_is_one_object_with_what_is_bound() -> None:
    stream = io.StringIO()
    log, writer = logs.from_environment({}, stream)
    log.bind(table="valley-forge/mb-07").info("ready", round=3, position=4)
    writer.close()
    (line,) = stream.getvalue().splitlines()
    found = json.decode(line)
    assert found.pop("at").endswith("Z")
    assert found == {"event": "ready", "level": "info", "table": "valley-forge/mb-07", "round": 3, "position": 4}


def test_under_systemd_each_line_has_its_priority_and_on_a_terminal_it_is_read_by_people() -> None:
    stream = io.StringIO()
    log, writer = logs.from_environment({"JOURNAL_STREAM": "8:1"}, stream)
    log.info("ready")
    log.warning("health")
    log.error("failed")
    writer.close()
    assert [line[:3] for line in stream.getvalue().splitlines()] == ["<6>", "<4>", "<3>"]
    terminal = Terminal()
    log, writer = logs.from_environment({"JOURNAL_STREAM": "8:1"}, terminal)
    log.info("ready", facts=3)
    writer.close()
    assert "ready" in terminal.getvalue()
    assert "{" not in terminal.getvalue()
    assert "<6>" not in terminal.getvalue()


@pytest.mark.parametrize(("level", "lines"), [("info", 1), ("debug", 2), ("nonsense", 1)])
def test_the_level_is_that_of_the_environment(level: str, lines: int) -> None:
    stream = io.StringIO()
    log, writer = logs.from_environment({"JACKPOTD_LOG": level}, stream)
    log.debug("wager-placed")
    log.info("ready")
    writer.close()
    assert len(stream.getvalue().splitlines()) == lines


def test_a_reader_who_does_not_read_holds_up_nothing_and_is_told_what_is_gone() -> None:
    stream = Slow()
    writer = logs.Writer(stream)
    writer.msg("first")  # taken by the thread, which waits with it
    while not writer._lines.empty():  # noqa: SLF001 -- until it is
        pass
    for number in range(logs.MOST_LINES):
        writer.msg(f"line {number}")
    writer.msg("one too many")
    stream.let.set()
    writer.close()
    lines = stream.getvalue().splitlines()
    assert [line for line in lines if "dropped" in line] == ['{"event":"lines-dropped","count":1}']
    assert "one too many" not in lines
    assert f"line {logs.MOST_LINES - 1}" in lines


def test_every_kind_of_fact_is_told_and_nothing_sealed_is() -> None:
    played, _ = eventful()
    facts_ = entries(played.facts)
    stream = io.StringIO()
    log, writer = logs.from_environment({"JACKPOTD_LOG": "debug"}, stream)
    told.tell(log, facts_, 1)
    writer.close()
    lines = [json.decode(line) for line in stream.getvalue().splitlines()]
    facts = [line for line in lines if line["event"] in TYPES]
    assert [line["seq"] for line in facts] == list(range(1, len(facts_) + 1))
    assert {"award-made", "award-ended"} <= {line["event"] for line in lines}
    said = stream.getvalue()
    for word in ("sealed", "nonce", "commitment", "key_id", "digest", "toml"):
        assert f'"{word}"' not in said
