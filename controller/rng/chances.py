"""Distributions that the tests of the draw need: how likely a statistic at least this extreme is, by chance alone."""

from math import erfc, exp, lgamma, log, pi, sqrt

_EPSILON = 1e-15
_MOST_STEPS = 10_000  # of a series or a fraction: each settles after some hundred
_TINY = 1e-300


def normal_tails(z: float) -> float:
    """Both tails of the standard normal distribution beyond |z|."""
    return erfc(abs(z) / sqrt(2))


def chi_square_tail(statistic: float, degrees: int) -> float:
    """The upper tail of a chi-square distribution."""
    return _upper_gamma(degrees / 2, statistic / 2)


def _upper_gamma(shape: float, bound: float) -> float:
    """The regularized upper incomplete gamma function: by its series below the peak, by its fraction above."""
    if bound <= 0:
        return 1.0
    scale = exp(shape * log(bound) - bound - lgamma(shape))
    if bound < shape + 1:
        return max(0.0, 1.0 - scale * _series(shape, bound))
    return min(1.0, scale * _fraction(shape, bound))


def _series(shape: float, bound: float) -> float:
    term = total = 1 / shape
    for step in range(1, _MOST_STEPS):
        term *= bound / (shape + step)
        total += term
        if term < total * _EPSILON:
            break
    return total


def _fraction(shape: float, bound: float) -> float:
    """The continued fraction, from the front, each step correcting the last."""
    b = bound + 1 - shape
    c, d = 1 / _TINY, 1 / b
    value = d
    for step in range(1, _MOST_STEPS):
        a = -step * (step - shape)
        b += 2
        d = 1 / _not_zero(a * d + b)
        c = _not_zero(b + a / c)
        change = c * d
        value *= change
        if abs(change - 1) < _EPSILON:
            break
    return value


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def kolmogorov_tail(distance: float, count: int) -> float:
    """How likely a sample of a uniform distribution lies at least so far from it somewhere."""
    root = sqrt(count)
    scaled = distance * (root + 0.12 + 0.11 / root)
    if scaled < 1.18:  # noqa: PLR2004 -- where the two series, which are the same function, settle equally fast
        below = sum(exp(-((2 * k - 1) ** 2) * pi**2 / (8 * scaled**2)) for k in range(1, 8)) if scaled > 0 else 0.0
        return 1.0 - below * sqrt(2 * pi) / scaled if scaled > 0 else 1.0
    tail = 2 * sum((1.0 if k % 2 else -1.0) * exp(-2 * (k * scaled) ** 2) for k in range(1, 12))
    return min(1.0, max(0.0, tail))
