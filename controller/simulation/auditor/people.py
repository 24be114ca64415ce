"""What people ask for: awards validated and rejected, rounds and wagers voided, late hands, adjustments."""

from datetime import datetime, timedelta
from fractions import Fraction

from controller.simulation.auditor.cards import status
from controller.simulation.auditor.entries import (
    DEALT,
    LOCKED,
    OPEN,
    RANK,
    REASONS,
    SETTLED,
    Award,
    NotDueError,
    Round,
    Told,
    rank,
)
from controller.simulation.auditor.law import whole_cents
from controller.simulation.auditor.settling import Settling

SECOND_SUPERVISOR = 2  # from that many on, it takes two to make another
WRONG_PINS = 5  # lock someone out
LOCKED_OUT = timedelta(minutes=15)


class People(Settling):
    """Commands, and who may give them."""

    def _found(self, id_: str) -> Award:
        for round_ in self.rounds.values():
            for award in round_.awards:
                if award.theirs == id_ and award.validate:
                    return award
        raise NotDueError("no such award", "unknown")

    def _still_pending(self, award: Award) -> None:
        if award.fate != "pending":
            why = ("second-person", "validated", "unknown", "stale", "too-late")
            raise NotDueError("no longer pending", *(why[:2] if award.validated else why))

    def _validate(self, command: Told) -> None:
        if not command.base_wager:
            raise NotDueError("no base wager: to be rejected instead")
        if command.method not in {"inventory", "slip"} or self.filed.payout not in {"either", command.method}:
            raise NotDueError("not the filed method")
        self._need(command.by, "floorperson")
        award = self._found(command.award)
        self._still_pending(award)
        if self.takes_two(award):
            self._need_two(command, "floorperson")
        elif award.hit is not None and award.hit.late:
            self._follow_second(command)
        award.fate = "paid"
        self.happened[f"{award.kind} validated"] += 1
        self.slip += 1
        self._move("pending", f"paid:{award.meter or 'fixed'}", award.amount)
        if award.meter:
            self.meters[award.meter].paid += award.amount

    def takes_two(self, award: Award) -> bool:
        """From second_person_from up, as it is in force now, and for an award from house:late."""
        return award.amount >= self.filed.second_from or (award.hit is not None and not award.hit.from_meter)

    def _follow_second(self, command: Told) -> None:
        try:
            self._need_two(command, "floorperson")
        except NotDueError:
            self.unsaid("one person validates an award that house:late made up in part")

    def _reject(self, command: Told) -> None:
        self._need_text(command.reason)
        self._need_two(command, "floorperson")
        award = self._found(command.award)
        self._still_pending(award)
        self._undo([award], "rejected")

    def _print(self, command: Told) -> None:
        self._need(command.by, "floorperson")
        if self._found(command.award).fate != "paid":
            raise NotDueError("only what was paid has a slip", "unknown")

    def _void(self, command: Told) -> None:
        self._need_text(command.reason)
        self._need(command.by, "floorperson")
        reasons = []
        if self.phase not in {LOCKED, DEALT}:
            reasons.append("wrong-phase")
        if command.round != self.round:
            reasons += ["too-late", "unknown", "wrong-phase", "stale"]
        if reasons:
            raise NotDueError("only the round in play, until its last card", *reasons)
        round_ = self.rounds[self.round]
        by_cards = [award for award in round_.awards if award.kind != "mystery" and award.alive]
        self._undo([award for award in by_cards if not award.validated], "unwound")
        for wager in round_.wagers:
            if not wager.out:
                self._reverse(round_, wager, lower=False)
        round_.voided = True
        self._next_round()

    def _take_out(self, command: Told) -> None:
        self._need_text(command.reason)
        spot = (command.position, command.wager)
        if command.round == self.round and self.phase == OPEN:
            self._need(command.by, "dealer")
            if spot not in self.standing:
                raise NotDueError("no such wager", "unknown")
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
            raise NotDueError("no such wager", "unknown", "too-late")
        awards = [award for award in round_.awards if award.spot == spot and award.alive]
        if not any(award.fate == "pending" for award in awards):
            self._last_rounds(command.round)
        if any(award.validated for award in awards):
            raise NotDueError("its award was validated", "validated", "too-late")
        self._undo(awards, "taken out")
        self._reverse(round_, found[0], lower=True)

    def _last_rounds(self, number: int) -> None:
        """One of the last `late_hands` rounds, counting back from the one in play or, before lock-out, the last."""
        last = self.last_locked
        if number <= last - self.filed.late_hands:
            if number == last - self.filed.late_hands and last == self.round:
                self.unsaid("the round late_hands before the one that is locked")
            else:
                raise NotDueError("too many rounds ago", "too-late")

    def _late_hand(self, command: Told) -> None:
        corrects = command.kind == "hand-corrected"
        round_ = self.rounds.get(command.round)
        if round_ is None:
            raise NotDueError("no such round", *REASONS)
        in_play = command.round == self.round and self.phase in {LOCKED, DEALT, SETTLED}
        reasons = self._no_late_hand(command, round_, in_play=in_play)
        if reasons:
            raise NotDueError("not these people, this hand or this round", *reasons)
        if status(command.player, command.banker) == "incomplete":
            self.unsaid("a late hand or a correction that is not whole")
        if in_play and not corrects:
            self.unsaid("a late hand for the round in play")
        if corrects is not self._entered_otherwise(round_, command):
            self.unsaid(f"{'a correction' if corrects else 'a late hand'} for a round with {_entered(round_)}")
        self._settle(round_, command.player, command.banker)
        round_.source = "console"
        if in_play:
            self.phase = SETTLED if round_.complete else DEALT

    def _no_late_hand(self, command: Told, round_: Round, *, in_play: bool) -> set[str]:
        """Every reason to refuse a late hand or a correction that is certain."""
        corrects = command.kind == "hand-corrected"
        reasons: set[str] = set()
        try:
            if in_play and corrects:
                self._need(command.by, "dealer")
            else:
                self._late_people(command, round_)
        except NotDueError as no:
            reasons |= {*no.reasons, *(["wrong-phase"] if in_play else [])}
            if corrects is not self._entered_otherwise(round_, command):
                reasons.add("bad-hand")
        if round_.voided:
            reasons |= set(REASONS)
        if status(command.player, command.banker) == "impossible":
            reasons.add("bad-hand")
        return reasons

    def _entered_otherwise(self, round_: Round, command: Told) -> bool:
        """Whether other cards than these were entered, so that it takes a correction."""
        return bool(round_.player) and not self._continues(round_, command.player, command.banker)

    def _late_people(self, command: Told, round_: Round) -> None:
        recent, reasons = True, set()
        try:
            self._last_rounds(command.round)
        except NotDueError as no:
            recent = False
            reasons |= set(no.reasons) - {"too-late"}  # all others, where the window is not certain
        if recent:
            self._need(command.by, "floorperson")
            return
        if round_.day not in {self.day, self.previous_day}:
            reasons.add("too-late")
        if rank(command.by) < RANK["supervisor"]:
            reasons |= {"too-late", "not-allowed"}
        second = command.second
        if second is None or rank(second) < RANK["supervisor"] or command.by is None or command.by.id == second.id:
            reasons |= {"second-person", "too-late"}
        if not command.reference.strip():
            reasons |= {"bad-request", "too-late"}
        if reasons:
            raise NotDueError("two supervisors and a reference, this or the previous day", *reasons)

    def _adjust(self, command: Told) -> None:
        self._need_text(command.reason)
        self._need_two(command, "supervisor")
        meter = self.meters.get(command.meter)
        if meter is None:
            raise NotDueError("no such meter", "unknown")
        if meter.kind == "mystery":
            raise NotDueError("a mystery meter is not adjusted")
        account = f"meter:{command.meter}"
        if Fraction(command.expected_cents, 100) != whole_cents(self.balance(account)):
            raise NotDueError("not what the sign shows", "stale", "bad-request", "unknown")
        delta = Fraction(command.delta_cents, 100)
        carry = command.source != "adjustments"
        if delta == 0:
            self.unsaid("an adjustment by nothing")
        if carry and (delta < 0 or self.balance(command.source) < delta):
            raise NotDueError("a carry gives what it has, and takes nothing")
        if self.balance(account) + delta < meter.numbers.reset:
            if delta > 0:
                self.unsaid("an adjustment upwards that stays below the reset amount")
            else:
                raise NotDueError("below the reset amount")
        self.happened["adjusted from carry" if carry else "adjusted"] += 1
        if delta > 0:
            self._move(command.source, account, delta)
        else:
            self._move(account, command.source, -delta)

    def _operator(self, command: Told) -> None:
        self._need_text(command.name)
        bosses = {id_ for id_, (_, role, active) in self.staff.items() if active and role == "supervisor"}
        stays = command.active and command.role == "supervisor"
        if command.by is not None or bosses or not stays:  # the first supervisor is added by nobody
            self._need(command.by, "supervisor")
        trusted = command.active and command.role in {"floorperson", "supervisor"}
        if command.second is not None or (trusted and len(bosses) >= SECOND_SUPERVISOR):
            self._need_two(command, "supervisor")
        if not command.active and command.operator not in self.staff:
            raise NotDueError("no such operator", "unknown")
        if bosses == {command.operator} and not stays:
            raise NotDueError("the only supervisor stays one", "bad-request")
        self.staff[command.operator] = (command.name, command.role, command.active)
        self.wrong_pins.pop(command.operator, None)

    def is_shut_out(self, operator: str, at: str) -> bool:
        """Whether no PIN of theirs may be looked at: they were let go, or it was wrong too often."""
        count, last = self.wrong_pins.get(operator, (0, datetime.fromisoformat(at)))
        let_go = operator in self.staff and not self.staff[operator][2]
        return let_go or (count >= WRONG_PINS and timedelta(0) <= datetime.fromisoformat(at) - last < LOCKED_OUT)

    def _access(self, noted: Told) -> None:
        if noted.what == "signed-in":
            self.wrong_pins.pop(noted.operator, None)
        elif noted.what == "wrong-pin":
            count, last = self.wrong_pins.get(noted.operator, (0, datetime.fromisoformat(noted.at)))
            over = count >= WRONG_PINS and datetime.fromisoformat(noted.at) - last >= LOCKED_OUT
            self.wrong_pins[noted.operator] = (1 if over else count + 1, datetime.fromisoformat(noted.at))


def _entered(round_: Round) -> str:
    return "these cards or others" if round_.player else "no cards"
