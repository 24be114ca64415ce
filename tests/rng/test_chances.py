"""Tails of distributions, held against the critical values of printed tables."""

import pytest

from controller.rng.chances import chi_square_tail, kolmogorov_tail, normal_tails


@pytest.mark.parametrize(
    ("statistic", "degrees", "tail"),
    [
        (3.841, 1, 0.05),
        (6.635, 1, 0.01),
        (16.919, 9, 0.05),
        (21.666, 9, 0.01),
        (3.325, 9, 0.95),
        (124.342, 100, 0.05),
        (135.807, 100, 0.01),
        (77.929, 100, 0.95),
    ],
)
def test_chi_square(statistic: float, degrees: int, tail: float) -> None:
    assert chi_square_tail(statistic, degrees) == pytest.approx(tail, rel=2e-3)


def test_the_ends_of_chi_square() -> None:
    assert chi_square_tail(0, 5) == 1
    assert chi_square_tail(1e4, 5) < 1e-300 or chi_square_tail(1e4, 5) == 0


@pytest.mark.parametrize(("z", "tails"), [(0, 1), (1.959964, 0.05), (-2.575829, 0.01)])
def test_normal(z: float, tails: float) -> None:
    assert normal_tails(z) == pytest.approx(tails, rel=1e-5)


@pytest.mark.parametrize(("scaled", "tail"), [(1.3581, 0.05), (1.6276, 0.01), (0.8276, 0.5), (0.5196, 0.95)])
def test_kolmogorov(scaled: float, tail: float) -> None:
    count = 10**8
    assert kolmogorov_tail(scaled / count**0.5, count) == pytest.approx(tail, rel=2e-3)


def test_both_series_of_kolmogorov_are_one_function() -> None:
    count = 10**8
    below, above = (kolmogorov_tail(scaled / count**0.5, count) for scaled in (1.1799, 1.1801))
    assert below == pytest.approx(above, rel=2e-3)
    assert kolmogorov_tail(0, 100) == 1
