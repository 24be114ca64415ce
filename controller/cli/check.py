"""`jackpotd check`: whether a Rules Submission is lawful."""

import argparse
import json
import sys
from datetime import date
from pathlib import Path

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
        return data.decode()
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
    try:
        on = date.fromisoformat(options.on) if options.on else date.today()  # noqa: DTZ011 -- the day on the casino's wall
    except ValueError as error:
        raise BadInputError(f"--on {options.on}: write the day as YYYY-MM-DD") from error
    found = check_file(options.file, on)
    if options.json:
        answer = {
            "ok": not found.violations,
            "violations": [finding._asdict() for finding in found.violations],
            "warnings": [finding._asdict() for finding in found.warnings],
        }
        print(json.dumps(answer, ensure_ascii=False, indent=2))
    else:
        _tell(options.file, on, found)
    return 1 if found.violations else 0


def _tell(path: str, on: date, found: Checked) -> None:
    for name, findings in (("violation", found.violations), ("warning", found.warnings)):
        for finding in findings:
            print(f"{name}: {_sentence(finding)}")
    verdict = "NOT lawful" if found.violations else "lawful"
    counts = f"{_number(found.violations, 'violation')}, {_number(found.warnings, 'warning')}"
    print(f"{path}: {verdict} on {on} ({counts})", file=sys.stdout)


def _number(findings: tuple[Finding, ...], word: str) -> str:
    return f"{len(findings)} {word}{'' if len(findings) == 1 else 's'}"


def _sentence(finding: Finding) -> str:
    value = "" if finding.value is None else f" = {json.dumps(finding.value, ensure_ascii=False, default=str)}"
    return f"{finding.key or 'the file'}{value}: {finding.message} ({finding.section})"
