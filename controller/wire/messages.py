"""Messages of a table. Every one has the version of its shape, and where it stands: start, journal position and time.

A consumer drops, topic by topic, what is lower than its last (epoch, seq). Money is integer cents.
"""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

VERSION = 1

LampName = Literal["off", "invite", "placed", "accepted", "refused", "won", "fault"]
PhaseName = Literal["closed", "open", "locked", "dealt", "settled", "simulated", "faulted"]


class Message(Struct, frozen=True, kw_only=True):
    """What every message has."""

    v: int = VERSION
    epoch: int  # one more at each start of the controller
    seq: int  # position in the journal
    at: str  # RFC 3339, UTC


class Health(Struct, frozen=True, kw_only=True):
    """How the controller and its disk are, for the technician."""

    uptime_s: int
    last_commit_at: str  # of the last facts that became durable
    commit_ms: int  # how long that took
    alive_at: str  # when the disk last proved itself, which it does also while nothing happens
    waiting: int  # inputs that wait to be decided
    outbox: int  # facts the broker has not acknowledged
    free_mb: int  # on the journal's disk
    memory_mb: int  # of the program
    warnings: tuple[str, ...] = ()  # what someone should see to, in words


class Status(Message, frozen=True, kw_only=True):
    """Whether the controller is there. What shows meters is stale after five seconds without it."""

    state: Literal["online", "faulted", "offline"]
    reason: str = ""
    mode: Literal["live", "demonstration"] = "live"
    health: Health | UnsetType = UNSET


class HitShown(Struct, frozen=True, kw_only=True):
    """A hit that is not yet validated or rejected."""

    award: str
    position: int
    amount_cents: int
    at: str


class Meter(Message, frozen=True, kw_only=True):
    """What a meter shows: always what can be won now, and beside it the hits not yet settled."""

    display_cents: int
    label: str
    state: Literal["live", "hit", "faulted"]
    hits: tuple[HitShown, ...] = ()
    must_hit_by_cents: int | UnsetType = UNSET
    minimum_cents: int | UnsetType = UNSET
    commitment: str | UnsetType = UNSET
    correction: int | UnsetType = UNSET  # the fact that made it fall without a hit


class Round(Message, frozen=True, kw_only=True):
    """The round, its phase, and every lamp by position and wager."""

    round: int
    phase: PhaseName
    positions: dict[str, dict[str, LampName]]
    prior: PhaseName | UnsetType = UNSET  # while faulted


class Reveal(Struct, frozen=True, kw_only=True):
    """A mystery value after its hit, for anyone to hold against the commitment."""

    value_cents: int
    nonce: str
    cycle: int
    commitment: str


class Award(Message, frozen=True, kw_only=True):
    """An award that waits for its validation. The topic is emptied when it is validated or rejected."""

    award: str
    kind: Literal["jackpot", "mystery", "fixed"]
    wager: str
    outcome: str
    round: int
    position: int
    amount_cents: int
    needs_second: bool
    meter: str | UnsetType = UNSET
    player: tuple[str, ...] | UnsetType = UNSET
    banker: tuple[str, ...] | UnsetType = UNSET
    reveal: Reveal | UnsetType = UNSET


class Proof(Message, frozen=True, kw_only=True):
    """The standing commitment of a mystery meter and its last reveals, the newest last."""

    commitment: str
    cycle: int
    reveals: tuple[Reveal, ...] = ()


class Device(Message, frozen=True, kw_only=True):
    """How a device is, and what was counted on the way to it."""

    state: Literal["online", "lost", "faulted"]
    driver: str
    port: str
    detail: str = ""
    frames: int = 0
    bad_checksums: int = 0
    resyncs: int = 0
    timeouts: int = 0
    reconnects: int = 0
    last_seen: str = ""


class Head(Message, frozen=True, kw_only=True):
    """An outside anchor for the chain: the last fact's number is `seq`."""

    hash: str


class Events(Message, frozen=True, kw_only=True):
    """The facts of one commit as the public may see them; while catching up, of several. Not retained."""

    facts: list[dict[str, Any]]
