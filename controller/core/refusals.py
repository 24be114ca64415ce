"""Why an input is refused."""

from enum import Enum

from msgspec import Struct


class Refusal(Enum):
    """Reasons in the order in which they are looked for: where several hold, the first of this list is given.

    A request that is sound in itself and does not go with what it names is a BAD_REQUEST too, after UNKNOWN.
    """

    WRONG_PHASE = "wrong-phase"
    FAULTED = "faulted"
    BAD_REQUEST = "bad-request"
    NOT_ALLOWED = "not-allowed"
    SECOND_PERSON = "second-person"
    UNKNOWN = "unknown"
    BAD_HAND = "bad-hand"
    TOO_LATE = "too-late"
    VALIDATED = "validated"
    STALE = "stale"


class Refused(Struct, frozen=True, gc=False):
    """An input refused: the reason for programs, and for people the sentence that names what is wrong."""

    refusal: Refusal
    why: str


class RefusedError(Exception):
    """Carries a refusal out of the checks of one decision; `decide` turns it into its answer."""

    def __init__(self, refusal: Refusal, why: str) -> None:
        super().__init__(why)
        self.refused = Refused(refusal, why)
