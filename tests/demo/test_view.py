"""The screen of a demonstration: no wider and no longer than the terminal, and true."""

import io

import pytest
from rich.console import Console, Group
from rich.text import Text

from controller.demo.people import EVERYBODY, introduced
from controller.demo.view import About, Rolling, Screen, cards, dollars
from controller.demo.watching import Watched
from controller.wire.messages import Round, Status
from tests.demo.said import full_table, say, stand

ABOUT = About(speed="speed 10", address="", broker="127.0.0.1:40123", state="/a/folder" * 12, staff=introduced())


def drawn(tables: list[Watched], width: int = 80, height: int = 24, *, unicode: bool = True) -> list[str]:
    """The screen as a terminal of this size would have it, from top to bottom."""
    console = Console(width=width, height=height, file=io.StringIO(), color_system=None)
    lines = Screen(ABOUT, unicode=unicode).lines(tables, 1234, 2.13, width, height)
    rendered = console.render_lines(Group(*lines), console.options.update(height=None), pad=False)
    return ["".join(segment.text for segment in line) for line in rendered]


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (200, 60)])
@pytest.mark.parametrize("others", [0, 1, 7])
@pytest.mark.parametrize("unicode", [True, False])
def test_it_fits_the_terminal(width: int, height: int, others: int, unicode: bool) -> None:
    tables = [full_table(), *(full_table(f"mb-{number:02}") for number in range(2, 2 + others))]
    lines = drawn(tables, width, height, unicode=unicode)
    assert len(lines) == height
    assert max(Text(line).cell_len for line in lines) <= width
    assert "DEMONSTRATION" in lines[0]
    assert any("Ctrl-C" in line for line in lines)
    assert all(any(table.table in line for line in lines) for table in tables)
    if not unicode:
        assert "".join(lines).isascii()


@pytest.mark.parametrize(("width", "height"), [(40, 12), (20, 6), (79, 23)])
def test_in_a_smaller_terminal_it_shows_less(width: int, height: int) -> None:
    lines = drawn([full_table(), full_table("mb-02")], width, height)
    assert len(lines) == height
    assert max(Text(line).cell_len for line in lines) <= width
    assert "DEMONSTRATION" in lines[0]


def test_it_shows_what_the_table_said() -> None:
    text = "\n".join(drawn([full_table()], 120, 40))
    assert "$99,999,999.99" in text
    assert "hits by $1,000.00" in text
    assert "HIT $648.40, $648.40" in text
    assert "Round 123456  SETTLED" in text
    assert "Player K♠ 9♥ 10♦   Banker 2♣ 10♦ 10♠" in text
    assert "$30,000,000.00  minor" in text
    assert text.index("$30,000,000.00") < text.index("$29,000,000.00")  # the newest first
    assert "two to come" in text
    assert "settled" in text
    assert "1,234 rounds, 2.1 a second at speed 10" in text
    assert all(member.pin in text for member in EVERYBODY)


def test_a_table_that_has_said_nothing_is_drawn_too() -> None:
    text = "\n".join(drawn([Watched("mb-01"), Watched("mb-02")]))
    assert "starting" in text
    assert "the table is not there yet" in text


def test_a_fault_is_told_with_its_reason() -> None:
    table = full_table()
    say(table, "status", Status(**stand(2), state="faulted", reason="right.button: it does not answer"))
    say(table, "round", Round(**stand(2), round=7, phase="faulted", positions={"1": {"royal9": "fault"}}))
    text = "\n".join(drawn([table]))
    assert "FAULTED  right.button: it does not answer" in text
    assert "online" not in text


def test_a_table_that_is_silent_is_not_shown_as_online() -> None:
    now = 0.0
    table = Watched("mb-01", lambda: now)
    say(table, "status", Status(**stand(), state="online"))
    assert "online" in drawn([table])[0]
    now = 6.0
    assert "not heard of" in drawn([table])[0]


def test_amounts_roll_up_to_the_truth_and_never_beyond_it() -> None:
    rolling = Rolling()
    assert rolling.roll("harmony", 100) == 100  # the first is shown as it is
    shown = [rolling.roll("harmony", 200) for _ in range(30)]
    assert shown == sorted(shown)
    assert 100 < shown[0] < 200
    assert shown[-1] == 200
    assert rolling.roll("harmony", 50) == 50  # a fall is not drawn out
    assert rolling.roll("major", 7) == 7


def test_money_and_cards_as_people_write_them() -> None:
    assert [dollars(cents) for cents in (0, 5, 123_456_789)] == ["$0.00", "$0.05", "$1,234,567.89"]
    assert cards(["TS", "AH"]).plain == "10♠ A♥ "
    assert cards(["TS", "AH"], unicode=False).plain == "10s Ah "
