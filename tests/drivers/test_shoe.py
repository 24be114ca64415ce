"""The shoes' drivers over real terminals: faults, silence, acknowledgements, commands, counters, settings."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from drivers import port
from drivers.driver import Device
from drivers.events import BANKER, PLAYER, Card, Cleared, Event, Faulted, Game, Lost, Online
from drivers.shoe import (
    LONGEST_SEQUENCE,
    LONGEST_SILENCE,
    MOST_COMMANDS,
    MOST_COPIES,
    SHORTEST_SEQUENCE,
    AngelEye,
    AngelEyeSettings,
    CommandError,
    Shoe,
    TextShoe,
    TextShoeSettings,
)
from drivers.shoe_game import INTERRUPTED, MISSING, NOT_UNDERSTOOD
from drivers.simulated.line import NOISY
from drivers.simulated.shoe import AngelEyeTwin, ShoeTwin, TextShoeTwin, tell
from tests import virtual_time
from tests.drivers.lines import PATIENCE, eventually
from tests.drivers.shoes import ROUND, Table, dealt, table, troubles, whole


def test_a_line_lost_during_a_game_is_a_fault_from_its_return_to_the_next_game(tmp_path: Path) -> None:
    async def main() -> None:
        twin = TextShoeTwin()
        async with table(tmp_path, TextShoe, twin) as at:
            at.line.send(twin.begin() + twin.deal(PLAYER, 1, "9H"))
            await at.until(Card)
            at.line.unplug()
            await at.until(Lost)
            at.line.plug()
            await at.until(Faulted)
            at.line.send(twin.deal(BANKER, 1, "2C") + twin.end("banker"))
            await at.play([ROUND], twin)
            await eventually(lambda: at.events[-1] == Game(device="shoe", what="ended", result="player"))
            lost = next(index for index, event in enumerate(at.events) if isinstance(event, Lost))
            assert at.events[lost + 1 : lost + 5] == [
                Online(device="shoe"),
                Faulted(device="shoe", reason=INTERRUPTED),
                Cleared(device="shoe"),
                Game(device="shoe", what="begun"),
            ]
            assert whole(at.events) == [(ROUND.player, ROUND.banker, ROUND.result)]

    asyncio.run(main())


def test_a_line_lost_between_games_is_no_fault(tmp_path: Path) -> None:
    async def main() -> None:
        twin = AngelEyeTwin()
        async with table(tmp_path, AngelEye, twin) as at:
            await at.play([ROUND], twin)
            await eventually(lambda: len(whole(at.events)) == 1)
            at.line.unplug()
            await at.until(Lost)
            at.line.plug()
            await at.until(Online, 2)
            twin.begin()  # said before anybody listened
            await at.play([ROUND], twin)
            await eventually(lambda: len(whole(at.events)) == 2)
            assert at.count(Faulted) == 0

    asyncio.run(main())


def test_a_lost_line_is_told_once_however_often_it_cannot_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(port, "LAST_RETRY", 0.005)

    async def main() -> None:
        made = Table(tmp_path / "shoe", AngelEye, AngelEyeTwin())
        running = asyncio.create_task(made.driver.run())
        await made.until(Lost)
        await asyncio.sleep(0.1)
        assert made.calls == 1
        made.line.plug()
        await made.until(Online)
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        made.line.unplug()

    asyncio.run(main())


def test_a_missing_message_is_a_fault_and_the_next_game_counts_again(tmp_path: Path) -> None:
    async def main() -> None:
        twin = AngelEyeTwin()
        async with table(tmp_path, AngelEye, twin) as at:
            at.line.send(twin.begin())
            twin.deal(PLAYER, 1, "9H")
            at.line.send(twin.deal(BANKER, 1, "2C") + twin.end("banker"))
            await at.play([ROUND], twin)
            await eventually(lambda: len(whole(at.events)) == 1)
            assert at.events[1:5] == [
                Game(device="shoe", what="begun"),
                Faulted(device="shoe", reason=MISSING),
                Cleared(device="shoe"),
                Game(device="shoe", what="begun"),
            ]

    asyncio.run(main())


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"E12", "the shoe reports error 12"), (b"X", NOT_UNDERSTOOD), (b"D\x81\xc8", "card 1 of the player came where")],
)
def test_what_the_shoe_should_not_say_in_a_game_is_a_fault(tmp_path: Path, data: bytes, reason: str) -> None:
    async def main() -> None:
        twin = AngelEyeTwin()
        async with table(tmp_path, AngelEye, twin) as at:
            at.line.send(twin.begin() + twin.deal(PLAYER, 1, "9H") + twin.retell(PLAYER, 1, "9H") + twin.say(data))
            await at.until(Faulted)
            faults = [event.reason for event in at.events if isinstance(event, Faulted)]
            assert [fault[: len(reason)] for fault in faults] == [reason]

    asyncio.run(main())


def test_a_shoe_that_counts_with_other_characters_is_faulted_and_right_with_the_setting(tmp_path: Path) -> None:
    rounds = dealt(20)

    async def main(sequence: str) -> list[Event]:
        twin = AngelEyeTwin(1, "0123456789ABCDEF")
        messages = sum(len(list(tell(played, TextShoeTwin()))) for played in rounds)
        async with table(tmp_path, AngelEye, twin, sequence=sequence) as at:
            await at.play(rounds, twin)
            await eventually(lambda: at.driver.counters["shoe"].frames == messages)
            await asyncio.sleep(0)
            return at.events

    hands = [(played.player, played.banker, played.result) for played in rounds]
    faulted, right = asyncio.run(main("0123456789")), asyncio.run(main("0123456789ABCDEF"))
    assert any(isinstance(event, Faulted) for event in faulted)
    assert set(whole(faulted)) < set(hands)
    assert whole(right) == hands
    assert not troubles(right)


async def later(at: Table, seconds: float, said: bytes, frames: int) -> None:
    """Say something after some virtual time, and wait without any until its frames have been taken."""
    await asyncio.sleep(seconds)
    due = at.driver.counters["shoe"].frames + frames
    at.line.send(said)
    patience = time.monotonic() + PATIENCE
    while at.driver.counters["shoe"].frames < due:
        await asyncio.sleep(0)
        assert time.monotonic() < patience
    await asyncio.sleep(0)


def test_a_game_that_pauses_for_long_is_a_fault_when_it_goes_on(tmp_path: Path) -> None:
    async def main() -> None:
        twin = AngelEyeTwin(copies=1)
        async with table(tmp_path, AngelEye, twin) as at:
            await later(at, 1000, twin.begin(), 1)
            await later(at, 50, twin.deal(PLAYER, 1, "9H"), 1)
            await later(at, 50, twin.deal(BANKER, 1, "9D"), 1)
            assert not troubles(at.events)
            await later(at, 61, twin.deal(PLAYER, 2, "2H"), 1)
            assert at.events[-1] == Faulted(
                device="shoe", reason="nothing came for 60 s of a game: messages may be missing"
            )
            assert at.count(Card) == 2

    virtual_time.run(main())


@pytest.mark.parametrize(
    ("kind", "twin", "settings"),
    [
        (AngelEye, AngelEyeTwin, {"pause_s": 0}),
        (AngelEye, AngelEyeTwin, {"pause_s": 3700}),
        (TextShoe, TextShoeTwin, {}),
    ],
)
def test_a_game_may_pause_where_it_is_set_so_and_where_the_numbers_are_many(
    tmp_path: Path, kind: type[Shoe], twin: Callable[[int], ShoeTwin], settings: dict[str, Any]
) -> None:
    async def main() -> None:
        shoe = twin(1)
        async with table(tmp_path, kind, shoe, **settings) as at:
            for said in tell(ROUND, shoe):
                await later(at, 3600, said, 1)
            assert len(whole(at.events)) == 1
            assert not troubles(at.events)

    virtual_time.run(main())


def test_a_long_time_between_games_is_no_fault(tmp_path: Path) -> None:
    async def main() -> None:
        twin = AngelEyeTwin()
        async with table(tmp_path, AngelEye, twin) as at:
            for _ in range(3):
                messages = list(tell(ROUND, twin))
                await later(at, 3600, b"".join(messages), 3 * len(messages))
            assert len(whole(at.events)) == 3
            assert not troubles(at.events)

    virtual_time.run(main())


def test_messages_in_time_keep_a_shoe_online_and_silence_is_told_once(tmp_path: Path) -> None:
    async def main() -> None:
        twin = TextShoeTwin()
        async with table(tmp_path, TextShoe, twin, silent_s=10) as at:
            for _ in range(5):
                await later(at, 9, twin.alive(), 1)
            assert at.count(Lost) == 0
            await asyncio.sleep(11)
            assert at.count(Lost) == 1
            await asyncio.sleep(1000)
            assert at.count(Lost) == at.driver.counters["shoe"].timeouts == 1
            await later(at, 0, twin.alive(), 1)
            assert at.events[-1] == Online(device="shoe")

    virtual_time.run(main())


def test_a_text_line_that_is_none_of_the_protocol_is_a_fault(tmp_path: Path) -> None:
    async def main() -> None:
        twin = TextShoeTwin()
        async with table(tmp_path, TextShoe, twin) as at:
            at.line.send(twin.begin() + twin.say("shuffle"))
            await at.until(Faulted)
            assert at.events[-1] == Faulted(device="shoe", reason=NOT_UNDERSTOOD)

    asyncio.run(main())


def test_a_reader_without_a_checksum_is_understood_where_that_is_set(tmp_path: Path) -> None:
    async def main() -> None:
        twin = TextShoeTwin(checksum="none", end=b"\n")
        async with table(tmp_path, TextShoe, twin, checksum="none") as at:
            await at.play(dealt(5), twin)
            await at.finish(twin)
            assert len(whole(at.events)) == 6
            assert not troubles(at.events)

    asyncio.run(main())


def test_a_silent_shoe_is_lost_and_back_with_its_next_message(tmp_path: Path) -> None:
    async def main() -> None:
        twin = TextShoeTwin()
        async with table(tmp_path, TextShoe, twin, silent_s=0.05) as at:
            await at.until(Lost)
            assert at.driver.counters["shoe"].timeouts == 1
            assert at.events[-1] == Lost(device="shoe", reason="it was silent for 0.05 s")
            at.line.send(twin.alive())
            await at.until(Online, 2)
            await at.until(Lost, 2)
            at.line.send(twin.begin())
            await at.until(Online, 3)
            await at.until(Lost, 3)
            at.line.send(twin.deal(PLAYER, 1, "9H"))
            await at.until(Online, 4)
            assert Faulted(device="shoe", reason=INTERRUPTED) in at.events
            assert at.count(Card) == 0
            assert at.driver.counters["shoe"].reconnects == 0  # the line was open all the time

    asyncio.run(main())


def test_noise_alone_is_no_sign_of_life(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, TextShoe, TextShoeTwin(), silent_s=0.05) as at:
            async with asyncio.timeout(30):
                while not at.count(Lost):
                    at.line.send(b"noise\n")
                    await asyncio.sleep(0.001)
            assert at.driver.counters["shoe"].frames == 0

    asyncio.run(main())


def test_without_a_limit_a_shoe_may_be_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drivers.shoe.LONGEST_READ", 0.001)

    async def main() -> None:
        async with table(tmp_path, AngelEye, AngelEyeTwin()) as at:
            await asyncio.sleep(0.1)
            assert at.events == [Online(device="shoe")]

    asyncio.run(main())


def test_while_events_are_not_taken_nothing_more_is_handed_up_and_nothing_is_lost(tmp_path: Path) -> None:
    async def main() -> None:
        twin = AngelEyeTwin()
        async with table(tmp_path, AngelEye, twin) as at:
            at.room.clear()
            at.line.send(twin.begin())
            await eventually(lambda: at.calls == 2)
            for said in [said for played in dealt(20) for said in tell(played, twin)]:
                at.line.send(said)
            await asyncio.sleep(0.05)
            assert at.calls == 2
            assert at.driver.counters["shoe"].frames <= 3  # the begin, and no more of what came since
            at.room.set()
            await at.finish(twin)
            assert len(whole(at.events)) == 21
            assert at.count(Faulted) == 1  # the game that was begun before the others

    asyncio.run(main())


def test_nothing_is_ever_sent_unless_it_is_set(tmp_path: Path) -> None:
    async def main() -> None:
        twin = AngelEyeTwin()
        async with table(tmp_path, AngelEye, twin, NOISY) as at:
            await at.play(dealt(10), twin)
            await at.finish(twin)
            assert isinstance(at.driver, AngelEye)
            with pytest.raises(CommandError, match="acknowledge = true"):
                at.driver.command("LK", "02")
            await asyncio.sleep(0.05)
            assert at.heard == b""

    asyncio.run(main())


def test_a_message_is_acknowledged_only_when_it_was_taken(tmp_path: Path) -> None:
    async def main() -> None:
        twin = AngelEyeTwin(until_acknowledged=True)
        async with table(tmp_path, AngelEye, twin, acknowledge=True, copies=2) as at:
            at.line.send(twin.begin())
            await eventually(lambda: at.driver.counters["shoe"].frames == 1)
            await asyncio.sleep(0.02)
            assert at.heard == b""  # one copy is no message yet
            at.room.clear()
            at.line.send(twin.again())
            await eventually(lambda: at.calls == 2)
            await asyncio.sleep(0.02)
            assert at.heard == b""
            at.room.set()
            await eventually(lambda: at.heard == b"\x06")
            assert not twin.is_waiting
            assert twin.again() == b""

    asyncio.run(main())


def test_a_repeat_is_acknowledged_again_because_the_first_ack_may_be_lost(tmp_path: Path) -> None:
    async def main() -> None:
        twin = AngelEyeTwin(copies=3)
        async with table(tmp_path, AngelEye, twin, acknowledge=True) as at:
            at.line.send(twin.begin())
            await eventually(lambda: at.heard == b"\x06\x06\x06")
            assert at.count(Game) == 1

    asyncio.run(main())


@pytest.mark.parametrize("checksum", ["with-stx", "without-stx"])
def test_a_command_is_sent_with_the_check_that_is_set(tmp_path: Path, checksum: Any) -> None:  # noqa: ANN401 -- a literal
    async def main() -> None:
        twin = AngelEyeTwin(command_checksum=checksum)
        async with table(tmp_path, AngelEye, twin, acknowledge=True, command_checksum=checksum) as at:
            assert isinstance(at.driver, AngelEye)
            for _ in range(MOST_COMMANDS):
                at.driver.command("LK", "02")
            with pytest.raises(CommandError, match="waiting"):
                at.driver.command("LK", "02")
            await eventually(lambda: twin.commands == [("LK", "02")] * MOST_COMMANDS)
            assert at.driver.counters["shoe"].resyncs == 0  # its ACKs are no noise

    asyncio.run(main())


def test_a_command_waits_for_no_line(tmp_path: Path) -> None:
    async def main() -> None:
        twin = AngelEyeTwin()
        async with table(tmp_path, AngelEye, twin, acknowledge=True) as at:
            assert isinstance(at.driver, AngelEye)
            at.driver.command("LK", "02")
            at.line.unplug()
            await at.until(Lost)
            with pytest.raises(CommandError, match="lost"):
                at.driver.command("LK", "02")
            at.line.plug()
            await at.until(Online, 2)
            at.line.send(twin.begin())
            await eventually(lambda: bool(at.heard))
            assert twin.commands == []

    asyncio.run(main())


def test_the_twin_refuses_a_command_whose_check_is_wrong_and_one_without_an_end() -> None:
    twin = AngelEyeTwin(command_checksum="without-stx")
    assert twin.received(bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")) == b"\x151"
    assert twin.received(bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 39")) == b"\x06"
    assert twin.received(b"\x02" + b"O" * 1000 + bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 39")) == b"\x06"


def test_counters_tell_what_came_over_the_line(tmp_path: Path) -> None:
    async def main() -> None:
        twin = AngelEyeTwin(copies=1)
        async with table(tmp_path, AngelEye, twin) as at:
            counters = at.driver.counters["shoe"]
            assert counters.told()["last_seen"] is None
            at.line.send(twin.begin() + b"noise" + twin.deal(PLAYER, 1, "9H") + twin.deal(BANKER, 1, "9H")[:-1] + b"x")
            at.line.send(b"\x051S\x0300" + twin.end("tie"))
            await eventually(lambda: counters.frames == 3)
            assert counters.last_seen is not None
            assert (counters.bad_checksums, counters.resyncs) == (1, 2)
            assert at.driver.look("shoe")["game"] == MISSING

    asyncio.run(main())


async def _nowhere(events: Sequence[Event]) -> None:
    del events


def test_a_shoe_is_called_like_its_line_unless_it_has_a_name() -> None:
    plain, named = AngelEyeSettings(port="here"), TextShoeSettings(port="there", id="eye")
    assert AngelEye("left", plain, _nowhere, {}).devices == (Device("left", "angel-eye", "here"),)
    driver = TextShoe("left", named, _nowhere, {})
    assert driver.devices == (Device("eye", "text-shoe", "there"),)
    assert set(driver.counters) == {"eye"}


def test_settings_have_the_defaults_of_the_device() -> None:
    angel = msgspec.convert({"port": "here"}, AngelEyeSettings)
    assert (angel.baudrate, angel.parity, angel.stop_bits) == (4800, "none", 1)
    assert (angel.copies, angel.silent_s, angel.acknowledge, angel.command_checksum) == (1, 0, False, "with-stx")
    text = msgspec.convert({"port": "here"}, TextShoeSettings)
    assert (text.baudrate, text.checksum, text.copies, text.silent_s) == (9600, "crc16", 1, 0)


VISIBLE = "".join(map(chr, range(0x21, 0x7F)))


@pytest.mark.parametrize(
    "good",
    [
        {"copies": MOST_COPIES},
        {"silent_s": LONGEST_SILENCE},
        {"pause_s": LONGEST_SILENCE},
        {"sequence": VISIBLE[:SHORTEST_SEQUENCE]},
        {"sequence": VISIBLE},
        {"command_checksum": "without-stx", "acknowledge": True},
    ],
)
def test_settings_within_their_limits_are_taken(good: dict[str, object]) -> None:
    assert len(VISIBLE) == LONGEST_SEQUENCE
    msgspec.convert({"port": "here", **good}, AngelEyeSettings)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ({"copies": 0}, "copies"),
        ({"copies": MOST_COPIES + 1}, "copies"),
        ({"silent_s": -1}, "silent_s"),
        ({"silent_s": LONGEST_SILENCE + 1}, "silent_s"),
        ({"pause_s": -1}, "pause_s"),
        ({"pause_s": LONGEST_SILENCE + 1}, "pause_s"),
        ({"sequence": "012345678"}, "sequence"),
        ({"sequence": "0123456789" * 10}, "sequence"),
        ({"sequence": "01234567899"}, "each once"),
        ({"sequence": "012345678 9"}, "each once"),
        ({"command_checksum": "crc"}, "command_checksum"),
        ({"silent": 1}, "silent"),
    ],
)
def test_settings_beyond_them_are_refused_by_name(bad: dict[str, object], why: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=why):
        msgspec.convert({"port": "here", **bad}, AngelEyeSettings)
