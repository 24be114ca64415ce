"""Lines unplugged and boards lost in mid round: what they carried is out, what they did not goes on, no money moves."""

import asyncio
from pathlib import Path

import pytest

from drivers.simulated.line import Twin, TwinLine
from drivers.simulated.shoe import tell
from tests.outlets.brokers import needs_mosquitto
from tests.service.faults import NOTHING, a_round, check_every_fact_was_told, survived
from tests.service.house import BUTTON, House, HurriedHouse

pytestmark = needs_mosquitto
BUTTON_BOARD, OTHER_BOARD = 1, 2


class CutShort:
    """A twin whose adapter is pulled out while the next of its replies is half sent."""

    def __init__(self, line: TwinLine) -> None:
        self._line = line
        self._twin: Twin = line.twin
        self.cut = b""

    def received(self, data: bytes) -> bytes:
        """The first half of a reply; the rest never comes."""
        reply = self._twin.received(data)
        if not reply:
            return reply
        self.cut = reply
        self._line.twin = self._twin
        asyncio.get_running_loop().call_soon(self._line.unplug)
        return reply[: len(reply) // 2]


def cents(house: House) -> dict[str, int]:
    """What the sign shows of each meter."""
    return {topic: told["display_cents"] for topic, told in house.sign.topics.items() if topic.startswith("meters/")}


def meter_states(house: House) -> set[str]:
    """How the sign shows the meters."""
    return {told["state"] for topic, told in house.sign.topics.items() if topic.startswith("meters/")}


async def faulted(house: House, prior: str) -> None:
    """Wait until the signs say that nothing can be played."""
    await house.until(lambda: (house.sign.state, house.sign.phase) == ("faulted", "faulted"))
    assert house.sign.topics["round"]["prior"] == prior
    await house.until(lambda: meter_states(house) == {"faulted"})


async def back(house: House, phase: str) -> None:
    """Wait until the table is where it was."""
    await house.until(lambda: (house.sign.state, house.sign.phase) == ("online", phase))
    await house.agree()


def test_an_adapter_unplugged_in_mid_frame_while_bets_are_made_and_plugged_in_again(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.bet(1, 5)
        await house.bet(2, wager="harmony")
        shown, rail = cents(house), house.lines["rail"]
        cut = CutShort(rail)
        rail.twin = cut
        await faulted(house, "open")
        assert len(cut.cut) > 2
        assert not rail.plugged
        await house.until(lambda: house.sign.topics["devices/royal9"]["state"] == "lost")
        assert cents(house) == shown  # a fault applies nothing
        house.chip(5, there=False)  # gone when it comes back
        house.chip(6)  # and this one is new
        rail.plug()
        await back(house, "open")
        await house.until(lambda: {*house.state().standing} == {"1/royal9", "6/royal9", "2/harmony"})
        await house.until(lambda: house.sign.topics["round"]["seq"] == house.head())
        assert (house.sign.lamp(1), house.sign.lamp(5), house.sign.lamp(6)) == ("placed", "invite", "placed")
        await house.until(lambda: house.sign.topics["devices/royal9"]["state"] == "online")
        await house.lock()
        await house.until(lambda: house.sign.lamp(6) == "accepted")
        await house.agree()
        assert house.sign.meter("royal9-mega") == shown["meters/royal9-mega"] + 100
        house.deal(NOTHING)
        await house.until(lambda: house.sign.phase == "settled")
        await house.reopen()
        await a_round(house, 3)

    check_every_fact_was_told(survived(tmp_path, scene, HurriedHouse))


def test_an_adapter_unplugged_in_mid_frame_of_a_locked_round_changes_nothing_of_it(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.bet(1, 5)
        await house.lock()
        await house.until(lambda: house.sign.lamp(5) == "accepted")
        await house.agree()
        record, shown, rail = house.state().record(1), cents(house), house.lines["rail"]
        rail.twin = CutShort(rail)
        await faulted(house, "locked")
        house.chip(7)  # nobody sees it now, and it is too late when somebody does
        rail.plug()
        await back(house, "locked")
        await house.until(lambda: house.sign.lamp(7) == "refused")
        assert (house.state().record(1), cents(house)) == (record, shown)
        assert (house.sign.lamp(1), house.sign.lamp(5)) == ("accepted", "accepted")
        await house.until(lambda: [*map(house.boards[0].coils.__getitem__, (0, 1, 4))] == [True, False, True])
        house.deal(NOTHING)
        await house.until(lambda: house.sign.phase == "settled")
        await house.reopen()

    check_every_fact_was_told(survived(tmp_path, scene, HurriedHouse))


@pytest.mark.parametrize("boards", [{BUTTON_BOARD}, {BUTTON_BOARD, OTHER_BOARD}], ids=["the button's", "all"])
def test_the_table_is_faulted_while_there_is_no_button(tmp_path: Path, boards: set[int]) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.bet(1)
        await house.bet(2, wager="harmony")
        shown = cents(house)
        house.bus.silent |= boards
        await faulted(house, "open")
        house.boards[0].sense(BUTTON, on=True)  # unheard, and let go before anybody listens again
        house.boards[0].sense(BUTTON, on=False)
        if OTHER_BOARD not in boards:
            house.chip(3, "harmony")
            await house.until(
                lambda: "3/harmony" in house.state().sensors and house.state().sensors["3/harmony"].present
            )
            assert "3/harmony" not in house.state().standing
            await house.until(lambda: not any(house.boards[1].coils))
        house.bus.silent.clear()
        await back(house, "open")
        assert cents(house) == shown
        there = {"1/royal9", "2/harmony", *(() if OTHER_BOARD in boards else ("3/harmony",))}
        await house.until(lambda: {*house.state().standing} == there)
        await house.lock()
        house.deal(NOTHING)
        await house.until(lambda: house.sign.phase == "settled")
        await house.reopen()
        await a_round(house, 9)

    check_every_fact_was_told(survived(tmp_path, scene, HurriedHouse))


def rewire(house: House, first: int) -> None:
    """Have the board without the button serve only the positions from this one on."""
    path = house.config.with_suffix(".service.toml")
    text = path.read_text()
    for position in range(1, first):
        text = text.replace(f'{{ at = {position - 1}, position = {position}, wager = "harmony" }}, ', "")
    path.write_text(text)


def test_a_board_without_the_button_takes_only_its_own_positions_out(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        rewire(house, first=5)
        await house.start()
        await house.open()
        await house.bet(1, 5)
        await house.bet(6, wager="harmony")
        shown = cents(house)
        house.bus.silent.add(OTHER_BOARD)
        await house.until(lambda: house.sign.lamp(5) == "fault")
        assert (house.sign.state, house.sign.phase) == ("online", "open")
        assert [house.sign.lamp(each) for each in range(1, 10)] == ["placed", *["invite"] * 3, *["fault"] * 5]
        assert {house.sign.topics[f"meters/{each}"]["state"] for each in ("royal9-mega", "harmony")} == {"live"}
        assert {*house.state().standing} == {"1/royal9"}
        house.chip(7)  # sensed by the other board, and no wager: half of what lies at this position is not seen
        await house.bet(4)
        await house.lock()
        await house.until(lambda: house.sign.lamp(4) == "accepted")
        await house.agree()
        assert house.sign.meter("royal9-mega") == shown["meters/royal9-mega"] + 100
        assert house.sign.meter("harmony") == shown["meters/harmony"]
        house.deal(NOTHING)
        await house.until(lambda: house.sign.phase == "settled")
        house.bus.silent.clear()
        await house.until(lambda: house.sign.topics["devices/harmony"]["state"] == "online")
        await house.reopen()
        await house.bet(6, wager="harmony")
        await house.agree()

    check_every_fact_was_told(survived(tmp_path, scene, HurriedHouse))


def test_a_shoe_unplugged_in_mid_hand_leaves_the_hand_to_the_dealer(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.bet(1)
        await house.lock()
        *half, _, _, _ = tell(NOTHING, house.shoe)
        shoe = house.lines["shoe"]
        for message in half[:-1]:
            shoe.send(message)
        shoe.send(half[-1][: len(half[-1]) // 2])
        await asyncio.sleep(0.1)
        shoe.unplug()
        await house.until(lambda: house.sign.topics["devices/shoe"]["state"] == "lost")
        assert (house.sign.state, house.sign.topics["round"]["round"]) == ("online", 1)
        assert house.sign.phase in {"locked", "dealt"}
        shoe.plug()
        await house.until(lambda: house.sign.topics["devices/shoe"]["state"] == "online")
        await house.do("enter-hand", "dora", round=1, player=list(NOTHING.player), banker=list(NOTHING.banker))
        await house.until(lambda: house.sign.phase == "settled")
        await house.reopen()
        await a_round(house, 2)

    check_every_fact_was_told(survived(tmp_path, scene, HurriedHouse))
