"""The accounts and everything else the second set of books remembers, and the small questions asked of it."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction

from controller.simulation.auditor.entries import (
    CLOSED,
    RANK,
    Award,
    Meter,
    NotDueError,
    Part,
    Person,
    Round,
    Sensor,
    Spot,
    Told,
    rank,
)
from controller.simulation.auditor.law import ZERO, Law

Values = Mapping[tuple[str, int], int]


class Books:
    """Accounts in fractions of a dollar, and the table as it stands."""

    def __init__(self) -> None:
        self.books: dict[str, Fraction] = {}
        self.meters: dict[str, Meter] = {}
        self.rounds: dict[int, Round] = {}
        self.law: Law | None = None
        self.values: Values = {}  # the value, in cents, of each mystery meter and cycle
        self.day = self.previous_day = ""
        self.phase, self.simulated_from = CLOSED, CLOSED
        self.round = self.last_locked = 0
        self.standing: dict[Spot, tuple[str, tuple[int, int]]] = {}
        self.sensors: dict[Spot, Sensor] = {}
        self.base: dict[int, bool] = {}
        self.out_of_service: set[int] = set()
        self.parts: dict[str, Part] = {}
        self.switch = ""
        self.pressed: datetime | None = None
        self.to_return: Counter[tuple[int, str, int]] = Counter()
        self.their_returns: dict[str, tuple[int, str, int]] = {}
        self.slip = 0
        self.staff: dict[str, tuple[str, str, bool]] = {}
        self.wrong_pins = dict[str, tuple[int, datetime]]()
        self.mode, self.starts = "", 0
        self.clock = self.instant = 0  # how many inputs there were, and at which of them the time last changed
        self.at = ""
        self.refused = ""  # how the product answered what is booked
        self.waiting: list[Award] = []  # awards made and, as far as was looked, pending
        self.happened: Counter[str] = Counter()  # what the money has gone through
        self.readings: set[str] = set()  # where the documents left the answer open, and it was followed

    def unsaid(self, what: str) -> None:
        """The documents do not say whether this is refused: follow the product."""
        self.readings.add(f"{what}: {self.refused or 'accepted'}")
        if self.refused:
            raise NotDueError(what)

    @property
    def filed(self) -> Law:
        """The submission in force."""
        if self.law is None:
            raise NotDueError("nothing is filed")
        return self.law

    @property
    def faulted(self) -> bool:
        """Button, journal, broker or software lost, or every sensor board."""
        lost = [part for part in self.parts.values() if part.lost]
        boards = [part for part in self.parts.values() if part.kind == "board"]
        vital = any(part.kind in {"button", "journal", "broker", "software"} for part in lost)
        return vital or (bool(boards) and all(board.lost for board in boards))

    def balance(self, account: str) -> Fraction:
        """What an account holds."""
        return self.books.get(account, ZERO)

    def _move(self, source: str, target: str, amount: Fraction) -> None:
        if amount < 0:
            raise ArithmeticError(f"{amount} from {source} to {target}")
        self.books[source] = self.balance(source) - amount
        self.books[target] = self.balance(target) + amount

    @staticmethod
    def _need(by: Person | None, role: str) -> None:
        if rank(by) < RANK[role]:
            raise NotDueError(f"this takes a {role}", "not-allowed")

    def _need_two(self, command: Told, role: str) -> None:
        self._need(command.by, role)
        by, second = command.by, command.second
        if by is None or second is None or second.id == by.id or rank(second) < RANK[role]:
            raise NotDueError(f"this takes two of {role}", "second-person")

    @staticmethod
    def _need_text(text: str) -> None:
        if not text.strip():
            raise NotDueError("a text is missing", "bad-request")

    def pending(self) -> list[Award]:
        """Awards that wait for their validation."""
        self.waiting = [award for award in self.waiting if award.fate == "pending"]
        return list(self.waiting)

    def _hit_since(self, id_: str, order: int) -> bool:
        """By a hit that stands and took the meter's money."""
        return any(h.order > order and h.from_meter and not h.undone for h in self.meters[id_].struck)

    def award(self, theirs: str) -> Award | None:
        """The award that the product calls so."""
        found = (award for round_ in self.rounds.values() for award in round_.awards if award.theirs == theirs)
        return next(found, None)
