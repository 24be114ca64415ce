"""An evening at a table, made up from a seed: chips, coins, lock-outs, hands, awards paid, and what goes wrong."""

from random import Random

from controller.core.inputs import (
    AnyInput,
    AwardRejected,
    AwardValidated,
    Button,
    DeviceLost,
    DeviceRestored,
    FourCards,
    HandComplete,
    HandCorrected,
    Keyed,
    MeterAdjusted,
    PositionService,
    ReturnConfirmed,
    RoundVoided,
    SimulatedRound,
    SubmissionChanged,
    TableClosed,
    TableOpened,
    WagerAbsent,
    WagerDropped,
    WagerPresent,
    WagerVoided,
)
from controller.core.times import stamp
from tests.core.play import BEGIN, DEALER, FLOOR, FLOOR2, MINI, SUPERVISOR, SUPERVISOR2
from tests.crash.child import Acknowledged, Given

POSITIONS, WAGERS = range(1, 10), ("royal9", "harmony")
PLACES = [(position, wager) for position in POSITIONS for wager in WAGERS]
BOARD = {"device": "board-1", "device_kind": "board", "positions": (1, 2, 3)}
SECOND, DAY = 1_000_000, 86_400 * 1_000_000  # in microseconds

# Whole hands: nothing, jackpots of several sizes on the layout of the example, and one with a third card.
HANDS = (
    (("2S", "5S"), ("2H", "5D")),
    (("2S", "3S", "4D"), ("2H", "5D")),
    (("KS", "9S"), ("2H", "5D")),
    (("KH", "9H"), ("9H", "KH")),
    (("KS", "9S"), ("9H", "KH")),
    (("KD", "9C"), ("2D", "5D")),
)


def key_of(input_: AnyInput) -> str:
    """The key of an input; empty where it has none."""
    return str(getattr(input_, "key", ""))


class Game:
    """Makes inputs up, each at a time of its own, and follows what the controller says to them."""

    def __init__(self, seed: str) -> None:
        self._chance = Random(seed)
        self._seed = seed  # keys are of this game alone
        self._now = BEGIN
        self._count = 0
        self._there: set[tuple[int, str]] = set()  # places with a chip
        self._made: list[Given] = []
        self.round = 0
        self.phase = "closed"
        self.filed = False
        self.awards: dict[str, None] = {}
        self.returns: dict[str, None] = {}

    def hear(self, said: Acknowledged) -> None:
        """What an acknowledgement tells."""
        self.round, self.phase = said.round, said.phase
        self.filed = self.filed or said.seq > 0
        self.awards |= dict.fromkeys(said.awards)
        self.returns |= dict.fromkeys(said.returns)

    def levels(self) -> list[Given]:
        """Every sensor as it reads, as a driver gives them when it has just started."""
        for position, wager in PLACES:
            kind = WagerPresent if (position, wager) in self._there else WagerAbsent
            self._make(kind, position=position, wager=wager)
        return self._taken()

    def next(self) -> list[Given]:
        """The inputs from here to the opening of the next round."""
        if not self.filed:
            self._make(SubmissionChanged, toml=MINI, day="2026-11-16", reason="installed")
            return self._taken() + self.levels()
        match self.phase:
            case "closed":
                self._make(TableOpened, by=DEALER)
            case "faulted":
                self._make(DeviceRestored, **BOARD)
            case "simulated":
                self._make(SimulatedRound, by=DEALER)
            case "open":
                self._bets()
                self._lock_out_and_deal()
                self._afterwards()
            case _:  # locked, dealt or settled, as a crash left it
                self._deal()
                self._afterwards()
        return self._taken()

    def _bets(self) -> None:
        for position, wager in self._chance.sample(PLACES, self._chance.randrange(2, 7)):
            if self._luck(40):
                coin = self._chance.choice((500, 500, 500, 100))
                self._make(WagerDropped, position=position, wager=wager, cents=coin)
            elif (position, wager) not in self._there:
                self._there.add((position, wager))
                self._make(WagerPresent, position=position, wager=wager)
        if self._luck(6):
            self._make(PositionService, position=4, on=False, reason="sticky", by=FLOOR)
            self._make(PositionService, position=4, on=True, reason="cleaned", by=FLOOR)
        if self._luck(5):
            self._make(DeviceLost, **BOARD)
            self._make(DeviceRestored, **BOARD)
        if self._luck(8):
            position, wager = self._chance.choice(PLACES)
            self._void_wager(position, wager)

    def _lock_out_and_deal(self) -> None:
        self._now += 5 * SECOND
        self._make(Button)
        if self._luck(15):  # a late bet
            position, wager = self._chance.choice(PLACES)
            self._make(WagerDropped, position=position, wager=wager, cents=500)
        if self._luck(10):
            self._make(RoundVoided, round=self.round, reason="misdeal", by=FLOOR)
        self._deal()

    def _deal(self) -> None:
        player, banker = self._chance.choice(HANDS)
        if self._luck(30):
            self._make(FourCards, player=player[:2], banker=banker[:2])
        if self._luck(30):
            self._make(HandComplete, player=player, banker=banker, source="console", key=self._key(), by=DEALER)
        else:
            self._make(HandComplete, player=player, banker=banker)
        if self._luck(15):
            player, banker = self._chance.choice(HANDS)
            self._make(HandCorrected, round=self.round, player=player, banker=banker, by=DEALER)
        if self._luck(8):
            position, wager = self._chance.choice(PLACES)
            self._void_wager(position, wager)

    def _afterwards(self) -> None:
        for award in self.awards:
            people = {"by": FLOOR, "second": FLOOR2}
            if self._luck(85):
                self._make(AwardValidated, award=award, method="slip", base_wager=True, **people)
            else:
                self._make(AwardRejected, award=award, reason="no base wager", **people)
        for return_ in self.returns:
            self._make(ReturnConfirmed, return_id=return_, by=DEALER)
        self.awards, self.returns = {}, {}
        if self._luck(10):
            people = {"by": SUPERVISOR, "second": SUPERVISOR2}
            cents = self._chance.randrange(100, 1000)
            self._make(
                MeterAdjusted, meter="royal9-mega", delta_cents=cents, expected_cents=1, reason="a try", **people
            )
        for place in sorted(self._there):
            if self._luck(90):
                self._there.remove(place)
                self._make(WagerAbsent, position=place[0], wager=place[1])
        if self._luck(5):
            self._make(TableClosed, by=DEALER)
            self._make(TableOpened, by=DEALER)
        if self._luck(5):
            self._make(SimulatedRound, by=DEALER)
            self._make(SimulatedRound, by=DEALER)
        if self._luck(6):
            self._now += DAY  # the engine reads the meters by itself
        self._now += 5 * SECOND
        self._make(Button)

    def _void_wager(self, position: int, wager: str) -> None:
        people = {"by": FLOOR, "second": FLOOR2}
        self._make(WagerVoided, round=self.round, position=position, wager=wager, reason="wrong box", **people)

    def _luck(self, percent: int) -> bool:
        return self._chance.randrange(100) < percent

    def _key(self) -> str:
        return f"{self._seed} {self._count}"

    def _make(self, kind: type[AnyInput], **parts: object) -> None:
        self._now += self._chance.randrange(1, 400_000)
        if issubclass(kind, Keyed):
            parts["key"] = self._key()
        made = kind(**({"at": stamp(self._now)} | parts))  # type: ignore[arg-type]  # each line gives its input's parts
        self._made.append(Given(self._count, made))
        self._count += 1

    def _taken(self) -> list[Given]:
        made, self._made = self._made, []
        return made
