"""Who may do what: one table of the commands, the least role of each, and whether it takes two people.

The core decides again by the same roles, and more finely: a hand of an earlier round, or a wager after lock-out, takes
more than the least that stands here. What this table refuses never reaches it.
"""

from enum import Enum
from typing import NamedTuple

from controller.core.inputs import AUDITOR, DEALER, FLOORPERSON, ROLES, SUPERVISOR


class People(Enum):
    """How many people sign."""

    ONE = "one"
    TWO = "two"
    DEPENDS = "depends"  # on the amount, the round or the phase: the core says so


class Right(NamedTuple):
    """The least role a command takes, and how many people of it."""

    least: str
    people: People = People.ONE


LOGIN = "login"  # the one command that takes nobody signed in
RIGHTS: dict[str, Right] = {
    "enter-hand": Right(DEALER, People.DEPENDS),  # of the current round; late ones a floorperson, old ones two people
    "correct-hand": Right(DEALER, People.DEPENDS),  # the same
    "preview-hand": Right(DEALER),  # which does nothing
    "void-wager": Right(DEALER, People.DEPENDS),  # while open; from lock-out on two floorpersons
    "confirm-return": Right(DEALER),
    "simulated-round": Right(DEALER),
    "open-table": Right(DEALER),
    "close-table": Right(DEALER),
    "validate": Right(FLOORPERSON, People.DEPENDS),  # two from the filed amount up
    "reject": Right(FLOORPERSON, People.TWO),
    "void-round": Right(FLOORPERSON),
    "position-service": Right(FLOORPERSON),
    "print-slip": Right(FLOORPERSON),
    "adjust-meter": Right(SUPERVISOR, People.TWO),
    "change-submission": Right(SUPERVISOR, People.TWO),
    "operator-add": Right(SUPERVISOR, People.DEPENDS),  # two for floorpersons and supervisors, once there are two
    "operator-disable": Right(SUPERVISOR),
}
# Read-only: an auditor's whole business, and open to those who answer for the floor.
QUERIES = frozenset(
    {"query-hits", "query-derive", "query-readings", "query-rounds", "query-actions", "query-operators"}
)
_RANKS = tuple(role for role in ROLES if role != AUDITOR)


def may(role: str, command: str) -> bool:
    """Whether someone of a role may give a command at all. What is in no table nobody may."""
    if command in QUERIES:
        return role == AUDITOR or _holds(role, FLOORPERSON)
    right = RIGHTS.get(command)
    return right is not None and _holds(role, right.least)


def _holds(role: str, least: str) -> bool:
    return role in _RANKS and _RANKS.index(role) >= _RANKS.index(least)
