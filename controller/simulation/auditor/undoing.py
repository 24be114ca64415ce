"""Awards undone and wagers given back: rejections, shares split anew, contributions reversed."""

from controller.simulation.auditor.entries import Award, Hit, In, Meter, Round, Share
from controller.simulation.auditor.floor import Floor
from controller.simulation.auditor.law import ZERO, whole_cents, with_rates


class Undoing(Floor):
    """What goes back, and where to."""

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
        if hit.former is None:
            return
        numbers, pending = hit.former
        if pending is not None:  # this hit had put new numbers in force
            newest = meter.pending or meter.numbers
            numbers = with_rates(numbers, newest)
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
