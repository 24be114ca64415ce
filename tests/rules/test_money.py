import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.rules.money import AmountError, dollars, parse_cents, parse_rate, percent


@pytest.mark.parametrize(
    ("text", "cents"),
    [("0", 0), ("5", 500), ("5.00", 500), ("0.01", 1), ("55000.00", 5_500_000), ("9999999999.99", 999_999_999_999)],
)
def test_money_is_read_as_whole_cents(text: str, cents: int) -> None:
    assert parse_cents(text) == cents


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-1",
        "+1",
        "1.5",
        "1.005",
        "01",
        "1,000.00",
        "$5",
        " 5",
        "5 ",
        "5.",
        ".50",
        "1e3",
        "\u0665",
        "10000000000",
        "5\n",
    ],
)
def test_anything_else_is_refused_by_name(text: str) -> None:
    with pytest.raises(AmountError) as refused:
        parse_cents(text)
    assert repr(text) in str(refused.value)


@pytest.mark.parametrize(
    ("text", "millionths"),
    [("10%", 100_000), ("0.5%", 5_000), ("12.5%", 125_000), ("0.0001%", 1), ("100%", 1_000_000), ("0%", 0)],
)
def test_a_rate_is_read_as_millionths(text: str, millionths: int) -> None:
    assert parse_rate(text) == millionths


@pytest.mark.parametrize(
    "text", ["", "10", "10 %", "-1%", ".5%", "5.%", "01%", "1e1%", "1000%", "0.00001%", "4.12345%"]
)
def test_a_rate_that_is_not_exact_or_no_rate_is_refused_by_name(text: str) -> None:
    with pytest.raises(AmountError) as refused:
        parse_rate(text)
    assert repr(text) in str(refused.value)


@given(st.integers(0, 10**12 - 1))
def test_money_written_as_a_submission_writes_it_reads_back(cents: int) -> None:
    assert parse_cents(f"{cents // 100}.{cents % 100:02}") == cents


@given(st.integers(0, 999_999))
def test_a_rate_shown_reads_back(rate: int) -> None:
    assert parse_rate(percent(rate)) == rate


def test_money_is_shown_with_cents_only_where_there_are_any() -> None:
    assert [dollars(cents) for cents in (0, 5, 500, 5_000_000, 294_254)] == [
        "$0",
        "$0.05",
        "$5",
        "$50,000",
        "$2,942.54",
    ]
