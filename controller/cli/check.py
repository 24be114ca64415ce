"""`jackpotd check`: whether a Rules Submission is lawful."""

import argparse
import json
import re
from datetime import date
from pathlib import Path

from controller.cli.output import say
from controller.rules import lawful
from controller.rules.errors import BadInputError
from controller.rules.fields import Finding
from controller.rules.submission import Checked

# A submission is a page or two; what is a thousand times longer is another file.
MOST_BYTES = 1024 * 1024


def read(path: str) -> str:
    """The text of a submission, refused where it is none."""
    file = Path(path)
    with file.open("rb") as opened:
        data = opened.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise BadInputError(f"{path} is longer than {MOST_BYTES} bytes: it is no Rules Submission")
    try:
        return data.decode("utf-8-sig")  # a byte order mark is some editors' habit
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path} is not UTF-8 text: {error}") from error


def check_file(path: str, on: date) -> Checked:
    """What a check of a file finds."""
    try:
        return lawful.check(read(path), on)
    except lawful.UnreadableError as error:
        raise BadInputError(f"{path} is {error}") from error


def run(options: argparse.Namespace) -> int:
    """Print what the check finds."""
    found = check_file(options.file, on := _day(options.on))
    if options.json:
        answer = {
            "ok": not found.violations,
            "violations": [finding._asdict() for finding in found.violations],
            "warnings": [finding._asdict() for finding in found.warnings],
        }
        say(json.dumps(answer, indent=2))
    else:
        _tell(options.file, on, found)
    return 1 if found.violations else 0


def _day(text: str | None) -> date:
    if text is None:
        return date.today()  # noqa: DTZ011 -- the day on the casino's wall
    refusal = BadInputError(f"--on {text!r}: write a day as YYYY-MM-DD")
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is None:  # fromisoformat takes other forms too
        raise refusal
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise refusal from error


def _tell(path: str, on: date, found: Checked) -> None:
    lines = [f"violation: {_sentence(finding)}" for finding in found.violations]
    lines += [f"warning: {_sentence(finding)}" for finding in found.warnings]
    verdict = "NOT lawful" if found.violations else "lawful"
    counts = f"{_number(found.violations, 'violation')}, {_number(found.warnings, 'warning')}"
    say("\n".join([*lines, f"{path}: {verdict} on {on} ({counts})"]))


def _number(findings: tuple[Finding, ...], word: str) -> str:
    return f"{len(findings)} {word}{'' if len(findings) == 1 else 's'}"


def _sentence(finding: Finding) -> str:
    # A table has no value to show, and what the file holds must not forge a line or steer a terminal.
    shown = finding.value is not None and "." in finding.key
    value = f" = {json.dumps(finding.value, ensure_ascii=False)}" if shown else ""
    text = f"{finding.key or 'the file'}{value}: {finding.message} ({finding.section})"
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
