"""Journals of tables that were really played: every fact decided and evolved, then appended to a file."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from controller.core.chance import Draw, Ready
from controller.core.decide import placed
from controller.core.evolve import evolve
from controller.core.facts import Recorded, SnapshotTaken, encode
from controller.core.inputs import (
    AccessNoted,
    AwardRejected,
    AwardValidated,
    Button,
    ControllerStarted,
    DeviceLost,
    DeviceRestored,
    HandComplete,
    HandCorrected,
    LateHand,
    MeterAdjusted,
    OperatorChanged,
    PositionService,
    ReadingsDue,
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
from controller.core.needs import Need
from controller.core.state import VERSION, Award, State
from controller.core.times import stamp
from controller.journal.chain import chained
from controller.journal.rows import EMPTY, Entry, Row, Snapshot
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import packed
from controller.vault import commitment
from tests.core.play import DEALER, FLOOR, FLOOR2, HEAVENLY, MINI, SUPERVISOR, SUPERVISOR2, Rigged, Table

# Fractions of a cent on a meter, so that what stays behind after a jackpot shows.
FRACTIONS = MINI.replace('minor = { seed = "450.00", rate = "4%" }', 'minor = { seed = "450.00", rate = "4.0123%" }')
# One wager gives more than the whole way from minimum to maximum of the Must-Hit-By it feeds.
LARGE = HEAVENLY.replace("denomination = 5", "denomination = 60001")
OTHERS = (("8H", "TC"), ("2C", "TD"))  # a hand that pays no progressive anything
MINOR_AT_1 = (("KS", "9S"), ("2H", "3D"))
SIX_KINGS = (("KS", "KH", "KD"), ("KC", "KS", "KH"))
PAGE = 1000  # facts of one append


class Honest(Rigged):
    """Chosen values with nonces and commitments that can be checked."""

    def ready(self, need: Need) -> Ready:
        """The chosen values, committed to as the vault would."""
        standing, _, draws = super().ready(need)
        made = []
        for ahead, draw in enumerate(draws, 1):
            nonce = _nonce(need.meter, need.cycle + ahead)
            promise = commitment(need.table, need.meter, need.cycle + ahead, draw.cents, nonce)
            made.append(Draw(draw.cents, nonce.hex(), draw.sealed, draw.key_id, promise))
        return Ready(standing, _nonce(need.meter, need.cycle).hex(), tuple(made))


def _nonce(meter: str, cycle: int) -> bytes:
    return sha256(f"{meter} {cycle}".encode()).digest()


class Played(Table):
    """A table with the words of a dealer and a floorperson."""

    def __init__(self, toml: str = FRACTIONS, *, positions: int = 5, **values: list[int]) -> None:
        super().__init__(toml, rigged=Honest(**values))
        assert self.state.filed is not None
        self.offered = tuple(self.state.filed.wagers)
        for position in range(1, positions + 1):
            for wager in self.offered:
                self.do(WagerAbsent, position=position, wager=wager)
        self.do(TableOpened, by=DEALER)

    def bets(self, *positions: int, wager: str = "royal9") -> None:
        """Chips on the sensors of an open round."""
        for position in positions:
            self.do(WagerPresent, position=position, wager=wager)

    def lock(self) -> int:
        """No more bets; the round that is locked."""
        self.do(Button)
        return self.state.round

    def deal(self, hands: tuple[tuple[str, ...], tuple[str, ...]] = OTHERS) -> None:
        """The whole hand of the round, keyed by the dealer."""
        self.do(HandComplete, player=hands[0], banker=hands[1], source="console", by=DEALER)

    def collect(self) -> None:
        """The dealer takes the chips."""
        for place, sensor in list(self.state.sensors.items()):
            if sensor.present:
                position, _, wager = place.partition("/")
                self.do(WagerAbsent, position=int(position), wager=wager)

    def next(self) -> None:
        """Chips collected, the next round open."""
        self.collect()
        self.do(Button)

    def play(
        self, *positions: int, wager: str = "royal9", hands: tuple[tuple[str, ...], tuple[str, ...]] = OTHERS
    ) -> int:
        """A whole round; its number."""
        self.bets(*positions, wager=wager)
        round_ = self.lock()
        self.deal(hands)
        self.next()
        return round_

    def pending(self) -> list[Award]:
        """Awards that wait for a floorperson, oldest first."""
        found = [self.state.award(id_) for id_ in self.state.awards]
        return [award for award in found if award is not None and award.fate == "pending"]

    def validate(self, award: str, method: str = "slip") -> None:
        """Pay an award."""
        self.do(AwardValidated, award=award, method=method, base_wager=True, by=FLOOR, second=FLOOR2)

    def reject(self, award: str) -> None:
        """Two people say no."""
        self.do(AwardRejected, award=award, reason="no base wager on the film", by=FLOOR, second=FLOOR2)

    def next_day(self, day: str) -> None:
        """The gaming day ends; the meters are read."""
        self.now += 20 * 3600 * 1_000_000
        self.do(ReadingsDue, day=day)

    def snapshot(self) -> Snapshot:
        """Take a snapshot as the engine does, with the fact that vouches for it."""
        payload = packed(self.state)
        seq = self.state.seq
        fact = SnapshotTaken(seq=seq, sha256=sha256(payload).hexdigest())
        recorded = placed(self.state, stamp(self.now), fact)
        self.facts.append(recorded)
        self.state = evolve(self.state, recorded)
        return Snapshot(seq, bytes(32), VERSION, payload)


def eventful() -> tuple[Played, list[Snapshot]]:
    """Two gaming days on which everything happens that an auditor asks for, and two snapshots."""
    table = Played(royal9_mystery=[25_030, 25_310, 90_000], positions=5)
    _ordinary(table)
    _jackpots(table)
    snapshots = [table.snapshot()]
    _mistakes(table)
    table.next_day("2026-11-17")
    _second_day(table)
    snapshots.append(table.snapshot())
    table.play(1, 2)
    return table, snapshots


def _ordinary(table: Played) -> None:
    """Wagers made, withdrawn and late; a mystery hit; a coin; a simulated round; a part lost and back."""
    table.bets(1, 2, 3)
    table.do(WagerAbsent, position=3, wager="royal9")
    table.do(WagerDropped, position=4, wager="harmony", cents=500)
    table.do(WagerDropped, position=4, wager="harmony", cents=500)  # a second credit: to return
    table.do(ReturnConfirmed, return_id=next(iter(table.state.returns)), by=DEALER)
    table.lock()  # the mystery value is passed by position 2
    table.do(WagerPresent, position=3, wager="royal9")  # late
    table.deal()
    table.validate(table.pending()[0].id)
    table.next()
    table.do(SimulatedRound, by=DEALER)
    table.do(SimulatedRound, by=DEALER)
    table.do(PositionService, position=5, on=False, reason="sensor stuck", by=FLOOR)
    table.do(PositionService, position=5, on=True, reason="sensor cleaned", by=FLOOR)
    table.do(DeviceLost, device="button", device_kind="button", detail="unplugged")
    table.do(DeviceRestored, device="button", device_kind="button")


def _jackpots(table: Played) -> None:
    """A jackpot paid, one rejected, one shared and split anew, one entered late."""
    table.play(1, 3, hands=MINOR_AT_1)
    table.validate(table.pending()[0].id, "inventory")
    table.play(1, 2, hands=MINOR_AT_1)
    table.play(2)
    table.reject(table.pending()[0].id)
    table.bets(1, 2, 3, wager="harmony")
    table.bets(1)
    table.lock()
    table.deal(SIX_KINGS)
    shares = table.pending()
    table.reject(shares[1].id)  # the two others share anew
    table.validate(shares[0].id)
    table.validate(shares[2].id)
    table.next()
    table.bets(1, 2)
    missed = table.lock()
    table.next()  # its hand was not entered
    table.play(1, 2, hands=MINOR_AT_1)  # the same meter, hit first
    player, banker = MINOR_AT_1
    table.do(LateHand, round=missed, player=player, banker=banker, by=FLOOR)  # paid by the house
    for award in table.pending():
        table.validate(award.id)


def _mistakes(table: Played) -> None:
    """A round voided, wagers taken out, a hand corrected, refusals."""
    table.bets(1, 2)
    round_ = table.lock()
    table.do(RoundVoided, round=round_, reason="misdeal", by=FLOOR)
    table.collect()
    table.bets(1, 2, 3)
    table.do(WagerVoided, round=table.state.round, position=3, wager="royal9", reason="changed his mind", by=DEALER)
    round_ = table.lock()
    table.do(WagerVoided, round=round_, position=2, wager="royal9", reason="false chip", by=FLOOR, second=FLOOR2)
    table.deal(MINOR_AT_1)
    table.do(HandCorrected, round=round_, player=OTHERS[0], banker=OTHERS[1], by=FLOOR)
    table.next()
    table.try_(RoundVoided, round=1, reason="too late", by=FLOOR)
    table.do(TableClosed, by=DEALER)
    table.do(TableOpened, by=DEALER)


def _second_day(table: Played) -> None:
    """A mystery award rejected and put into a meter, an adjustment, a submission changed, a jackpot after all that."""
    table.bets(1, 2)
    table.lock()  # position 2 passes the mystery value
    table.deal()
    table.reject(table.pending()[0].id)
    table.next()
    for source, delta in (("carry:royal9-mystery", 1000), ("adjustments", -250)):
        shown = table.state.meters["royal9-mega"].display_cents
        table.do(
            MeterAdjusted,
            meter="royal9-mega",
            delta_cents=delta,
            expected_cents=shown,
            source=source,
            key=f"adjusted by {delta}",
            reason="as the commission wrote",
            by=SUPERVISOR,
            second=SUPERVISOR2,
        )
    changed = FRACTIONS.replace('rate = "4.0123%"', 'rate = "4.5%"')
    table.do(SubmissionChanged, toml=changed, day="2026-11-17", reason="new rate", by=SUPERVISOR, second=SUPERVISOR2)
    table.play(1, 2, hands=MINOR_AT_1)
    table.validate(table.pending()[0].id)
    table.do(ControllerStarted, version="1.0")
    table.do(OperatorChanged, operator="ana", name="Ana Ruiz", role="supervisor")
    table.do(OperatorChanged, operator="bo", name="Bo Lind", role="dealer", by=SUPERVISOR, second=SUPERVISOR2)
    table.do(AccessNoted, what="wrong-pin", operator="bo", client="console")
    table.do(AccessNoted, what="signed-in", operator="bo", client="console")
    table.do(
        AccessNoted, what="not-allowed", operator="bo", client="console", command="validate", detail="bo is dealer"
    )


def entries(facts: Sequence[Recorded]) -> list[Entry]:
    """Facts as the journal takes them."""
    return [Entry(each.at, each.round, *encode(each.fact)) for each in facts]


def rows(facts: Sequence[Recorded]) -> list[Row]:
    """Facts as they stand in the journal."""
    return chained(EMPTY, entries(facts))


def write(path: Path, facts: Sequence[Recorded], snapshots: Sequence[Snapshot] = ()) -> Path:
    """A journal on disk, closed."""
    made = entries(facts)
    hashes = {row.seq: row.hash for row in rows(facts)}
    with SqliteJournal(path) as journal:
        for first in range(0, len(made), PAGE):
            journal.append(made[first : first + PAGE])
        for snapshot in snapshots:
            journal.append([], snapshot=snapshot._replace(hash=hashes[snapshot.seq]))
    return path


def state_after(facts: Sequence[Recorded]) -> State:
    """What facts add up to."""
    state = State()
    for each in facts:
        state = evolve(state, each)
    return state
