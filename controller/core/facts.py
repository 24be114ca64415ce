"""What has happened, in the past tense, with its results: amounts, never formulas, so that a replay needs no rules.

Every fact may carry the same parts: who asked, the phase it led to, wagers made and withdrawn, moves of money, meters
as they are after it, awards made and their fates. Fields at their defaults are left out of the JSON.
"""

from typing import cast

from msgspec import UNSET, Struct, UnsetType, json

from controller.core.accounts import Move
from controller.core.filed import Filed, Filing
from controller.core.meters import Hit, Meter
from controller.core.state import Award, Counted, Intent, Return, Wager


class MeterAfter(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """A meter after a fact: what changed of it, with the new values."""

    id: str
    units: int | UnsetType = UNSET
    reserve: int | UnsetType = UNSET
    carry: int | UnsetType = UNSET
    in_cents: int | UnsetType = UNSET
    hits: int | UnsetType = UNSET
    wins_cents: int | UnsetType = UNSET
    paid_cents: int | UnsetType = UNSET
    cycle: int | UnsetType = UNSET
    filing: Filing | UnsetType = UNSET
    next_filing: Filing | UnsetType | None = UNSET
    sealed: str | UnsetType = UNSET
    key_id: str | UnsetType = UNSET
    commitment: str | UnsetType = UNSET
    listed: tuple[Hit, ...] = ()  # hits new on its list, or with another fate


class Placed(Struct, frozen=True, gc=False):
    """A wager made."""

    position: int
    wager: str
    stake_cents: int
    source: str


class Withdrawn(Struct, frozen=True, gc=False):
    """A wager no longer made."""

    position: int
    wager: str
    why: str


class Fate(Struct, frozen=True, gc=False, omit_defaults=True):
    """What became of an award, or what it is worth since a share was taken out."""

    award: str
    fate: str
    amount_cents: int


class Fact(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """The parts any fact may have."""

    key: str = ""
    digest: str = ""  # of the input's content, to tell the same key from the same input
    by: str = ""
    second: str = ""
    phase: str = ""  # the phase of play after it, where it changed
    placed: tuple[Placed, ...] = ()
    withdrawn: tuple[Withdrawn, ...] = ()
    returns: tuple[Return, ...] = ()
    moves: tuple[Move, ...] = ()
    meters: tuple[MeterAfter, ...] = ()
    awards: tuple[Award, ...] = ()
    fates: tuple[Fate, ...] = ()
    intents: tuple[Intent, ...] = ()


class SubmissionFiled(Fact, frozen=True, kw_only=True):
    """A Rules Submission is in force."""

    toml: str
    day: str
    filed: Filed
    reason: str
    opened: tuple[Meter, ...] = ()  # meters that begin with it
    removed: tuple[str, ...] = ()  # meters no longer filed; what they have counted stays
    linked: dict[str, int] = {}  # linked meters that begin with it, and what they show
    abandoned: tuple[str, ...] = ()  # intents that a link which is lost will not answer any more


class TableWasOpened(Fact, frozen=True, kw_only=True):
    """Play began with a round open."""

    round: int


class TableWasClosed(Fact, frozen=True, kw_only=True):
    """Play ended."""


class WagerPlaced(Fact, frozen=True, kw_only=True):
    """A chip was seen, or the first credit of a drop slot: a wager stands. Also the base wager where that is sensed."""

    position: int
    wager: str
    counted: Counted | None = None


class WagerWithdrawn(Fact, frozen=True, kw_only=True):
    """A chip of a standing wager was lifted while the round was open, or its base wager was."""

    position: int
    wager: str


class WagerRefused(Fact, frozen=True, kw_only=True):
    """A chip was seen and is no wager: late, out of service, without a base wager, or not lifted since."""

    position: int
    wager: str
    why: str


class SensorRead(Fact, frozen=True, kw_only=True):
    """A sensor not known before reads no chip."""

    position: int
    wager: str


class ChipLifted(Fact, frozen=True, kw_only=True):
    """A chip was lifted that is not, or no longer, a wager to be withdrawn."""

    position: int
    wager: str
    after_ms: int = -1  # since lock-out, where the wager is in
    flash: bool = False


class CreditToReturn(Fact, frozen=True, kw_only=True):
    """Money in a drop slot that is no wager."""

    counted: Counted | None = None


class ReturnWasConfirmed(Fact, frozen=True, kw_only=True):
    """Money of a drop slot was given back by hand."""

    return_id: str


class LockedOut(Fact, frozen=True, kw_only=True):
    """No more bets: what stood is in, with its contributions, and mystery hits are decided."""

    round: int
    cause: str
    wagers: tuple[Wager, ...]
    hits: tuple[Hit, ...] = ()
    switch: str = ""


class Reopened(Fact, frozen=True, kw_only=True):
    """The next round is open."""

    round: int
    entered: bool  # whether the hand of the round before had been entered whole
    switch: str = ""


class ButtonIgnored(Fact, frozen=True, kw_only=True):
    """The button was pressed or the switch turned, and nothing followed."""

    why: str
    switch: str = ""


class HandEntered(Fact, frozen=True, kw_only=True):
    """The cards of a round: the first four, or both whole hands."""

    round: int
    player: tuple[str, ...]
    banker: tuple[str, ...]
    source: str
    complete: bool
    late: bool = False
    corrected: bool = False
    reference: str = ""


class AwardWasValidated(Fact, frozen=True, kw_only=True):
    """An award was confirmed and paid, under the next slip number."""

    award: str
    method: str
    slip: int


class AwardWasRejected(Fact, frozen=True, kw_only=True):
    """An award is not paid."""

    award: str
    reason: str


class SlipWasPrinted(Fact, frozen=True, kw_only=True):
    """The slip of a validated award was handed out to be printed. Every one after the first is a reprint."""

    award: str


class RoundWasVoided(Fact, frozen=True, kw_only=True):
    """A round was called off and the next is open."""

    round: int
    reason: str


class WagerTakenOut(Fact, frozen=True, kw_only=True):
    """One wager was taken out of a round."""

    round: int
    position: int
    wager: str
    reason: str
    lowered: dict[str, tuple[int, int]] = {}  # the round's amounts without it, in units: meter and reserve


class SimulatedBegun(Fact, frozen=True, kw_only=True):
    """A simulated round is being dealt."""


class SimulatedEnded(Fact, frozen=True, kw_only=True):
    """A simulated round was dealt."""


class PositionServiced(Fact, frozen=True, kw_only=True):
    """A position went out of service or came back."""

    position: int
    on: bool
    reason: str


class MeterWasAdjusted(Fact, frozen=True, kw_only=True):
    """Two people corrected a meter."""

    meter: str
    delta_cents: int
    source: str
    reason: str


class AdjustmentWasAsked(Fact, frozen=True, kw_only=True):
    """Two people asked a link to correct a meter, or to give what it carries. Its answers say what came of it."""

    meter: str
    delta_cents: int
    expected_cents: int
    source: str
    reason: str


class OperatorWasChanged(Fact, frozen=True, kw_only=True):
    """An operator as they are from now on. Wrong PINs given so far no longer count."""

    operator: str
    name: str
    role: str
    active: bool


SIGNED_IN, WRONG_PIN, NOT_ALLOWED = "signed-in", "wrong-pin", "not-allowed"


class AccessWasNoted(Fact, frozen=True, kw_only=True):
    """Someone signed in, gave a wrong PIN, or was refused a command. Who they say they are is not who they are."""

    what: str
    operator: str
    client: str
    command: str = ""
    detail: str = ""
    wrong: int = 0  # wrong PINs in a row, with this one
    locked: bool = False  # no PIN of this operator is looked at for a time
    forgotten: str = ""  # a name nobody has, whose wrong PINs are no longer counted


class DeviceChanged(Fact, frozen=True, kw_only=True):
    """A part was lost, or answers again."""

    device: str
    device_kind: str
    lost: bool
    positions: tuple[int, ...] = ()
    wagers: tuple[str, ...] = ()
    detail: str = ""
    faulted: bool = False  # whether the table is faulted after it
    locked: bool = False  # a switch found locked at the end of a fault locked the round with no wager in
    counted: Counted | None = None


class ControllerWasStarted(Fact, frozen=True, kw_only=True):
    """The program began to keep this table: for which time, and which program."""

    epoch: int
    version: str
    mode: str
    record: str = ""


class LinkWasAnswered(Fact, frozen=True, kw_only=True):
    """A link applied an intent, or refused an adjustment."""

    intent: str
    meter: str
    display_cents: int
    round: int
    hits: tuple[Hit, ...] = ()
    ledger_seq: int = 0  # the line of the link's ledger, and
    ledger_hash: str = ""  # its hash
    delta_cents: int = 0  # adjust: what was asked for, and
    refusal: str = ""  # whether it was refused, and
    why: str = ""  # why


class Reading(Struct, frozen=True, gc=False):
    """One meter at the end of a gaming day."""

    meter: str
    units: int
    reserve: int
    carry: int
    in_cents: int
    hits: int
    wins_cents: int
    paid_cents: int
    cycle: int


class ReadingsTaken(Fact, frozen=True, kw_only=True):
    """A gaming day ended and the next began."""

    ended: str
    day: str
    readings: tuple[Reading, ...]


class InputNoted(Fact, frozen=True, kw_only=True):
    """An input with a key was taken and changed nothing; the same key gets the same answer."""

    kind: str


class InputRefused(Fact, frozen=True, kw_only=True):
    """An input with a key was refused; the same key gets the same answer."""

    kind: str
    refusal: str
    why: str
    counted: Counted | None = None


class KeyReused(Fact, frozen=True, kw_only=True):
    """A key came again with another content: a fault of whoever sends it."""

    kind: str
    reused: str
    first: int  # the fact it was first used in


class SnapshotTaken(Fact, frozen=True, kw_only=True):
    """The state after the fact before this one was saved; start-up holds the saved bytes against this digest."""

    seq: int
    sha256: str


class FactsWereArchived(Fact, frozen=True, kw_only=True):
    """Facts lie in an archive file, proven there, and leave the journal: these facts are the list of all such files."""

    file: str  # its name, without a folder
    day: str  # the gaming day they are of
    first: int
    last: int
    prev_hash: str  # of the fact before the first
    hash: str  # of the last
    bytes: int  # of the file
    sha256: str  # of the file
    rounds: tuple[int, int] = (0, 0)  # the lowest and the highest that a fact of them belongs to


TYPES: dict[str, type[Fact]] = {
    "submission-filed": SubmissionFiled,
    "table-opened": TableWasOpened,
    "table-closed": TableWasClosed,
    "wager-placed": WagerPlaced,
    "wager-withdrawn": WagerWithdrawn,
    "wager-refused": WagerRefused,
    "sensor-read": SensorRead,
    "chip-lifted": ChipLifted,
    "credit-to-return": CreditToReturn,
    "return-confirmed": ReturnWasConfirmed,
    "locked-out": LockedOut,
    "reopened": Reopened,
    "button-ignored": ButtonIgnored,
    "hand-entered": HandEntered,
    "award-validated": AwardWasValidated,
    "award-rejected": AwardWasRejected,
    "slip-printed": SlipWasPrinted,
    "round-voided": RoundWasVoided,
    "wager-taken-out": WagerTakenOut,
    "simulated-begun": SimulatedBegun,
    "simulated-ended": SimulatedEnded,
    "position-serviced": PositionServiced,
    "meter-adjusted": MeterWasAdjusted,
    "adjustment-asked": AdjustmentWasAsked,
    "operator-changed": OperatorWasChanged,
    "access-noted": AccessWasNoted,
    "device-changed": DeviceChanged,
    "controller-started": ControllerWasStarted,
    "link-answered": LinkWasAnswered,
    "readings-taken": ReadingsTaken,
    "input-noted": InputNoted,
    "input-refused": InputRefused,
    "key-reused": KeyReused,
    "snapshot-taken": SnapshotTaken,
    "facts-archived": FactsWereArchived,
}
NAMES = {type_: name for name, type_ in TYPES.items()}
VERSIONS = dict.fromkeys(TYPES, 1)  # raised when a type's shape changes, with a way to read the older ones


_OF_A_ROUND = frozenset(type_ for type_ in NAMES if "round" in type_.__struct_fields__)


def round_of(fact: Fact, current: int) -> int:
    """The round a fact belongs to: the one it names, or the current one."""
    return cast("LockedOut", fact).round if type(fact) in _OF_A_ROUND else current


class Recorded(Struct, frozen=True, gc=False):
    """A fact with its place: when, and in which round."""

    at: str
    round: int | None
    fact: Fact


class UnreadableFactError(Exception):
    """A row that is no fact this software knows; the message says which."""


_ENCODER = json.Encoder()
_STORED = {type_: (name, VERSIONS[name]) for name, type_ in TYPES.items()}
_DECODERS = {(name, VERSIONS[name]): json.Decoder(type_) for name, type_ in TYPES.items()}


def encode(fact: Fact) -> tuple[str, int, str]:
    """A fact's type, version and payload as they are stored."""
    name, version = _STORED[type(fact)]
    return name, version, _ENCODER.encode(fact).decode()


def decode(name: str, version: int, payload: str) -> Fact:
    """The fact of a stored row."""
    decoder = _DECODERS.get((name, version))
    if decoder is None:
        raise UnreadableFactError(f"a fact of type {name!r}, version {version}: this software does not know it")
    return decoder.decode(payload)
