"""People at a table who do what they see fit: players bet, a dealer presses, deals and pays, the floor validates.

They see what a sign shows them, and act by that; nobody here knows the controller's state.
"""

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any

from controller.simulation import trace
from controller.simulation.cards import dealt
from controller.simulation.desk import DEALERS, FLOOR, Desk
from controller.simulation.felt import Felt
from controller.simulation.layout import SHOE
from controller.simulation.signs import Sign
from controller.wire import topics
from drivers.simulated.dealer import Round
from drivers.simulated.shoe import AngelEyeTwin

BETS, LATE, PULLS = 0.45, 0.03, 0.03  # chances of a spot in a round
WRONG_COINS = 0.1  # of those that are dropped in
MOST_GIVEN_BACK = 3  # coins, in one go
RETOLD = 0.05  # of the cards of a shoe that tells some once more
REJECTED = (0.12, 0.3)  # of the awards, and of those that are mysteries: their money is carried
UPSET = 0.15  # of the awards: before somebody validates them, and after
REOPEN_SECONDS = 3.2  # after a press: sooner, and it is that one once more
LOOK_SECONDS = 0.7  # between two looks at the sign
MOST_LOOKS = 12  # before someone does something else
DAY_SECONDS = 86_400.0
STALLED_SECONDS = 6 * 3600.0  # without a hand: nobody can play any more


class StalledError(Exception):
    """No hand has been dealt for hours, though everybody wanted to play."""


class Play:
    """One table's people."""

    def __init__(self, felt: Felt, eye: Sign, desk: Desk, seed: object, hours: float) -> None:
        self.felt, self.eye, self.desk = felt, eye, desk
        self.rounds = 0  # hands dealt
        self.mistakes: dict[int, str] = {}  # what goes wrong, by the number of the hand
        self._seed = seed
        self._chance = Random(f"{seed} people")
        self._played: Round | None = None
        self._progress = 0.0
        by_the_seed = self._chance.choice((1, 4, 6, 8, 12, 24))
        self._hours = hours or by_the_seed  # that it is open, each day

    # -- what is seen --

    def phase(self) -> str:
        """The phase on the sign; empty where nobody knows."""
        status, round_ = self.eye.shown.get(topics.STATUS), self.eye.shown.get(topics.ROUND)
        if status is None or round_ is None or status["state"] == "offline":
            return ""
        return str(round_["phase"])

    def round(self) -> int:
        """The number of the round on the sign."""
        return int(self.eye.shown.get(topics.ROUND, {}).get("round", 0))

    def awards(self) -> list[dict[str, Any]]:
        """Awards that wait."""
        return [each for topic, each in sorted(self.eye.shown.items()) if topic.startswith("awards/")]

    async def sees(self, *phases: str) -> bool:
        """Look at the sign for a while, until it shows one of these."""
        for _ in range(MOST_LOOKS):
            if self.phase() in phases:
                return True
            await asyncio.sleep(LOOK_SECONDS)
        return False

    # -- the dealer and the players --

    async def deal(self, rounds: int, begins: Callable[[int], None]) -> None:
        """Play so many hands, each of which is told when it begins."""
        clock = asyncio.get_running_loop().time
        self._progress = clock()
        while self.rounds < rounds:
            begins(self.rounds)
            if clock() - self._progress > STALLED_SECONDS:
                raise StalledError(f"no hand for {STALLED_SECONDS / 3600:g} hours: the sign says {self.phase()!r}")
            await self._turn()

    async def _turn(self) -> None:
        phase, chance = self.phase(), self._chance
        if phase == "open":
            await self._bet()
        elif phase in {"locked", "dealt"}:
            await self._hand()
        elif phase == "settled":
            await self._collect()
        elif phase == "closed":
            await self._open()
        elif phase == "simulated":
            await self.desk.ask(chance.choice(DEALERS), "simulated-round")
            await self.sees("open", "locked", "settled")
        else:
            await asyncio.sleep(chance.uniform(1, 5))

    async def _open(self) -> None:
        """Open the table, once its hours have come."""
        clock = asyncio.get_running_loop().time
        if self._is_night():
            await asyncio.sleep(DAY_SECONDS - clock() % DAY_SECONDS)
            self._progress = clock()
        await self.desk.ask(self._chance.choice(DEALERS), "open-table")
        await self.sees("open", "locked")

    def _is_night(self) -> bool:
        return asyncio.get_running_loop().time() % DAY_SECONDS > self._hours * 3600

    async def _bet(self) -> None:
        """Players bet, some think better of it, and the dealer says that there are no more bets."""
        chance, felt = Random(f"{self._seed} bets {self.rounds}"), self.felt
        await self._pause(chance, 4, 30)
        spots = [(spot.position, spot.wager) for spot in felt.layout.spots]
        for place in spots:
            if chance.random() < BETS:
                felt.put(*place)
                if chance.random() < 0.3:  # noqa: PLR2004 -- some hesitate
                    await self._pause(chance, 0.05, 1.5)
        if chance.random() < 0.1 and felt.chips:  # noqa: PLR2004 -- one thinks better of it
            felt.lift(*chance.choice(sorted(felt.chips)))
        await self._drop_coins()
        await self._pause(chance, 0.5, 12)
        if chance.random() < 0.05 and not felt.layout.shoe:  # noqa: PLR2004 -- in the very moment of the press
            felt.put(*chance.choice(spots))
        if not felt.layout.shoe or chance.random() < 0.7:  # noqa: PLR2004 -- otherwise the first card says it
            await felt.press("lock")
            await self.sees("locked", "faulted", "")
            for place in spots:
                if place not in felt.chips and chance.random() < LATE:
                    await self._pause(chance, 0.1, 1)
                    felt.put(*place)
            await self._drop_coins(LATE)
        elif not await self._tell_shoe(chance):
            await felt.press("lock")

    async def _drop_coins(self, chance_of_one: float = BETS) -> None:
        """Coins into the slots; of those that are taken, some are followed by another, or were the wrong ones."""
        chance = Random(f"{self._seed} coins {self.rounds} {chance_of_one}")
        for slot in self.felt.slots:
            while chance.random() < chance_of_one:
                self.felt.drop(slot, right=chance.random() > WRONG_COINS)
                await self._pause(chance, 0.02, 0.6)

    async def _give_back(self) -> None:
        """The dealer gives coins back that could not be wagers, and says so."""
        for each in self.eye.shown.get(topics.ROUND, {}).get("returns", ())[:MOST_GIVEN_BACK]:
            await self.desk.ask(self._chance.choice(DEALERS), "confirm-return", return_=each["id"])

    async def _hand(self) -> None:
        """Cards, from the shoe or keyed in."""
        chance = Random(f"{self._seed} hand {self.rounds}")
        mistake = self.mistakes.pop(self.rounds, "")
        await self._pause(chance, 4, 25)
        if mistake == "void":
            by, number = chance.choice(FLOOR), self.round()
            await self.desk.ask(by, "void-round", round=number, reason="misdeal", meant="mistake")
            self._played = None
            await self._pause(chance, 1, 3)
            return
        if mistake == "unentered":  # the next round is opened, and the hand entered late
            await self._forget_hand(chance)
            return
        if self.felt.layout.shoe and self._played is None and await self._tell_shoe(chance):
            return
        played = self._played or self._lay(chance)
        if mistake == "late-hand" and self.round() > 2:  # noqa: PLR2004 -- the hand of the round before is looked at again
            wrong, (first, second) = dealt(chance), chance.sample(FLOOR, 2)
            hands = {"player": wrong.player, "banker": wrong.banker}
            await self.desk.ask(first, "correct-hand", second, "mistake", round=self.round() - 1, **hands)
        if mistake == "wrong-hand":
            wrong = dealt(chance)
            await self._key("enter-hand", wrong, "mistake")
            await self._pause(chance, 1, 10)
            await self._key("correct-hand", played, "")
        else:
            await self._key("enter-hand", played, "")
        if await self.sees("settled", "faulted", ""):
            self._done()

    async def _forget_hand(self, chance: Random) -> None:
        number, played = self.round(), self._lay(chance)
        self._done()
        await self._pause(chance, REOPEN_SECONDS, REOPEN_SECONDS + 5)
        await self.felt.press("reopen")
        await self._pause(chance, 2, 60)
        by, hands = chance.choice(FLOOR), {"player": played.player, "banker": played.banker}
        await self.desk.ask(by, "enter-hand", None, "mistake", round=max(1, number), **hands)

    async def _key(self, command: str, played: Round, meant: str) -> None:
        by = self._chance.choice(DEALERS)
        number = max(1, self.round())
        await self.desk.ask(by, command, round=number, meant=meant, player=played.player, banker=played.banker)

    def _lay(self, chance: Random) -> Round:
        played = self._played = dealt(chance)
        number, at = self.rounds + 1, self.felt.now()
        self.felt.note(trace.CardsDealt(at=at, game=number, player=played.player, banker=played.banker))
        return played

    async def _tell_shoe(self, chance: Random) -> bool:
        """Deal from the shoe, which tells each card; whether the table has taken the hand."""
        played, felt, cable = self._lay(chance), self.felt, self.felt.cables[SHOE]
        cable.say(felt.shoe.begin())
        for hand, index, card in played.cards():
            await self._pause(chance, 0.3, 1)
            number, at = self.rounds + 1, felt.now()
            felt.note(trace.CardTold(at=at, game=number, hand=hand, index=index, card=card))
            cable.say(felt.shoe.deal(hand, index, card))
            if isinstance(felt.shoe, AngelEyeTwin) and chance.random() < RETOLD:
                cable.say(felt.shoe.retell(hand, index, card))
        await self._pause(chance, 0.3, 1)
        cable.say(felt.shoe.end(played.result))
        if await self.sees("settled"):
            self._done()
            return True
        return False

    def _done(self) -> None:
        self.rounds += 1
        self._progress = asyncio.get_running_loop().time()
        self._played = None

    async def _collect(self) -> None:
        """Pay and take, and the next round."""
        chance, felt = Random(f"{self._seed} collects {self.rounds}"), self.felt
        await self._pause(chance, 3, 25)
        for place in sorted(felt.chips):
            if chance.random() >= PULLS:  # what stays is in for the next round
                felt.lift(*place)
        await self._give_back()
        if self._is_night():
            await self.desk.ask(self._chance.choice(DEALERS), "close-table")
            if await self.sees("closed"):
                return
        await self._pause(chance, REOPEN_SECONDS, REOPEN_SECONDS + 12)
        await felt.press("reopen")
        if not await self.sees("open", "faulted", ""):
            await self._pause(chance, 5, 30)  # play may be held for an award

    # -- the staff --

    async def validate(self) -> None:
        """Validate what waits, for ever."""
        chance = Random(f"{self._seed} floor")
        while True:
            await self._pause(chance, 5, 40)
            for award in self.awards():
                if chance.random() < UPSET:
                    await self._upset(award, chance)
                first, second = chance.sample(FLOOR, 2)
                fields: dict[str, Any] = {"award": award["award"]}
                if chance.random() < REJECTED[award["kind"] == "mystery"]:
                    await self.desk.ask(first, "reject", second=second, reason="no base wager", **fields)
                    continue
                method = self.felt.layout.payout
                fields["method"] = chance.choice(("slip", "inventory")) if method == "either" else method
                fields["base_wager"] = chance.random() > 0.03  # noqa: PLR2004 -- without one it is refused
                other = second if award["needs_second"] or chance.random() < 0.1 else None  # noqa: PLR2004 -- to be sure
                await self.desk.ask(first, "validate", second=other, **fields)
                if chance.random() < UPSET:
                    await self._upset(award, chance)

    async def _upset(self, award: dict[str, Any], chance: Random) -> None:
        """What goes wrong at a hit, or after it was paid: most of the rules of undoing are about awards."""
        number, place = award["round"], {"position": award["position"], "wager": award["wager"]}
        first, second = chance.sample(FLOOR, 2)
        other = dealt(chance)
        deeds: tuple[tuple[str, dict[str, Any]], ...] = (
            ("void-round", {"round": number, "reason": "misdeal"}),
            ("void-wager", {"round": number, "reason": "no base wager", **place}),
            ("correct-hand", {"round": number, "player": other.player, "banker": other.banker}),
            ("reject", {"award": award["award"], "reason": "the same again"}),
        )
        deed, fields = chance.choice(deeds)
        await self.desk.ask(first, deed, None if deed == "void-round" else second, "mistake", **fields)

    @staticmethod
    async def _pause(chance: Random, least: float, most: float) -> None:
        await asyncio.sleep(chance.uniform(least, most))
