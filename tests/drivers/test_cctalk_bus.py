"""One conversation on a wire: replies that are late, broken or drowned, and adapters that echo or do not."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from drivers.cctalk_bus import Bus, BusyError, RefusedError, SilentError
from drivers.cctalk_frames import CATEGORY, READ_CREDITS, SIMPLE_POLL
from drivers.driver import Counters
from drivers.port import Line, LineSettings
from drivers.simulated.cctalk import Acceptor, AcceptorBus
from drivers.simulated.line import Twin, TwinLine
from tests.drivers.lines import eventually

PATIENCE = 30.0
# Of a reply: long where one is expected, as machines may be slow; short where none comes.
EXPECTED, SHORT = 5.0, 0.05


class PatientBus(Bus):
    """A bus whose patience a test sets."""

    def wait(self, seconds: float) -> None:
        self._reply_seconds = seconds

    async def until_there(self, size: int) -> None:
        """Wait until so many bytes have come unasked."""
        line = self._line
        assert isinstance(line, Line)
        await eventually(lambda: len(line._unread) == size)  # noqa: SLF001 -- nobody else needs to know


def talk(tmp_path: Path, twin: Twin, talking: Callable[[PatientBus, TwinLine], Awaitable[None]]) -> None:
    async def main() -> None:
        line = TwinLine(tmp_path / "wire", twin)
        line.plug()
        port = Line(LineSettings(port=str(line.path), baudrate=115200))
        try:
            async with asyncio.timeout(PATIENCE):
                await talking(PatientBus(port, "simple", EXPECTED, 10 / 115200), line)
        finally:
            port.close()
            line.unplug()

    asyncio.run(main())


def test_an_adapter_that_begins_or_ceases_to_echo_is_noticed(tmp_path: Path) -> None:
    wire = AcceptorBus([Acceptor()], echo=True)

    async def talking(bus: Bus, _: TwinLine) -> None:
        assert bus.echo is None
        for echo in (True, True, False, False, True):
            wire.echo = echo
            assert await bus.ask(2, SIMPLE_POLL, counters=counters, tries=3) == b""
            assert bus.echo is echo

    counters = Counters()
    talk(tmp_path, wire, talking)
    assert (counters.frames, counters.resyncs) == (5, 0)


@pytest.mark.parametrize(("busy", "answered"), [(2, True), (3, False)])
def test_a_busy_device_is_asked_as_often_as_was_said(tmp_path: Path, *, busy: int, answered: bool) -> None:
    acceptor = Acceptor()
    acceptor.busy = busy

    async def talking(bus: Bus, _: TwinLine) -> None:
        if answered:
            assert await bus.ask(2, SIMPLE_POLL, counters=Counters(), tries=3) == b""
        else:
            with pytest.raises(BusyError):
                await bus.ask(2, SIMPLE_POLL, counters=Counters(), tries=3)

    talk(tmp_path, AcceptorBus([acceptor]), talking)


def test_a_refusal_is_an_answer_and_is_not_asked_again(tmp_path: Path) -> None:
    acceptor = Acceptor()
    acceptor.refused = {CATEGORY}
    counters = Counters()

    async def talking(bus: Bus, _: TwinLine) -> None:
        with pytest.raises(RefusedError, match="245"):
            await bus.ask(2, CATEGORY, counters=counters, tries=3)

    talk(tmp_path, AcceptorBus([acceptor]), talking)
    assert (counters.frames, counters.timeouts) == (1, 0)


def test_silence_says_whether_even_the_echo_is_missing(tmp_path: Path) -> None:
    acceptor = Acceptor()
    wire = AcceptorBus([acceptor], echo=True)
    counters = Counters()

    async def talking(bus: PatientBus, line: TwinLine) -> None:
        bus.wait(0.5)  # the echo is waited for as long as a reply
        with pytest.raises(SilentError, match="no whole reply came"):  # its own echo came
            await bus.ask(9, SIMPLE_POLL, counters=counters)
        bus.wait(EXPECTED)
        await bus.ask(2, SIMPLE_POLL, counters=counters)
        line.twin = Mute()
        bus.wait(SHORT)
        with pytest.raises(SilentError, match="not even the echo"):
            await bus.ask(2, SIMPLE_POLL, counters=counters, tries=2)

    talk(tmp_path, wire, talking)
    assert counters.timeouts == 3


class Mute:
    """Nothing is at the other end."""

    def received(self, data: bytes) -> bytes:
        del data
        return b""


class Flood:
    """A device that talks without end and never says anything."""

    def received(self, data: bytes) -> bytes:
        del data
        return bytes(2000)


def test_a_device_that_floods_is_silent_in_the_end_and_does_not_disturb_the_next(tmp_path: Path) -> None:
    counters = Counters()

    async def talking(bus: PatientBus, line: TwinLine) -> None:
        async def flood() -> None:
            while True:
                line.send(bytes(500))
                await asyncio.sleep(0.002)

        line.twin = Flood()
        flooding = asyncio.create_task(flood())
        bus.wait(SHORT)
        with pytest.raises(SilentError, match="no whole reply came"):
            await bus.ask(2, READ_CREDITS, counters=counters)
        flooding.cancel()
        line.twin = AcceptorBus([Acceptor()])
        bus.wait(EXPECTED)
        assert len(await bus.ask(2, READ_CREDITS, counters=counters, tries=3)) == 11

    talk(tmp_path, Mute(), talking)
    assert counters.resyncs >= 1


def test_a_reply_that_comes_too_late_is_not_taken_for_that_to_the_next_request(tmp_path: Path) -> None:
    counters = Counters()

    async def talking(bus: PatientBus, line: TwinLine) -> None:
        bus.wait(SHORT)
        with pytest.raises(SilentError):
            await bus.ask(2, READ_CREDITS, counters=counters)
        bus.wait(EXPECTED)
        late = Acceptor()
        late.happen(9, 1)
        reply = AcceptorBus([late]).received(bytes.fromhex("020001E518"))
        line.send(reply)
        line.twin = AcceptorBus([Acceptor()])
        await bus.until_there(len(reply))
        assert await bus.ask(2, READ_CREDITS, counters=counters, tries=3) == bytes(11)

    talk(tmp_path, Mute(), talking)


def test_a_wrong_checksum_is_counted_and_asked_again(tmp_path: Path) -> None:
    class Worn:
        """The first reply has one bit wrong."""

        def __init__(self) -> None:
            self.wire = AcceptorBus([Acceptor()], echo=False)
            self.worn = False

        def received(self, data: bytes) -> bytes:
            reply = self.wire.received(data)
            if self.worn or not reply:
                return reply
            self.worn = True
            return reply[:-1] + bytes((reply[-1] ^ 4,))

    counters = Counters()

    async def talking(bus: PatientBus, _: TwinLine) -> None:
        bus.wait(1.0)  # also after the broken reply, as another could follow
        assert await bus.ask(2, READ_CREDITS, counters=counters, tries=2) == bytes(11)

    talk(tmp_path, Worn(), talking)
    assert (counters.frames, counters.bad_checksums, counters.timeouts) == (1, 1, 1)


def test_at_least_one_try_is_made(tmp_path: Path) -> None:
    async def talking(bus: Bus, _: TwinLine) -> None:
        with pytest.raises(ValueError, match="at least one"):
            await bus.ask(2, SIMPLE_POLL, counters=Counters(), tries=0)

    talk(tmp_path, Mute(), talking)
