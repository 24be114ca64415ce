"""The table as a whole, its parts and its submission; and the way from what happened to what is booked."""

from collections.abc import Callable

from controller.simulation.auditor.entries import CLOSED, OPEN, SETTLED, SIMULATED, Meter, NotDueError, Part, Spot, Told
from controller.simulation.auditor.law import ZERO, Law, read_law, with_rates
from controller.simulation.auditor.people import People


class TableBooks(People):
    """The second set of books, kept in fractions of a dollar by someone who has not seen the first.

    Written from the regulation and from docs/behaviour.md. It shares no rule and no arithmetic with the product: it is
    told what happened and decides by itself what must follow. Where the documents leave two answers open, it follows
    the one given, and says so with `unsaid`.
    """

    def book(self, told: Told) -> None:
        """Follow what happened; raise NotDueError where it must be refused."""
        self.clock += 1
        if told.at != self.at:
            self.at, self.instant = told.at, self.clock
        by, second = told.by, told.second
        if by is not None and second is not None and by.id == second.id and self.refused == "second-person":
            self.unsaid("the same person twice, where one might do")
        self._ways()[told.kind](told)

    def _ways(self) -> dict[str, Callable[[Told], None]]:
        return {
            "wager-present": self._chip_seen,
            "wager-absent": self._chip_gone,
            "wager-dropped": self._coin,
            "button": self._button,
            "four-cards": self._hand,
            "hand-complete": self._hand,
            "late-hand": self._late_hand,
            "hand-corrected": self._late_hand,
            "award-validated": self._validate,
            "award-rejected": self._reject,
            "slip-printed": self._print,
            "round-voided": self._void,
            "wager-voided": self._take_out,
            "simulated-round": self._simulated,
            "table-opened": self._open,
            "table-closed": self._close,
            "position-service": self._service,
            "return-confirmed": self._returned,
            "meter-adjusted": self._adjust,
            "submission-changed": self._submission,
            "operator-changed": self._operator,
            "access-noted": self._access,
            "device-lost": self._device,
            "device-restored": self._device,
            "controller-started": self._started,
            "readings-due": self._day,
            "tick": lambda _: None,
        }

    def _open(self, command: Told) -> None:
        self._need(command.by, "dealer")
        if self.faulted or self.phase != CLOSED:
            raise NotDueError("not closed", "wrong-phase", "faulted")
        if self.filed.hold and self.pending():
            raise NotDueError("play is held for an award", "wrong-phase")
        if self.round == self.last_locked:
            self.round += 1
        self._begin()

    def _close(self, command: Told) -> None:
        self._need(command.by, "dealer")
        if self.faulted or self.phase not in {OPEN, SETTLED}:
            raise NotDueError("not open or settled", "wrong-phase", "faulted")
        self._withdraw(self.standing)
        self.phase = CLOSED

    def _simulated(self, command: Told) -> None:
        self._need(command.by, "dealer")
        if self.faulted or self.phase not in {OPEN, SETTLED, SIMULATED}:
            raise NotDueError("not now", "wrong-phase", "faulted")
        if self.phase == SIMULATED:
            self.end_simulated()
            return
        self.simulated_from = self.phase
        self._withdraw(self.standing)
        self.phase = SIMULATED

    def _service(self, command: Told) -> None:
        self._need_text(command.reason)
        self._need(command.by, "floorperson")
        if not 1 <= command.position <= self.filed.positions:
            raise NotDueError("no such position", "unknown")
        if command.on:
            self.out_of_service.discard(command.position)
            self._sweep()
        else:
            self.out_of_service.add(command.position)
            if self.phase == OPEN:
                self._withdraw(spot for spot in self.standing if spot[0] == command.position)

    def _device(self, change: Told) -> None:
        was = self.faulted
        lost = change.kind != "device-restored"
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

    def _day(self, due: Told) -> None:
        if due.day == self.day:
            return
        self.previous_day, self.day = self.day, due.day

    def _started(self, started: Told) -> None:
        if self.mode not in ("", started.mode):
            raise NotDueError("one journal is live or a demonstration", "bad-request")
        self.mode = started.mode
        self.starts += 1

    def _submission(self, change: Told) -> None:
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
                meter.numbers = with_rates(meter.numbers, filed[id_])
                meter.pending = filed[id_] if filed[id_] != meter.numbers else None
        for id_ in [id_ for id_ in self.meters if id_ not in filed]:
            del self.meters[id_]
        self.law = law
        self._open_meters(law)

    def _changeable(self, law: Law) -> None:
        now = self.filed
        if (law.site, law.table) != (now.site, now.table):
            raise NotDueError("site and table never change")
        if law.rest == now.rest:
            return
        if self.phase != CLOSED:
            raise NotDueError("only with the table closed", "wrong-phase", "faulted")
        if self.faulted:
            self.unsaid("a submission changed while closed and faulted")
        if self.pending():
            raise NotDueError("only with no award pending")
        changed = [name for name, offer in law.offers.items() if offer.id != getattr(now.offers.get(name), "id", "")]
        those = [id_ for name in changed for id_ in law.offers[name].meters if id_ in self.meters]
        low = [id_ for id_ in those if self.balance(f"meter:{id_}") < law.floors.get(id_, ZERO)]
        if low:
            raise NotDueError(f"{low} below the floor of the law")
        gone = set(self.meters) - set(law.numbers())
        if any(self.balance(f"{kind}:{id_}") for id_ in gone for kind in ("meter", "reserve", "carry")):
            raise NotDueError(f"{gone} holds money")

    def _open_meters(self, law: Law) -> None:
        for id_, numbers in law.numbers().items():
            if id_ not in self.meters:
                kind = "mystery" if numbers.maximum else "reserve" if numbers.reserve_rate else "reset"
                self.meters[id_] = Meter(kind, law.feeder(id_), numbers)
                self._move("house:seed", f"meter:{id_}", numbers.initial)
