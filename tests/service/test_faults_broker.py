"""The broker killed, frozen, back with nothing, not there at all: play goes on for the grace, and all is said again."""

import signal
from pathlib import Path

import pytest

from controller.mqtt import connection
from controller.outlets.messages import retained
from controller.wire.broker import MqttSettings
from tests.outlets.brokers import needs_mosquitto
from tests.service.faults import NOTHING, a_round, check_every_fact_was_told, survived
from tests.service.house import BASE, BUTTON, House

pytestmark = needs_mosquitto
DEVICES = {"devices/royal9", "devices/harmony", "devices/shoe"}


async def kept(house: House, topics: set[str]) -> set[str]:
    """What the broker keeps, once that is at least these topics."""
    found: set[str] = set()
    async with connection(MqttSettings(port=house.broker.port), "passer-by") as broker:
        await broker.subscribe([f"{BASE}/#"])
        while not topics <= found:
            heard = await broker.hear()
            if heard.retained:
                found.add(heard.topic.removeprefix(f"{BASE}/"))
    return found


async def locked_unheard(house: House) -> None:
    """A chip, the button, and a chip too late, while nobody can hear of it."""
    house.chip(2)
    await house.until(lambda: "2/royal9" in house.state().standing)
    house.boards[0].sense(BUTTON, on=True)
    await house.until(lambda: house.state().phase.value == "locked")
    house.boards[0].sense(BUTTON, on=False)
    await house.until(lambda: house.boards[0].coils[:3] == [True, True, False])  # accepted, accepted, nothing
    house.chip(3)
    await house.until(lambda: house.state().sensors["3/royal9"].present)


async def settled(house: House) -> None:
    """The rest of the round that was locked unheard, and one more."""
    await house.agree()
    await house.until(lambda: house.sign.phase == "locked")
    lamps = ["accepted", "accepted", "refused"]
    await house.until(lambda: [house.sign.lamp(each) for each in (1, 2, 3)] == lamps)
    house.deal(NOTHING)
    await house.until(lambda: house.sign.phase == "settled")
    await house.reopen()
    await a_round(house, 4)
    await house.until(lambda: house.sign.facts[-1]["seq"] == house.head())


def test_a_broker_killed_in_mid_round_comes_back_with_nothing_and_is_told_everything(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.bet(1)
        house.broker.kill()
        await locked_unheard(house)
        house.sign.topics.clear()  # what it shows from here on, the new broker was told
        async with house.unheard():
            await house.broker.start()
        await house.until(lambda: house.sign.state == "online" and "journal/head" in house.sign.topics)
        state = await house.agree()
        wanted = {*retained(state, state.epoch), *DEVICES, "status", "journal/head"}
        assert await kept(house, wanted) == wanted
        await settled(house)

    house = survived(tmp_path, scene)
    check_every_fact_was_told(house)
    assert len(house.logged("broker-there")) == len(house.logged("broker-gone")) + 1
    assert house.logged("failed") == []


def test_a_broker_that_freezes_for_less_than_the_grace_stops_nobody(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.bet(1)
        house.broker.signal(signal.SIGSTOP)
        await locked_unheard(house)
        await house.until(lambda: house.logged("broker-gone"))
        assert house.state().phase.value == "locked"
        async with house.unheard():
            house.broker.signal(signal.SIGCONT)
        await house.until(lambda: len(house.logged("broker-there")) > 1)
        await settled(house)

    house = survived(tmp_path, scene)
    check_every_fact_was_told(house)
    assert all(message.get("prior") is None for message in rounds(house)[1:])  # faulted only until it had started


def rounds(house: House) -> list[dict[str, object]]:
    """What the sign was told of the round, from the first time the table was not faulted."""
    every = [message for topic, message in house.sign.told if topic == "round"]
    began = next(index for index, message in enumerate(every) if message["phase"] != "faulted")
    return every[began:]


@pytest.mark.parametrize("how", ["killed", "frozen"])
def test_beyond_the_grace_the_table_is_faulted_until_the_broker_is_back(tmp_path: Path, how: str) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.bet(1)
        meters = {id_: meter.display_cents for id_, meter in house.state().meters.items()}
        if how == "killed":
            house.broker.kill()
        else:
            house.broker.signal(signal.SIGSTOP)
        await house.until(lambda: house.state().phase.value == "faulted")
        state = house.state()
        assert state.devices["broker"].lost
        assert state.prior is not None
        assert state.prior.value == "open"
        await house.until(lambda: not any(house.boards[0].coils[:9]))  # a fault lights nothing, and invites nobody
        house.chip(2)  # seen, and no wager; nor does the button count
        await house.until(lambda: house.state().sensors["2/royal9"].present)
        house.boards[0].sense(BUTTON, on=True)
        await house.until(lambda: house.state().seq > state.seq + 1)
        await house.let_go()  # or the press that locks would be none: the button would seem never to have been let go
        assert "2/royal9" not in house.state().standing

        async with house.unheard():
            if how == "killed":
                await house.broker.start()
            else:
                house.broker.signal(signal.SIGCONT)
        await house.until(lambda: house.state().phase.value == "open")
        await house.until(lambda: (house.sign.state, house.sign.phase) == ("online", "open"))
        state = await house.agree()
        assert {id_: meter.display_cents for id_, meter in state.meters.items()} == meters
        assert {*state.standing} == {"1/royal9", "2/royal9"}  # both lie there, and were put there in this round
        await house.lock()
        await house.until(lambda: house.sign.lamp(2) == "accepted")
        house.deal(NOTHING)
        await house.until(lambda: house.sign.phase == "settled")
        await house.reopen()
        await house.until(lambda: house.sign.facts[-1]["seq"] == house.head())

    house = survived(tmp_path, scene, grace_s=1)
    check_every_fact_was_told(house)
    told = [message for topic, message in house.sign.told if topic == "status" and "broker: " in message["reason"]]
    assert {message["state"] for message in told} == {"faulted"}


def test_without_a_broker_at_the_start_the_table_plays_for_the_grace(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        assert await house.stop() == 0
        house.broker.kill()
        await house.start(heard=False)
        assert house.state().phase.value == "open"
        house.chip(1)
        await house.until(lambda: "1/royal9" in house.state().standing)
        await locked_unheard(house)
        house.sign.topics.clear()
        async with house.unheard():
            await house.broker.start()
        await house.until(lambda: house.sign.state == "online" and "journal/head" in house.sign.topics)
        await settled(house)

    house = survived(tmp_path, scene, grace_s=60)
    check_every_fact_was_told(house)
    assert len(house.logged("broker-not-reached")) == 1


def test_without_a_broker_at_the_start_and_without_a_grace_nothing_is_played(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        assert await house.stop() == 0
        house.broker.kill()
        house.chip(1)
        await house.start(heard=False)
        state = house.state()
        assert (state.phase.value, state.prior and state.prior.value) == ("faulted", "open")
        assert state.devices["broker"].lost
        assert not state.standing
        async with house.unheard():
            await house.broker.start()
        await house.until(lambda: house.sign.state == "online" and house.sign.phase == "open")
        await house.until(lambda: house.sign.lamp(1) == "placed")
        await house.lock()
        await house.agree()
        await house.until(lambda: house.sign.facts[-1]["seq"] == house.head())

    house = survived(tmp_path, scene, grace_s=0)
    check_every_fact_was_told(house)
