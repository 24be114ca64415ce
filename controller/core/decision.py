"""What `decide` answers, and the checks every decision may make."""

from typing import Any, TypeVar

from msgspec import Struct

from controller.core.effects import Effect
from controller.core.facts import Fact
from controller.core.inputs import Person
from controller.core.refusals import Refusal, RefusedError
from controller.core.state import Seen

MOST_UNITS = 2**63  # what the integers of a database hold
MOST_TEXT = 500  # characters of a reason, a detail, a reference: a paragraph, not a document


class Decision(Struct, frozen=True, gc=False):
    """The fact an input led to, none where nothing changed, and what to do once it is durable."""

    fact: Fact | None
    effects: tuple[Effect, ...] = ()
    repeated: Seen | None = None  # the answer this key got before


NOTHING = Decision(None)

T = TypeVar("T")


def refuse(refusal: Refusal, why: str) -> RefusedError:
    """A refusal, to be raised."""
    return RefusedError(refusal, why)


def known(found: T | None, why: str) -> T:
    """What was looked up, refused where there is none."""
    if found is None:
        raise refuse(Refusal.UNKNOWN, why)
    return found


def text(what: str, given: str) -> str:
    """A text people wrote: there must be one, and it is short."""
    if not given.strip() or len(given) > MOST_TEXT:
        raise refuse(Refusal.BAD_REQUEST, f"{what} is needed, in at most {MOST_TEXT} characters")
    return given


def people(by: Person | None, second: Person | None = None) -> dict[str, Any]:
    """Who asked, as a fact carries it."""
    return {"by": by.id if by else "", "second": second.id if second else ""}
