"""A second set of books, kept in fractions of a dollar by someone who has not seen the first.

Written from 58 Pa. Code §§ 627b.3, 627b.6, 629b.7, 631c.2 and 631c.6 and from docs/behaviour.md. It shares no rule and
no arithmetic with the product: it reads what an input says, decides by itself what must follow, and then compares.
Where the documents leave two answers open, it follows the one given, and says so with `unsaid`.
"""

import random
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from fractions import Fraction

from controller.core import inputs
from controller.core.chance import Chance
from controller.core.decision import Decision
from controller.core.phases import TABLE as PHASES
from controller.core.phases import Phase
from controller.core.refusals import Refusal, Refused
from controller.core.state import Award as TheirAward
from controller.core.state import State
from controller.vault import Vault
from tests.core.play import Rigged, Table
from tests.rules.restatement import outcomes, royal9, status

ZERO = Fraction(0)
CENT = Fraction(1, 100)
CLOSED, OPEN, LOCKED, DEALT, SETTLED, SIMULATED = "closed", "open", "locked", "dealt", "settled", "simulated"
Spot = tuple[int, str]
Values = Mapping[tuple[str, int], int]  # the value, in cents, of each mystery meter and cycle

# ---------------------------------------------------------------------------------------------------------
# The law's numbers
# ---------------------------------------------------------------------------------------------------------

ROYAL9_ROWS = (
    "mega",
    "major",
    "minor",
    "mega-envy",
    "suited-royal9-tie",
    "royal9-tie",
    "any-suited-royal9",
    "any-royal9",
)
ROYAL9_FIXED = {  # § 627b.3(f)(1) and (g)(1)
    5: {"mega-envy": 5000, "suited-royal9-tie": 1500, "royal9-tie": 250, "any-suited-royal9": 50, "any-royal9": 25},
    1: {"mega-envy": 1000, "suited-royal9-tie": 300, "royal9-tie": 50, "any-suited-royal9": 10, "any-royal9": 5},
}
ROYAL9_FLOORS = {5: (50_000, 450, 450), 1: (10_000, 90, 90)}  # § 627b.3(f)(2) and (g)(2): mega, major, minor
ROYAL9_MYSTERY = {  # § 627b.3(h): reseed, must hit by, rate
    1: (250, 1000, Fraction(5, 100)),
    2: (100, 500, Fraction(5, 100)),
    3: (100, 200, Fraction(2, 100)),
}
HARMONY_ROWS: tuple[tuple[str, str, tuple[int, ...]], ...] = (  # §§ 627b.6(i), 629b.7(i): for 1
    ("four-8s", "ABCDEFGHI", (1000, 1000, 600, 600, 1000, 300, 600, 1000, 300)),
    ("four-of-a-kind", "ABCDEFGHI", (300, 200, 300, 300, 300, 300, 200, 200, 300)),
    ("six-zero-value", "ABCDEFGHI", (100, 100, 100, 200, 100, 100, 100, 50, 50)),
    ("tie-0", "ABC", (20, 20, 20)),
    ("tie-1-5", "ABC", (6, 5, 5)),
    ("tie-6-9", "ABC", (3, 3, 5)),
    ("tie-same-color", "DEF", (20, 20, 20)),
    ("any-tie", "DEF", (3, 3, 5)),
    ("tie-5-card", "GHI", (10, 8, 10)),
    ("tie-6-card", "GHI", (3, 4, 6)),
    ("tie-4-card", "GHI", (3, 3, 4)),
)
HARMONY_PAYS = {
    (paytable, row): pays
    for row, paytables, columns in HARMONY_ROWS
    for paytable, pays in zip(paytables, columns, strict=True)
}
HARMONY_RATES = {  # §§ 627b.6(j), 629b.7(j): the second paytable of each three has the higher ones
    p: (Fraction(19, 100), Fraction(5, 100)) if p in "BEH" else (Fraction(15, 100), Fraction(3, 100))
    for p in "ABCDEFGHI"
}
HEAVENLY9_PAYS = {"both-same-color": 299, "both": 60, "banker-3card-9": 9, "player-3card-9": 8}  # § 631c.2(i): for 1
HEAVENLY9_SEED, HEAVENLY9_RATE = 10_000, Fraction(10, 100)
MUST_HIT_BY = {  # § 631c.6(c)(4): minimum, maximum, rate
    ("A", 1): (100, 200, Fraction(20, 1000)),
    ("A", 2): (100, 200, Fraction(15, 1000)),
    ("A", 5): (100, 250, Fraction(10, 1000)),
    ("B", 1): (100, 500, Fraction(50, 1000)),
    ("B", 2): (100, 500, Fraction(35, 1000)),
    ("B", 5): (100, 500, Fraction(20, 1000)),
    ("C", 1): (250, 500, Fraction(20, 1000)),
    ("C", 2): (250, 500, Fraction(15, 1000)),
    ("C", 5): (250, 500, Fraction(5, 1000)),
    ("D", 1): (250, 1000, Fraction(50, 1000)),
    ("D", 2): (250, 1000, Fraction(30, 1000)),
    ("D", 5): (250, 1000, Fraction(20, 1000)),
}
JACKPOT_ROWS = {
    ("royal9", "mega"): "royal9-mega",
    ("royal9", "major"): "royal9-major",
    ("royal9", "minor"): "royal9-minor",
    ("harmony", "six-of-a-kind"): "harmony",
    ("heavenly9", "both-same-suit"): "heavenly9",
}


# ---------------------------------------------------------------------------------------------------------
# What is filed
# ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Numbers:
    """What a meter runs on until its next reset."""

    initial: Fraction
    reset: Fraction
    rate: Fraction
    reserve_rate: Fraction = ZERO
    maximum: Fraction = ZERO


@dataclass(frozen=True)
class Offer:
    """A progressive wager on offer."""

    name: str
    id: str
    stake: Fraction
    meters: dict[str, Numbers]


@dataclass(frozen=True)
class Law:
    """A Rules Submission, read by itself."""

    site: str
    table: str
    positions: int
    payout: str
    validate_from: Fraction
    second_from: Fraction
    hold: bool
    late_hands: int
    offers: dict[str, Offer]
    award: str
    layout: tuple[str, ...]
    paytable: str
    floors: dict[str, Fraction]
    rest: str  # everything that may change only with the table closed

    def numbers(self) -> dict[str, Numbers]:
        """Every meter's numbers."""
        return {id_: numbers for offer in self.offers.values() for id_, numbers in offer.meters.items()}

    def feeder(self, meter: str) -> str:
        """The wager that feeds a meter."""
        return next(offer.name for offer in self.offers.values() if meter in offer.meters)


def _percent(text: str) -> Fraction:
    return Fraction(text.removesuffix("%")) / 100


def _mystery(reseed: int, maximum: int, rate: Fraction) -> Numbers:
    return Numbers(Fraction(reseed), Fraction(reseed), rate, maximum=Fraction(maximum))


def _royal9_offer(filed: dict[str, object]) -> Offer:
    meters: dict[str, Numbers] = {}
    for level in ("mega", "major", "minor"):
        given = filed[level]
        assert isinstance(given, dict)
        first, again = given.get("initial", given.get("seed")), given.get("reset", given.get("seed"))
        meters[f"royal9-{level}"] = Numbers(Fraction(str(first)), Fraction(str(again)), _percent(given["rate"]))
    mystery = filed.get("mystery")
    if isinstance(mystery, dict):
        meters["royal9-mystery"] = _mystery(*ROYAL9_MYSTERY[mystery["configuration"]])
    return Offer("royal9", f"royal9/{filed['denomination']}", Fraction(str(filed["denomination"])), meters)


def _harmony_offer(filed: dict[str, object]) -> Offer:
    paytable = str(filed["paytable"])
    rate, reserve = HARMONY_RATES[paytable]
    floor = Fraction(str(filed.get("minimum_reseed", "0")))
    numbers = Numbers(Fraction(str(filed["seed"])), floor, rate, reserve)
    return Offer("harmony", f"harmony/{paytable}", Fraction(str(filed["denomination"])), {"harmony": numbers})


def _heavenly9_offer(filed: dict[str, object]) -> Offer:
    seed = Fraction(HEAVENLY9_SEED)
    meters = {"heavenly9": Numbers(seed, seed, HEAVENLY9_RATE)}
    must = filed.get("must_hit_by")
    if isinstance(must, dict):
        meters["must-hit-by"] = _mystery(*MUST_HIT_BY[must["paytable"], must["configuration"]])
    return Offer("heavenly9", "heavenly9", Fraction(str(filed["denomination"])), meters)


def read_law(toml: str) -> Law:
    """What a submission says. That it is lawful is not this file's question."""
    told = tomllib.loads(toml)
    awards = told.get("awards", {})
    makers: dict[str, Callable[[dict[str, object]], Offer]] = {
        "royal9": _royal9_offer,
        "harmony": _harmony_offer,
        "heavenly9": _heavenly9_offer,
    }
    offers = {name: maker(told[name]) for name, maker in makers.items() if name in told}
    positions = told["table"]["positions"]
    royal = told.get("royal9")
    floors: dict[str, Fraction] = {}
    if royal:
        levels = zip(("mega", "major", "minor"), ROYAL9_FLOORS[royal["denomination"]], strict=True)
        floors = {f"royal9-{level}": Fraction(floor) for level, floor in levels}
    if "heavenly9" in told:
        floors["heavenly9"] = Fraction(HEAVENLY9_SEED)
    rest = {
        "table": {key: value for key, value in told["table"].items() if key != "payout"},
        "offers": sorted((offer.id, offer.stake, sorted(offer.meters)) for offer in offers.values()),
        "award": royal.get("award", "highest") if royal else "",
        "layout": sorted(royal["layout"].items()) if royal else "",
    }
    return Law(
        site=told["table"]["site"],
        table=told["table"]["id"],
        positions=positions,
        payout=told["table"].get("payout", "either"),
        validate_from=Fraction(awards.get("validate_from", "1000.00")),
        second_from=Fraction(awards.get("second_person_from", "10000.00")),
        hold=awards.get("hold_play_on_hit", False),
        late_hands=awards.get("late_hands", 3),
        offers=offers,
        award=royal.get("award", "highest") if royal else "",
        layout=tuple(royal["layout"][str(seat)] for seat in range(1, positions + 1)) if royal else (),
        paytable=told.get("harmony", {}).get("paytable", ""),
        floors=floors,
        rest=repr(rest),
    )


# ---------------------------------------------------------------------------------------------------------
# The books
# ---------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Hit:
    """A meter hit, and what opened the cycle after it."""

    meter: str
    round: int
    order: int
    due: Fraction
    from_meter: bool
    seed: Fraction = ZERO
    released: Fraction = ZERO
    former: tuple[Numbers, Numbers | None] | None = None
    late: Fraction = ZERO  # what house:late has added to it
    awards: "list[Award]" = field(default_factory=list)
    undone: bool = False


@dataclass(eq=False)
class Award:
    """Something due to one wager."""

    round: int
    position: int
    wager: str
    id: str
    kind: str
    outcome: str
    amount: Fraction
    meter: str = ""
    listed: str = ""
    hit: Hit | None = None
    validate: bool = True
    fate: str = "pending"
    theirs: str = ""  # the product's id

    @property
    def spot(self) -> Spot:
        """Whose it is."""
        return self.position, self.wager

    @property
    def validated(self) -> bool:
        """Confirmed by people: final."""
        return self.validate and self.fate == "paid"

    @property
    def alive(self) -> bool:
        """Neither rejected nor undone."""
        return self.fate in {"pending", "paid"}


@dataclass
class Meter:
    """One meter; its money is in the books under its accounts."""

    kind: str
    feeder: str
    numbers: Numbers
    pending: Numbers | None = None
    cycle: int = 1
    taken_in: Fraction = ZERO
    hits: int = 0
    wins: Fraction = ZERO
    paid: Fraction = ZERO
    struck: list[Hit] = field(default_factory=list)


@dataclass
class Share:
    """What one wager gave to one meter."""

    amount: Fraction
    reserve: Fraction
    cycle: int


@dataclass
class In:
    """A wager in at a lock-out."""

    position: int
    wager: str
    stake: Fraction
    source: str
    shares: dict[str, Share] = field(default_factory=dict)
    out: bool = False


@dataclass
class Round:
    """A round from its lock-out on."""

    number: int
    order: int
    day: str
    law: Law
    wagers: list[In]
    amounts: dict[str, tuple[Fraction, Fraction]]
    player: tuple[str, ...] = ()
    banker: tuple[str, ...] = ()
    source: str = ""
    complete: bool = False
    voided: bool = False
    awards: list[Award] = field(default_factory=list)


@dataclass
class Sensor:
    """A chip sensor."""

    present: bool
    lifted: bool  # seen absent since the last lock-out


@dataclass
class Part:
    """A device."""

    kind: str
    lost: bool
    positions: tuple[int, ...]
    wagers: tuple[str, ...]


@dataclass(frozen=True)
class Due:
    """One row a wager is due under some cards."""

    position: int
    wager: str
    outcome: str
    listed: str


class DifferenceError(AssertionError):
    """The product and the auditor differ."""


class _NoError(Exception):
    """The input must be refused, for one of these reasons."""

    def __init__(self, why: str, *reasons: Refusal) -> None:
        super().__init__(why)
        self.reasons = reasons or tuple(Refusal)


_RANK = {"dealer": 1, "floorperson": 2, "supervisor": 3}


def whole_cents(amount: Fraction) -> Fraction:
    """The whole cents of an amount."""
    return amount // CENT * CENT


def _with_rates(numbers: Numbers, filed: Numbers) -> Numbers:
    """Harmony's rates follow its paytable at once, § 627b.6(j)."""
    if not filed.reserve_rate:
        return numbers
    return replace(numbers, rate=filed.rate, reserve_rate=filed.reserve_rate)


def _rank(person: inputs.Person | None) -> int:
    return _RANK.get(person.role, 0) if person else 0


def royal9_rows(player: tuple[str, ...], banker: tuple[str, ...], layout: tuple[str, ...], seat: int) -> list[str]:
    """Every row a seat qualifies for, § 627b.3(e). A Mega takes neither Major, Minor nor Envy (docs/behaviour.md)."""

    def combination(two: tuple[str, ...]) -> str:
        return "".join(sorted(two[:2], key=lambda card: card[0] != "K"))

    def royal(two: tuple[str, ...]) -> bool:
        ranks = sorted(card[0] for card in two[:2])
        return ranks in (["9", "K"], ["9", "Q"], ["9", "J"])

    def suited(two: tuple[str, ...]) -> bool:
        return royal(two) and two[0][1] == two[1][1]

    mine, of_player, of_banker = layout[seat - 1], combination(player), combination(banker)
    same = of_player == of_banker
    mega = same and of_player == mine
    holds = {
        "mega": mega,
        "major": of_banker == mine and not mega,
        "minor": of_player == mine and not mega,
        "mega-envy": same and of_player in layout and not mega,
        "suited-royal9-tie": suited(player) and suited(banker),
        "royal9-tie": royal(player) and royal(banker),
        "any-suited-royal9": suited(player) or suited(banker),
        "any-royal9": royal(player) or royal(banker),
    }
    return [row for row in ROYAL9_ROWS if holds[row]]


class Auditor:
    """The second set of books. Give it each input with the product's answer, then compare."""

    def __init__(self) -> None:
        self.books: dict[str, Fraction] = {}
        self.meters: dict[str, Meter] = {}
        self.rounds: dict[int, Round] = {}
        self.law: Law | None = None
        self.values: Values = {}
        self.day = self.previous_day = ""
        self.phase, self.simulated_from = CLOSED, CLOSED
        self.round = self.last_locked = 0
        self.standing: dict[Spot, tuple[str, tuple[int, int]]] = {}
        self.sensors: dict[Spot, Sensor] = {}
        self.base: dict[int, bool] = {}
        self.out_of_service: set[int] = set()
        self.parts: dict[str, Part] = {}
        self.switch = ""
        self.pressed: datetime | None = None
        self.to_return: Counter[tuple[int, str, int]] = Counter()
        self.their_returns: dict[str, tuple[int, str, int]] = {}
        self.slip = 0
        self.staff: dict[str, tuple[str, str, bool]] = {}
        self.wrong_pins: dict[str, tuple[int, datetime]] = {}
        self.mode, self.starts = "", 0
        self.keys: dict[str, tuple[str, str, str]] = {}
        self.clock = self.instant = 0  # how many inputs there were, and at which of them the time last changed
        self.at = ""
        self.forgotten = False  # whether the last key was used on a day too long ago
        self.answer: Decision | Refused = Decision(None)
        self.happened: Counter[str] = Counter()  # what the money has gone through
        self.readings: set[str] = set()  # where the documents left the answer open, and it was followed

    # -- Taking inputs ------------------------------------------------------------------------------------

    @property
    def refused(self) -> Refusal | None:
        """How the product answered."""
        return self.answer.refusal if isinstance(self.answer, Refused) else None

    def unsaid(self, what: str) -> None:
        """The documents do not say whether this is refused: follow the product."""
        self.readings.add(f"{what}: {self.refused.value if self.refused else 'accepted'}")
        if self.refused:
            raise _NoError(what)

    def take(self, input_: inputs.Input, answer: Decision | Refused, values: Values) -> None:
        """Book an input; raise where the product answered otherwise than it must."""
        self.values, self.answer = values, answer
        self.clock += 1
        if input_.at != self.at:
            self.at, self.instant = input_.at, self.clock
        key, content = getattr(input_, "key", ""), repr((input_.kind, self._content(input_)))
        if key:
            self.forgotten = key in self.keys and self.keys[key][2] not in {self.day, self.previous_day}
            if key in self.keys and not self.forgotten:
                self._again(*self.keys[key][:2], content)
                return
        self._judge(input_)
        if key:
            if isinstance(answer, Decision) and answer.fact is None:
                raise DifferenceError(f"{input_} was accepted and left nothing to know its key by")
            self.keys[key] = (content, self.refused.value if self.refused else "", self.day)

    def _judge(self, input_: inputs.Input) -> None:
        """Book an input that must be accepted; hold the product's refusal against the one that is due."""
        try:
            self._book(input_)
        except _NoError as no:
            if self.refused is None:
                raise DifferenceError(f"{input_} was accepted, must be refused: {no} ({no.reasons})") from None
            if self.refused not in (self._wrong_phase(input_) or no.reasons):
                raise DifferenceError(f"{input_}: {self.answer}, must be {no.reasons}: {no}") from None
        else:
            if self.refused is not None:
                raise DifferenceError(f"{input_} must be accepted, got {self.answer}")

    def _wrong_phase(self, input_: inputs.Input) -> set[Refusal]:
        """The phase, or the fault, is the first reason given where others hold too."""
        if self.faulted and input_.kind not in PHASES[Phase.FAULTED]:
            return {Refusal.WRONG_PHASE, Refusal.FAULTED}
        return set() if input_.kind in PHASES[Phase(self.phase)] else {Refusal.WRONG_PHASE}

    @staticmethod
    def _content(input_: inputs.Input) -> list[tuple[str, object]]:
        apart = {"at", "by", "second", "key"}
        return [(name, getattr(input_, name)) for name in input_.__struct_fields__ if name not in apart]

    def _again(self, told: str, refusal: str, content: str) -> None:
        got = self.refused.value if self.refused else ""
        if isinstance(self.answer, Decision) and self.answer.repeated is not None:
            got = self.answer.repeated.refusal
        if told != content:
            if not got:
                raise DifferenceError(f"a key used again with other content was accepted: {content}")
        elif got != refusal or (isinstance(self.answer, Decision) and self.answer.fact is not None):
            raise DifferenceError(f"{content} again: {self.answer}, must be as before: {refusal or 'accepted'}")

    def _book(self, input_: inputs.Input) -> None:
        handlers: dict[type[inputs.Input], Callable[..., None]] = {
            inputs.WagerPresent: self._chip_seen,
            inputs.WagerAbsent: self._chip_gone,
            inputs.WagerDropped: self._coin,
            inputs.Button: self._button,
            inputs.FourCards: self._hand,
            inputs.HandComplete: self._hand,
            inputs.LateHand: self._late_hand,
            inputs.HandCorrected: self._late_hand,
            inputs.AwardValidated: self._validate,
            inputs.AwardRejected: self._reject,
            inputs.SlipPrinted: self._print,
            inputs.RoundVoided: self._void,
            inputs.WagerVoided: self._take_out,
            inputs.SimulatedRound: self._simulated,
            inputs.TableOpened: self._open,
            inputs.TableClosed: self._close,
            inputs.PositionService: self._service,
            inputs.ReturnConfirmed: self._returned,
            inputs.MeterAdjusted: self._adjust,
            inputs.SubmissionChanged: self._submission,
            inputs.OperatorChanged: self._operator,
            inputs.AccessNoted: self._access,
            inputs.DeviceLost: self._device,
            inputs.DeviceRestored: self._device,
            inputs.ControllerStarted: self._started,
            inputs.ReadingsDue: self._day,
            inputs.Tick: lambda _: None,
        }
        by, second = getattr(input_, "by", None), getattr(input_, "second", None)
        if by is not None and second is not None and by.id == second.id and self.refused is Refusal.SECOND_PERSON:
            self.unsaid("the same person twice, where one might do")
        handlers[type(input_)](input_)

    # -- Small things -------------------------------------------------------------------------------------

    @property
    def filed(self) -> Law:
        """The submission in force."""
        assert self.law is not None
        return self.law

    @property
    def faulted(self) -> bool:
        """Button, journal, broker or software lost, or every sensor board."""
        lost = [part for part in self.parts.values() if part.lost]
        boards = [part for part in self.parts.values() if part.kind == "board"]
        vital = any(part.kind in {"button", "journal", "broker", "software"} for part in lost)
        return vital or (bool(boards) and all(board.lost for board in boards))

    def balance(self, account: str) -> Fraction:
        """What an account holds."""
        return self.books.get(account, ZERO)

    def _move(self, source: str, target: str, amount: Fraction) -> None:
        assert amount >= 0, (source, target, amount)
        self.books[source] = self.balance(source) - amount
        self.books[target] = self.balance(target) + amount

    @staticmethod
    def _need(by: inputs.Person | None, role: str) -> None:
        if _rank(by) < _RANK[role]:
            raise _NoError(f"this takes a {role}", Refusal.NOT_ALLOWED)

    def _need_two(self, command: inputs.Command | inputs.SubmissionChanged | inputs.OperatorChanged, role: str) -> None:
        self._need(command.by, role)
        by, second = command.by, command.second
        if by is None or second is None or second.id == by.id or _rank(second) < _RANK[role]:
            raise _NoError(f"this takes two of {role}", Refusal.SECOND_PERSON)

    @staticmethod
    def _need_text(text: str) -> None:
        if not text.strip():
            raise _NoError("a text is missing", Refusal.BAD_REQUEST)

    def _pending(self) -> list[Award]:
        return [award for round_ in self.rounds.values() for award in round_.awards if award.fate == "pending"]

    # -- Wagers on the table ------------------------------------------------------------------------------

    def _known_spot(self, position: int, wager: str) -> None:
        if not 1 <= position <= self.filed.positions or wager not in {*self.filed.offers, "base"}:
            raise _NoError("no such place", Refusal.UNKNOWN, Refusal.BAD_REQUEST)

    def _usable(self, position: int, wager: str) -> bool:
        lost = [part for part in self.parts.values() if part.lost]
        return (
            position not in self.out_of_service
            and not any(part.kind == "board" and position in part.positions for part in lost)
            and not any(part.kind in {"link", "vault"} and wager in part.wagers for part in lost)
            and self.base.get(position, True)
        )

    def _waiting(self, spot: Spot) -> bool:
        """Whether the chip on a sensor would be a wager if the round were open and whole."""
        sensor = self.sensors.get(spot)
        offered = spot[1] in self.filed.offers and spot[0] <= self.filed.positions
        return sensor is not None and sensor.present and sensor.lifted and offered and self._usable(*spot)

    def _sweep(self) -> None:
        """Every chip that counts is a wager of this instant."""
        if self.phase == OPEN and not self.faulted:
            for spot in list(self.sensors):
                if spot not in self.standing and self._waiting(spot):
                    self.standing[spot] = ("chip", (self.instant, spot[0]))

    def _withdraw(self, spots: Iterable[Spot]) -> None:
        for spot in list(spots):
            source, _ = self.standing.pop(spot)
            if source == "drop":
                self._give_back(*spot, self.filed.offers[spot[1]].stake)

    def _give_back(self, position: int, wager: str, amount: Fraction) -> None:
        self.to_return[position, wager, int(amount * 100)] += 1

    def _chip_seen(self, read: inputs.WagerPresent) -> None:
        self._known_spot(read.position, read.wager)
        if read.wager == "base":
            self.base[read.position] = True
            self._sweep()
            return
        sensor = self.sensors.setdefault((read.position, read.wager), Sensor(present=False, lifted=False))
        if not sensor.present:
            sensor.present = True
            self._sweep()

    def _chip_gone(self, read: inputs.WagerAbsent) -> None:
        self._known_spot(read.position, read.wager)
        live = self.phase == OPEN and not self.faulted
        if read.wager == "base":
            self.base[read.position] = False
            if live:
                self._withdraw(spot for spot in self.standing if spot[0] == read.position)
            return
        spot = (read.position, read.wager)
        self.sensors[spot] = Sensor(present=False, lifted=True)
        if live and self.standing.get(spot, ("",))[0] == "chip":
            self._withdraw([spot])

    def _coin(self, coin: inputs.WagerDropped) -> None:
        self._known_spot(coin.position, coin.wager)
        spot = (coin.position, coin.wager)
        stake = self.filed.offers[coin.wager].stake
        right = Fraction(coin.cents, 100) == stake and spot not in self.standing
        if right and self.phase == OPEN and not self.faulted and self._usable(*spot):
            self.standing[spot] = ("drop", (self.instant, coin.position))
        else:
            self._give_back(coin.position, coin.wager, Fraction(coin.cents, 100))

    def _returned(self, command: inputs.ReturnConfirmed) -> None:
        self._need(command.by, "dealer")
        if command.return_id not in self.their_returns:
            raise _NoError("no such return", Refusal.UNKNOWN)
        self.to_return -= Counter([self.their_returns[command.return_id]])

    # -- Rounds -------------------------------------------------------------------------------------------

    def _button(self, press: inputs.Button) -> None:
        if press.level:
            self.switch = press.level
        if self.faulted or self.phase in {CLOSED, SIMULATED}:
            return
        if press.cause == "shoe":
            if self.phase == OPEN:
                self.pressed = datetime.fromisoformat(press.at)  # a press that meets it must not open the round again
                self._lock()
            return
        if press.level:
            wanted = (press.level == "locked") == (self.phase == OPEN)
        else:
            now = datetime.fromisoformat(press.at)
            since = now - self.pressed if self.pressed else None
            wanted = since is None or not timedelta(0) <= since < timedelta(milliseconds=press.reopen_after_ms)
        held = self.phase != OPEN and self.filed.hold and bool(self._pending())
        if not wanted or held:
            return
        if not press.level:
            self.pressed = datetime.fromisoformat(press.at)
        if self.phase == OPEN:
            self._lock()
        else:
            self._next_round()

    def _next_round(self) -> None:
        self.round += 1
        self._begin()

    def _begin(self) -> None:
        """The round is open; a switch that stands at locked locks it with no wager in."""
        self.phase = OPEN
        if self.switch == "locked":
            self._lock_empty()
        else:
            self._sweep()

    def _lock_empty(self) -> None:
        self._withdraw(self.standing)
        self._lock()

    def _lock(self) -> None:
        """What stands is in, in the order it was made, ties by position; then each contribution is applied."""
        order = sorted(self.standing, key=lambda spot: self.standing[spot][1])
        offers = self.filed.offers
        wagers = [In(spot[0], spot[1], offers[spot[1]].stake, self.standing[spot][0]) for spot in order]
        round_ = Round(self.round, self.clock, self.day, self.filed, wagers, {})
        self.rounds[self.round] = round_
        self.last_locked = self.round
        for wager in wagers:
            for id_ in offers[wager.wager].meters:
                self._contribute(round_, wager, id_)
        round_.amounts = {
            id_: (self.balance(f"meter:{id_}"), self.balance(f"reserve:{id_}"))
            for id_, meter in self.meters.items()
            if meter.kind != "mystery"
        }
        self.standing = {}
        for sensor in self.sensors.values():
            sensor.lifted = not sensor.present
        self.phase = LOCKED

    def _contribute(self, round_: Round, wager: In, id_: str) -> None:
        meter = self.meters[id_]
        amount, reserve = wager.stake * meter.numbers.rate, wager.stake * meter.numbers.reserve_rate
        self._move("wagers", f"meter:{id_}", amount)
        self._move("wagers", f"reserve:{id_}", reserve)
        wager.shares[id_] = Share(amount, reserve, meter.cycle)
        meter.taken_in += wager.stake
        if meter.kind == "mystery" and self.balance(f"meter:{id_}") > Fraction(self.values[id_, meter.cycle], 100):
            self._mystery_hit(round_, wager, id_)

    def _mystery_hit(self, round_: Round, wager: In, id_: str) -> None:
        meter, account = self.meters[id_], f"meter:{id_}"
        paid = min(whole_cents(self.balance(account)), meter.numbers.maximum)
        hit = Hit(id_, round_.number, self.clock, paid, from_meter=True)
        award = Award(
            round_.number,
            wager.position,
            wager.wager,
            self.filed.offers[wager.wager].id,
            "mystery",
            "",
            paid,
            id_,
            hit=hit,
        )
        self._move(account, "pending", paid)
        self._strike(hit, [award], round_)
        self._reset(meter)
        self._move("house:seed", account, meter.numbers.reset)
        over = max(ZERO, self.balance(account) - meter.numbers.maximum)
        self.happened["mystery hit"] += 1
        self.happened["mystery hit split at the maximum"] += paid == meter.numbers.maximum
        self.happened["mystery excess to carry"] += over > 0
        self.happened["several mystery hits in a lock-out"] += sum(a.kind == "mystery" for a in round_.awards) > 1
        self._move(account, f"carry:{id_}", over)

    def _strike(self, hit: Hit, awards: list[Award], round_: Round) -> None:
        meter = self.meters[hit.meter]
        hit.awards = awards
        meter.struck.append(hit)
        meter.hits += 1
        meter.wins += sum((award.amount for award in awards), ZERO)
        round_.awards += awards

    @staticmethod
    def _reset(meter: Meter) -> None:
        """A new cycle, with what has been filed for it."""
        meter.cycle += 1
        if meter.pending is not None:
            meter.numbers, meter.pending = meter.pending, None

    # -- Cards and awards ---------------------------------------------------------------------------------

    def _hand(self, hand: inputs.FourCards) -> None:
        if hand.source == "console":
            self._need(hand.by, "dealer")
        if self.phase in {CLOSED, OPEN}:
            raise _NoError("no cards now", Refusal.WRONG_PHASE)
        whole = status(list(hand.player), list(hand.banker))
        if whole == "impossible" or (whole != "complete" and isinstance(hand, inputs.HandComplete)):
            raise _NoError("not a hand, or a card is owed", Refusal.BAD_HAND)
        if self.phase == SIMULATED:
            if whole == "complete":
                self._end_simulated()
            return
        round_ = self.rounds[self.round]
        if self._stands_over(round_, hand):
            return
        self._settle(round_, hand.player, hand.banker)
        round_.source = "console" if "console" in {round_.source, hand.source} else "shoe"
        self.phase = SETTLED if round_.complete else DEALT

    def _stands_over(self, round_: Round, hand: inputs.FourCards) -> bool:
        """Whether the cards known stay, whatever these are."""
        cards = (hand.player, hand.banker)
        if not round_.player or self._continues(round_, *cards):
            return False
        if hand.source == "shoe" and round_.source == "console":
            return True  # the shoe never replaces a keyed hand
        if self._goes_on(round_, *cards):
            self.unsaid("fewer of the cards known")
            return True
        if round_.complete and status(list(hand.player), list(hand.banker)) != "complete":
            self.unsaid("four cards, a third owed, in place of whole hands")
        if round_.source == hand.source:
            self.unsaid(f"other cards from the same {hand.source} in {self.phase}")
        return False

    @staticmethod
    def _continues(round_: Round, player: tuple[str, ...], banker: tuple[str, ...]) -> bool:
        """Whether the cards are those known, or those and more."""
        return player[: len(round_.player)] == round_.player and banker[: len(round_.banker)] == round_.banker

    @staticmethod
    def _goes_on(round_: Round, player: tuple[str, ...], banker: tuple[str, ...]) -> bool:
        """Whether the cards known are these, or these and more."""
        return round_.player[: len(player)] == player and round_.banker[: len(banker)] == banker

    def _due(self, round_: Round, player: tuple[str, ...], banker: tuple[str, ...]) -> list[Due]:
        """What every wager in is due, before anything was rejected."""
        complete = status(list(player), list(banker)) == "complete"
        rows = outcomes(list(player), list(banker)) if complete else {}
        due = []
        for wager in round_.wagers:
            if wager.out:
                continue
            listed = rows.get(round_.law.offers[wager.wager].id, "lose")
            chosen = listed
            if wager.wager == "royal9":
                listed = royal9(list(player), list(banker), list(round_.law.layout), wager.position)
                chosen = self._royal9_choice(round_, player, banker, wager.position)
            if chosen != "lose":
                due.append(Due(wager.position, wager.wager, chosen, listed if listed != chosen else ""))
        return due

    @staticmethod
    def _royal9_choice(round_: Round, player: tuple[str, ...], banker: tuple[str, ...], seat: int) -> str:
        rows = royal9_rows(player, banker, round_.law.layout, seat)
        if not rows:
            return "lose"
        if round_.law.award == "list":
            return rows[0]
        fixed = ROYAL9_FIXED[int(round_.law.offers["royal9"].stake)]

        def worth(row: str) -> Fraction:
            meter = JACKPOT_ROWS.get(("royal9", row))
            return whole_cents(round_.amounts[meter][0]) if meter else Fraction(fixed[row])

        return max(rows, key=worth)  # the first of the highest: list order breaks ties

    @staticmethod
    def _fixed_amount(law: Law, due: Due) -> Fraction:
        stake = law.offers[due.wager].stake
        if due.wager == "royal9":
            return Fraction(ROYAL9_FIXED[int(stake)][due.outcome])
        if due.wager == "harmony":
            return stake * HARMONY_PAYS[law.offers["harmony"].id[-1], due.outcome]
        return stake * HEAVENLY9_PAYS[due.outcome]

    def _settle(self, round_: Round, player: tuple[str, ...], banker: tuple[str, ...]) -> None:
        """Make what is due under these cards, undo what is not; refuse where that was validated."""
        due = self._due(round_, player, banker)
        keys = {(one.position, one.wager, one.outcome) for one in due}
        by_cards = [award for award in round_.awards if award.kind != "mystery"]
        undue = [award for award in by_cards if award.alive and (*award.spot, award.outcome) not in keys]
        if any(award.validated for award in undue):
            raise _NoError("a validated award would no longer be due", Refusal.VALIDATED)
        known = {(*award.spot, award.outcome) for award in by_cards if award.alive or award.fate == "rejected"}
        self.happened["correction undid awards"] += bool(undue)
        self._undo(undue, "unwound")
        round_.player, round_.banker = player, banker
        round_.complete = status(list(player), list(banker)) == "complete"
        new = [one for one in due if (one.position, one.wager, one.outcome) not in known]
        for meter in dict.fromkeys(JACKPOT_ROWS.get((one.wager, one.outcome), "") for one in new):
            those = [one for one in new if JACKPOT_ROWS.get((one.wager, one.outcome), "") == meter]
            if meter:
                self._jackpot(round_, meter, those)
            else:
                self._fixed(round_, those)

    def _award(self, round_: Round, due: Due, kind: str, amount: Fraction) -> Award:
        id_ = round_.law.offers[due.wager].id
        return Award(round_.number, due.position, due.wager, id_, kind, due.outcome, amount, listed=due.listed)

    def _fixed(self, round_: Round, those: list[Due]) -> None:
        for one in those:
            award = self._award(round_, one, "fixed", self._fixed_amount(round_.law, one))
            award.validate = award.amount >= self.filed.validate_from
            award.fate = "pending" if award.validate else "paid"
            self._move("house:fixed", "pending" if award.validate else "paid:fixed", award.amount)
            round_.awards.append(award)
            self.happened[f"fixed, {'validated' if award.validate else 'the dealer'}"] += 1
            self.happened["a fixed row beat the jackpot"] += (one.wager, one.listed) in JACKPOT_ROWS
            self.happened["envy"] += one.outcome == "mega-envy"

    def _hit_since(self, id_: str, order: int) -> bool:
        """By a hit that stands and took the meter's money."""
        return any(h.order > order and h.from_meter and not h.undone for h in self.meters[id_].struck)

    def _before(self, round_: Round, id_: str) -> tuple[Fraction, Fraction]:
        """What a meter and its reserve hold without what later rounds have contributed, and not been given back."""
        later = [wager for one in self.rounds.values() if one.order > round_.order for wager in one.wagers]
        shares = [wager.shares[id_] for wager in later if id_ in wager.shares and not wager.out]
        amount = self.balance(f"meter:{id_}") - sum((share.amount for share in shares), ZERO)
        reserve = self.balance(f"reserve:{id_}") - sum((share.reserve for share in shares), ZERO)
        return max(ZERO, amount), max(ZERO, reserve)

    def _jackpot(self, round_: Round, id_: str, those: list[Due]) -> None:
        meter, account = self.meters[id_], f"meter:{id_}"
        amount, reserve = round_.amounts[id_]
        due = whole_cents(amount)
        each = whole_cents(due / len(those))
        out = each * len(those)
        late = self._hit_since(id_, round_.order)
        hit = Hit(id_, round_.number, self.clock, due, from_meter=not late)
        awards = [self._award(round_, one, "jackpot", each) for one in those]
        for award in awards:
            award.meter, award.hit = id_, hit
        if late:
            self._move("house:late", "pending", out)
            hit.late = out
            self.happened["jackpot whole from house:late"] += 1
        else:
            held, kept = self._before(round_, id_)
            lack = max(ZERO, out - held)
            self._move(account, "pending", out - lack)
            self._move("house:late", "pending", lack)
            hit.late = lack
            self.happened["jackpot"] += 1
            self.happened["jackpot by a late hand"] += self.round != round_.number
            self.happened["jackpot shared"] += len(those) > 1
            self.happened["odd cents stay"] += out != due
            self.happened["house:late adds what is missing"] += lack > 0
            self.happened["new numbers at a reset"] += meter.pending is not None
            hit.former = (meter.numbers, meter.pending)
            self._reset(meter)
            if meter.kind == "reserve":
                hit.released = min(reserve, kept)
                hit.seed = max(ZERO, meter.numbers.reset - hit.released)
            else:
                hit.seed = meter.numbers.reset
            self._move(f"reserve:{id_}", account, hit.released)
            self._move("house:seed", account, hit.seed)
        self._strike(hit, awards, round_)

    # -- Undoing ------------------------------------------------------------------------------------------

    def _undo(self, awards: list[Award], fate: str) -> None:
        for award in awards:
            if award.kind == "fixed":
                self._move("pending" if award.fate == "pending" else "paid:fixed", "house:fixed", award.amount)
                award.fate = fate
        for hit in dict.fromkeys(award.hit for award in awards if award.hit is not None):
            self._undo_shares(hit, [award for award in awards if award.hit is hit], fate)

    def _undo_shares(self, hit: Hit, gone: list[Award], fate: str) -> None:
        meter, account = self.meters[hit.meter], f"meter:{hit.meter}"
        for award in gone:
            award.fate = fate
            meter.wins -= award.amount
        if meter.kind == "mystery":
            for award in gone:
                self._move("pending", f"carry:{hit.meter}", award.amount)
                self.happened["mystery award to carry"] += 1
            return
        left = [award for award in hit.awards if award.alive]
        if any(award.validated for award in left):
            self.happened["share back after another was validated"] += 1
            self._give_back_to(hit, gone)
        elif left:
            self._split_anew(hit, gone, left)
        else:
            hit.undone = True
            self._give_back_to(hit, gone)
            meter.hits -= 1
            self.happened[f"hit {fate}"] += 1
            self.happened["hit undone after another hit: the reseed stays"] += self._hit_since(hit.meter, hit.order)
            self.happened["late award undone"] += not hit.from_meter
            if hit.from_meter and not self._hit_since(hit.meter, hit.order):
                held = self.balance(account)
                released = min(hit.released, held)
                self._move(account, f"reserve:{hit.meter}", released)
                self._move(account, "house:seed", min(hit.seed, held - released))
                self._unfile(meter, hit)

    def _unfile(self, meter: Meter, hit: Hit) -> None:
        assert hit.former is not None
        numbers, pending = hit.former
        if pending is not None:  # this hit had put new numbers in force
            newest = meter.pending or meter.numbers
            numbers = _with_rates(numbers, newest)
            self.happened["new numbers undone with their hit"] += 1
            meter.numbers, meter.pending = numbers, newest if newest != numbers else None

    def _give_back_to(self, hit: Hit, gone: list[Award]) -> None:
        """A jackpot to its meter, but to house:late what it had added; a share alone goes whole to one of them."""
        back = sum((award.amount for award in gone), ZERO)
        late = min(back, hit.late) if hit.undone or not hit.from_meter else ZERO
        self._move("pending", "house:late", late)
        self._move("pending", f"meter:{hit.meter}", back - late)

    def _split_anew(self, hit: Hit, gone: list[Award], left: list[Award]) -> None:
        """The others share the whole jackpot; odd cents come out of the meter, or from house:late."""
        meter, account = self.meters[hit.meter], f"meter:{hit.meter}"
        each = whole_cents(hit.due / len(left))
        more = each * len(left) - sum((award.amount for award in [*gone, *left]), ZERO)
        since = self._hit_since(hit.meter, hit.order)
        self.happened["jackpot shared anew"] += 1
        self.happened["shared anew: odd cents out"] += more > 0
        self.happened["shared anew: odd cents back"] += more < 0
        self.happened["shared anew after another hit"] += since
        if more >= 0:
            late = more if since or not hit.from_meter else max(ZERO, more - self.balance(account))
            self._move("house:late", "pending", late)
            self._move(account, "pending", more - late)
            hit.late += late
        else:
            late = -more if not hit.from_meter else ZERO
            self._move("pending", "house:late", late)
            self._move("pending", account, -more - late)
            hit.late -= late
        meter.wins += sum((each - award.amount for award in left), ZERO)
        for award in left:
            award.amount = each

    def _inside(self, id_: str, round_: Round, share: Share) -> bool:
        """Whether a contribution is inside an award that stands."""
        meter = self.meters[id_]
        if meter.kind == "mystery":
            return meter.cycle != share.cycle
        return any(h.round >= round_.number and h.from_meter and not h.undone for h in meter.struck)

    def _reverse(self, round_: Round, wager: In, *, lower: bool) -> None:
        """Give a wager's contributions back, and lower the round's amounts by them."""
        wager.out = True
        if wager.source == "drop":
            self._give_back(wager.position, wager.wager, wager.stake)
        for id_, share in wager.shares.items():
            if id_ not in self.meters:
                continue
            self.meters[id_].taken_in -= wager.stake
            if self._inside(id_, round_, share):
                self._move("house:void", "wagers", share.amount + share.reserve)
                self.happened[f"{'wager' if lower else 'round'} back: {self.meters[id_].kind} inside an award"] += 1
                continue
            self.happened[f"{'wager' if lower else 'round'} back: {self.meters[id_].kind} reversed"] += 1
            for account, amount in ((f"meter:{id_}", share.amount), (f"reserve:{id_}", share.reserve)):
                held = min(amount, self.balance(account))
                self._move(account, "wagers", held)
                self._move("house:void", "wagers", amount - held)
            if lower and id_ in round_.amounts:
                amount, reserve = round_.amounts[id_]
                round_.amounts[id_] = (amount - share.amount, reserve - share.reserve)

    # -- People -------------------------------------------------------------------------------------------

    def _found(self, id_: str) -> Award:
        for round_ in self.rounds.values():
            for award in round_.awards:
                if award.theirs == id_ and award.validate:
                    return award
        raise _NoError("no such award", Refusal.UNKNOWN)

    def _still_pending(self, award: Award) -> None:
        if award.fate != "pending":
            why = (Refusal.SECOND_PERSON, Refusal.VALIDATED, Refusal.UNKNOWN, Refusal.STALE, Refusal.TOO_LATE)
            raise _NoError("no longer pending", *(why[:2] if award.validated else why))

    def _validate(self, command: inputs.AwardValidated) -> None:
        if not command.base_wager:
            raise _NoError("no base wager: to be rejected instead")
        if command.method not in {"inventory", "slip"} or self.filed.payout not in {"either", command.method}:
            raise _NoError("not the filed method")
        self._need(command.by, "floorperson")
        award = self._found(command.award)
        self._still_pending(award)
        if self._takes_two(award):
            self._need_two(command, "floorperson")
        elif award.hit is not None and award.hit.late:
            self._follow_second(command)
        award.fate = "paid"
        self.happened[f"{award.kind} validated"] += 1
        self.slip += 1
        self._move("pending", f"paid:{award.meter or 'fixed'}", award.amount)
        if award.meter:
            self.meters[award.meter].paid += award.amount

    def _takes_two(self, award: Award) -> bool:
        """From second_person_from up, as it is in force now, and for an award from house:late."""
        return award.amount >= self.filed.second_from or (award.hit is not None and not award.hit.from_meter)

    def _follow_second(self, command: inputs.AwardValidated) -> None:
        try:
            self._need_two(command, "floorperson")
        except _NoError:
            self.unsaid("one person validates an award that house:late made up in part")

    def _reject(self, command: inputs.AwardRejected) -> None:
        self._need_text(command.reason)
        self._need_two(command, "floorperson")
        award = self._found(command.award)
        self._still_pending(award)
        self._undo([award], "rejected")

    def _print(self, command: inputs.SlipPrinted) -> None:
        self._need(command.by, "floorperson")
        if self._found(command.award).fate != "paid":
            raise _NoError("only what was paid has a slip", Refusal.UNKNOWN)

    def _void(self, command: inputs.RoundVoided) -> None:
        self._need_text(command.reason)
        self._need(command.by, "floorperson")
        reasons = []
        if self.phase not in {LOCKED, DEALT}:
            reasons.append(Refusal.WRONG_PHASE)
        if command.round != self.round:
            reasons += [Refusal.TOO_LATE, Refusal.UNKNOWN, Refusal.WRONG_PHASE, Refusal.STALE]
        if reasons:
            raise _NoError("only the round in play, until its last card", *reasons)
        round_ = self.rounds[self.round]
        by_cards = [award for award in round_.awards if award.kind != "mystery" and award.alive]
        self._undo([award for award in by_cards if not award.validated], "unwound")
        for wager in round_.wagers:
            if not wager.out:
                self._reverse(round_, wager, lower=False)
        round_.voided = True
        self._next_round()

    def _take_out(self, command: inputs.WagerVoided) -> None:
        self._need_text(command.reason)
        spot = (command.position, command.wager)
        if command.round == self.round and self.phase == OPEN:
            self._need(command.by, "dealer")
            if spot not in self.standing:
                raise _NoError("no such wager", Refusal.UNKNOWN)
            if self.faulted:
                self.unsaid("a wager taken out of an open round while faulted")
            self._withdraw([spot])
            if spot in self.sensors:
                self.sensors[spot].lifted = False
            return
        round_ = self.rounds.get(command.round)
        found = [wager for wager in round_.wagers if (wager.position, wager.wager) == spot] if round_ else []
        self._need_two(command, "floorperson")
        if round_ is None or not found or found[0].out:
            raise _NoError("no such wager", Refusal.UNKNOWN, Refusal.TOO_LATE)
        awards = [award for award in round_.awards if award.spot == spot and award.alive]
        if not any(award.fate == "pending" for award in awards):
            self._last_rounds(command.round)
        if any(award.validated for award in awards):
            raise _NoError("its award was validated", Refusal.VALIDATED, Refusal.TOO_LATE)
        self._undo(awards, "taken out")
        self._reverse(round_, found[0], lower=True)

    def _last_rounds(self, number: int) -> None:
        """One of the last `late_hands` rounds, counting back from the one in play or, before lock-out, the last."""
        last = self.last_locked
        if number <= last - self.filed.late_hands:
            if number == last - self.filed.late_hands and last == self.round:
                self.unsaid("the round late_hands before the one that is locked")
            else:
                raise _NoError("too many rounds ago", Refusal.TOO_LATE)

    def _late_hand(self, command: inputs.LateHand) -> None:
        corrects = isinstance(command, inputs.HandCorrected)
        round_ = self.rounds.get(command.round)
        if round_ is None:
            raise _NoError("no such round", *Refusal)
        in_play = command.round == self.round and self.phase in {LOCKED, DEALT, SETTLED}
        reasons = self._no_late_hand(command, round_, in_play=in_play)
        if reasons:
            raise _NoError("not these people, this hand or this round", *reasons)
        if status(list(command.player), list(command.banker)) == "incomplete":
            self.unsaid("a late hand or a correction that is not whole")
        if in_play and not corrects:
            self.unsaid("a late hand for the round in play")
        if corrects is not self._entered_otherwise(round_, command):
            self.unsaid(f"{'a correction' if corrects else 'a late hand'} for a round with {_entered(round_)}")
        self._settle(round_, command.player, command.banker)
        round_.source = "console"
        if in_play:
            self.phase = SETTLED if round_.complete else DEALT

    def _no_late_hand(self, command: inputs.LateHand, round_: Round, *, in_play: bool) -> set[Refusal]:
        """Every reason to refuse a late hand or a correction that is certain."""
        corrects = isinstance(command, inputs.HandCorrected)
        reasons: set[Refusal] = set()
        try:
            if in_play and corrects:
                self._need(command.by, "dealer")
            else:
                self._late_people(command, round_)
        except _NoError as no:
            reasons |= {*no.reasons, *([Refusal.WRONG_PHASE] if in_play else [])}
            if corrects is not self._entered_otherwise(round_, command):
                reasons.add(Refusal.BAD_HAND)
        if round_.voided:
            reasons |= set(Refusal)
        if status(list(command.player), list(command.banker)) == "impossible":
            reasons.add(Refusal.BAD_HAND)
        return reasons

    def _entered_otherwise(self, round_: Round, command: inputs.LateHand) -> bool:
        """Whether other cards than these were entered, so that it takes a correction."""
        return bool(round_.player) and not self._continues(round_, command.player, command.banker)

    def _late_people(self, command: inputs.LateHand, round_: Round) -> None:
        recent, reasons = True, set()
        try:
            self._last_rounds(command.round)
        except _NoError as no:
            recent = False
            reasons |= set(no.reasons) - {Refusal.TOO_LATE}  # all others, where the window is not certain
        if recent:
            self._need(command.by, "floorperson")
            return
        if round_.day not in {self.day, self.previous_day}:
            reasons.add(Refusal.TOO_LATE)
        if _rank(command.by) < _RANK["supervisor"]:
            reasons |= {Refusal.TOO_LATE, Refusal.NOT_ALLOWED}
        second = command.second
        if second is None or _rank(second) < _RANK["supervisor"] or command.by.id == second.id:
            reasons |= {Refusal.SECOND_PERSON, Refusal.TOO_LATE}
        if not command.reference.strip():
            reasons |= {Refusal.BAD_REQUEST, Refusal.TOO_LATE}
        if reasons:
            raise _NoError("two supervisors and a reference, this or the previous day", *reasons)

    def _adjust(self, command: inputs.MeterAdjusted) -> None:
        self._need_text(command.reason)
        self._need_two(command, "supervisor")
        meter = self.meters.get(command.meter)
        if meter is None:
            raise _NoError("no such meter", Refusal.UNKNOWN)
        if meter.kind == "mystery":
            raise _NoError("a mystery meter is not adjusted")
        account = f"meter:{command.meter}"
        if Fraction(command.expected_cents, 100) != whole_cents(self.balance(account)):
            raise _NoError("not what the sign shows", Refusal.STALE, Refusal.BAD_REQUEST, Refusal.UNKNOWN)
        delta = Fraction(command.delta_cents, 100)
        carry = command.source != "adjustments"
        if delta == 0:
            self.unsaid("an adjustment by nothing")
        if carry and (delta < 0 or self.balance(command.source) < delta):
            raise _NoError("a carry gives what it has, and takes nothing")
        if self.balance(account) + delta < meter.numbers.reset:
            if delta > 0:
                self.unsaid("an adjustment upwards that stays below the reset amount")
            else:
                raise _NoError("below the reset amount")
        self.happened["adjusted from carry" if carry else "adjusted"] += 1
        if delta > 0:
            self._move(command.source, account, delta)
        else:
            self._move(account, command.source, -delta)

    # -- The table ----------------------------------------------------------------------------------------

    def _open(self, command: inputs.TableOpened) -> None:
        self._need(command.by, "dealer")
        if self.faulted or self.phase != CLOSED:
            raise _NoError("not closed", Refusal.WRONG_PHASE, Refusal.FAULTED)
        if self.filed.hold and self._pending():
            raise _NoError("play is held for an award", Refusal.WRONG_PHASE)
        if self.round == self.last_locked:
            self.round += 1
        self._begin()

    def _close(self, command: inputs.TableClosed) -> None:
        self._need(command.by, "dealer")
        if self.faulted or self.phase not in {OPEN, SETTLED}:
            raise _NoError("not open or settled", Refusal.WRONG_PHASE, Refusal.FAULTED)
        self._withdraw(self.standing)
        self.phase = CLOSED

    def _simulated(self, command: inputs.SimulatedRound) -> None:
        self._need(command.by, "dealer")
        if self.faulted or self.phase not in {OPEN, SETTLED, SIMULATED}:
            raise _NoError("not now", Refusal.WRONG_PHASE, Refusal.FAULTED)
        if self.phase == SIMULATED:
            self._end_simulated()
            return
        self.simulated_from = self.phase
        self._withdraw(self.standing)
        self.phase = SIMULATED

    def _end_simulated(self) -> None:
        if self.simulated_from == OPEN:
            self._begin()
        else:
            self.phase = self.simulated_from

    def _service(self, command: inputs.PositionService) -> None:
        self._need_text(command.reason)
        self._need(command.by, "floorperson")
        if not 1 <= command.position <= self.filed.positions:
            raise _NoError("no such position", Refusal.UNKNOWN)
        if command.on:
            self.out_of_service.discard(command.position)
            self._sweep()
        else:
            self.out_of_service.add(command.position)
            if self.phase == OPEN:
                self._withdraw(spot for spot in self.standing if spot[0] == command.position)

    def _device(self, change: inputs.DeviceLost) -> None:
        was = self.faulted
        lost = not isinstance(change, inputs.DeviceRestored)
        self.parts[change.device] = Part(change.device_kind, lost, change.positions, change.wagers)
        if self.phase != OPEN or self.faulted:
            return
        self._withdraw(spot for spot in self.standing if not self._usable(*spot))
        if was:
            self._withdraw([s for s, (source, _) in self.standing.items() if source == "chip" and not self._there(s)])
            if self.switch == "locked":
                self._lock_empty()
                return
        self._sweep()

    def _there(self, spot: Spot) -> bool:
        sensor = self.sensors.get(spot)
        return sensor is not None and sensor.present

    def _day(self, due: inputs.ReadingsDue) -> None:
        if due.day == self.day:
            return
        self.previous_day, self.day = self.day, due.day

    # -- People -------------------------------------------------------------------------------------------

    def _operator(self, command: inputs.OperatorChanged) -> None:
        self._need_text(command.name)
        bosses = {id_ for id_, (_, role, active) in self.staff.items() if active and role == "supervisor"}
        stays = command.active and command.role == "supervisor"
        if command.by is not None or bosses or not stays:  # the first supervisor is added by nobody
            self._need(command.by, "supervisor")
        trusted = command.active and command.role in {"floorperson", "supervisor"}
        if command.second is not None or (trusted and len(bosses) >= 2):
            self._need_two(command, "supervisor")
        if not command.active and command.operator not in self.staff:
            raise _NoError("no such operator", Refusal.UNKNOWN)
        if bosses == {command.operator} and not stays:
            raise _NoError("the only supervisor stays one", Refusal.BAD_REQUEST)
        self.staff[command.operator] = (command.name, command.role, command.active)
        self.wrong_pins.pop(command.operator, None)

    def _access(self, noted: inputs.AccessNoted) -> None:
        if noted.what == "signed-in":
            self.wrong_pins.pop(noted.operator, None)
        elif noted.what == "wrong-pin":
            count, last = self.wrong_pins.get(noted.operator, (0, datetime.fromisoformat(noted.at)))
            over = count >= 5 and datetime.fromisoformat(noted.at) - last >= timedelta(minutes=15)
            self.wrong_pins[noted.operator] = (1 if over else count + 1, datetime.fromisoformat(noted.at))

    def _started(self, started: inputs.ControllerStarted) -> None:
        if self.mode not in ("", started.mode):
            raise _NoError("one journal is live or a demonstration", Refusal.BAD_REQUEST)
        self.mode = started.mode
        self.starts += 1

    # -- The submission -----------------------------------------------------------------------------------

    def _submission(self, change: inputs.SubmissionChanged) -> None:
        law = read_law(change.toml)
        if self.law is None:
            self.day = change.day
            self.law = law
            self._open_meters(law)
            return
        self._need_text(change.reason)
        self._need_two(change, "supervisor")
        self._changeable(law)
        filed = law.numbers()
        for id_, meter in self.meters.items():
            if id_ in filed:
                meter.numbers = _with_rates(meter.numbers, filed[id_])
                meter.pending = filed[id_] if filed[id_] != meter.numbers else None
        for id_ in [id_ for id_ in self.meters if id_ not in filed]:
            del self.meters[id_]
        self.law = law
        self._open_meters(law)

    def _changeable(self, law: Law) -> None:
        now = self.filed
        if (law.site, law.table) != (now.site, now.table):
            raise _NoError("site and table never change")
        if law.rest == now.rest:
            return
        if self.phase != CLOSED:
            raise _NoError("only with the table closed", Refusal.WRONG_PHASE, Refusal.FAULTED)
        if self.faulted:
            self.unsaid("a submission changed while closed and faulted")
        if self._pending():
            raise _NoError("only with no award pending")
        changed = [name for name, offer in law.offers.items() if offer.id != getattr(now.offers.get(name), "id", "")]
        those = [id_ for name in changed for id_ in law.offers[name].meters if id_ in self.meters]
        low = [id_ for id_ in those if self.balance(f"meter:{id_}") < law.floors.get(id_, ZERO)]
        if low:
            raise _NoError(f"{low} below the floor of the law")
        gone = set(self.meters) - set(law.numbers())
        if any(self.balance(f"{kind}:{id_}") for id_ in gone for kind in ("meter", "reserve", "carry")):
            raise _NoError(f"{gone} holds money")

    def _open_meters(self, law: Law) -> None:
        for id_, numbers in law.numbers().items():
            if id_ not in self.meters:
                kind = "mystery" if numbers.maximum else "reserve" if numbers.reserve_rate else "reset"
                self.meters[id_] = Meter(kind, law.feeder(id_), numbers)
                self._move("house:seed", f"meter:{id_}", numbers.initial)

    # -- Comparing ----------------------------------------------------------------------------------------

    def compare(self, state: State) -> None:
        """Raise with every difference between the product's state and these books."""
        wrong = [
            *self._compare_play(state),
            *self._compare_meters(state),
            *self._compare_rounds(state),
            *self._compare_accounts(state),
        ]
        if wrong:
            raise DifferenceError("\n".join(wrong))
        self.their_returns = {one.id: (one.position, one.wager, one.cents) for one in state.returns.values()}

    def _compare_play(self, state: State) -> list[str]:
        theirs = {
            "phase": (state.prior or state.phase).value,
            "faulted": state.phase is Phase.FAULTED,
            "round": state.round,
            "standing": {(one.position, one.wager): one.source for one in state.standing.values()},
            "to return": Counter((one.position, one.wager, one.cents) for one in state.returns.values()),
            "slip": state.slip,
            "staff": {id_: (one.name, one.role, one.active) for id_, one in state.operators.items()},
            "wrong PINs": {id_: one.count for id_, one in state.wrong_pins.items()},
            "starts": (state.mode, state.epoch),
            "day": state.day,
        }
        ours = {
            "phase": self.phase,
            "faulted": self.faulted,
            "round": self.round,
            "standing": {spot: source for spot, (source, _) in self.standing.items()},
            "to return": +self.to_return,
            "slip": self.slip,
            "staff": self.staff,
            "wrong PINs": {id_: count for id_, (count, _) in self.wrong_pins.items()},
            "starts": (self.mode, self.starts),
            "day": self.day,
        }
        return [f"{what}: {theirs[what]}, must be {ours[what]}" for what in ours if theirs[what] != ours[what]]

    def _compare_meters(self, state: State) -> list[str]:
        wrong = []
        if state.meters.keys() != self.meters.keys():
            wrong.append(f"meters: {list(state.meters)}, must be {list(self.meters)}")
        for id_, meter in self.meters.items():
            theirs = state.meters.get(id_)
            if theirs is None:
                continue
            filing = theirs.filing
            pairs = {
                "amount": (Fraction(theirs.units, 10**8), self.balance(f"meter:{id_}")),
                "reserve": (Fraction(theirs.reserve, 10**8), self.balance(f"reserve:{id_}")),
                "carry": (Fraction(theirs.carry, 10**8), self.balance(f"carry:{id_}")),
                "in": (Fraction(theirs.in_cents, 100), meter.taken_in),
                "hits": (theirs.hits, meter.hits),
                "wins": (Fraction(theirs.wins_cents, 100), meter.wins),
                "paid": (Fraction(theirs.paid_cents, 100), meter.paid),
                "rate": (Fraction(filing.rate, 10**6), meter.numbers.rate),
                "reserve rate": (Fraction(filing.reserve_rate, 10**6), meter.numbers.reserve_rate),
                "reset": (Fraction(filing.reset_cents, 100), meter.numbers.reset),
                "next reset": (
                    Fraction((theirs.next_filing or filing).reset_cents, 100),
                    (meter.pending or meter.numbers).reset,
                ),
            }
            if meter.kind == "mystery":
                pairs["cycle"] = (theirs.cycle, meter.cycle)
                pairs["maximum"] = (Fraction(filing.maximum_cents, 100), meter.numbers.maximum)
            wrong += [
                f"{id_} {what}: {_shown(got)}, must be {_shown(want)}"
                for what, (got, want) in pairs.items()
                if got != want
            ]
        return wrong

    def _compare_rounds(self, state: State) -> list[str]:
        gone = [number for number in self.rounds if state.record(number) is None]
        wrong = [f"round {number} is not kept" for number in gone if self._to_keep(number)]
        for number in gone:
            del self.rounds[number]
        for number, round_ in self.rounds.items():
            record = state.record(number)
            if record is None:
                continue
            wrong += self._compare_awards(number, round_, record.awards)
            theirs = {id_: (Fraction(a.units, 10**8), Fraction(a.reserve, 10**8)) for id_, a in record.amounts.items()}
            theirs = {id_: amount for id_, amount in theirs.items() if id_ in round_.amounts}
            if theirs != round_.amounts and not round_.voided:
                wrong.append(f"round {number} recorded {_table(theirs)}, must be {_table(round_.amounts)}")
            got = [(wager.position, wager.wager, wager.out) for wager in record.wagers]
            want = [(wager.position, wager.wager, wager.out) for wager in round_.wagers]
            if sorted(got, key=_feeds) != sorted(want, key=_feeds):
                wrong.append(f"round {number} wagers {got}, must be {want}")
            if (record.player, record.banker, record.complete) != (round_.player, round_.banker, round_.complete):
                wrong.append(f"round {number} cards {record.player} {record.banker}, must be {round_}")
        return wrong

    def _to_keep(self, number: int) -> bool:
        """Rounds of this and the previous day, the last ones, and those with an award pending."""
        round_ = self.rounds[number]
        pending = any(award.fate == "pending" for award in round_.awards)
        return (
            pending or number > self.last_locked - self.filed.late_hands or round_.day in {self.day, self.previous_day}
        )

    def _compare_awards(self, number: int, round_: Round, theirs: tuple[TheirAward, ...]) -> list[str]:
        known = {award.theirs: award for award in round_.awards if award.theirs}
        wrong = []
        for their in theirs:
            award = known.get(their.id)
            if award is None:
                spot = (their.position, their.wager.partition("/")[0], their.kind == "mystery")
                fresh = [a for a in round_.awards if not a.theirs and (*a.spot, a.kind == "mystery") == spot]
                if not fresh:
                    wrong.append(f"round {number}: {their} must not be")
                    continue
                award = fresh[0]
                award.theirs = their.id
            fate = their.fate  # what a wager that was taken out had won may be called either
            if award.fate == "taken out" and fate in {"rejected", "unwound"}:
                fate = award.fate
            got = (their.kind, their.wager, their.amount_cents, their.meter, their.listed, their.validate, fate)
            want = (
                award.kind,
                award.id,
                int(award.amount * 100),
                award.meter,
                award.listed,
                award.validate,
                award.fate,
            )
            if got != want or (award.kind != "mystery" and their.outcome != award.outcome):
                wrong.append(f"round {number}: {their} must be {award}")
        missing = [award for award in round_.awards if not award.theirs]
        return wrong + [f"round {number}: missing {award}" for award in missing]

    def _compare_accounts(self, state: State) -> list[str]:
        theirs = {name: Fraction(units, 10**8) for name, units in state.accounts.items()}
        wrong = [f"the accounts do not sum to zero: {theirs}"] if sum(theirs.values()) else []
        pending = {name: amount for name, amount in theirs.items() if name.startswith("pending:")}
        want = {f"pending:{award.theirs}": award.amount for award in self._pending()}
        if pending != {name: amount for name, amount in want.items() if amount}:
            wrong.append(f"pending {_table(pending)}, must be {_table(want)}")
        return wrong + [
            f"{name}: {_shown(theirs.get(name, ZERO))}, must be {_shown(self.balance(name))}"
            for name in sorted({*theirs, *self.books} - {*pending, "pending"})
            if theirs.get(name, ZERO) != self.balance(name)
        ]


def _entered(round_: Round) -> str:
    return "these cards or others" if round_.player else "no cards"


def _feeds(wager: tuple[int, str, bool]) -> str:
    """Wagers on different meters have no order among each other."""
    return wager[1]


def _shown(what: object) -> str:
    return f"{float(what):.8f}" if isinstance(what, Fraction) else str(what)


def _table(amounts: Mapping[str, object]) -> str:
    def one(what: object) -> str:
        return f"({', '.join(_shown(part) for part in what)})" if isinstance(what, tuple) else _shown(what)

    return "{" + ", ".join(f"{name}: {one(amount)}" for name, amount in sorted(amounts.items())) + "}"


class Audited(Table):
    """A table whose every input is booked a second time, and compared."""

    def __init__(self, toml: str, *, rigged: Rigged | None = None, seed: int = 0) -> None:
        self.auditor = Auditor()
        self.random = random.Random(seed)
        self.values: dict[tuple[str, int], int] = {}
        self.nonces: dict[tuple[str, int], str] = {}
        self.balances: Counter[str] = Counter()
        self.last_chance: Chance = {}
        bytes_ = self.random.randbytes
        self.seeded = Vault({"test": bytes(range(32))}, "test", randbelow=self.random.randrange, token_bytes=bytes_)
        super().__init__(toml, rigged=rigged)

    def chance(self, input_: inputs.Input) -> Chance:
        """What is prepared for an input, remembered for the auditor."""
        self.vault = self.seeded
        self.last_chance = ready = super().chance(input_)
        for id_, one in ready.items():
            cycle = self.state.meters[id_].cycle if id_ in self.state.meters else 0
            if one.cents is not None:
                self.values[id_, cycle], self.nonces[id_, cycle] = one.cents, one.nonce
            for ahead, draw in enumerate(one.draws, 1):
                self.values[id_, cycle + ahead], self.nonces[id_, cycle + ahead] = draw.cents, draw.nonce
        return ready

    def give(self, input_: inputs.Input) -> Decision | Refused:
        """Decide an input, book it, compare."""
        before = len(self.facts)
        answer = super().give(input_)
        for recorded in self.facts[before:]:
            for move in recorded.fact.moves:
                self.balances[move.source] -= move.units
                self.balances[move.target] += move.units
        self.auditor.take(input_, answer, self.values)
        self.auditor.compare(self.state)
        if {name: units for name, units in self.balances.items() if units} != self.state.accounts:
            raise DifferenceError(f"the moves make {self.balances}, the state has {self.state.accounts}")
        return answer
