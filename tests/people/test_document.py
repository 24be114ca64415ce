"""docs/operators.md says what is true: its rights are the table's, its figures the code's."""

import re
from pathlib import Path

from controller.core import operators
from controller.core.inputs import ROLES
from controller.people import pins, signing_in, tokens
from controller.people.pepper import OLD_PEPPER_FILE, PEPPER_FILE
from controller.people.rights import QUERIES, RIGHTS, may

DOCUMENT = (Path(__file__).parents[2] / "docs/operators.md").read_text()
TEXT = " ".join(DOCUMENT.split())
ROWS = re.findall(r"^\| ((?:`[a-z-]+` ?)+)\|(.*)\|$", DOCUMENT.partition("## The first")[0], re.MULTILINE)


def test_the_table_of_rights_is_the_code_s() -> None:
    documented: dict[str, list[bool]] = {}
    for commands, cells in ROWS:
        roles = [bool(cell.strip()) for cell in cells.split("|")[: len(ROLES)]]
        documented |= dict.fromkeys(re.findall(r"`([a-z-]+)`", commands), roles)
    assert documented == {command: [may(role, command) for role in ROLES] for command in (*RIGHTS, *QUERIES)}


def test_how_many_people_a_command_takes_is_the_code_s() -> None:
    for commands, cells in ROWS:
        said = cells.split("|")[len(ROLES)].strip()
        kind = "two" if said == "two" else "depends" if said.startswith("two") else "one"
        for command in re.findall(r"`([a-z-]+)`", commands):
            assert command in QUERIES or RIGHTS[command].people.value == kind, command


def test_figures_are_those_of_the_code() -> None:
    for sentence in (
        f"1 to {operators.MOST_ID} characters `a-z 0-9 . _ -`",
        f"A name has at most {operators.MOST_NAME} characters",
        f"at most {operators.MOST_OPERATORS} operators",
        f"A PIN has {pins.FEWEST_DIGITS} to {pins.MOST_DIGITS} digits",
        f"lock the operator out for {operators.LOCKED_MS // 60_000} minutes",
        f"{24 * 60 // (operators.LOCKED_MS // 60_000) * operators.WRONG_PINS} tries a day",
        f"the last {operators.MOST_STRANGERS} such names",
        f"at most {signing_in.WRONG_PER_MINUTE} wrong PINs in a minute, and at most {signing_in.MOST_WAITING} attempts",
        f"all its origins together have at most {signing_in.WRONG_OF_A_CLIENT} wrong PINs in a minute",
        f"{pins.MEMORY_KIB >> 10} MiB, {pins.PASSES} passes, {pins.LANES} lane",
        f"good for {tokens.DEALER_SECONDS // 3600} hours, everyone else's until {tokens.IDLE_SECONDS // 60} minutes",
        f"at most {tokens.MOST_TOKENS}; one more",
        f"{signing_in.REFUSED_PER_MINUTE} a minute and client are recorded",
        f"credential `{PEPPER_FILE}`",
        f"`jackpotd.{OLD_PEPPER_FILE}`",
        f"So {signing_in.MANY_WRONG} wrong PINs within an hour are a warning",
    ):
        assert sentence in TEXT, sentence
    assert operators.WRONG_PINS == 5
    assert "five wrong ones in a row" in TEXT
