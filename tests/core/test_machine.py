"""Random play on every lawful table, with a second set of books beside it. See auditor.py."""

import hashlib
import os
import struct
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec import json

from controller.core import inputs
from controller.core.chance import Ready
from controller.core.decide import decide
from controller.core.decision import Decision
from controller.core.evolve import evolve
from controller.core.facts import (
    AwardWasRejected,
    Fact,
    HandEntered,
    MeterWasAdjusted,
    Recorded,
    RoundWasVoided,
    WagerTakenOut,
    decode,
    encode,
)
from controller.core.inputs import Person
from controller.core.needs import Need
from controller.core.phases import Phase
from controller.core.refusals import Refused
from controller.core.state import Award, State
from controller.simulation.auditor.cards import status
from controller.simulation.auditor.law import MUST_HIT_BY, Law, Offer, read_law
from tests.core.auditor import Audited
from tests.core.play import DEALER, FLOOR, FLOOR2, SUPERVISOR, SUPERVISOR2, Rigged

SOAK = int(os.environ.get("JACKPOTD_SOAK", "0"))
SUITS = "SHDC"
RANKS = "A23456789TJQK"
DECK = [rank + suit for rank in RANKS for suit in SUITS]
COMBINATIONS = [f"K{king}9{nine}" for king in SUITS for nine in SUITS]
Cards = tuple[str, ...]
Hand = tuple[Cards, Cards]
T = TypeVar("T")
NO_OFFER = Offer("", "", Fraction(1), {})


# ---------------------------------------------------------------------------------------------------------
# Submissions
# ---------------------------------------------------------------------------------------------------------


def money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}"


def percent(millionths: int) -> str:
    return f"{millionths // 10_000}.{millionths % 10_000:04}%"


rates = st.sampled_from([1, 100, 33_333, 40_000, 100_000, 123_457, 250_000]).map(percent)


@st.composite
def above(draw: st.DrawFn, floor: int) -> str:
    return money(floor * 100 + draw(st.sampled_from([0, 0, 1, 99, 12_345, 200_000])))


@st.composite
def royal9_sections(draw: st.DrawFn, positions: int, denomination: int) -> str:
    floors = {5: (50_000, 450, 450), 1: (10_000, 90, 90)}[denomination]
    lines = [f"denomination = {denomination}"]
    award = draw(st.sampled_from(["", "highest", "list"]))
    lines += [f'award = "{award}"'] if award else []
    for level, floor in zip(("mega", "major", "minor"), floors, strict=True):
        if draw(st.booleans()):
            amounts = f'seed = "{draw(above(floor))}"'
        else:
            amounts = f'initial = "{draw(above(floor))}", reset = "{draw(above(floor))}"'
        lines.append(f'{level} = {{ {amounts}, rate = "{draw(rates)}" }}')
    configuration = draw(st.sampled_from([3, 2, 1, 0]))
    lines += [f"mystery = {{ configuration = {configuration} }}"] if configuration else []
    seats = draw(st.permutations(COMBINATIONS))[:positions]
    layout = ", ".join(f'{seat} = "{combination}"' for seat, combination in enumerate(seats, 1))
    return "[royal9]\n" + "\n".join([*lines, f"layout = {{ {layout} }}"])


@st.composite
def harmony_sections(draw: st.DrawFn) -> str:
    paytable, denomination = draw(st.sampled_from("ABCDEFGHI")), draw(st.sampled_from([1, 2, 5, 25, 100]))
    lines = [f'paytable = "{paytable}"', f"denomination = {denomination}", f'seed = "{draw(above(5_000))}"']
    minimum = draw(st.sampled_from(["", "1.00", "200.00", "5000.00"]))
    lines += [f'minimum_reseed = "{minimum}"'] if minimum else []
    return "[harmony]\n" + "\n".join(lines)


@st.composite
def heavenly9_sections(draw: st.DrawFn) -> str:
    # From the least to one whose contribution alone is more than the mystery range is wide.
    lines = [f"denomination = {draw(st.sampled_from([5, 7, 25, 100, 1_000, 20_000, 100_000]))}"]
    must = draw(st.sampled_from([*MUST_HIT_BY, None]))
    if must:
        lines.append(f'must_hit_by = {{ paytable = "{must[0]}", configuration = {must[1]} }}')
    return "[heavenly9]\n" + "\n".join(lines)


@st.composite
def people_rules(draw: st.DrawFn) -> str:
    lines = [
        f'validate_from = "{draw(st.sampled_from(["1000.00", "50.00", "0.01", "2500.00"]))}"',
        f'second_person_from = "{draw(st.sampled_from(["10000.00", "400.00", "5000.00"]))}"',
        f"hold_play_on_hit = {draw(st.sampled_from(['false', 'false', 'true']))}",
        f"late_hands = {draw(st.sampled_from([3, 1, 2, 5]))}",
    ]
    return "[awards]\n" + "\n".join(lines)


@st.composite
def submissions(draw: st.DrawFn, games: tuple[str, ...]) -> str:
    game, _, which = draw(st.sampled_from(games)).partition(" ")
    positions = draw(st.sampled_from([3, 2, 5, 9]))
    payout = draw(st.sampled_from(["either", "slip", "inventory"]))
    parts = [
        f'[table]\nsite = "here"\nid = "t-1"\ngame = "{game}"\npositions = {positions}\ndecks = 8\npayout = "{payout}"',
        draw(people_rules()),
    ]
    if "royal9" in which:
        parts.append(draw(royal9_sections(positions, draw(st.sampled_from([5, 1])))))
    if "harmony" in which:
        parts.append(draw(harmony_sections()))
    if "heavenly9" in which:
        parts.append(draw(heavenly9_sections()))
    return "\n\n".join(parts) + "\n"


# ---------------------------------------------------------------------------------------------------------
# Cards
# ---------------------------------------------------------------------------------------------------------


def deal(cards: list[str]) -> Hand:
    """Six cards dealt by the third-card rule."""
    player, banker, more = [cards[0], cards[2]], [cards[1], cards[3]], cards[4:]
    while status(player, banker) != "complete":
        drawn = [*player, more[0]]
        if len(player) == 2 and status(drawn, banker) != "impossible":
            player = drawn
        else:
            banker = [*banker, more[0]]
        more = more[1:]
    return tuple(player), tuple(banker)


KINDS = {"royal9": "royal9", "harmony": "kind", "heavenly9": "nines"}


@st.composite
def hands(draw: st.DrawFn, law: Law) -> Hand:
    """Half of them for the jackpots of this table, the rest narrow or random."""
    favoured = [KINDS[name] for name in law.offers]
    kind = draw(st.sampled_from([*favoured * 3, "narrow", "any", "kind", "nines"]))
    if kind == "royal9":
        return draw(royal_hands(law.layout))
    if kind == "kind":
        rank = draw(st.sampled_from("K2A567TJQ" + "894"))
        return deal([rank + draw(st.sampled_from(SUITS)) for _ in range(6)])
    if kind == "nines":
        suits = draw(st.sampled_from(["S", "S", "SC", "SHDC"]))
        return deal(
            [rank + draw(st.sampled_from(suits)) for rank in draw(st.sampled_from(["KK2277", "QK2276", "K22477"]))]
        )
    few = draw(st.lists(st.sampled_from(DECK), min_size=1, max_size=3)) if kind == "narrow" else DECK
    return deal([draw(st.sampled_from(few)) for _ in range(6)])


@st.composite
def royal_hands(draw: st.DrawFn, layout: tuple[str, ...]) -> Hand:
    two = []
    for _ in range(2):
        combination = draw(st.sampled_from([*layout, *layout, "QS9S", "JH9D", "2S3D"]))
        cards = (combination[:2], combination[2:])
        two.append(cards if draw(st.booleans()) else cards[::-1])
    if draw(st.booleans()):
        two[1] = two[0]
    return deal([two[0][0], two[1][0], two[0][1], two[1][1], "4S", "5D"])


@st.composite
def jackpots(draw: st.DrawFn, law: Law) -> Hand:
    """Hands that hit a meter, if there is a wager for it."""
    name = draw(st.sampled_from(sorted(law.offers)))
    if name == "harmony":
        rank = draw(st.sampled_from("K2A567TJQ"))
        return deal([rank + suit for suit in draw(st.sampled_from(["SSSSSS", "SHDCSH"]))])
    if name == "heavenly9":
        suit = draw(st.sampled_from(SUITS))
        return deal([rank + suit for rank in "KK2277"])
    combination = draw(st.sampled_from(law.layout))
    mine, other = (combination[:2], combination[2:]), ("2H", "5D")
    player, banker = draw(st.sampled_from([(mine, mine), (other, mine), (mine, other), (mine, ("9H", "QH"))]))
    return deal([player[0], banker[0], player[1], banker[1], "4S", "5D"])


class Loaded(Rigged):
    """Mystery values near what the next few contributions reach, or at the ends of the range."""

    def __init__(self, plan: list[tuple[int, int]], reach: dict[str, int]) -> None:
        super().__init__()
        self.plan, self.reach = plan, reach

    def ready(self, need: Need) -> Ready:
        """The standing value and the next ones; those that opened no cycle are made again."""
        low, high = need.minimum_cents, need.maximum_cents - 1
        for ahead in range(1, need.draws + 1):
            times, cents = self.plan[(need.cycle + ahead) % len(self.plan)]
            value = high if times < 0 else low + times * self.reach.get(need.meter, 25 * 10**6) // 10**6 + cents
            self.standing[need.meter, need.cycle + ahead] = min(max(value, low), high)
        return super().ready(need)


plans = st.lists(
    st.tuples(st.sampled_from([0, 1, 2, 3, 7, 20, -1]), st.sampled_from([0, -1, 1])), min_size=1, max_size=8
)


# ---------------------------------------------------------------------------------------------------------
# The machine
# ---------------------------------------------------------------------------------------------------------

index = st.integers(0, 63)
mask = st.integers(1, 511)
people = st.sampled_from(["right"] * 12 + ["dealer", "alone", "twice", "floor"])
entries = st.sampled_from(["whole", "whole", "whole", "four", "shoe", "none", "none"])
MAY_FALL = (RoundWasVoided, AwardWasRejected, WagerTakenOut, MeterWasAdjusted)


class Play(RuleBasedStateMachine):
    """A table, its floor and its house."""

    games: tuple[str, ...]  # and the wagers offered on them

    @initialize(data=st.data(), plan=plans, real=st.integers(0, 5), slots=st.integers(0, 7), style=st.integers(0, 5))
    def install(self, data: st.DataObject, plan: list[tuple[int, int]], real: int, slots: int, style: int) -> None:
        toml = data.draw(submissions(self.games), label="submission")
        law = read_law(toml)
        reach = {
            id_: int(offer.stake * 100 * numbers.rate * 10**6)
            for offer in law.offers.values()
            for id_, numbers in offer.meters.items()
        }
        self.toml = toml
        self.rigged = None if real == 5 else Loaded(plan, reach)
        self.table = Audited(toml, rigged=self.rigged, seed=len(plan) * 64 + slots * 8 + style)
        self.slots = {position for position in range(1, law.positions + 1) if slots == 7 and position % 2}
        self.maintained = style == 5
        self.sent: list[inputs.Input] = []
        self.days = 16
        for offer in law.offers.values():
            event(f"table: {offer.id}")
        self.give(inputs.TableOpened, by=DEALER)

    # -- Giving inputs ------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        return self.table.state

    @property
    def law(self) -> Law:
        return self.table.auditor.filed

    def give(self, kind: type[inputs.Input], after: int = 5_000_000, /, **parts: object) -> Decision | Refused:
        """An input, decided, booked and compared; then what holds whatever the books say."""
        self.table.now += after
        input_ = self.table.make(kind, **parts)
        before = self.state
        answer = self.table.give(input_)
        if getattr(input_, "key", ""):
            self.sent.append(input_)
        event(f"{input_.kind}: {answer.refusal.value if isinstance(answer, Refused) else 'accepted'}")
        fact = answer.fact if isinstance(answer, Decision) else None
        if fact is not None:
            self.check_meters(before, fact)
            self.check_secrecy(before, input_, fact)
        return answer

    def check_meters(self, before: State, fact: Fact) -> None:
        """A meter falls only by a hit, or by people undoing or adjusting something; it never passes its maximum."""
        for id_, meter in self.state.meters.items():
            if meter.kind == "mystery":
                assert meter.units <= meter.filing.maximum_cents * 10**6, meter
            assert min(meter.units, meter.reserve, meter.carry) >= 0, meter
            was = before.meters.get(id_)
            if was is not None and meter.units < was.units:
                hit = any(award.meter == id_ for award in fact.awards)
                corrected = isinstance(fact, HandEntered) and fact.corrected
                assert hit or corrected or isinstance(fact, MAY_FALL), (id_, fact)

    def check_secrecy(self, before: State, input_: inputs.Input, fact: Fact) -> None:
        """Where nothing was hit, another value would have made the same fact: so the fact tells nothing of it."""
        chance = self.table.last_chance
        if self.rigged is None or not chance or any(award.kind == "mystery" for award in fact.awards):
            return
        other = {}
        for id_, ready in chance.items():
            meter = self.state.meters[id_]
            highest = meter.filing.maximum_cents - 1
            if meter.units > highest * 10**6:
                return
            draws = tuple(draw._replace(cents=meter.filing.reset_cents) for draw in ready.draws)
            other[id_] = Ready(None if ready.cents is None else highest, ready.nonce, draws)
        answer = decide(before, input_, other)
        assert isinstance(answer, Decision)
        assert answer.fact == fact

    def one_of(self, things: Sequence[T], at: int) -> T:
        return things[at % len(things)]

    def who(self, how: str, role: str, *, two: bool) -> dict[str, Person | None]:
        first, second = (FLOOR, FLOOR2) if role == "floorperson" else (SUPERVISOR, SUPERVISOR2)
        if role == "dealer":
            first = DEALER
        match how:
            case "dealer":
                return {"by": DEALER, "second": second}
            case "alone":
                return {"by": first, "second": None}
            case "twice":
                return {"by": first, "second": first}
            case "floor":
                return {"by": FLOOR, "second": FLOOR2}
        return {"by": first, "second": second if two else None}

    def chip(self, position: int, wager: str, *, present: bool, after: int = 1_000) -> None:
        kind = inputs.WagerPresent if present else inputs.WagerAbsent
        self.give(kind, after, position=position, wager=wager)

    def drop(self, position: int, wager: str, more: int = 0) -> None:
        cents = int(self.law.offers[wager].stake * 100) + more
        self.give(inputs.WagerDropped, 1_000, position=position, wager=wager, cents=cents)

    def spots(self) -> list[tuple[int, str]]:
        return [(position, wager) for wager in self.law.offers for position in range(1, self.law.positions + 1)]

    def pending(self) -> list[Award]:
        return [award for record in self.state.records() for award in record.awards if award.fate == "pending"]

    def press(self, level: str, after: int = 5_000_000) -> None:
        self.give(inputs.Button, after, **({"level": level} if self.maintained else {}))

    def enter(self, kind: type[inputs.FourCards], player: Cards, banker: Cards, source: str) -> None:
        by = DEALER if source == "console" else None
        self.give(kind, player=player, banker=banker, source=source, by=by)

    def ready_to_bet(self) -> bool:
        """Bring the table, wherever it is, to an open round."""
        self.all_well()
        if self.state.phase is Phase.SIMULATED:
            self.give(inputs.SimulatedRound, by=DEALER)
        if self.maintained and self.state.switch == "locked":
            self.press("unlocked")
        if self.state.phase is Phase.CLOSED:
            self.give(inputs.TableOpened, by=DEALER)
        if self.law.hold and self.state.phase is not Phase.OPEN:
            for award in self.pending():
                self.approve(award)
        if self.state.phase is not Phase.OPEN:
            self.press("locked")
            self.press("unlocked")
        return self.state.phase is Phase.OPEN

    def all_well(self) -> None:
        """Whatever is lost comes back."""
        for name, device in self.state.devices.items():
            if device.lost:
                parts = {"positions": device.positions, "wagers": device.wagers}
                self.give(inputs.DeviceRestored, device=name, device_kind=device.kind, **parts)

    def approve(self, award: Award) -> None:
        method = "slip" if self.law.payout == "either" else self.law.payout
        self.give(inputs.AwardValidated, award=award.id, method=method, base_wager=True, by=FLOOR, second=FLOOR2)

    def bet(self, places: int) -> None:
        """Chips and coins on the places of a mask, sometimes in one instant, sometimes from the last seat on."""
        spots = list(enumerate(self.spots()))
        for at, (position, wager) in reversed(spots) if places & 2 else spots:
            wanted = places >> (at % 9) & 1
            if position in self.slots:
                if wanted and f"{position}/{wager}" not in self.state.standing:
                    self.drop(position, wager)
                continue
            sensor = self.state.sensors.get(f"{position}/{wager}")
            if sensor is None or sensor.present:
                self.chip(position, wager, present=False, after=0 if places & 4 else 1_000)
            if wanted:
                self.chip(position, wager, present=True, after=0 if places & 4 else 1_000)

    # -- Rounds -------------------------------------------------------------------------------------------

    @rule(places=mask, data=st.data(), entry=entries)
    def play_round(self, places: int, data: st.DataObject, entry: str) -> None:
        """A round as it should be: chips down, lock-out, cards."""
        if not self.ready_to_bet():
            return
        self.bet(places)
        self.press("locked")
        if entry != "none" and self.state.phase is Phase.LOCKED:
            player, banker = data.draw(hands(self.law), label="hand")
            if entry == "four":
                player, banker = player[:2], banker[:2]
            kind = inputs.FourCards if entry == "four" else inputs.HandComplete
            self.enter(kind, player, banker, "shoe" if entry == "shoe" else "console")

    @rule(data=st.data(), places=mask, times=st.integers(1, 3))
    def one_more_round(self, data: st.DataObject, places: int, times: int) -> None:
        """The same, some rounds in a row and all by the book."""
        for _ in range(times):
            self.play_round(places, data, "whole")

    @rule(places=mask, data=st.data(), entry=st.sampled_from(["none", "none", "four"]), how=people)
    def void_round(self, places: int, data: st.DataObject, entry: str, how: str) -> None:
        self.play_round(places, data, entry)
        number = self.state.round
        self.give(inputs.RoundVoided, round=number, reason="misdeal", **self.who(how, "floorperson", two=False))

    @rule(data=st.data(), entry=st.sampled_from(["whole", "four", "rest", "same"]), shoe=st.booleans())
    def hand(self, data: st.DataObject, entry: str, shoe: bool) -> None:
        player, banker = data.draw(hands(self.law), label="hand")
        record = self.state.record(self.state.round)
        if entry in {"rest", "same"} and record and record.player:
            known = [record.player[0], record.banker[0], record.player[1], record.banker[1]]
            player, banker = (record.player, record.banker) if record.complete else deal([*known, "7S", "2D"])
        if entry == "four":
            player, banker = player[:2], banker[:2]
        kind = inputs.FourCards if entry == "four" else inputs.HandComplete
        self.enter(kind, player, banker, "shoe" if shoe else "console")

    @rule(data=st.data(), back=st.integers(0, 6), how=people, reference=st.booleans(), hit=st.booleans())
    def late_hand(self, data: st.DataObject, back: int, how: str, reference: bool, hit: bool) -> None:
        """A hand that comes late, or other cards for one that was entered."""
        if self.state.round < 3:
            self.play_round(data.draw(mask, label="places"), data, "none")
        player, banker = data.draw(jackpots(self.law) if hit else hands(self.law), label="hand")
        number = max(1, self.state.round - back)
        record = self.state.record(number)
        kind = inputs.HandCorrected if record and record.complete else inputs.LateHand
        role = "supervisor" if reference else "floorperson"
        self.give(
            kind,
            round=number,
            player=player,
            banker=banker,
            reference="camera 4" if reference else "",
            **self.who(how, role, two=reference),
        )

    @rule(data=st.data(), places=mask, lower=st.booleans(), between=st.sampled_from(["none", "hit", "hit", "out"]))
    def late_jackpot(self, data: st.DataObject, places: int, lower: bool, between: str) -> None:
        """A jackpot that comes late: the meter hit since, or adjusted, or a wager taken out."""
        self.play_round(places, data, "none")
        number, record = self.state.round, self.state.record(self.state.round)
        if record is None or self.state.phase is not Phase.LOCKED:
            return
        player, banker = data.draw(jackpots(self.law), label="hand")
        if lower:
            for at in range(len(self.state.meters)):
                self.adjust(at, "right", "least", 0)
        if between == "hit":
            self.play_round(places, data, "none")
            self.enter(inputs.HandComplete, player, banker, "console")
        if between == "out" and record.wagers:
            wager = record.wagers[-1]
            parts = {"round": number, "position": wager.position, "wager": wager.wager, "reason": "x"}
            self.give(inputs.WagerVoided, by=FLOOR, second=FLOOR2, **parts)
        if self.state.round == number:
            self.press("unlocked")
        self.give(inputs.LateHand, round=number, player=player, banker=banker, by=FLOOR)

    # -- Awards -------------------------------------------------------------------------------------------

    def win(self, data: st.DataObject) -> None:
        """A round that hits, unless awards are pending anyway."""
        if not self.pending() and self.ready_to_bet():
            self.bet(data.draw(mask, label="places"))
            self.press("locked")
            player, banker = data.draw(jackpots(self.law), label="hand")
            if self.state.phase is Phase.LOCKED:
                self.enter(inputs.HandComplete, player, banker, "console")

    @rule(
        data=st.data(),
        at=index,
        how=people,
        base=st.sampled_from([True] * 9 + [False]),
        method=st.sampled_from(["slip", "inventory"]),
    )
    def validate(self, data: st.DataObject, at: int, how: str, base: bool, method: str) -> None:
        self.win(data)
        awards = [award.id for award in self.pending()] or list(self.state.awards) or ["none"]
        if at == 63:
            awards = [*self.state.awards, "none"]
        if self.law.payout != "either" and at % 8:
            method = self.law.payout
        award = self.one_of(awards, at)
        self.give(
            inputs.AwardValidated, award=award, method=method, base_wager=base, **self.who(how, "floorperson", two=True)
        )

    @rule(data=st.data(), at=index, how=people)
    def reject(self, data: st.DataObject, at: int, how: str) -> None:
        self.win(data)
        award = self.one_of([award.id for award in self.pending()] or ["none"], at)
        self.give(inputs.AwardRejected, award=award, reason="no wager", **self.who(how, "floorperson", two=True))

    @rule(data=st.data(), at=index, back=st.integers(0, 5), how=people, won=st.booleans())
    def take_out(self, data: st.DataObject, at: int, back: int, how: str, won: bool) -> None:
        """A wager of an earlier round; or one that has won; or one that stands; or none."""
        if won:
            self.win(data)
        number = max(0, self.state.round - back)
        record = self.state.record(number)
        if won and self.pending():
            award = self.one_of(self.pending(), at)
            number, spot = award.round, (award.position, award.wager.partition("/")[0])
        elif record is not None and record.wagers:
            wager = self.one_of(record.wagers, at)
            spot = (wager.position, wager.wager)
        else:
            standing = [(one.position, one.wager) for one in self.state.standing.values()]
            spot = self.one_of(standing or self.spots(), at)
        self.give(
            inputs.WagerVoided,
            round=number,
            position=spot[0],
            wager=spot[1],
            reason="no chip",
            **self.who(how, "floorperson", two=True),
        )

    # -- The house ----------------------------------------------------------------------------------------

    @rule(at=index, how=people, delta=st.sampled_from(["least", 1, 12_345, -1, -100, "below", 0]), stale=index)
    def adjust(self, at: int, how: str, delta: int | str, stale: int) -> None:
        meter = self.one_of(list(self.state.meters.values()), at)
        shown = meter.units // 10**6
        least = meter.filing.reset_cents - shown
        by = {"least": least, "below": least - 1}[delta] if isinstance(delta, str) else delta
        self.give(
            inputs.MeterAdjusted,
            meter=meter.id,
            delta_cents=by,
            expected_cents=shown + (1 if stale % 16 == 15 else 0),
            reason="count",
            **self.who(how, "supervisor", two=True),
        )

    @precondition(lambda self: any(meter.carry for meter in self.state.meters.values()))
    @rule(at=index, more=st.booleans())
    def from_carry(self, at: int, more: bool) -> None:
        carries = [meter for meter in self.state.meters.values() if meter.carry]
        plain = [meter for meter in self.state.meters.values() if meter.kind != "mystery"]
        source, meter = self.one_of(carries, at), self.one_of(plain, at // 4)
        self.give(
            inputs.MeterAdjusted,
            meter=meter.id,
            delta_cents=source.carry // 10**6 + (1 if more else 0),
            expected_cents=meter.units // 10**6,
            reason="carry",
            source=f"carry:{source.id}",
            key=f"carry-{len(self.sent)}-{self.table.now}",
            by=SUPERVISOR,
            second=SUPERVISOR2,
        )

    @rule(data=st.data(), how=people, close=st.sampled_from([False, False, True]))
    def change_submission(self, data: st.DataObject, how: str, close: bool) -> None:
        """Rates, resets and rules about people; sometimes a whole section, which takes a closed table."""
        if close:
            self.give(inputs.TableClosed, by=DEALER)
        sections = self.toml.strip().split("\n\n")
        chosen = data.draw(st.integers(1, len(sections) - 1), label="section")
        sections[chosen] = data.draw(self.other_section(sections[chosen], whole=close), label="filed")
        toml = "\n\n".join(sections) + "\n"
        answer = self.give(
            inputs.SubmissionChanged,
            toml=toml,
            day=self.state.day,
            reason="new numbers",
            **self.who(how, "supervisor", two=True),
        )
        if isinstance(answer, Decision):
            self.toml = toml

    def other_section(self, old: str, *, whole: bool) -> st.SearchStrategy[str]:
        """A section filed anew; only the numbers of its meters, unless whole."""
        name = old.partition("\n")[0]
        if name == "[awards]":
            return people_rules()
        kept, fresh = {
            "[royal9]": (
                ("[", "denomination", "award", "layout"),
                st.sampled_from([1, 5] if whole else [int(self.law.offers.get("royal9", NO_OFFER).stake)]).flatmap(
                    lambda denomination: royal9_sections(self.law.positions, denomination)
                ),
            ),
            "[harmony]": (("[", "denomination", "paytable"), harmony_sections()),
            "[heavenly9]": (("[", "denomination"), heavenly9_sections()),
        }[name]
        if whole:
            return fresh
        lines = [line for line in old.split("\n") if line.startswith(kept)]
        had = {line.partition(" ")[0] for line in old.split("\n")}

        def numbers_of(section: str) -> str:
            new = [line for line in section.split("\n") if not line.startswith(kept)]
            new = [line for line in new if line.startswith("minimum") or line.partition(" ")[0] in had]
            lost = {"mystery", "must_hit_by"} & (had - {line.partition(" ")[0] for line in new})
            new += [line for line in old.split("\n") if line.partition(" ")[0] in lost]
            return "\n".join(lines + new)

        return fresh.map(numbers_of)

    # -- Everything else that happens ---------------------------------------------------------------------

    @rule(at=index, present=st.booleans(), what=st.sampled_from(["chip", "coin", "wrong coin", "base"]))
    def one_wager(self, at: int, present: bool, what: str) -> None:
        position, wager = self.one_of(self.spots(), at)
        if what == "base":
            if at < 8:
                self.chip(position, "base", present=present)
        elif position not in self.slots:
            self.chip(position, wager, present=present)
        else:
            self.drop(position, wager, 100 if what == "wrong coin" else 0)

    @rule(after=st.sampled_from([5_000_000, 1_000, 2_999_000, 3_000_000, -5_000_000]), locked=st.booleans())
    def button(self, after: int, locked: bool) -> None:
        self.press("locked" if locked else "unlocked", after)

    @rule(
        what=st.sampled_from(
            [
                "shoe",
                "simulate",
                "close",
                "open",
                "day",
                "lost",
                "lost",
                "restored",
                "service",
                "return",
                "void",
                "cards",
                "operator",
                "access",
                "start",
                "slip",
            ]
        ),
        at=index,
        how=people,
        cards=st.lists(st.sampled_from(DECK), min_size=4, max_size=6),
    )
    def happen(self, what: str, at: int, how: str, cards: list[str]) -> None:
        """Something that seldom matters to the money, and must not."""
        half = len(cards) // 2
        position = 1 + at % self.law.positions
        one = self.who(how, "dealer", two=False)
        floor = self.who(how, "floorperson", two=False)
        happenings: dict[str, Callable[[], object]] = {
            "shoe": lambda: self.give(inputs.Button, cause="shoe"),
            "simulate": lambda: self.give(inputs.SimulatedRound, by=DEALER),
            "close": lambda: self.give(inputs.TableClosed, by=DEALER),
            "open": lambda: self.give(inputs.TableOpened, by=DEALER),
            "day": self.next_day,
            "lost": lambda: self.device(at, lost=True),
            "restored": lambda: self.device(at, lost=False),
            "service": lambda: self.give(
                inputs.PositionService, position=position, on=at % 3 > 0, reason="stuck", by=FLOOR
            ),
            "return": lambda: self.give(
                inputs.ReturnConfirmed, return_id=self.one_of([*self.state.returns, "nothing"], at), **one
            ),
            "void": lambda: self.give(inputs.RoundVoided, round=self.state.round + (at == 0), reason="x", **floor),
            "cards": lambda: self.enter(inputs.HandComplete, tuple(cards[:half]), tuple(cards[half:]), "console"),
            "operator": lambda: self.operator(at, how),
            "access": lambda: self.access(at),
            "slip": lambda: self.give(inputs.SlipPrinted, award=self.one_of([*self.state.awards, "none"], at), **floor),
            "start": lambda: self.give(inputs.ControllerStarted, version="1", mode=("live", "demonstration")[at == 5]),
        }
        happenings[what]()

    def operator(self, at: int, how: str) -> None:
        """Someone added, changed, or sent away; by nobody, now and then."""
        by = {"by": None, "second": None} if at % 4 == 0 else self.who(how, "supervisor", two=at % 2 == 0)
        role = self.one_of(["supervisor", "dealer", "floorperson", "auditor"], at)
        self.give(inputs.OperatorChanged, operator=f"o{at % 3}", name="Ana Ruiz", role=role, active=at % 5 > 0, **by)

    def access(self, at: int) -> None:
        """Wrong PINs mostly, far apart now and then."""
        what = self.one_of(["wrong-pin", "wrong-pin", "wrong-pin", "signed-in", "not-allowed"], at)
        after = 1_000_000 if at % 7 else 900_000_000
        self.give(inputs.AccessNoted, after, what=what, operator=f"o{at % 4}", client="console")

    def next_day(self) -> None:
        if self.days < 28:
            self.days += 1
            self.give(inputs.ReadingsDue, day=f"2026-11-{self.days}")

    def device(self, at: int, *, lost: bool) -> None:
        device = self.one_of(["button", "board-1", "board-2", "broker", "vault"], at)
        parts: dict[str, object] = {"device": device, "device_kind": device.partition("-")[0]}
        if device.startswith("board"):
            parts["positions"] = tuple(range(1, self.law.positions + 1))[int(device[-1]) - 1 :: 2]
        if device == "vault":
            parts["wagers"] = tuple(wager for wager in self.law.offers if wager != "harmony")
        self.give(inputs.DeviceLost if lost else inputs.DeviceRestored, **parts)

    @precondition(lambda self: self.sent)
    @rule(back=st.integers(0, 5), other=st.booleans())
    def again(self, back: int, other: bool) -> None:
        """A key a second time, with its content or with another's."""
        first = self.sent[-1 - back % len(self.sent)]
        before, facts = self.state, len(self.table.facts)
        if other:
            parts = {"return_id": f"not {first.kind}", "by": DEALER, "key": getattr(first, "key", "")}
            self.table.give(self.table.make(inputs.ReturnConfirmed, **parts))
            if self.table.auditor.forgotten:  # now the key is this one's
                self.sent.remove(first)
        else:
            self.table.give(first)
            if not self.table.auditor.forgotten:
                assert (self.state, len(self.table.facts)) == (before, facts)

    # -- What always holds --------------------------------------------------------------------------------

    @invariant()
    def paid_once(self) -> None:
        """A wager is paid once per paytable, and a mystery award on top."""
        for record in self.state.records():
            alive = [award for award in record.awards if award.fate in {"pending", "paid"}]
            spots = [(award.position, award.wager, award.kind == "mystery") for award in alive]
            assert len(spots) == len(set(spots)), record

    def teardown(self) -> None:
        if not hasattr(self, "table"):
            return
        facts = [decode(*encode(recorded.fact)) for recorded in self.table.facts]
        state = State()
        for recorded, fact in zip(self.table.facts, facts, strict=True):
            state = evolve(state, Recorded(recorded.at, recorded.round, fact))
        assert state == self.state
        assert json.decode(json.encode(self.state), type=State) == self.state
        if self.rigged is None:
            self.check_reveals()
        for reading in self.table.auditor.readings:
            event(f"unsaid: {reading}")
        for happening in +self.table.auditor.happened:
            event(f"money: {happening}")

    def check_reveals(self) -> None:
        """No nonce is in clear before its hit; after it, value and nonce fit the commitment published before."""
        texts = [encode(recorded.fact)[2] for recorded in self.table.facts]
        whole = json.encode(self.state).decode()
        listed = [
            (after.id, hit) for recorded in self.table.facts for after in recorded.fact.meters for hit in after.listed
        ]
        hits = {(id_, hit.reveal.cycle): hit for id_, hit in listed if hit.reveal}
        for (id_, cycle), nonce in self.table.nonces.items():
            told = [at for at, text in enumerate(texts) if nonce in text]
            hit = hits.get((id_, cycle))
            if hit is None:
                assert not told
                assert nonce not in whole
            else:
                assert hit.reveal is not None
                assert told[0] == hit.seq - 1
                names = ("jackpotd/mystery/v1", f"{self.law.site}/{self.law.table}", id_)
                bytes_ = b"".join(struct.pack(">H", len(name)) + name.encode() for name in names)
                bytes_ += struct.pack(">QQ", cycle, self.table.values[id_, cycle]) + bytes.fromhex(nonce)
                assert hashlib.sha256(bytes_).hexdigest() == hit.reveal.commitment
                before = hits.get((id_, cycle - 1))
                if before is None or before.seq != hit.seq:  # a cycle may open and end in one lock-out
                    assert any(hit.reveal.commitment in text for text in texts[: told[0]])


class Royal9(Play):
    games = ("minibaccarat royal9", "minibaccarat royal9 harmony")


class Harmony(Play):
    games = ("midibaccarat harmony", "minibaccarat harmony", "minibaccarat royal9 harmony")


class Heavenly9(Play):
    games = ("baccarat heavenly9",)


pytestmark = pytest.mark.slow
SETTINGS = settings(
    max_examples=80 * SOAK or 40,
    stateful_step_count=50,
    deadline=None,  # a step may be three rounds
    derandomize=not SOAK,
    print_blob=True,
    suppress_health_check=[
        HealthCheck.too_slow,  # a submission and a table are made before the first step
        HealthCheck.data_too_large,  # a step may draw three hands
    ],
)
TestRoyal9, TestHarmony, TestHeavenly9 = Royal9.TestCase, Harmony.TestCase, Heavenly9.TestCase
TestRoyal9.settings = TestHarmony.settings = TestHeavenly9.settings = SETTINGS
