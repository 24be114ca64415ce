"""What can happen to a table. An input has a time; one that is counted, or given by people, also has a key."""

from typing import ClassVar, cast, get_args

from msgspec import Struct

from controller.core.refusals import Refusal, RefusedError
from controller.core.state import Counted

DEALER, FLOORPERSON, SUPERVISOR, AUDITOR = ROLES = "dealer", "floorperson", "supervisor", "auditor"
_RANK = {DEALER: 1, FLOORPERSON: 2, SUPERVISOR: 3}


class Person(Struct, frozen=True, gc=False):
    """Someone signed in."""

    id: str
    role: str


def _kebab(name: str) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("-")


class Input(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True, tag=_kebab, tag_field="input"):
    """Anything that happens, with its time."""

    at: str
    kind: ClassVar[str] = ""  # its name in the table of phases

    def __init_subclass__(cls, **_: object) -> None:
        cls.kind = _kebab(cls.__name__)


class WagerPresent(Input, frozen=True, kw_only=True):
    """A sensor reads a chip. A level, compared with what was known: it has no key. `base` is the base wager."""

    position: int
    wager: str


class WagerAbsent(Input, frozen=True, kw_only=True):
    """A sensor reads no chip."""

    position: int
    wager: str
    pulled_ms: int = 3000  # a chip lifted sooner than this after lock-out flashes its position


class Button(Input, frozen=True, kw_only=True):
    """The lock-out button pressed, a maintained switch at a level, or the first card out of the shoe."""

    cause: str = "button"  # or "shoe"
    level: str = ""  # a maintained switch: "locked" or "unlocked"
    reopen_after_ms: int = 3000  # a press sooner than this after the last is one and the same


class Keyed(Input, frozen=True, kw_only=True):
    """An input that is counted: the same key again is the same input again."""

    key: str


class WagerDropped(Keyed, frozen=True, kw_only=True):
    """A coin or token in a drop slot."""

    position: int
    wager: str
    cents: int
    counted: Counted | None = None  # as the acceptor counts it


class FourCards(Input, frozen=True, kw_only=True):
    """The four initial cards of the current round. From the console it is a command, with a key and a person."""

    player: tuple[str, ...]
    banker: tuple[str, ...]
    source: str = "shoe"
    key: str = ""
    by: Person | None = None
    round: int = 0  # the one that is meant, where it is said: the table may have gone on meanwhile


class HandComplete(FourCards, frozen=True, kw_only=True):
    """Both whole hands of the current round."""


class Command(Keyed, frozen=True, kw_only=True):
    """Something a person signed in asks for, sometimes with a second person."""

    by: Person
    second: Person | None = None


class LateHand(Command, frozen=True, kw_only=True):
    """The hand of an earlier round that was not entered."""

    round: int
    player: tuple[str, ...]
    banker: tuple[str, ...]
    reference: str = ""  # of the surveillance recording


class HandCorrected(LateHand, frozen=True, kw_only=True):
    """Other cards for a round whose hand was entered."""


class AwardValidated(Command, frozen=True, kw_only=True):
    """An award confirmed and paid."""

    award: str
    method: str  # inventory or slip
    base_wager: bool


class AwardRejected(Command, frozen=True, kw_only=True):
    """An award not to be paid."""

    award: str
    reason: str


class SlipPrinted(Command, frozen=True, kw_only=True):
    """The slip of a validated award is printed, or printed again."""

    award: str


class RoundVoided(Command, frozen=True, kw_only=True):
    """The current round called off; all wagers go back."""

    round: int
    reason: str


class WagerVoided(Command, frozen=True, kw_only=True):
    """One wager taken out."""

    round: int
    position: int
    wager: str
    reason: str


class SimulatedRound(Command, frozen=True, kw_only=True):
    """Cards dealt without wagers; again, to end it."""


class TableOpened(Command, frozen=True, kw_only=True):
    """Play begins."""


class TableClosed(Command, frozen=True, kw_only=True):
    """Play ends."""


class PositionService(Command, frozen=True, kw_only=True):
    """A position taken out of service, or put back."""

    position: int
    on: bool
    reason: str


class ReturnConfirmed(Command, frozen=True, kw_only=True):
    """Money of a drop slot given back by hand."""

    return_id: str


class MeterAdjusted(Command, frozen=True, kw_only=True):
    """A meter corrected by two people who say what it shows before."""

    meter: str
    delta_cents: int
    expected_cents: int
    reason: str
    source: str = "adjustments"  # or carry:<meter>


class SubmissionChanged(Keyed, frozen=True, kw_only=True):
    """A Rules Submission filed. The first of a journal comes with the installation and needs nobody signed in."""

    toml: str
    day: str  # the gaming day it is filed on
    reason: str
    by: Person | None = None
    second: Person | None = None
    links: dict[str, str] = {}  # meters shared with other tables, and their links


class OperatorChanged(Keyed, frozen=True, kw_only=True):
    """Someone who may sign in: added, changed or no longer active. The first supervisor is added by nobody."""

    operator: str
    name: str
    role: str
    active: bool = True
    by: Person | None = None
    second: Person | None = None


class AccessNoted(Input, frozen=True, kw_only=True):
    """Someone signed in, gave a wrong PIN, or was refused a command. It has no key: every attempt is one of its own."""

    what: str  # signed-in, wrong-pin, not-allowed
    operator: str  # who they are, or say they are
    client: str  # where it came from
    command: str = ""
    detail: str = ""


class DeviceLost(Input, frozen=True, kw_only=True):
    """A part does not answer, or must not be relied on: button, board, journal, broker, software, link, vault."""

    device: str
    device_kind: str
    positions: tuple[int, ...] = ()
    wagers: tuple[str, ...] = ()  # what a link or a vault takes with it
    detail: str = ""
    counted: Counted | None = None  # how far a device that counts is known, where no coin says so


class DeviceRestored(DeviceLost, frozen=True, kw_only=True):
    """It answers again, or for the first time."""


class ControllerStarted(Input, frozen=True, kw_only=True):
    """The program began to keep this table, before any device was spoken to."""

    version: str  # of the software
    record: str = ""  # SHA-256 of the list of what is installed; empty where that is a checkout
    mode: str = "live"  # or demonstration


class LinkHit(Struct, frozen=True, gc=False, omit_defaults=True):
    """An award a linked meter made: to which position, how much, and the reveal of a mystery value."""

    position: int
    amount_cents: int
    value_cents: int = 0
    nonce: str = ""
    cycle: int = 0
    commitment: str = ""


class LinkAnswered(Input, frozen=True, kw_only=True):
    """A link's answer to an intent."""

    intent: str
    display_cents: int
    hits: tuple[LinkHit, ...] = ()
    returned_units: int = 0  # reverse: what the link's meter gave back
    ledger_seq: int = 0  # the line of the link's ledger, and
    ledger_hash: str = ""  # its hash
    left_cents: int = 0  # hit: cents that equal shares leave on the meter
    refusal: str = ""  # adjust: that it was not done, and
    why: str = ""  # why


class ReadingsDue(Input, frozen=True, kw_only=True):
    """A gaming day begins; the meters are read."""

    day: str


class Tick(Input, frozen=True, kw_only=True):
    """Time passes."""


def key_of(input_: Input) -> str:
    """The key of an input, empty where it has none."""
    return cast("Keyed", input_).key if type(input_) in _WITH_KEY else ""


def need(person: Person | None, role: str) -> None:
    """Refuse who does not hold a role or a higher one."""
    if person is None or _RANK.get(person.role, 0) < _RANK[role]:
        who = f"{person.id} is {person.role}" if person else "nobody is signed in"
        raise RefusedError(Refusal.NOT_ALLOWED, f"{who}: this takes a {role}")


def need_two(by: Person | None, second: Person | None, role: str) -> None:
    """Refuse anything but two different people who both hold a role."""
    need(by, role)
    if second is None or by is None or second.id == by.id:
        raise RefusedError(Refusal.SECOND_PERSON, f"this takes two people: a second {role} signs too")
    if _RANK.get(second.role, 0) < _RANK[role]:
        raise RefusedError(Refusal.SECOND_PERSON, f"{second.id} is {second.role}: the second person is a {role} too")


AnyInput = (
    WagerPresent
    | WagerAbsent
    | WagerDropped
    | Button
    | FourCards
    | HandComplete
    | HandCorrected
    | LateHand
    | AwardValidated
    | AwardRejected
    | SlipPrinted
    | RoundVoided
    | WagerVoided
    | SimulatedRound
    | TableOpened
    | TableClosed
    | PositionService
    | ReturnConfirmed
    | MeterAdjusted
    | SubmissionChanged
    | OperatorChanged
    | AccessNoted
    | DeviceLost
    | DeviceRestored
    | ControllerStarted
    | LinkAnswered
    | ReadingsDue
    | Tick
)
_WITH_KEY = frozenset(type_ for type_ in get_args(AnyInput) if "key" in type_.__struct_fields__)
