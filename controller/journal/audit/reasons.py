"""Why a fact moved money in or out of a meter: for a day's report and for the history of one jackpot."""

from collections.abc import Iterator

from controller import explained
from controller.core.facts import Fact, RoundWasVoided, SubmissionFiled


def changes(fact: Fact, account: str) -> Iterator[explained.Change]:
    """What a fact did to an account, move by move."""
    back = explained.VOIDED if isinstance(fact, RoundWasVoided) else explained.TAKEN_OUT
    return explained.changes(fact.moves, account, back=back, opens=isinstance(fact, SubmissionFiled))
