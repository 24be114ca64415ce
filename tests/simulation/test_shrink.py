"""A history that shows a fault is made as short as it can be."""

from controller.simulation.shrink import Case, shrunk


def test_only_what_is_needed_is_left() -> None:
    asked: list[Case] = []

    def fails(case: Case) -> bool:
        asked.append(case)
        return case.rounds >= 37 and {3, 77} <= set(case.only)

    assert shrunk(Case(500, tuple(range(100))), fails) == Case(37, (3, 77))
    assert len(asked) == len(set(asked)), "no run is made twice"


def test_what_fails_by_itself_needs_nothing_else() -> None:
    assert shrunk(Case(10, (1, 2)), lambda _: True) == Case(1, ())


def test_a_limit_of_runs_leaves_what_was_found_so_far() -> None:
    asked: list[Case] = []

    def fails(case: Case) -> bool:
        asked.append(case)
        return case.rounds >= 100

    found = shrunk(Case(1000, (1,)), fails, most=3)
    assert len(asked) == 3
    assert fails(found)
    assert found.rounds < 1000
