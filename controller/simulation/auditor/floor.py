"""Wagers on the table, and rounds up to their lock-out: who is in, what each gives to which meter, and mystery hits."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from fractions import Fraction

from controller.simulation.auditor.books import Books
from controller.simulation.auditor.entries import (
    CLOSED,
    LOCKED,
    OPEN,
    SIMULATED,
    Award,
    Hit,
    In,
    Meter,
    NotDueError,
    Round,
    Sensor,
    Share,
    Spot,
    Told,
)
from controller.simulation.auditor.law import ZERO, whole_cents


class Floor(Books):
    """Chips, coins, the button and the lock-out."""

    def _known_spot(self, position: int, wager: str) -> None:
        if not 1 <= position <= self.filed.positions or wager not in {*self.filed.offers, "base"}:
            raise NotDueError("no such place", "unknown", "bad-request")

    def _usable(self, position: int, wager: str) -> bool:
        lost = [part for part in self.parts.values() if part.lost]
        return (
            position not in self.out_of_service
            and not any(part.kind in {"board", "acceptor"} and position in part.positions for part in lost)
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

    def _chip_seen(self, read: Told) -> None:
        self._known_spot(read.position, read.wager)
        if read.wager == "base":
            self.base[read.position] = True
            self._sweep()
            return
        sensor = self.sensors.setdefault((read.position, read.wager), Sensor(present=False, lifted=False))
        if not sensor.present:
            sensor.present = True
            self._sweep()

    def _chip_gone(self, read: Told) -> None:
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

    def _coin(self, coin: Told) -> None:
        self._known_spot(coin.position, coin.wager)
        spot = (coin.position, coin.wager)
        stake = self.filed.offers[coin.wager].stake
        right = Fraction(coin.cents, 100) == stake and spot not in self.standing
        if right and self.phase == OPEN and not self.faulted and self._usable(*spot):
            self.standing[spot] = ("drop", (self.instant, coin.position))
        else:
            self._give_back(coin.position, coin.wager, Fraction(coin.cents, 100))

    def _returned(self, command: Told) -> None:
        self._need(command.by, "dealer")
        if command.return_id not in self.their_returns:
            raise NotDueError("no such return", "unknown")
        self.to_return -= Counter([self.their_returns[command.return_id]])

    def _button(self, press: Told) -> None:
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
        held = self.phase != OPEN and self.filed.hold and bool(self.pending())
        if not wanted or held:
            return
        if not press.level:
            self.pressed = datetime.fromisoformat(press.at)
        if self.phase == OPEN:
            self._lock()
        else:
            self._next_round()

    def heeds(self, at: str) -> bool:
        """Whether a press at this time must do something."""
        if self.faulted or self.phase in {CLOSED, SIMULATED}:
            return False
        since = datetime.fromisoformat(at) - self.pressed if self.pressed else None
        again = since is not None and timedelta(0) <= since < timedelta(milliseconds=Told("").reopen_after_ms)
        return not again and not (self.phase != OPEN and self.filed.hold and self.pending())

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

    def end_simulated(self) -> None:
        """Back to where the round without wagers was begun from."""
        if self.simulated_from == OPEN:
            self._begin()
        else:
            self.phase = self.simulated_from

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
        self.waiting += awards

    @staticmethod
    def _reset(meter: Meter) -> None:
        """A new cycle, with what has been filed for it."""
        meter.cycle += 1
        if meter.pending is not None:
            meter.numbers, meter.pending = meter.pending, None
