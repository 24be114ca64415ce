"""A device twin's end of a line: what a wire does to bytes, and an adapter that is pulled out and plugged in."""

import asyncio
import os
from pathlib import Path
from random import Random

import pytest

from drivers.port import Line, LineLostError, LineSettings
from drivers.simulated.line import BYTE_BY_BYTE, MOST_UNSENT, NOISY, QUICK_LOOKS, Condition, TwinLine
from tests.drivers.lines import PATIENCE, eventually, open_files, read_all

MANY = 20_000  # bytes, of which a noisy wire hurts some thousand
THE_END = b"that was all"


class Listener:
    """A device that keeps what it hears as it comes, and answers each part with the same."""

    def __init__(self, answer: bytes = b"") -> None:
        self.parts: list[bytes] = []
        self.answer = answer

    def received(self, data: bytes) -> bytes:
        self.parts.append(data)
        return self.answer

    @property
    def heard(self) -> bytes:
        return b"".join(self.parts)


def opened(twin_line: TwinLine) -> Line:
    return Line(LineSettings(port=str(twin_line.path)))


async def parts_of(line: Line, size: int) -> list[bytes]:
    """So many bytes of a line, as they come."""
    found: list[bytes] = []
    async with asyncio.timeout(PATIENCE):
        while sum(map(len, found)) < size:
            found.append(await line.read(PATIENCE))
    return found


async def until_quiet(line: Line) -> bytes:
    """All that comes before the end, which no noise is let near."""
    found = bytearray()
    async with asyncio.timeout(PATIENCE):
        while not found.endswith(THE_END):
            found += await line.read(PATIENCE)
    return bytes(found.removesuffix(THE_END))


def test_a_clean_wire_brings_everything_as_it_was_said(tmp_path: Path) -> None:
    async def main() -> None:
        twin = Listener()
        wire = TwinLine(tmp_path / "wire", twin)
        wire.plug()
        line = opened(wire)
        said = bytes(range(256)) * 64
        await line.write(said)
        await eventually(lambda: len(twin.heard) == len(said))
        assert twin.heard == said
        wire.send(said)
        assert await read_all(line, len(said)) == said
        line.close()
        wire.unplug()

    asyncio.run(main())


# -- one byte at a time --


def test_one_by_one_every_byte_reaches_the_host_by_itself(tmp_path: Path) -> None:
    async def main() -> None:
        wire = TwinLine(tmp_path / "wire", Listener(), BYTE_BY_BYTE)
        wire.plug()
        line = opened(wire)
        for said in (b"first answer", b"second", b"third"):  # also across what is said at once
            wire.send(said)
        parts = await parts_of(line, 23)
        assert [len(part) for part in parts] == [1] * 23
        assert b"".join(parts) == b"first answersecondthird"
        line.close()
        wire.unplug()

    asyncio.run(main())


def test_one_by_one_every_byte_reaches_the_device_by_itself(tmp_path: Path) -> None:
    async def main() -> None:
        twin = Listener(b"ok")
        wire = TwinLine(tmp_path / "wire", twin, BYTE_BY_BYTE)
        wire.plug()
        line = opened(wire)
        await line.write(b"question")
        assert [len(part) for part in await parts_of(line, 16)] == [1] * 16
        assert twin.parts == [b"q", b"u", b"e", b"s", b"t", b"i", b"o", b"n"]
        line.close()
        wire.unplug()

    asyncio.run(main())


def test_one_by_one_a_byte_waits_until_the_one_before_was_read(tmp_path: Path) -> None:
    async def main() -> None:
        wire = TwinLine(tmp_path / "wire", Listener(), BYTE_BY_BYTE)
        wire.plug()
        host = os.open(wire.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)  # one that reads when it pleases
        wire.send(b"slow")
        read = b""
        for _ in range(4):
            for _ in range(2 * QUICK_LOOKS):  # beyond the turns in which the wire looks again at once
                await asyncio.sleep(0)
            read += (part := await _one(host))
            assert len(part) == 1
        assert read == b"slow"
        os.close(host)
        wire.unplug()

    asyncio.run(main())


async def _one(host: int) -> bytes:
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return os.read(host, 4096)
            except BlockingIOError:
                await asyncio.sleep(0.001)


# -- noise --


def test_noise_corrupts_and_drops_one_byte_in_forty_each_on_both_ways(tmp_path: Path) -> None:
    async def main() -> None:
        found = await noise(tmp_path, 7, MANY)
        dropped, corrupted = MANY - len(found), len(found) - found.count(b"U")
        assert MANY * 0.020 < dropped < MANY * 0.030
        assert MANY * 0.020 < corrupted < MANY * 0.030
        twin = Listener()
        wire = TwinLine(tmp_path / "wire", twin, NOISY, Random(7))
        wire.plug()
        line = opened(wire)
        await line.write(b"U" * MANY)
        await eventually(lambda: len(twin.heard) >= len(found))
        assert twin.heard == found  # the same chance hurts the same bytes, however they are cut
        line.close()
        wire.unplug()

    asyncio.run(main())


def test_the_same_seed_makes_the_same_noise(tmp_path: Path) -> None:
    async def main() -> None:
        assert await noise(tmp_path, 1, 1000) == await noise(tmp_path, 1, 1000) != await noise(tmp_path, 2, 1000)

    asyncio.run(main())


async def noise(folder: Path, seed: int, size: int) -> bytes:
    """What reaches the host of so many equal bytes."""
    wire = TwinLine(folder / "wire", Listener(), NOISY, Random(seed))
    wire.plug()
    line = opened(wire)
    wire.send(b"U" * size)
    wire.condition = Condition()
    wire.send(THE_END)
    found = await until_quiet(line)
    line.close()
    wire.unplug()
    return found


def test_a_wire_that_drops_everything_brings_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        twin = Listener()
        seen: list[bytes] = []
        wire = TwinLine(tmp_path / "wire", twin, Condition(dropped=1.0), heard=seen.append)
        wire.plug()
        line = opened(wire)
        await line.write(b"anyone?")
        wire.send(b"here")
        assert await line.read(0.05) == b""
        assert twin.parts == seen == []
        line.close()
        wire.unplug()

    asyncio.run(main())


def test_a_wire_can_be_listened_to(tmp_path: Path) -> None:
    async def main() -> None:
        seen: list[bytes] = []
        wire = TwinLine(tmp_path / "wire", Listener(), BYTE_BY_BYTE, heard=seen.append)
        wire.plug()
        line = opened(wire)
        await line.write(b"question")
        await eventually(lambda: b"".join(seen) == b"question")
        line.close()
        wire.unplug()

    asyncio.run(main())


# -- plugging --


@pytest.mark.parametrize("condition", [Condition(), BYTE_BY_BYTE], ids=["clean", "one by one"])
def test_an_adapter_plugged_in_again_is_a_new_terminal_under_the_same_name(
    tmp_path: Path, condition: Condition
) -> None:
    async def main() -> None:
        wire = TwinLine(tmp_path / "wire", Listener(), condition)
        assert not wire.plugged
        wire.plug()
        before = wire.path.stat()
        line = opened(wire)
        wire.send(b"x" * 40_000)  # more than arrives before it is pulled out
        wire.unplug()
        assert not wire.plugged
        assert not wire.path.is_symlink()
        with pytest.raises(LineLostError, match="is the adapter plugged in"):
            opened(wire)
        wire.plug()
        after = wire.path.stat()
        assert (before.st_ino, before.st_ctime_ns) != (after.st_ino, after.st_ctime_ns)
        next_line = opened(wire)
        with pytest.raises(LineLostError):
            await line.write(b"into the old one")
        wire.send(b"fresh")
        assert await read_all(next_line, 5) == b"fresh"  # and nothing of what was under way
        line.close()
        next_line.close()
        wire.unplug()

    asyncio.run(main())


def test_plugging_twice_and_pulling_twice_are_nothing_more_than_once(tmp_path: Path) -> None:
    async def main() -> None:
        before = open_files()
        wire = TwinLine(tmp_path / "wire", Listener())
        wire.unplug()
        wire.plug()
        terminal = wire.path.readlink()
        wire.plug()
        assert wire.path.readlink() == terminal
        wire.unplug()
        wire.unplug()
        assert open_files() == before

    asyncio.run(main())
    assert list(tmp_path.iterdir()) == []


def test_what_is_said_into_an_unplugged_line_is_gone(tmp_path: Path) -> None:
    async def main() -> None:
        wire = TwinLine(tmp_path / "wire", Listener())
        wire.send(b"x" * (MOST_UNSENT + 1))
        wire.plug()
        line = opened(wire)
        wire.send(b"now")
        assert await read_all(line, 3) == b"now"
        line.close()
        wire.unplug()

    asyncio.run(main())


def test_a_device_may_be_pulled_out_by_what_it_hears(tmp_path: Path) -> None:
    class Clumsy(Listener):
        def received(self, data: bytes) -> bytes:
            wires[0].unplug()
            return super().received(data)

    wires: list[TwinLine] = []

    async def main() -> None:
        wires.append(TwinLine(tmp_path / "wire", Clumsy(b"too late"), BYTE_BY_BYTE))
        wires[0].plug()
        line = opened(wires[0])
        await line.write(b"careful")
        with pytest.raises(LineLostError):
            await line.read(PATIENCE)
        assert not wires[0].plugged
        line.close()

    asyncio.run(main())


def test_a_host_may_come_and_go_without_the_adapter_being_pulled_out(tmp_path: Path) -> None:
    async def main() -> None:
        twin = Listener(b"yes")
        wire = TwinLine(tmp_path / "wire", twin)
        wire.plug()
        for _ in range(20):
            line = opened(wire)
            await line.write(b"there?")
            assert await read_all(line, 3) == b"yes"
            line.close()
        wire.unplug()

    asyncio.run(main())


def test_an_adapter_that_finds_no_place_for_its_name_leaves_no_file_open(tmp_path: Path) -> None:
    async def main() -> None:
        before = open_files()
        wire = TwinLine(tmp_path / "missing" / "wire", Listener())
        with pytest.raises(FileNotFoundError):
            wire.plug()
        assert not wire.plugged
        assert open_files() == before

    asyncio.run(main())


# -- a host that does not read --


@pytest.mark.parametrize("condition", [Condition(), BYTE_BY_BYTE], ids=["clean", "one by one"])
def test_a_device_may_say_as_much_as_the_limit_unread_and_no_byte_more(tmp_path: Path, condition: Condition) -> None:
    async def main() -> None:
        wire = TwinLine(tmp_path / "wire", Listener(), condition)
        wire.plug()
        wire.send(b"x" * MOST_UNSENT)
        wire.unplug()
        wire.plug()
        with pytest.raises(OverflowError, match=f"at most {MOST_UNSENT}"):
            wire.send(b"x" * (MOST_UNSENT + 1))
        line = opened(wire)
        wire.send(b"and goes on")  # what was refused is not said in part either
        assert await read_all(line, 11) == b"and goes on"
        line.close()
        wire.unplug()

    asyncio.run(main())


def test_what_a_slow_host_leaves_unread_comes_when_it_reads(tmp_path: Path) -> None:
    said = b"".join(number.to_bytes(2, "big") for number in range(30_000))

    async def main() -> None:
        wire = TwinLine(tmp_path / "wire", Listener())
        wire.plug()
        host = os.open(wire.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        wire.send(said[:40_000])  # more than a pseudo-terminal holds
        wire.send(said[40_000:])
        read = b""
        while len(read) < len(said):
            read += await _one(host)
        assert read == said
        os.close(host)
        wire.unplug()

    asyncio.run(main())
