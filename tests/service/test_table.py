"""End to end: players bet, the dealer locks out, cards are dealt, and what is on the wire is what is in the journal."""

from pathlib import Path

from drivers.simulated.dealer import Round
from tests.outlets.brokers import needs_mosquitto
from tests.service.house import House, in_a_house

pytestmark = needs_mosquitto
NOTHING = Round(("2S", "3S", "5C"), ("TH", "4D", "KD"), "banker")


def test_a_round_from_the_first_chip_to_the_next_round(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        before = house.sign.meter("royal9-mega")
        await house.bet(1, 5)
        await house.bet(2, wager="harmony")
        await house.lock()
        await house.until(lambda: house.sign.lamp(1) == "accepted")
        state = await house.agree()
        assert house.sign.meter("royal9-mega") == before + 100  # 10% of two wagers of $5
        assert state.phase.value == "locked"
        house.deal(NOTHING)
        await house.until(lambda: house.sign.phase == "settled")
        await house.reopen()
        await house.agree()

    in_a_house(tmp_path, scene)
