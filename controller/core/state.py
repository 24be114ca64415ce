"""The state of a table: everything that decides what may happen next. Immutable: `evolve` makes the next one."""

from collections.abc import Iterator

from msgspec import Struct

from controller.core.filed import Filed
from controller.core.meters import Meter, Share
from controller.core.phases import Phase

VERSION = 1  # of the shape below: a snapshot of another version is not read, and the facts are replayed instead

CHIP, DROP = "chip", "drop"  # what a wager is made with: lying on a sensor, or dropped into a slot
SHOE, CONSOLE = "shoe", "console"  # where a hand comes from

# Records of rounds lie on shelves of 64, so that the next state copies two small dicts instead of two days of play.
SHELF = 64


def head_key(link: str, meter: str) -> str:
    """The name of a link's ledger of one meter."""
    return f"{link}/{meter}"


def spot(position: int, wager: str) -> str:
    """The name of one wager's place at one position."""
    return f"{position}/{wager}"


class Standing(Struct, frozen=True, gc=False):
    """A wager made in the open round, and the fact that made it."""

    position: int
    wager: str
    stake_cents: int
    source: str
    seq: int
    instant: int  # the first fact of the same time: wagers of one instant are taken by position


class Sensor(Struct, frozen=True, gc=False, omit_defaults=True):
    """What a sensor reads."""

    present: bool
    lifted: bool = True  # seen absent since the last lock-out


class Device(Struct, frozen=True, gc=False, omit_defaults=True):
    """A part the table depends on."""

    kind: str
    lost: bool
    positions: tuple[int, ...] = ()
    wagers: tuple[str, ...] = ()
    detail: str = ""


class Return(Struct, frozen=True, gc=False, omit_defaults=True):
    """Money in a drop slot that is no wager: to be given back by hand."""

    id: str
    position: int
    wager: str
    cents: int
    why: str


class Counted(Struct, frozen=True, array_like=True, gc=False):
    """An event that a device counts by itself, such as a coin: which device, the driver's number, the device's own."""

    device: str
    ordinal: int
    counter: int
    unit: str = ""  # the serial number of the device that stood there
    bare: bool = False  # told with no coin: how far it was known


class Wager(Struct, frozen=True, gc=False, omit_defaults=True):
    """A wager that was in at a lock-out, and what it gave to each meter."""

    position: int
    wager: str
    stake_cents: int
    source: str
    placed: int  # the fact that placed it
    shares: tuple[Share, ...] = ()
    out: bool = False  # voided, or taken out


class Award(Struct, frozen=True, gc=False, omit_defaults=True):
    """What cards and wagers, or a mystery value passed, made due."""

    id: str
    kind: str  # jackpot, mystery, fixed
    wager: str  # the wager's id, with its paytable
    outcome: str
    round: int
    position: int
    amount_cents: int
    meter: str = ""
    listed: str = ""  # the row by list order, where the highest was another
    hit: str = ""  # the hit it is, or is a share of
    account: str = ""  # where a rejected one goes back to, unless to its meter
    validate: bool = True  # False: the dealer's, and only recorded
    second: bool = False  # takes two people, as filed when it was made
    fate: str = "pending"
    jackpot_cents: int = 0  # of a share from a link: the whole jackpot, which no meter of the table's own tells


class Amount(Struct, frozen=True, array_like=True, gc=False):
    """A meter at a lock-out, after that round's own contributions, in units."""

    units: int
    reserve: int


class Round(Struct, frozen=True, gc=False, omit_defaults=True):
    """A round from its lock-out on."""

    round: int
    seq: int  # the lock-out
    at: str
    day: str
    filed: int  # the fact that filed what it was played under
    wagers: tuple[Wager, ...]
    amounts: dict[str, Amount]
    player: tuple[str, ...] = ()
    banker: tuple[str, ...] = ()
    source: str = ""
    complete: bool = False
    voided: bool = False
    awards: tuple[Award, ...] = ()
    found_empty: tuple[str, ...] = ()  # linked meters that held nothing when its jackpot was due


class Adjustment(Struct, frozen=True, gc=False):
    """What two people asked for and a link, or two steps with it, must answer."""

    meter: str  # that the cards decide
    cents: int  # into it; or, negative, out of it
    expected_cents: int
    source: str
    by: str
    second: str


class Intent(Struct, frozen=True, gc=False, omit_defaults=True):
    """Something asked of a linked meter: journaled before it is asked, and asked again until it is answered."""

    id: str
    table: str
    link: str
    meter: str
    kind: str  # contribute, hit, paid, unwind, resplit, reverse, adjust
    round: int  # adjust: none
    stakes: tuple[tuple[int, int], ...] = ()  # contribute and reverse: position and cents, in order
    positions: tuple[int, ...] = ()  # hit: those that share it; paid, unwind, resplit: those whose shares are, or go
    units: int = 0  # reverse: what was given, reserve included
    outcome: str = ""
    split: tuple[tuple[int, int], ...] = ()  # resplit: those who are left, and the new share of each in cents
    cents: int = 0  # adjust: into the meter, or out of it; of a mystery meter, of what it carries
    expected_cents: int = 0  # adjust: what the meter shows
    adjustment: Adjustment | None = None  # adjust: what it is a step of


class LinkHead(Struct, frozen=True, array_like=True, gc=False):
    """The newest line of a link's ledger that this table was told of: an anchor for that chain."""

    seq: int
    hash: str  # lowercase hex


class Operator(Struct, frozen=True, gc=False):
    """Someone who may sign in, or once could."""

    name: str
    role: str
    active: bool


class WrongPins(Struct, frozen=True, gc=False, omit_defaults=True):
    """Wrong PINs in a row for one name, whether anybody has it or not."""

    count: int
    at: str  # the last of them
    locked: bool = False


class Seen(Struct, frozen=True, gc=False, omit_defaults=True):
    """An input with a key that was answered, and how."""

    digest: str
    at: str
    seq: int
    refusal: str = ""
    why: str = ""


class State(Struct, frozen=True, gc=False, omit_defaults=True):
    """One table between two facts."""

    seq: int = 0
    at: str = ""  # of the last fact
    instant: int = 0  # the first of the facts with that time
    day: str = ""  # the gaming day
    previous_day: str = ""
    day_began: int = 0  # the fact the day began with
    filed: Filed | None = None
    filed_seq: int = 0
    toml: str = ""
    filings: dict[int, Filed] = {}  # those that rounds on the shelves were played under
    phase: Phase = Phase.CLOSED
    prior: Phase | None = None  # while faulted
    simulated_from: Phase | None = None
    round: int = 0
    standing: dict[str, Standing] = {}
    sensors: dict[str, Sensor] = {}
    base: dict[int, bool] = {}  # positions that sense the base wager
    out_of_service: dict[int, str] = {}
    devices: dict[str, Device] = {}
    switch: str = ""  # a maintained switch: "locked" or "unlocked"
    pressed_at: str = ""  # the last press of a momentary button that did something
    last_locked: int = 0  # the last round that was locked out
    locked_at: str = ""
    returns: dict[str, Return] = {}
    rounds: dict[int, dict[int, Round]] = {}
    meters: dict[str, Meter] = {}
    linked: dict[str, int] = {}  # display of each linked meter in cents, as last answered
    link_heads: dict[str, LinkHead] = {}  # by link and meter: a table may come back to a link it has left
    accounts: dict[str, int] = {}
    awards: dict[str, int] = {}  # awards that take validation, and their rounds
    slip: int = 0  # the last slip number given
    seen: dict[str, dict[str, Seen]] = {}
    intents: dict[str, Intent] = {}
    abandoned: tuple[str, ...] = ()  # asked of a link that was lost, and left; it may have them all the same
    operators: dict[str, Operator] = {}
    wrong_pins: dict[str, WrongPins] = {}  # by the name given
    epoch: int = 0  # how often the program was started on this journal
    mode: str = ""  # live or demonstration, once it was
    counted: dict[str, Counted] = {}  # the last event taken of each device that counts, to go on from after a restart

    def record(self, round_: int) -> Round | None:
        """A round that has been locked out, if it is still kept."""
        return self.rounds.get(round_ // SHELF, _NO_ROUNDS).get(round_)

    def records(self) -> Iterator[Round]:
        """Every round kept."""
        for shelf in self.rounds.values():
            yield from shelf.values()

    def award(self, id_: str) -> Award | None:
        """An award that takes validation."""
        record = self.record(self.awards.get(id_, 0))
        return next((award for award in record.awards if award.id == id_), None) if record else None

    def pending(self) -> list[Award]:
        """Awards that wait to be validated or rejected."""
        found = map(self.award, self.awards)
        return [award for award in found if award is not None and award.fate == "pending"]

    def asked(self) -> frozenset[str]:
        """The intents that a link may have, and has not answered."""
        return frozenset((*self.intents, *self.abandoned))

    def answered(self, key: str) -> Seen | None:
        """How an input with this key was answered."""
        return self.seen.get(key[-2:], _NOTHING_SEEN).get(key)

    @property
    def play(self) -> Phase:
        """The phase of play, also while faulted."""
        return self.prior or self.phase


_NO_ROUNDS: dict[int, Round] = {}
_NOTHING_SEEN: dict[str, Seen] = {}
