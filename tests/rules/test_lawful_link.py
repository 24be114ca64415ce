"""Which meters tables may share, as `jackpotd check` judges it."""

from datetime import date
from pathlib import Path

import pytest

from controller.rules.lawful import check

CONFIG = Path(__file__).parents[2] / "config"
DAY = date(2024, 6, 1)
MINI, BACCARAT = "minibaccarat-royal9-5.toml", "baccarat-heavenly9.toml"


def judged(name: str, link: str) -> list[tuple[str, str]]:
    text = (CONFIG / name).read_text()
    return [(each.key, each.section) for each in check(f"{text}\n[link]\n{link}\n", DAY).violations]


@pytest.mark.parametrize(
    ("name", "meter"),
    [(MINI, '"harmony"'), (BACCARAT, '"heavenly9"'), (BACCARAT, '["heavenly9", "must-hit-by"]')],
)
def test_what_the_law_lets_tables_share_is_lawful(name: str, meter: str) -> None:
    assert judged(name, f'name = "bank"\ndsn = "host=db"\nmeter = {meter}') == []


@pytest.mark.parametrize("meter", ["royal9-mega", "royal9-major", "royal9-minor", "royal9-mystery"])
def test_a_royal_9_meter_is_of_one_table(meter: str) -> None:
    """§ 627b.3(a) knows progressives of § 605a.7 only."""
    assert judged(MINI, f'meter = "{meter}"') == [("link.meter", "§ 627b.3(a)")]


@pytest.mark.parametrize(
    ("name", "meter", "section"),
    [
        (MINI, '"heavenly9"', "§ 631c.2(d)"),
        (BACCARAT, '"harmony"', "§ 627b.6(d), § 629b.7(d)"),
        (MINI, '"jackpot"', "§ 605a.8"),
        (MINI, "7", "§ 601a.2"),
        (MINI, '["harmony", 7]', "§ 601a.2"),
    ],
)
def test_other_meters_cannot_be_linked(name: str, meter: str, section: str) -> None:
    assert judged(name, f"meter = {meter}") == [("link.meter", section)]


def test_a_meter_that_is_not_filed_may_be_named_already() -> None:
    text = (CONFIG / BACCARAT).read_text()
    without = "\n".join(line for line in text.splitlines() if not line.startswith("must_hit_by"))
    assert without.count("\n") < text.count("\n")
    assert check(f'{without}\n[link]\nmeter = "must-hit-by"\n', DAY).violations == ()
