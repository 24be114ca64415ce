"""Messages of a table. Every one has the version of its shape, and where it stands: start, journal position and time.

A consumer drops, topic by topic, what is lower than its last (epoch, seq). Money is integer cents. What `Meta`
says of a field stands in docs/asyncapi.yaml too.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

VERSION = 1
MOST_WHOLE = 2**53 - 1  # the largest integer that a browser's numbers hold exactly

LampName = Literal["off", "invite", "placed", "accepted", "refused", "won", "fault"]
PhaseName = Literal["closed", "open", "locked", "dealt", "settled", "simulated", "faulted"]
Count = Annotated[int, Meta(ge=0, le=MOST_WHOLE)]
Cents = Annotated[int, Meta(ge=0, le=MOST_WHOLE)]
Nth = Annotated[int, Meta(ge=1, le=MOST_WHOLE)]
_DAY, _HOUR = "[0-9]{4}-[0-9]{2}-[0-9]{2}", "[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{6}"
# Always six digits of a second, so that times sort as text.
Time = Annotated[str, Meta(pattern=f"^{_DAY}T{_HOUR}Z$", extra_json_schema={"format": "date-time"})]
TimeOrNone = Annotated[str, Meta(pattern=f"^({_DAY}T{_HOUR}Z)?$")]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Card = Annotated[str, Meta(pattern="^[A2-9TJQK][SHDC]$")]
AwardId = Annotated[str, Meta(pattern="^[A-Za-z0-9._-]+-[1-9][0-9]*-[1-9][0-9]*$")]
MeterId = Annotated[str, Meta(pattern="^[a-z0-9-]+$")]
WagerName = Annotated[str, Meta(pattern="^(royal9|harmony|heavenly9)$")]
# Of a hit at another table of a link: the link's own id, `<table>-<seq>-i<n>/<m>`.
HitId = Annotated[str, Meta(pattern="^[A-Za-z0-9._-]+-[1-9][0-9]*-i?[1-9][0-9]*(/[1-9][0-9]*)?$")]
LinkName = Annotated[str, Meta(pattern="^[a-z0-9][a-z0-9-]*$")]
PositionKey = Annotated[str, Meta(pattern="^[1-9][0-9]*$")]


class Message(Struct, frozen=True, kw_only=True):
    """What every message has."""

    v: Annotated[int, Meta(description="Version of this shape. New fields may come without a new one.")] = VERSION
    epoch: Annotated[Count, Meta(description="One more at each start of the controller; 0 before the first.")]
    seq: Annotated[Count, Meta(description="Position in the journal.")]
    at: Annotated[Time, Meta(description="When, UTC.")]


class Health(Struct, frozen=True, kw_only=True):
    """How the controller and its disk are, for the technician."""

    uptime_s: Count
    last_commit_at: Annotated[TimeOrNone, Meta(description="When facts last became durable.")]
    commit_ms: Annotated[Count, Meta(description="How long that took.")]
    alive_at: Annotated[
        TimeOrNone, Meta(description="When the disk last proved itself, which it does also while nothing happens.")
    ]
    waiting: Annotated[Count, Meta(description="Inputs that wait to be decided.")]
    outbox: Annotated[Count, Meta(description="Facts the broker has not acknowledged.")]
    free_mb: Annotated[Count, Meta(description="On the journal's disk.")]
    memory_mb: Annotated[Count, Meta(description="Of the program.")]
    warnings: Annotated[tuple[str, ...], Meta(description="What someone should see to, in words.")] = ()


class Status(Message, frozen=True, kw_only=True):
    """Whether the controller is there. What shows meters is stale after five seconds without it."""

    state: Annotated[
        Literal["online", "faulted", "offline"],
        Meta(description="`faulted`: no wager is taken. `offline`: stopped, or lost; then it is the last will."),
    ]
    reason: Annotated[str, Meta(description="Why it is not online, in words.")] = ""
    mode: Annotated[
        Literal["live", "demonstration"], Meta(description="`demonstration`: no real money, and a sign must say so.")
    ] = "live"
    health: Annotated[Health, Meta(description="Not in every message.")] | UnsetType = UNSET


class HitShown(Struct, frozen=True, kw_only=True):
    """A hit that is not yet validated or rejected."""

    award: Annotated[HitId, Meta(description="Its award; of a hit at another table: what the link calls it.")]
    position: Nth
    amount_cents: Annotated[Cents, Meta(description="Frozen at the hit; no part of `display_cents`.")]
    at: Annotated[Time, Meta(description="When it was hit, UTC.")]
    table: Annotated[str, Meta(description="Of a linked meter: the `id` of the table it was hit at.")] | UnsetType = (
        UNSET
    )


class Meter(Message, frozen=True, kw_only=True):
    """What a meter shows: always what can be won now, and beside it the hits not yet settled."""

    display_cents: Annotated[
        Cents, Meta(description="What can be won now. It falls only with a hit, or with `correction`.")
    ]
    label: Annotated[str, Meta(description="A name for people.")]
    state: Annotated[
        Literal["live", "hit", "faulted"],
        Meta(description="The first that holds of `faulted`: cannot be won now; `hit`: `hits` is not empty; `live`."),
    ]
    hits: Annotated[tuple[HitShown, ...], Meta(description="To show beside the amount until they are gone.")] = ()
    must_hit_by_cents: Annotated[Cents, Meta(description="It hits at this amount at the latest.")] | UnsetType = UNSET
    minimum_cents: Annotated[Cents, Meta(description="What each cycle begins at.")] | UnsetType = UNSET
    commitment: Annotated[Digest, Meta(description="To the value at which it hits: see `proofs`.")] | UnsetType = UNSET
    correction: (
        Annotated[
            Nth,
            Meta(
                description="The fact that made it fall without a hit: a void, an adjustment. Of a linked meter: the "
                "line of the link's ledger."
            ),
        ]
        | UnsetType
    ) = UNSET
    cycle: Annotated[Nth, Meta(description="One more with each hit.")] | UnsetType = UNSET
    link: Annotated[LinkName, Meta(description="Shared with other tables: the link that keeps it.")] | UnsetType = UNSET
    link_seq: Annotated[Count, Meta(description="The line of the link's ledger after which it stands.")] | UnsetType = (
        UNSET
    )


class ReturnShown(Struct, frozen=True, kw_only=True):
    """A coin that is no wager, to be given back by hand and then confirmed."""

    id: Annotated[str, Meta(description="For `confirm-return`.")]
    position: Nth
    wager: WagerName
    cents: Cents
    why: Annotated[str, Meta(description="Like `second-credit`.")]


class Round(Message, frozen=True, kw_only=True):
    """The round, its phase and its cards, and every lamp by position and wager."""

    round: Annotated[Count, Meta(description="0 before the first.")]
    phase: PhaseName
    positions: Annotated[
        dict[PositionKey, dict[WagerName, LampName]],
        Meta(description="Lamps by position number and wager. A position without a wager offered may be missing."),
    ]
    prior: Annotated[PhaseName, Meta(description="While faulted: what it goes back to.")] | UnsetType = UNSET
    player: Annotated[tuple[Card, ...], Meta(description="Cards of this round, once they are known.")] | UnsetType = (
        UNSET
    )
    banker: tuple[Card, ...] | UnsetType = UNSET
    out_of_service: (
        Annotated[dict[PositionKey, str], Meta(description="Positions taken out of service, and why.")] | UnsetType
    ) = UNSET
    returns: (
        Annotated[tuple[ReturnShown, ...], Meta(description="Coins to give back: the oldest, at most 50.")] | UnsetType
    ) = UNSET
    more_returns: Annotated[Count, Meta(description="Coins to give back beyond those.")] | UnsetType = UNSET


class Reveal(Struct, frozen=True, kw_only=True):
    """A mystery value after its hit, for anyone to hold against the commitment."""

    value_cents: Cents
    nonce: Annotated[Digest, Meta(description="32 random bytes in hex.")]
    cycle: Annotated[Nth, Meta(description="Of the meter, from 1; a new one begins with each hit.")]
    commitment: Digest


class Award(Message, frozen=True, kw_only=True):
    """An award that waits for its validation. The topic is emptied when it is validated or rejected."""

    award: AwardId
    kind: Literal["jackpot", "mystery", "fixed"]
    wager: Annotated[str, Meta(description="The wager's id, with its paytable: `royal9/5`.")]
    outcome: Annotated[str, Meta(description="The row of the paytable, or `mystery`.")]
    round: Nth
    position: Nth
    amount_cents: Cents
    needs_second: Annotated[bool, Meta(description="Whether its validation takes two people.")]
    meter: MeterId | UnsetType = UNSET
    player: tuple[Card, ...] | UnsetType = UNSET
    banker: tuple[Card, ...] | UnsetType = UNSET
    reveal: Reveal | UnsetType = UNSET


class Proof(Message, frozen=True, kw_only=True):
    """The standing commitment of a mystery meter and its last reveals, the newest last."""

    commitment: Annotated[Digest, Meta(description="To the value of the running cycle.")]
    cycle: Annotated[Nth, Meta(description="The running one.")]
    link: (
        Annotated[LinkName, Meta(description="A linked meter's: committed to in this name, not in `<site>/<table>`.")]
        | UnsetType
    ) = UNSET
    reveals: Annotated[tuple[Reveal, ...], Meta(description="Of the last 25 hits.")] = ()


class Device(Message, frozen=True, kw_only=True):
    """How a device is, and what was counted on the way to it."""

    state: Literal["online", "lost", "faulted"]
    driver: str
    port: str
    detail: Annotated[str, Meta(description="What is wrong, in words.")] = ""
    frames: Count = 0
    bad_checksums: Count = 0
    resyncs: Annotated[Count, Meta(description="How often noise was skipped until a frame was found.")] = 0
    timeouts: Count = 0
    reconnects: Count = 0
    last_seen: Annotated[TimeOrNone, Meta(description="Empty before the first time.")] = ""


class Head(Message, frozen=True, kw_only=True):
    """An outside anchor for the chain: the last fact's number is `seq`."""

    hash: Annotated[Digest, Meta(description="SHA-256 of that fact and all before it; zeros for an empty journal.")]


class FactTold(Struct, frozen=True, kw_only=True):
    """A fact as the public may see it."""

    seq: Nth
    at: Time
    round: Annotated[Nth | None, Meta(description="The round it belongs to, if it belongs to one.")]
    type: Annotated[str, Meta(description="Like `locked-out`.")]
    version: Annotated[Nth, Meta(description="Of the type's shape.")]
    payload: Annotated[dict[str, Any], Meta(description="What it says, less what is sealed or about people.")]


class Events(Message, frozen=True, kw_only=True):
    """The facts of one commit as the public may see them; while catching up, of several. Not retained."""

    facts: list[dict[str, Any]]  # each has the fields of FactTold; plain, because they come so from the journal
