"""What cards make due: rows, fixed amounts, jackpots at the amounts of their lock-out."""

from fractions import Fraction

from controller.simulation.auditor.cards import outcomes, royal9, royal9_rows, status
from controller.simulation.auditor.entries import (
    CLOSED,
    DEALT,
    OPEN,
    SETTLED,
    SIMULATED,
    Award,
    Due,
    Hit,
    NotDueError,
    Round,
    Told,
)
from controller.simulation.auditor.law import (
    HARMONY_PAYS,
    HEAVENLY9_PAYS,
    JACKPOT_ROWS,
    ROYAL9_FIXED,
    ZERO,
    Law,
    whole_cents,
)
from controller.simulation.auditor.undoing import Undoing


class Settling(Undoing):
    """Hands, and what follows from them."""

    def _hand(self, hand: Told) -> None:
        if hand.source == "console":
            self._need(hand.by, "dealer")
        if self.phase in {CLOSED, OPEN}:
            raise NotDueError("no cards now", "wrong-phase")
        whole = status(hand.player, hand.banker)
        if whole == "impossible" or (whole != "complete" and hand.kind == "hand-complete"):
            raise NotDueError("not a hand, or a card is owed", "bad-hand")
        if self.phase == SIMULATED:
            if whole == "complete":
                self.end_simulated()
            return
        round_ = self.rounds[self.round]
        if self._stands_over(round_, hand):
            return
        self._settle(round_, hand.player, hand.banker)
        round_.source = "console" if "console" in {round_.source, hand.source} else "shoe"
        self.phase = SETTLED if round_.complete else DEALT

    def _stands_over(self, round_: Round, hand: Told) -> bool:
        """Whether the cards known stay, whatever these are."""
        cards = (hand.player, hand.banker)
        if not round_.player or self._continues(round_, *cards):
            return False
        if hand.source == "shoe" and round_.source == "console":
            return True  # the shoe never replaces a keyed hand
        if self._goes_on(round_, *cards):
            self.unsaid("fewer of the cards known")
            return True
        if round_.complete and status(hand.player, hand.banker) != "complete":
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
        complete = status(player, banker) == "complete"
        rows = outcomes(player, banker) if complete else {}
        due = []
        for wager in round_.wagers:
            if wager.out:
                continue
            listed = rows.get(round_.law.offers[wager.wager].id, "lose")
            chosen = listed
            if wager.wager == "royal9":
                listed = royal9(player, banker, round_.law.layout, wager.position)
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
            raise NotDueError("a validated award would no longer be due", "validated")
        known = {(*award.spot, award.outcome) for award in by_cards if award.alive or award.fate == "rejected"}
        self.happened["correction undid awards"] += bool(undue)
        self._undo(undue, "unwound")
        round_.player, round_.banker = player, banker
        round_.complete = status(player, banker) == "complete"
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
            self.waiting.append(award)
            self.happened[f"fixed, {'validated' if award.validate else 'the dealer'}"] += 1
            self.happened["a fixed row beat the jackpot"] += (one.wager, one.listed) in JACKPOT_ROWS
            self.happened["envy"] += one.outcome == "mega-envy"

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
