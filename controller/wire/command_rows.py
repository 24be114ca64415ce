"""What replies are made of: awards, slips, and the rows of queries. Money is whole cents, or exact dollars as text."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from controller.wire.messages import Reveal

Exact = Annotated[str, Meta(pattern=r"^-?[0-9]+\.[0-9]{8}$")]  # dollars, like 450.80246000
FateName = Literal["pending", "paid", "rejected", "unwound"]
KindName = Literal["jackpot", "mystery", "fixed"]


class AwardDue(Struct, frozen=True, kw_only=True):
    """An award a hand makes due."""

    kind: KindName
    wager: str
    outcome: str
    position: int
    amount_cents: int
    needs_validation: bool  # false: the dealer pays it, and it is only recorded
    needs_second: bool
    meter: str | UnsetType = UNSET


class AwardMade(AwardDue, frozen=True, kw_only=True):
    """An award a hand made due."""

    award: str


class LinkedDue(Struct, frozen=True, kw_only=True):
    """A jackpot of a linked meter. The positions share what the link shows when it is asked, not before."""

    meter: str
    link: str
    positions: tuple[int, ...]
    display_cents: int  # as it was last heard of


class AwardSettled(Struct, frozen=True, kw_only=True):
    """What became of an award, or what it is worth since a share was taken out."""

    award: str
    fate: FateName
    amount_cents: int


class ToReturn(Struct, frozen=True, kw_only=True):
    """A coin to give back by hand, and then to confirm."""

    id: str
    position: int
    wager: str
    cents: int
    why: str


class Slip(Struct, frozen=True, kw_only=True):
    """A validated award as paper has it, with the fact that vouches for it."""

    slip: int
    award: str
    kind: KindName
    wager: str
    outcome: str
    round: int
    position: int
    amount_cents: int
    method: Literal["inventory", "slip"]
    by: str
    at: str  # when it was validated
    seq: int  # the fact of the validation, and
    hash: str  # its hash in the chain
    second: str | UnsetType = UNSET
    meter: str | UnsetType = UNSET
    reprint: bool | UnsetType = UNSET  # of a printing: whether the slip was printed before


class AwardRow(Struct, frozen=True, kw_only=True):
    """An award as it stands now: `by`, `second`, `ended_at` and `ended_seq` are of its validation or its undoing."""

    award: str
    kind: KindName
    wager: str
    outcome: str
    round: int
    position: int
    amount_cents: int
    fate: FateName
    needs_validation: bool
    meter: str | UnsetType = UNSET
    outcome_by_list: str | UnsetType = UNSET  # the row by list order, where the highest was another
    by: str | UnsetType = UNSET
    second: str | UnsetType = UNSET
    method: str | UnsetType = UNSET
    slip: int | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    ended_at: str | UnsetType = UNSET
    ended_seq: int | UnsetType = UNSET


class HitRow(Struct, frozen=True, kw_only=True):
    """A hit of a meter as it was made, and its awards as they stand now."""

    hit: str
    seq: int
    at: str
    meter: str
    kind: Literal["jackpot", "mystery"]
    round: int
    amount_cents: int
    fate: FateName
    paid_from: str  # the account
    awards: tuple[AwardRow, ...]
    reveal: Reveal | UnsetType = UNSET


class DerivedLine(Struct, frozen=True, kw_only=True):
    """One step of a running total. Position to rate are there for a contribution."""

    seq: int
    at: str
    what: str
    amount: Exact
    total: Exact
    round: int | UnsetType = UNSET
    position: int | UnsetType = UNSET
    wager: str | UnsetType = UNSET
    stake_cents: int | UnsetType = UNSET
    rate_millionths: int | UnsetType = UNSET
    table: str | UnsetType = UNSET  # of a linked meter: whose; `seq` is then the line of the link's ledger


class AccountDay(Struct, frozen=True, kw_only=True):
    """One account of a meter over a day. `unexplained` is 0.00000000, or an alarm."""

    opening: Exact
    closing: Exact
    changes: dict[str, Exact]  # why, and how much
    unexplained: Exact


class CounterDay(Struct, frozen=True, kw_only=True):
    """A counter at the beginning and at the end of a day."""

    opening: int
    closing: int


class MeterDay(Struct, frozen=True, kw_only=True):
    """A meter over a gaming day."""

    meter: str
    opening_cents: int  # on display
    closing_cents: int
    display: AccountDay
    reserve: AccountDay
    carry: AccountDay
    in_cents: CounterDay
    hits: CounterDay
    wins_cents: CounterDay
    paid_by_attendant_cents: CounterDay
    explained: bool


class Contribution(Struct, frozen=True, kw_only=True):
    """What a wager gave to a meter, and to its reserve."""

    meter: str
    cycle: int
    amount: Exact
    reserve: Exact


class WagerRow(Struct, frozen=True, kw_only=True):
    """A wager that was in at the lock-out."""

    position: int
    wager: str
    stake_cents: int
    source: Literal["chip", "drop"]
    placed_seq: int  # the fact that placed it, and
    placed_at: str  # its time
    contributions: tuple[Contribution, ...]
    given_back: Literal["taken out", "voided"] | UnsetType = UNSET
    given_back_seq: int | UnsetType = UNSET


class HandRow(Struct, frozen=True, kw_only=True):
    """Cards of a round as they were entered. A later one of the same round stands over an earlier one."""

    seq: int
    at: str
    player: tuple[str, ...]
    banker: tuple[str, ...]
    source: Literal["shoe", "console"]
    complete: bool
    late: bool
    corrected: bool
    by: str | UnsetType = UNSET
    second: str | UnsetType = UNSET
    reference: str | UnsetType = UNSET


class RefusedBet(Struct, frozen=True, kw_only=True):
    """A wager that was refused: after lock-out, or for another reason."""

    seq: int
    at: str
    position: int
    wager: str
    why: str


class RoundRow(Struct, frozen=True, kw_only=True):
    """A round: what was in, the cards, what they made due. Without `locked_at` it is open still."""

    round: int
    wagers: tuple[WagerRow, ...]
    hands: tuple[HandRow, ...]
    awards: tuple[AwardRow, ...]
    refused: tuple[RefusedBet, ...]
    more_refused: int = 0  # beyond those listed
    opened_at: str | UnsetType = UNSET
    opened_seq: int | UnsetType = UNSET
    locked_at: str | UnsetType = UNSET
    locked_seq: int | UnsetType = UNSET
    cause: str | UnsetType = UNSET  # of the lock-out
    voided_seq: int | UnsetType = UNSET
    voided_by: str | UnsetType = UNSET
    void_reason: str | UnsetType = UNSET


class ActionRow(Struct, frozen=True, kw_only=True):
    """What someone did, or was refused: `refusal` and `why` say so."""

    seq: int
    at: str
    action: str  # the type of the fact, or what was asked for where it was refused
    person: str  # of a sign-in that failed: who they said they are
    round: int | UnsetType = UNSET
    second: str | UnsetType = UNSET
    refusal: str | UnsetType = UNSET
    why: str | UnsetType = UNSET
    client: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    reference: str | UnsetType = UNSET
    award: str | UnsetType = UNSET
    amount_cents: int | UnsetType = UNSET
    method: str | UnsetType = UNSET
    slip: int | UnsetType = UNSET
    operator: str | UnsetType = UNSET
    role: str | UnsetType = UNSET
    active: bool | UnsetType = UNSET
    meter: str | UnsetType = UNSET
    delta_cents: int | UnsetType = UNSET
    source: str | UnsetType = UNSET
    position: int | UnsetType = UNSET
    on: bool | UnsetType = UNSET
    wager: str | UnsetType = UNSET
    return_id: str | UnsetType = UNSET
    player: tuple[str, ...] | UnsetType = UNSET
    banker: tuple[str, ...] | UnsetType = UNSET


class OperatorRow(Struct, frozen=True, kw_only=True):
    """An operator. Nothing of a PIN but since when there is one."""

    operator: str
    name: str
    role: str
    active: bool
    locked_out: bool
    pin_since: str | UnsetType = UNSET
