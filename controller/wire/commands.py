"""Commands and their replies: what a client asks for, and what it is told.

A request goes to `commands/<client>/<name>`, the reply comes on `replies/<client>/<id>`. Neither is retained. A field a
reply does not have is left out; a refused one has `error` for programs and `message` for people, and nothing else.
Amounts finer than a cent are text, dollars with eight decimals, because JSON of a browser holds no such integers.
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from controller.wire.command_rows import (
    ActionRow,
    AwardDue,
    AwardMade,
    AwardSettled,
    DerivedLine,
    HitRow,
    LinkedDue,
    MeterDay,
    OperatorRow,
    RoundRow,
    Slip,
    ToReturn,
)
from controller.wire.messages import Message, PhaseName

# A hand, a reason and a reference many times over. What is longer is not looked at.
MOST_REQUEST_BYTES = 64 * 1024
# A Rules Submission of 1 MiB, each character of which may be escaped, and the rest of the request.
MOST_SUBMISSION_BYTES = 2 * 1024 * 1024 + MOST_REQUEST_BYTES
MOST_AGE_SECONDS = 30  # between a request's `at` and its arrival, either way: clocks differ
MOST_ROWS = 200  # of a page
MOST_ORIGIN = 64  # characters: an address has at most 45, and its network at most four more

ErrorName = Literal[
    "bad-request",
    "not-allowed",
    "wrong-pin",
    "locked-out",
    "second-person",
    "unknown",
    "wrong-phase",
    "bad-hand",
    "too-late",
    "validated",
    "stale",
    "faulted",
]
RoleName = Literal["dealer", "floorperson", "supervisor", "auditor"]
# What a browser's numbers and a database's integers both hold.
Whole = Annotated[int, Meta(ge=-(2**53) + 1, le=2**53 - 1)]
Number = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Limit = Annotated[int, Meta(ge=1, le=MOST_ROWS)]
Cards = tuple[str, ...]  # like "KS", "9D"


class Request(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every request has. The same id again is the same request again, whatever its `at` and tokens are."""

    id: str  # a UUID, new for each request
    at: str  # RFC 3339
    token: str = ""  # of who asks
    second: str = ""  # of a second person

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id})"  # no log shows a token or a PIN


class Reply(Message, frozen=True, kw_only=True):
    """What every reply has. `seq` and `at` are those of the fact the request led to, where it led to one."""

    id: str
    ok: bool
    error: ErrorName | UnsetType = UNSET
    message: str | UnsetType = UNSET


# -- people --


class Login(Request, frozen=True, kw_only=True):
    """Sign in. A repeated id is a new attempt."""

    operator: str
    pin: str
    # Where at the client: at a console the browser's address. Wrong PINs are counted for each.
    origin: Annotated[str, Meta(max_length=MOST_ORIGIN)] = ""


class LoginReply(Reply, frozen=True, kw_only=True):
    """Signed in. The token is good at this client alone; all but a dealer's end after `seconds` of idleness."""

    token: str | UnsetType = UNSET
    role: RoleName | UnsetType = UNSET
    name: str | UnsetType = UNSET
    expires: str | UnsetType = UNSET  # if it is not used again
    seconds: int | UnsetType = UNSET

    def __repr__(self) -> str:
        return f"LoginReply({self.id}, ok={self.ok})"  # no log shows a token


class Logout(Request, frozen=True, kw_only=True):
    """Sign out: the token is good no more."""


class OperatorAdd(Request, frozen=True, kw_only=True):
    """Let someone sign in, or give another name, role and PIN to someone there is."""

    operator: str
    name: str
    role: RoleName
    pin: str


class OperatorDisable(Request, frozen=True, kw_only=True):
    """Let someone sign in no more."""

    operator: str


class OperatorReply(Reply, frozen=True, kw_only=True):
    """An operator as they are now."""

    operator: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    role: RoleName | UnsetType = UNSET
    active: bool | UnsetType = UNSET


# -- hands and awards --


class EnterHand(Request, frozen=True, kw_only=True):
    """The cards of a round: of the current one the first four or more, or those of an earlier one."""

    round: Number
    player: Cards
    banker: Cards
    reference: str = ""  # of the surveillance recording, for rounds beyond the last few


class CorrectHand(EnterHand, frozen=True, kw_only=True):
    """Other cards for a round whose hand was entered."""


class HandReply(Reply, frozen=True, kw_only=True):
    """A hand taken, and what it settled: awards made, and what became of awards made before."""

    round: int | UnsetType = UNSET
    player: Cards | UnsetType = UNSET
    banker: Cards | UnsetType = UNSET
    complete: bool | UnsetType = UNSET
    phase: PhaseName | UnsetType = UNSET
    awards: tuple[AwardMade, ...] | UnsetType = UNSET
    fates: tuple[AwardSettled, ...] | UnsetType = UNSET


class PreviewHand(EnterHand, frozen=True, kw_only=True):
    """What a hand would settle if it were sent now. Nothing is done, and nothing recorded."""

    correction: bool = False  # told for `correct-hand` instead of `enter-hand`


class PreviewReply(Reply, frozen=True, kw_only=True):
    """Awards that would be made, and what would become of awards made before."""

    round: int | UnsetType = UNSET
    player_total: int | UnsetType = UNSET
    banker_total: int | UnsetType = UNSET
    complete: bool | UnsetType = UNSET
    awards: tuple[AwardDue, ...] | UnsetType = UNSET
    fates: tuple[AwardSettled, ...] | UnsetType = UNSET
    linked: tuple[LinkedDue, ...] | UnsetType = UNSET


class Validate(Request, frozen=True, kw_only=True):
    """Confirm and pay an award. Without a base wager it is rejected instead."""

    award: str
    method: Literal["inventory", "slip"]
    base_wager: bool


class PrintSlip(Request, frozen=True, kw_only=True):
    """The slip of a validated award, to be printed; each printing is recorded."""

    award: str


class SlipReply(Reply, frozen=True, kw_only=True):
    """What the slip says."""

    slip: Slip | UnsetType = UNSET


class Reject(Request, frozen=True, kw_only=True):
    """An award not to be paid. Takes two people."""

    award: str
    reason: str


class VoidRound(Request, frozen=True, kw_only=True):
    """Call the current round off, between lock-out and its last card."""

    round: Number
    reason: str


class VoidWager(Request, frozen=True, kw_only=True):
    """Take one wager out: the dealer while the round is open, two people afterwards."""

    round: Number
    position: Number
    wager: str
    reason: str


class UndoneReply(Reply, frozen=True, kw_only=True):
    """What became of awards, and coins to give back by hand."""

    round: int | UnsetType = UNSET
    phase: PhaseName | UnsetType = UNSET
    fates: tuple[AwardSettled, ...] | UnsetType = UNSET
    returns: tuple[ToReturn, ...] | UnsetType = UNSET


class ConfirmReturn(Request, frozen=True, kw_only=True):
    """Money of a drop slot was given back by hand."""

    return_: str = field(name="return")


class ReturnReply(Reply, frozen=True, kw_only=True):
    """The return that is done with."""

    return_: str | UnsetType = field(name="return", default=UNSET)


# -- the table --


class SimulatedRound(Request, frozen=True, kw_only=True):
    """Begin a round without wagers, or end it."""


class OpenTable(Request, frozen=True, kw_only=True):
    """Play begins."""


class CloseTable(Request, frozen=True, kw_only=True):
    """Play ends; standing wagers are withdrawn."""


class TableReply(Reply, frozen=True, kw_only=True):
    """The phase the table is in now, and coins to give back by hand."""

    round: int | UnsetType = UNSET
    phase: PhaseName | UnsetType = UNSET
    returns: tuple[ToReturn, ...] | UnsetType = UNSET


class PositionService(Request, frozen=True, kw_only=True):
    """Take a position out of service (`on` false), or put it back."""

    position: Number
    on: bool
    reason: str


class ServiceReply(Reply, frozen=True, kw_only=True):
    """The position as it is now, and coins to give back by hand."""

    position: int | UnsetType = UNSET
    on: bool | UnsetType = UNSET
    returns: tuple[ToReturn, ...] | UnsetType = UNSET


class AdjustMeter(Request, frozen=True, kw_only=True):
    """Correct a meter that shows `expected_cents` now. Takes two people."""

    meter: str
    delta_cents: Whole
    expected_cents: Whole
    reason: str
    from_: str = field(name="from", default="adjustments")  # or carry:<meter>


class AdjustReply(Reply, frozen=True, kw_only=True):
    """What the meter shows now; or the link that was asked, whose answer is an action of its own."""

    meter: str | UnsetType = UNSET
    delta_cents: int | UnsetType = UNSET
    display_cents: int | UnsetType = UNSET
    link: str | UnsetType = UNSET


class ChangeSubmission(Request, frozen=True, kw_only=True):
    """File another Rules Submission. Takes two people."""

    toml: str
    reason: str


class SubmissionReply(Reply, frozen=True, kw_only=True):
    """Meters that began and ended with it, and those whose new numbers wait for their next reset."""

    opened: tuple[str, ...] | UnsetType = UNSET
    removed: tuple[str, ...] | UnsetType = UNSET
    waiting: tuple[str, ...] | UnsetType = UNSET


# -- queries --


class Query(Request, frozen=True, kw_only=True):
    """A page of what is recorded. `after` is the `next` of the page before, as it came."""

    after: str = ""
    limit: Limit = MOST_ROWS


class PageReply(Reply, frozen=True, kw_only=True):
    """A page. Without `next` it is the last."""

    next: str | UnsetType = UNSET


class QueryHits(Query, frozen=True, kw_only=True):
    """Hits with their fate, the newest first; of one meter or of all."""

    meter: str = ""


class HitsReply(PageReply, frozen=True, kw_only=True):
    """Hits."""

    hits: tuple[HitRow, ...] | UnsetType = UNSET


class QueryDerive(Query, frozen=True, kw_only=True):
    """How the amount of a hit came about, the oldest line first."""

    award: str


class DeriveReply(PageReply, frozen=True, kw_only=True):
    """Lines of a running total. `explained` is whether all of them lead to the amount; they do."""

    hit: HitRow | UnsetType = UNSET
    lines: tuple[DerivedLine, ...] | UnsetType = UNSET
    total: str | UnsetType = UNSET  # of all lines, those of other pages too
    remainder: str | UnsetType = UNSET  # what stays on the meter
    explained: bool | UnsetType = UNSET


class QueryReadings(Query, frozen=True, kw_only=True):
    """The readings of a gaming day, increase and decrease explained; without `day`, of the running one so far."""

    day: str = ""


class ReadingsReply(PageReply, frozen=True, kw_only=True):
    """One gaming day, meter by meter, and which other days there are."""

    day: str | UnsetType = UNSET
    ended: bool | UnsetType = UNSET
    first_seq: int | UnsetType = UNSET
    last_seq: int | UnsetType = UNSET
    begins: str | UnsetType = UNSET
    ends: str | UnsetType = UNSET
    explained: bool | UnsetType = UNSET
    meters: tuple[MeterDay, ...] | UnsetType = UNSET
    days: tuple[str, ...] | UnsetType = UNSET  # the newest last


class QueryRounds(Query, frozen=True, kw_only=True):
    """Rounds with their wagers, cards and awards, the newest first; one, those of a gaming day, or all."""

    round: Number | UnsetType = UNSET
    day: str = ""


class RoundsReply(PageReply, frozen=True, kw_only=True):
    """Rounds."""

    rounds: tuple[RoundRow, ...] | UnsetType = UNSET


class QueryActions(Query, frozen=True, kw_only=True):
    """What people did and were refused, the newest first; one person's, those of a gaming day, or all."""

    person: str = ""
    day: str = ""


class ActionsReply(PageReply, frozen=True, kw_only=True):
    """Actions."""

    actions: tuple[ActionRow, ...] | UnsetType = UNSET


class QueryOperators(Query, frozen=True, kw_only=True):
    """Who may sign in, and who once could, by id."""


class OperatorsReply(PageReply, frozen=True, kw_only=True):
    """Operators."""

    operators: tuple[OperatorRow, ...] | UnsetType = UNSET


REQUESTS: dict[str, type[Request]] = {
    "login": Login,
    "logout": Logout,
    "enter-hand": EnterHand,
    "correct-hand": CorrectHand,
    "preview-hand": PreviewHand,
    "validate": Validate,
    "reject": Reject,
    "void-round": VoidRound,
    "void-wager": VoidWager,
    "simulated-round": SimulatedRound,
    "open-table": OpenTable,
    "close-table": CloseTable,
    "position-service": PositionService,
    "confirm-return": ConfirmReturn,
    "adjust-meter": AdjustMeter,
    "operator-add": OperatorAdd,
    "operator-disable": OperatorDisable,
    "change-submission": ChangeSubmission,
    "print-slip": PrintSlip,
    "query-hits": QueryHits,
    "query-derive": QueryDerive,
    "query-readings": QueryReadings,
    "query-rounds": QueryRounds,
    "query-actions": QueryActions,
    "query-operators": QueryOperators,
}
REPLIES: dict[str, type[Reply]] = {
    "login": LoginReply,
    "logout": Reply,
    "enter-hand": HandReply,
    "correct-hand": HandReply,
    "preview-hand": PreviewReply,
    "validate": SlipReply,
    "reject": UndoneReply,
    "void-round": UndoneReply,
    "void-wager": UndoneReply,
    "simulated-round": TableReply,
    "open-table": TableReply,
    "close-table": TableReply,
    "position-service": ServiceReply,
    "confirm-return": ReturnReply,
    "adjust-meter": AdjustReply,
    "operator-add": OperatorReply,
    "operator-disable": OperatorReply,
    "change-submission": SubmissionReply,
    "print-slip": SlipReply,
    "query-hits": HitsReply,
    "query-derive": DeriveReply,
    "query-readings": ReadingsReply,
    "query-rounds": RoundsReply,
    "query-actions": ActionsReply,
    "query-operators": OperatorsReply,
}
