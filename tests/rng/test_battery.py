"""The battery takes a good generator for one, and finds each kind of bad one."""

from collections.abc import Callable
from random import Random

import pytest

from controller.rng.battery import LEVELS, Battery, Sample, run

LOW, HIGH, DRAWS = 25_000, 100_000, 40_000
Source = Callable[[Random], Callable[[], int]]


def battery(source: Source, seed: int = 1) -> Battery:
    drawn = source(Random(seed))
    return run(Sample([drawn() for _ in range(DRAWS)], LOW, HIGH))


def good(random: Random) -> Callable[[], int]:
    return lambda: random.randrange(LOW, HIGH)


def modulo(random: Random) -> Callable[[], int]:
    """16 bits, scaled by a remainder where there are 75,000 values: the upper ones never come."""
    return lambda: LOW + random.getrandbits(16) % (HIGH - LOW)


def leaning(random: Random) -> Callable[[], int]:
    """A little more often low."""
    return lambda: min(random.randrange(LOW, HIGH), HIGH - 1 if random.random() < 0.9 else random.randrange(LOW, HIGH))


def sticky(random: Random) -> Callable[[], int]:
    """Now and then near the last one."""
    last = LOW

    def drawn() -> int:
        nonlocal last
        near = random.random() < 0.05
        last = min(HIGH - 1, max(LOW, last + random.randrange(-500, 500))) if near else random.randrange(LOW, HIGH)
        return last

    return drawn


def echoing(random: Random) -> Callable[[], int]:
    """Now and then near the fifth before it, and near none in between."""
    last = [LOW] * 5

    def drawn() -> int:
        near = random.random() < 0.05
        wanted = last[0] + random.randrange(-500, 500) if near else random.randrange(LOW, HIGH)
        last[:] = [*last[1:], min(HIGH - 1, max(LOW, wanted))]
        return last[-1]

    return drawn


def striped(random: Random) -> Callable[[], int]:
    """Every other value from the other half: uniform, and anything but independent."""
    high = False

    def drawn() -> int:
        nonlocal high
        high = not high
        middle = (LOW + HIGH) // 2
        return random.randrange(middle, HIGH) if high else random.randrange(LOW, middle)

    return drawn


def patient(random: Random) -> Callable[[], int]:
    """A bag of ten tenths, drawn empty before it is filled again: no tenth is ever missed for long."""
    bag: list[int] = []

    def drawn() -> int:
        if not bag:
            bag.extend(random.sample(range(10), 10))
        tenth = (HIGH - LOW) // 10
        return LOW + bag.pop() * tenth + random.randrange(tenth)

    return drawn


@pytest.mark.parametrize("seed", range(5))
def test_a_good_generator_passes(seed: int) -> None:
    assert battery(good, seed).passes(LEVELS[-1])


@pytest.mark.parametrize(
    ("source", "by"),
    [
        (modulo, "chi-square"),
        (leaning, "frequency"),
        (sticky, "serial correlation, lag 1"),
        (echoing, "serial correlation, lag 5"),
        (striped, "runs"),
        (patient, "gap"),
        (patient, "poker"),
        (patient, "coupon collector"),
        (modulo, "Kolmogorov-Smirnov"),
    ],
    ids=lambda each: each if isinstance(each, str) else each.__name__,
)
def test_each_kind_of_test_finds_what_it_is_for(source: Source, by: str) -> None:
    found = battery(source)
    assert not found.passes(0.99)
    (p,) = [each.p for each in found.found if each.test == by]
    assert p < 1e-4


@pytest.mark.slow
def test_a_perfect_generator_fails_single_tests_about_as_often_as_it_should() -> None:
    """Two hundred samples of fixed seeds: close to one in twenty, test by test."""
    failed: dict[str, int] = {}
    for seed in range(200):
        random = Random(1000 + seed)
        sample = Sample([random.randrange(LOW, HIGH) for _ in range(10_000)], LOW, HIGH)
        for each in run(sample).found:
            failed[each.test] = failed.get(each.test, 0) + (each.p < 0.05)
    assert {test: number for test, number in failed.items() if not 1 <= number <= 24} == {}


def test_the_verdict_allows_for_how_many_tests_there_are() -> None:
    found = battery(good).found
    one_in_fifty = Battery((*found[:-1], found[-1]._replace(p=0.02)))
    assert one_in_fifty.passes(0.95) == all(each.p >= 0.05 / len(found) for each in one_in_fifty.found)
    assert not Battery((found[0]._replace(p=0.0005), *found[1:])).passes(0.99)
