"""Money and rates as text and as integers: whole cents, and rates in millionths. No float ever touches them."""

import re

from controller.rules.errors import BadInputError

RATE_UNITS = 1_000_000  # a rate is an integer number of millionths, so that cents x rate is exact
UNITS_PER_CENT = 1_000_000  # an amount in full precision is an integer number of 1e-8 dollars

# Ten digits of dollars are below 1e18 units of 1e-8 dollars, which fits the 64-bit integers of every database.
_MONEY = re.compile(r"(0|[1-9][0-9]{0,9})(?:\.([0-9]{2}))?")
_RATE = re.compile(r"(0|[1-9][0-9]{0,2})(?:\.([0-9]+))?%")
_RATE_DECIMALS = 4  # of a percent: the millionth


class AmountError(BadInputError):
    """Text that is not an amount or a rate; the message says what would be."""


def parse_cents(text: str) -> int:
    """Whole cents of "5", "5.00" or "55000.00"."""
    found = _MONEY.fullmatch(text)
    if found is None:
        raise AmountError(
            f'{text!r} is not an amount of dollars: write it like "450.00", at most ten digits of dollars'
        )
    return int(found[1]) * 100 + int(found[2] or 0)


def parse_rate(text: str) -> int:
    """Millionths of "10%" or "0.5%"."""
    found = _RATE.fullmatch(text)
    if found is None:
        raise AmountError(f'{text!r} is not a rate: write it like "4%" or "0.5%"')
    decimals = found[2] or ""
    if len(decimals) > _RATE_DECIMALS:
        raise AmountError(f"{text!r} has {len(decimals)} decimals of a percent: at most {_RATE_DECIMALS} are exact")
    return int(found[1] + decimals.ljust(_RATE_DECIMALS, "0"))


def dollars(cents: int) -> str:
    """An amount as people read it: $55,000 or $2.50."""
    whole, rest = divmod(cents, 100)
    return f"${whole:,}.{rest:02}" if rest else f"${whole:,}"


def percent(rate: int) -> str:
    """A rate as people read it: 10% or 0.5%."""
    whole, rest = divmod(rate, 10**_RATE_DECIMALS)
    return f"{whole}.{rest:0{_RATE_DECIMALS}}".rstrip("0").rstrip(".") + "%"
