"""From a run that shows a fault to the shortest one that still does: fewer hands, and less that goes wrong."""

from collections.abc import Callable

from msgspec import Struct

MOST_RUNS = 300  # of one shrinking: minutes, at a second each


class Case(Struct, frozen=True):
    """A run as it can be asked for: so many hands, and of what its schedule lists, only these."""

    rounds: int
    only: tuple[int, ...]


Fails = Callable[[Case], bool]


class _Tried:
    """Asks for each case once, and for no more than a limit of them."""

    def __init__(self, fails: Fails, most: int) -> None:
        self._fails = fails
        self._left = most
        self._known: dict[Case, bool] = {}

    def __call__(self, case: Case) -> bool:
        if case not in self._known:
            if self._left <= 0:
                return False
            self._left -= 1
            self._known[case] = self._fails(case)
        return self._known[case]


def shrunk(case: Case, fails: Fails, most: int = MOST_RUNS) -> Case:
    """The shortest case that was found to fail. The one that is given does."""
    tried = _Tried(fails, most)
    while True:
        smaller = _fewer_hands(_less_wrong(_fewer_hands(case, tried), tried), tried)
        if smaller == case:
            return case
        case = smaller


def _fewer_hands(case: Case, fails: Fails) -> Case:
    """By halves, then one by one."""
    step = case.rounds // 2
    while step:
        shorter = Case(case.rounds - step, case.only)
        if shorter.rounds >= 1 and fails(shorter):
            case = shorter
            step = min(step, case.rounds // 2)
        else:
            step //= 2
    return case


def _less_wrong(case: Case, fails: Fails) -> Case:
    """Delta debugging: leave out parts, the larger ones first."""
    if not case.only or fails(Case(case.rounds, ())):
        return Case(case.rounds, ())
    parts = 2
    while len(case.only) > 1:
        size = -(-len(case.only) // parts)
        for begin in range(0, len(case.only), size):
            without = Case(case.rounds, case.only[:begin] + case.only[begin + size :])
            if without.only and fails(without):
                case, parts = without, max(parts - 1, 2)
                break
        else:
            if parts >= len(case.only):
                return case
            parts = min(2 * parts, len(case.only))
    return case
