"""docs/security.md names tests for what it claims: each is there, and so is each of the house's figures."""

import re
from pathlib import Path

import pytest

from controller.people import signing_in, tokens
from controller.wire.commands import MOST_AGE_SECONDS

ROOT = Path(__file__).parent.parent
DOCUMENT = (ROOT / "docs/security.md").read_text()
NAMED = sorted(set(re.findall(r"`(tests/[a-z0-9_/]+\.py)(?:::(test_\w+))?`", DOCUMENT)))


@pytest.mark.parametrize(("path", "test"), NAMED)
def test_what_shows_a_claim_is_there(path: str, test: str) -> None:
    source = (ROOT / path).read_text()
    assert f"def {test or 'test_'}" in source


@pytest.mark.parametrize(
    "attacker",
    [
        "Someone with the database file",
        "A stolen backup",
        "Root on the box",
        "Someone on the network",
        "Someone at the table",
        "A console that was stolen or taken over",
        "Staff of the house, together",
    ],
)
def test_each_attacker_has_a_section_that_says_what_does_not_hold(attacker: str) -> None:
    section = DOCUMENT.partition(f"## {attacker}\n")[2].partition("\n## ")[0]
    assert "**" in section


def test_figures_are_those_of_the_code() -> None:
    text = " ".join(DOCUMENT.split())
    for sentence in (
        f"{signing_in.WRONG_PER_MINUTE} a minute from one address, {signing_in.WRONG_OF_A_CLIENT} from one console",
        f"{signing_in.MANY_WRONG} in an hour are a warning",
    ):
        assert sentence in text
    assert f"at most {MOST_AGE_SECONDS} s old" in text
    assert (tokens.DEALER_SECONDS, tokens.IDLE_SECONDS) == (12 * 3600, 300)
    assert "lasts twelve hours" in text
