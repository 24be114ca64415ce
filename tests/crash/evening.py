"""An evening at a whole table, made up from a seed: wagers, lock-outs, hands, a mystery, awards paid, a kill."""

from random import Random
from typing import Any

from drivers.simulated.dealer import Round
from tests.crash.house import POSITIONS, RecordedHouse
from tests.service.house import WAGERS

HANDS = (
    Round(("KS", "9S"), ("2H", "3D"), "player"),  # the Player's hand is position 1's combination
    Round(("2S", "3S", "5C"), ("TH", "4D", "KD"), "banker"),  # nothing
    Round(("8S", "8H"), ("8D", "8C"), "tie"),
    Round(("KS", "9S"), ("KS", "9S"), "tie"),  # the Mega of position 1
    Round(("2S", "2H", "2D"), ("2C", "2S", "2H"), "tie"),  # harmony's own
)
PLACES = [(position, wager) for position in POSITIONS for wager in WAGERS]


class Evening:
    """The people of one evening, and what they do."""

    def __init__(self, house: RecordedHouse, seed: str) -> None:
        self._house = house
        self._chance = Random(seed)

    async def play(self, rounds: int) -> None:
        """Three lives of the controller: stopped in good order, killed in a round, and gone on."""
        house = self._house
        await self._begin()
        await house.open()
        tom: dict[str, Any] = {"operator": "tom", "name": "Tom", "role": "dealer", "pin": "777888"}
        await house.do("operator-add", "sue", "sid", **tom)
        for number in range(rounds):
            await self._round(HANDS[number % len(HANDS)], voided=number == rounds - 1)
        assert await house.stop() == 0, house.raw_log.decode()
        await self._begin()
        await self._round(self._chance.choice(HANDS))
        await self._half_a_round()
        await house.kill()
        await self._begin()
        if house.sign.phase == "open":
            await house.lock()
        await house.reopen()
        await self._round(self._chance.choice(HANDS))
        assert await house.stop() == 0, house.raw_log.decode()

    async def _begin(self) -> None:
        house = self._house
        await house.start()
        await house.until(lambda: house.sign.phase not in {"", "faulted"})
        await house.sign_in("dora", "flo", "finn", "sue", "sid")

    async def _bet(self) -> None:
        """Chips at once, the first of them at position 1; then one more player, who may think better of it."""
        house, chance = self._house, self._chance
        chosen = [PLACES[0], *chance.sample(PLACES[1:], chance.randrange(2, 5))]
        for each in chosen[:-1]:
            house.chip(*each)
        await house.until(lambda: all(house.sign.lamp(*each) == "placed" for each in chosen[:-1]))
        house.chip(*chosen[-1])
        await house.until(lambda: house.sign.lamp(*chosen[-1]) == "placed")
        if chance.random() < 1 / 2:
            house.chip(*chosen[-1], there=False)
            await house.until(lambda: house.sign.lamp(*chosen[-1]) == "invite")
            house.chip(*chosen[-1])
            await house.until(lambda: house.sign.lamp(*chosen[-1]) == "placed")

    async def _round(self, hand: Round, *, voided: bool = False) -> None:
        house = self._house
        on = self._chance.random() < 1 / 2
        if on:
            await house.do("position-service", "flo", position=9, on=False, reason="a sensor is looked at")
            await house.do("position-service", "flo", position=9, on=True, reason="and works")
        await self._bet()
        await house.lock()
        if voided:
            await house.do("void-round", "flo", round=house.sign.topics["round"]["round"], reason="misdeal")
            await house.until(lambda: house.sign.phase == "open")
            await house.lock()
        house.deal(hand)
        await house.until(lambda: house.sign.phase == "settled")
        await self._pay()
        await house.reopen()
        await house.agree()

    async def _half_a_round(self) -> None:
        """Stop somewhere in a round: with wagers made, with wagers in, with hands dealt."""
        await self._bet()
        how_far = self._chance.randrange(3)
        if how_far:
            await self._house.lock()
        if how_far > 1:
            self._house.deal(self._chance.choice(HANDS))
            await self._house.until(lambda: self._house.sign.phase == "settled")

    async def _pay(self) -> None:
        """Validate all that is due, one slip after the other."""
        house = self._house
        await house.agree()
        for topic, award in sorted(house.sign.topics.items()):
            if topic.startswith("awards/"):
                second = "finn" if award["needs_second"] else ""
                await house.do("validate", "flo", second, award=award["award"], method="slip", base_wager=True)
        await house.agree()
