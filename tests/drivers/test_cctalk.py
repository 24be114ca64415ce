"""The driver of drop slots over pseudo-terminals, against the simulated acceptors."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest

from drivers import cctalk_acceptor, cctalk_bus, port
from drivers.cctalk import CcTalk, CcTalkSettings, Identity, identify
from drivers.cctalk_acceptor import FINAL_TRIES, MOST_DISOBEYED
from drivers.cctalk_frames import HOST, MODIFY_MASTER, REPLY, SELF_CHECK, Checksum, Frame
from drivers.driver import Bookmark, Place
from drivers.events import Cleared, Dropped, Event, Faulted, Known, Lost, Online, Rejected
from drivers.port import Line, LineSettings
from drivers.simulated import cctalk as simulated
from drivers.simulated.cctalk import Acceptor, AcceptorBus
from drivers.simulated.line import BYTE_BY_BYTE, CLEAN, NOISY, Condition, TwinLine

PATIENCE = 30.0  # seconds until a test gives up: far beyond what a noisy machine needs
HERE = Place(1, "royal9")
SOON_LOST: dict[str, Any] = {"reply_ms": 100, "stale_ms": 500}  # where silence is what is tested
# The same beside one that answers: a reply that is late now and then must not lose that one too.
ONE_SOON_LOST: dict[str, Any] = {"reply_ms": 100, "stale_ms": 5000}
E = TypeVar("E", bound=Event)


def configured(path: Path, *, acceptors: int = 1, **parts: object) -> CcTalkSettings:
    """Settings of a wire with acceptors at 2, 3, …, at positions 1, 2, …; patient, as machines may be slow."""
    each = [
        {"id": f"slot-{number}", "address": number + 1, "position": number, "wager": "royal9", "coins": [1, 2, 3]}
        for number in range(1, acceptors + 1)
    ]
    usual: dict[str, object] = {"poll_ms": 2, "reply_ms": 500, "stale_ms": 30_000, "baudrate": 115200}
    return msgspec.convert(usual | {"port": str(path), "acceptors": each} | parts, CcTalkSettings)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done now and then is done often."""
    monkeypatch.setattr(cctalk_acceptor, "LOST_RETRY", 0.1)
    monkeypatch.setattr(cctalk_acceptor, "VERIFY_SECONDS", 0.1)


class Host:
    """A driver, and all it handed up."""

    def __init__(self, settings: CcTalkSettings, bookmarks: dict[str, Bookmark] | None = None) -> None:
        self.events: list[Event] = []
        self.known: list[Event] = []  # how far it said to be known; told beside all the rest
        self._bookmarks = dict(bookmarks or {})
        self.driver = CcTalk("drops", settings, self._taken, bookmarks or {})

    async def _taken(self, events: Sequence[Event]) -> None:
        assert events
        for event in events:
            (self.known if isinstance(event, Known) else self.events).append(event)
            if isinstance(event, Dropped | Known):
                coin = isinstance(event, Dropped)
                self._bookmarks[event.device] = Bookmark(event.counter, event.ordinal, event.unit, coin)

    def of(self, kind: type[E], device: str = "slot-1") -> list[E]:
        return [event for event in self.events if isinstance(event, kind) and event.device == device]

    def coins(self, device: str = "slot-1") -> list[int]:
        return [event.coin for event in self.of(Dropped, device)]

    def kinds(self, device: str = "slot-1") -> list[type[Event]]:
        return [type(event) for event in self.events if event.device == device]

    def bookmarks(self) -> dict[str, Bookmark]:
        """What a journal that took everything keeps."""
        return dict(self._bookmarks)


@asynccontextmanager
async def running(driver: CcTalk) -> AsyncIterator[None]:
    task = asyncio.create_task(driver.run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def eventually(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.002)


def on_a_wire(  # noqa: PLR0913 -- all that can differ between wires
    tmp_path: Path,
    play: Callable[[Host, TwinLine, list[Acceptor]], Awaitable[None]],
    *,
    acceptors: Sequence[Acceptor] = (),
    condition: Condition = CLEAN,
    echo: bool = True,
    bookmarks: dict[str, Bookmark] | None = None,
    **parts: Any,  # noqa: ANN401 -- settings of any kind
) -> Host:
    """Let a driver run on a wire with acceptors while `play` plays; what it handed up."""

    async def main() -> Host:
        twins = list(acceptors) or [Acceptor()]
        bus = AcceptorBus(twins, checksum=parts.get("checksum", "simple"), echo=echo)
        chance = random.Random(7)
        line = TwinLine(tmp_path / "drops", bus, condition, chance)
        line.plug()
        host = Host(configured(line.path, acceptors=len(twins), **parts), bookmarks)
        try:
            async with running(host.driver):
                await play(host, line, twins)
        finally:
            line.unplug()
        return host

    return asyncio.run(main())


async def opened(host: Host, twins: Sequence[Acceptor]) -> None:
    """Let coins in everywhere, and wait until every acceptor takes them."""
    host.driver.accept(frozenset(Place(number, "royal9") for number in range(1, len(twins) + 1)))
    await eventually(lambda: all(twin.accepting for twin in twins))


# -- what happens on a good wire --


@pytest.mark.parametrize("echo", [True, False])
@pytest.mark.parametrize("checksum", ["simple", "crc16"])
def test_a_coin_is_handed_up_with_its_number_and_its_place(tmp_path: Path, checksum: Checksum, *, echo: bool) -> None:
    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        await opened(host, twins)
        assert twins[0].insert(3)
        await eventually(lambda: bool(host.coins()))

    host = on_a_wire(tmp_path, play, echo=echo, checksum=checksum)
    assert host.events == [
        Online(device="slot-1", detail="Coin Acceptor, Simulated, TWIN1, serial 12345678, software 1.0"),
        Dropped(device="slot-1", position=1, wager="royal9", ordinal=1, counter=1, unit="12345678", coin=3),
    ]
    assert host.known == [Known(device="slot-1", ordinal=0, counter=0, unit="12345678")]


def test_a_slot_is_shut_until_coins_are_let_in_and_when_they_no_longer_are(tmp_path: Path) -> None:
    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        (twin,) = twins
        await eventually(lambda: bool(host.of(Online)) and twin.mask == 0b111)
        assert not twin.insert(1)
        await opened(host, twins)
        assert not twin.insert(4)  # not one of the coins it may take
        host.driver.accept(frozenset({Place(2, "royal9")}))
        await eventually(lambda: not twin.master)
        assert not twin.insert(1)
        await eventually(lambda: len(host.of(Rejected)) == 3)

    host = on_a_wire(tmp_path, play)
    assert [event.code for event in host.of(Rejected)] == [2, 0x83, 2]
    assert host.coins() == []


def test_five_coins_between_two_polls_are_all_handed_up_and_six_are_a_fault(tmp_path: Path) -> None:
    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        (twin,) = twins
        await opened(host, twins)
        for coin in (1, 2, 3, 2, 1):
            twin.insert(coin)
        await eventually(lambda: host.coins() == [1, 2, 3, 2, 1])
        for coin in [3] * 6:
            twin.insert(coin)
        await eventually(lambda: Cleared in host.kinds())
        await eventually(lambda: twin.accepting)
        twin.insert(2)
        await eventually(lambda: host.coins() == [1, 2, 3, 2, 1, 2])

    host = on_a_wire(tmp_path, play)
    assert [event.reason for event in host.of(Faulted)] == [
        "events were lost: its counter went from 5 to 11, and it keeps 5"
    ]


def test_an_acceptor_that_was_reset_has_a_fault_and_is_told_everything_again(tmp_path: Path) -> None:
    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        (twin,) = twins
        await opened(host, twins)
        twin.insert(1)
        await eventually(lambda: host.coins() == [1])
        twin.reset()
        await eventually(lambda: twin.mask == 0b111 and twin.accepting and Cleared in host.kinds())
        assert twin.insert(2)
        await eventually(lambda: host.coins() == [1, 2])

    host = on_a_wire(tmp_path, play)
    assert host.kinds() == [Online, Dropped, Faulted, Cleared, Dropped]
    assert [event.ordinal for event in host.of(Dropped)] == [1, 2]


def test_a_reset_that_its_counter_does_not_show_is_found_by_its_mask(tmp_path: Path) -> None:
    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        (twin,) = twins
        await opened(host, twins)
        twin.insert(1)
        await eventually(lambda: host.coins() == [1])
        twin.reset()
        twin.happen(1, 1)  # the very same reading as before
        await eventually(lambda: Cleared in host.kinds() and twin.accepting)

    host = on_a_wire(tmp_path, play)
    assert "it was reset unseen" in host.of(Faulted)[0].reason


def test_a_slot_that_opens_by_itself_is_shut_again(tmp_path: Path) -> None:
    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        await eventually(lambda: bool(host.of(Online)) and not twins[0].master)
        twins[0].master = True
        await eventually(lambda: not twins[0].master)

    assert on_a_wire(tmp_path, play).kinds() == [Online]


def test_two_acceptors_on_a_wire_are_each_their_own(tmp_path: Path) -> None:
    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        await opened(host, twins)
        twins[0].insert(1)
        twins[1].insert(2)
        twins[1].insert(3)
        await eventually(lambda: host.coins("slot-1") == [1] and host.coins("slot-2") == [2, 3])
        host.driver.accept(frozenset({Place(2, "royal9")}))
        await eventually(lambda: not twins[0].master)
        assert twins[1].accepting

    host = on_a_wire(tmp_path, play, acceptors=[Acceptor(2), Acceptor(3)])
    assert [event.position for event in host.of(Dropped, "slot-2")] == [2, 2]
    assert host.of(Faulted, "slot-1") == host.of(Faulted, "slot-2") == []
    assert host.driver.counters["slot-2"].frames > 10


def test_one_that_does_not_answer_is_lost_and_the_others_go_on(tmp_path: Path) -> None:
    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        await opened(host, twins)
        twins[0].insert(1)
        await eventually(lambda: host.coins() == [1])
        twins[0].answers = False
        twins[0].insert(2)  # it fell in, and nobody was told
        await eventually(lambda: bool(host.of(Lost)))
        twins[1].insert(3)
        await eventually(lambda: host.coins("slot-2") == [3])
        twins[0].answers = True
        await eventually(lambda: host.coins() == [1, 2])

    host = on_a_wire(tmp_path, play, acceptors=[Acceptor(2, needs_polling=False), Acceptor(3)], **ONE_SOON_LOST)
    assert host.kinds() == [Online, Dropped, Lost, Online, Dropped]
    assert host.kinds("slot-2") == [Online, Dropped]
    counters = host.driver.counters["slot-1"]
    assert counters.reconnects == 1
    assert counters.timeouts >= 1
    assert counters.last_seen is not None


def test_one_that_never_answered_is_lost_and_told_so_once(tmp_path: Path) -> None:
    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        twins[0].answers = False
        await eventually(lambda: host.driver.counters["slot-1"].timeouts > 4)

    host = on_a_wire(tmp_path, play, **SOON_LOST)
    assert host.kinds() == [Lost]


def test_another_acceptor_in_its_place_is_a_fault_and_is_synchronised_to(tmp_path: Path) -> None:
    async def play(host: Host, line: TwinLine, twins: list[Acceptor]) -> None:
        await opened(host, twins)
        line.unplug()
        await eventually(lambda: bool(host.of(Lost)))
        twins[0].serial = 7
        twins[0].happen(3, 1)
        line.plug()
        await eventually(lambda: Cleared in host.kinds())

    host = on_a_wire(tmp_path, play)
    assert "another acceptor is in its place" in host.of(Faulted)[0].reason
    assert host.coins() == []


@pytest.mark.parametrize("category", ["Bill Validator", ""])
def test_what_is_no_coin_acceptor_is_refused_and_nothing_of_it_counts(tmp_path: Path, category: str) -> None:
    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        await eventually(lambda: bool(host.of(Faulted)))
        assert twins[0].mask == 0
        twins[0].category = "Coin Acceptor"
        await eventually(lambda: Cleared in host.kinds())
        await opened(host, twins)

    host = on_a_wire(tmp_path, play, acceptors=[Acceptor(category=category)])
    assert host.kinds() == [Faulted, Online, Cleared]
    assert "it is no Coin Acceptor" in host.of(Faulted)[0].reason


def test_a_busy_acceptor_is_asked_again_and_one_that_stays_busy_is_lost(tmp_path: Path) -> None:
    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        twins[0].busy = 2
        await opened(host, twins)
        twins[0].busy = 1_000_000
        await eventually(lambda: bool(host.of(Lost)))
        twins[0].busy = 0
        await eventually(lambda: len(host.of(Online)) == 2)

    host = on_a_wire(tmp_path, play, reply_ms=1000, stale_ms=2000)  # a late reply is not what it is lost for
    assert "it is busy" in host.of(Lost)[0].reason


def test_an_acceptor_that_refuses_to_be_opened_has_a_fault_until_it_does_not(tmp_path: Path) -> None:
    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        await eventually(lambda: bool(host.of(Online)) and twins[0].mask == 0b111)
        twins[0].refused = {MODIFY_MASTER}
        host.driver.accept(frozenset({HERE}))
        await eventually(lambda: bool(host.of(Faulted)))
        twins[0].refused = set()
        await opened(host, twins)
        await eventually(lambda: Cleared in host.kinds())

    host = on_a_wire(tmp_path, play)
    assert host.kinds() == [Online, Faulted, Cleared]
    assert f"request {MODIFY_MASTER}" in host.of(Faulted)[0].reason


class Stubborn(Acceptor):
    """Says yes to a number of master inhibits, and does not do as it is told."""

    stubborn = 0

    def answer(self, header: int, data: bytes) -> Frame | None:
        if header == MODIFY_MASTER and self.stubborn:
            self.stubborn -= 1
            return Frame(HOST, REPLY, b"", self.address)
        return super().answer(header, data)


@pytest.mark.parametrize(("times", "faults"), [(MOST_DISOBEYED - 1, 0), (MOST_DISOBEYED, 1)])
def test_an_acceptor_may_be_told_a_few_times_before_it_has_a_fault(tmp_path: Path, times: int, faults: int) -> None:
    twin = Stubborn()

    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        await eventually(lambda: bool(host.of(Online)) and twin.mask == 0b111)
        twin.stubborn = times
        await opened(host, twins)
        await eventually(lambda: len(host.of(Cleared)) == faults)

    host = on_a_wire(tmp_path, play, acceptors=[twin])
    assert len(host.of(Faulted)) == faults


@pytest.mark.parametrize(("times", "lost"), [(FINAL_TRIES - 1, 0), (FINAL_TRIES, 1)])
def test_a_last_call_gives_up_an_acceptor_that_will_not_shut(tmp_path: Path, times: int, lost: int) -> None:
    twin = Stubborn()

    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        await opened(host, twins)
        await eventually(lambda: host.driver.look("slot-1")["slot"] == "open")
        twin.stubborn = times
        async with asyncio.timeout(PATIENCE):
            await host.driver.last_call()
        assert [event.reason for event in host.of(Lost)] == ["it could not be shut"] * lost
        assert twin.master is bool(lost)

    # Polled so seldom that nothing but the last call shuts it.
    on_a_wire(tmp_path, play, acceptors=[twin], poll_ms=500)


def test_a_fault_of_the_self_check_shuts_the_slot_until_it_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cctalk_acceptor, "SELF_CHECK_AFTER", 0.0)
    monkeypatch.setattr(cctalk_acceptor, "FAULTY_CHECK_EVERY", 0.01)

    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        host.driver.accept(frozenset({HERE}))
        await eventually(lambda: bool(host.of(Faulted)) and not twins[0].master)
        assert host.driver.look("slot-1")["fault"]
        twins[0].self_check = b"\0"
        await opened(host, twins)

    faulty = Acceptor()
    faulty.self_check = bytes((2, 3))
    host = on_a_wire(tmp_path, play, acceptors=[faulty])
    assert host.kinds() == [Online, Faulted, Cleared]
    assert host.of(Faulted)[0].reason == "its self-check reports fault 2 in part 3"


def test_an_acceptor_that_knows_no_self_check_is_none_the_worse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cctalk_acceptor, "SELF_CHECK_AFTER", 0.0)

    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        twins[0].refused = {SELF_CHECK}
        await opened(host, twins)

    assert on_a_wire(tmp_path, play).kinds() == [Online]


# -- the host ends and begins again --


def test_a_host_that_begins_again_takes_what_fell_in_meanwhile_under_the_keys_it_would_have_had(tmp_path: Path) -> None:
    twin = Acceptor(needs_polling=False)

    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        await opened(host, twins)
        twin.insert(1)
        await eventually(lambda: host.coins() == [1])

    first = on_a_wire(tmp_path, play, acceptors=[twin])
    twin.insert(4)  # refused
    twin.insert(2)
    twin.insert(3)

    async def play_on(host: Host, _: TwinLine, __: list[Acceptor]) -> None:
        await eventually(lambda: len(host.coins()) == 2)

    # One journal took both coins; another one crashed with the first of them, and is given the second again.
    again = on_a_wire(tmp_path, play_on, acceptors=[twin], bookmarks=first.bookmarks())
    keys = [(event.key, event.coin) for event in again.of(Dropped)]
    assert keys == [("slot-1:3", 2), ("slot-1:4", 3)]
    crashed = {"slot-1": Bookmark(again.of(Dropped)[0].counter, again.of(Dropped)[0].ordinal)}

    async def play_once_more(host: Host, _: TwinLine, __: list[Acceptor]) -> None:
        await eventually(lambda: len(host.coins()) == 1)

    once_more = on_a_wire(tmp_path, play_once_more, acceptors=[twin], bookmarks=crashed)
    assert [(event.key, event.coin) for event in once_more.of(Dropped)] == keys[1:]
    assert [host.of(Faulted) for host in (first, again, once_more)] == [[], [], []]


def test_the_very_first_coin_is_taken_also_if_the_host_ended_before_it_was_told(tmp_path: Path) -> None:
    twin = Acceptor(needs_polling=False)

    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        await opened(host, twins)

    first = on_a_wire(tmp_path, play, acceptors=[twin])
    assert first.coins() == []
    twin.insert(2)

    async def play_on(host: Host, _: TwinLine, __: list[Acceptor]) -> None:
        await eventually(lambda: bool(host.coins()))

    again = on_a_wire(tmp_path, play_on, acceptors=[twin], bookmarks=first.bookmarks())
    assert [(event.key, event.coin) for event in again.of(Dropped)] == [("slot-1:1", 2)]
    assert again.of(Faulted) == []


def test_coins_refused_are_kept_count_of_so_that_a_restart_raises_no_fault(tmp_path: Path) -> None:
    twin = Acceptor(needs_polling=False)

    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        await opened(host, twins)
        twin.insert(1)
        for refused in range(1, 8):
            twin.insert(4)
            await eventually(lambda refused=refused: len(host.of(Rejected)) == refused)  # type: ignore[misc]  # bound
        await eventually(lambda: host.bookmarks()["slot-1"].ordinal == 8)

    first = on_a_wire(tmp_path, play, acceptors=[twin])

    async def play_on(host: Host, _: TwinLine, __: list[Acceptor]) -> None:
        host.driver.accept(frozenset({Place(1, "royal9")}))
        await eventually(lambda: bool(host.of(Online)) and host.driver.look("slot-1")["slot"] == "open")

    again = on_a_wire(tmp_path, play_on, acceptors=[twin], bookmarks=first.bookmarks())
    assert again.kinds() == [Online]


def test_another_acceptor_in_its_place_after_a_restart_is_a_fault_and_nothing_of_it_counts(tmp_path: Path) -> None:
    twin = Acceptor(needs_polling=False)

    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        await opened(host, twins)
        twin.insert(1)
        await eventually(lambda: host.coins() == [1])

    first = on_a_wire(tmp_path, play, acceptors=[twin])
    other = Acceptor(serial=99, needs_polling=False)
    for _ in range(3):
        other.happen(1, 1)  # as many as would follow

    async def play_on(host: Host, _: TwinLine, __: list[Acceptor]) -> None:
        await eventually(lambda: bool(host.of(Faulted)) and len(host.known) == 1)

    again = on_a_wire(tmp_path, play_on, acceptors=[other], bookmarks=first.bookmarks())
    assert "another acceptor is in its place" in again.of(Faulted)[0].reason
    assert again.coins() == []
    assert again.bookmarks()["slot-1"] == Bookmark(3, 1, "99", coin=False)


def test_without_a_bookmark_nothing_of_a_stale_buffer_is_credited(tmp_path: Path) -> None:
    twin = Acceptor()
    for _ in range(3):
        twin.happen(1, 1)

    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        await opened(host, twins)
        twin.insert(2)
        await eventually(lambda: bool(host.coins()))

    host = on_a_wire(tmp_path, play, acceptors=[twin])
    assert host.coins() == [2]
    assert host.of(Faulted) == []


def test_an_acceptor_that_was_reset_while_the_host_was_down_is_a_fault(tmp_path: Path) -> None:
    async def play(host: Host, _: TwinLine, __: list[Acceptor]) -> None:
        await eventually(lambda: bool(host.of(Faulted)))

    host = on_a_wire(tmp_path, play, bookmarks={"slot-1": Bookmark(9, 40)})
    assert host.kinds()[0] is Online
    assert "it was reset" in host.of(Faulted)[0].reason


def test_an_event_that_was_not_taken_is_handed_up_again(tmp_path: Path) -> None:
    """Whoever takes events may be cancelled; the same driver, run again, has forgotten nothing."""

    async def main() -> None:
        twin = Acceptor()
        line = TwinLine(tmp_path / "drops", AcceptorBus([twin]))
        line.plug()
        offered: list[Event] = []
        never = asyncio.Event()

        async def hand_up(events: Sequence[Event]) -> None:
            offered.extend(events)
            if sum(isinstance(event, Dropped) for event in offered) == 1:
                await never.wait()

        driver = CcTalk("drops", configured(line.path), hand_up, {})
        driver.accept(frozenset({HERE}))
        async with running(driver):
            await eventually(lambda: twin.accepting)
            twin.insert(3)
            await eventually(lambda: any(isinstance(event, Dropped) for event in offered))
        async with running(driver):
            await eventually(lambda: sum(isinstance(event, Dropped) for event in offered) == 2)
        first, second = (event for event in offered if isinstance(event, Dropped))
        assert first == second
        line.unplug()

    asyncio.run(main())


# -- the last call --


def test_a_last_call_shuts_every_slot_and_returns_when_all_was_handed_up(tmp_path: Path) -> None:
    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        await opened(host, twins)
        for twin in twins:
            twin.insert(1)
            twin.insert(2)
        async with asyncio.timeout(PATIENCE):
            await host.driver.last_call()
        assert not any(twin.master for twin in twins)
        assert host.coins("slot-1") == host.coins("slot-2") == [1, 2]
        await opened(host, twins)  # and it can go on

    on_a_wire(tmp_path, play, acceptors=[Acceptor(2), Acceptor(3)])


def test_a_last_call_returns_although_an_acceptor_does_not_answer(tmp_path: Path) -> None:
    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        await opened(host, twins)
        twins[0].answers = False
        twins[1].insert(2)
        async with asyncio.timeout(PATIENCE):
            await host.driver.last_call()
        assert host.coins("slot-2") == [2]
        assert len(host.of(Lost)) == 1

    on_a_wire(tmp_path, play, acceptors=[Acceptor(2), Acceptor(3)], **ONE_SOON_LOST)


def test_a_last_call_returns_although_the_line_is_lost_or_never_was_there(tmp_path: Path) -> None:
    async def play(host: Host, line: TwinLine, twins: list[Acceptor]) -> None:
        await opened(host, twins)
        call = asyncio.create_task(host.driver.last_call())
        line.unplug()
        async with asyncio.timeout(PATIENCE):
            await call
            await eventually(lambda: bool(host.of(Lost)))
            await host.driver.last_call()

    on_a_wire(tmp_path, play)

    async def never() -> None:
        async with asyncio.timeout(PATIENCE):
            await Host(configured(tmp_path / "nothing")).driver.last_call()

    asyncio.run(never())


# -- four kinds of wire --


class Evening:
    """A player who drops coins while the slot is open, and sometimes when it is shut."""

    def __init__(self, host: Host, twin: Acceptor, rounds: int) -> None:
        self.host, self.twin, self.rounds = host, twin, rounds
        self.completed = 0
        self._chance = random.Random(11)

    async def play(self) -> None:
        for _ in range(self.rounds):
            await self._round()

    async def _round(self) -> None:
        """A round in which the slot opens, takes coins and shuts, all of them handed up in time."""
        faults = len(self.host.of(Faulted)) + len(self.host.of(Lost))
        self.host.driver.accept(frozenset({HERE}))
        await eventually(lambda: self.host.driver.look("slot-1")["slot"] == "open")
        for _ in range(self._chance.randrange(1, 4)):
            self.twin.insert(self._chance.randrange(1, 5))
            await asyncio.sleep(0.003)
        async with asyncio.timeout(PATIENCE):
            await self.host.driver.last_call()
        unharmed = faults == len(self.host.of(Faulted)) + len(self.host.of(Lost))
        self.completed += unharmed and self.host.coins() == self.twin.credited
        self.twin.insert(1)  # late

    async def settle(self) -> None:
        """All that was taken is handed up, or a fault says why not."""
        await eventually(lambda: self.host.coins() == self.twin.credited or bool(self.host.of(Faulted)))


@pytest.mark.parametrize(("condition", "echo"), [(CLEAN, True), (CLEAN, False), (BYTE_BY_BYTE, True)])
def test_on_a_sound_wire_every_coin_is_handed_up_and_there_is_no_fault(
    tmp_path: Path, condition: Condition, *, echo: bool
) -> None:
    evenings: list[Evening] = []

    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        evenings.append(Evening(host, twins[0], rounds=60))
        await evenings[0].play()

    host = on_a_wire(tmp_path, play, condition=condition, echo=echo)
    assert evenings[0].completed == 60
    assert len(host.coins()) > 60
    assert set(host.kinds()) == {Online, Dropped, Rejected}
    counters = host.driver.counters["slot-1"]
    assert (counters.bad_checksums, counters.reconnects) == (0, 0)


@pytest.mark.parametrize(("checksum", "echo"), [("simple", True), ("crc16", False)])
def test_on_a_noisy_wire_most_rounds_complete_and_no_coin_differs_silently(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checksum: Checksum, *, echo: bool
) -> None:
    # Silence passes five times as fast, for both ends: a third of the requests end in it.
    monkeypatch.setattr(cctalk_bus, "RECEIVER_RESET", cctalk_bus.RECEIVER_RESET / 5)
    monkeypatch.setattr(simulated, "RECEIVER_RESET", simulated.RECEIVER_RESET / 5)
    evenings: list[Evening] = []

    async def play(host: Host, _: TwinLine, twins: list[Acceptor]) -> None:
        evenings.append(Evening(host, twins[0], rounds=20))
        await evenings[0].play()
        await evenings[0].settle()

    host = on_a_wire(tmp_path, play, condition=NOISY, echo=echo, checksum=checksum, reply_ms=10)
    assert evenings[0].completed >= 18
    assert host.driver.counters["slot-1"].bad_checksums > 0
    assert host.driver.counters["slot-1"].resyncs > 0


def test_on_a_wire_that_is_unplugged_at_random_every_coin_is_handed_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fewer than five events happen while nobody looks: not even a fault is due."""
    monkeypatch.setattr(port, "FIRST_RETRY", 0.01)
    monkeypatch.setattr(port, "LAST_RETRY", 0.02)
    chance = random.Random(3)
    twin = Acceptor(needs_polling=False)

    async def kick(host: Host, line: TwinLine) -> None:
        while True:
            await eventually(lambda: host.driver.look("slot-1")["slot"] == "open")
            await asyncio.sleep(chance.uniform(0.0, 0.03))
            line.unplug()
            await asyncio.sleep(chance.uniform(0.0, 0.03))
            line.plug()

    async def play(host: Host, line: TwinLine, _: list[Acceptor]) -> None:
        evening = Evening(host, twin, rounds=60)
        kicking = asyncio.create_task(kick(host, line))
        await evening.play()
        kicking.cancel()
        line.plug()
        await evening.settle()

    host = on_a_wire(tmp_path, play, acceptors=[twin])
    assert host.coins() == twin.credited
    assert host.of(Faulted) == []
    assert len(host.coins()) >= 60
    assert len(host.of(Lost)) >= 3
    assert len(host.of(Online)) >= 3


# -- what is on a port --


def test_what_answers_at_an_address_is_identified_and_what_does_not_is_not(tmp_path: Path) -> None:
    async def main() -> None:
        twin = Acceptor(40)
        line = TwinLine(tmp_path / "port", AcceptorBus([twin]))
        line.plug()
        opened_port = Line(LineSettings(port=str(line.path)))
        assert await identify(opened_port, 40, "simple") == Identity(
            "Coin Acceptor", "Simulated", "TWIN1", "12345678", "1.0"
        )
        assert await identify(opened_port, 41, "simple") is None
        assert await identify(opened_port, 40, "crc16") is None
        assert (twin.mask, twin.master, twin.polled) == (0, True, None)
        opened_port.close()
        line.unplug()

    asyncio.run(main())


# -- settings --


@pytest.mark.parametrize(
    ("wrong", "parts"),
    [
        ("0 acceptors: 1 to 16", {"acceptors": 0}),
        ("poll_ms 0", {"poll_ms": 0}),
        ("poll_ms 501", {"poll_ms": 501}),
        ("reply_ms 9", {"reply_ms": 9}),
        ("reply_ms 1001", {"reply_ms": 1001}),
        ("stale_ms 501", {"stale_ms": 501}),
        ("stale_ms 60001", {"stale_ms": 60_001}),
    ],
)
def test_settings_that_cannot_work_are_refused_with_a_sentence(wrong: str, parts: dict[str, int]) -> None:
    with pytest.raises(msgspec.ValidationError, match=wrong):
        configured(Path("port"), **parts)


@pytest.mark.parametrize("number", [1, 16])
def test_up_to_sixteen_acceptors_are_served_by_a_line(number: int) -> None:
    assert len(configured(Path("port"), acceptors=number, poll_ms=500, reply_ms=10, stale_ms=510).acceptors) == number


def test_a_seventeenth_acceptor_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="17 acceptors: 1 to 16 on a line"):
        configured(Path("port"), acceptors=17)


@pytest.mark.parametrize(
    ("wrong", "parts"),
    [
        ("the same id", {"address": 3, "position": 2}),
        ("the same address", {"id": "b", "position": 2}),
        ("the same place", {"id": "b", "address": 3}),
        ("address 1: 2 to 255", {"id": "b", "address": 1, "position": 2}),
        ("address 256: 2 to 255", {"id": "b", "address": 256, "position": 2}),
        ("positions begin with 1", {"id": "b", "address": 3, "position": 0}),
        ("each once", {"id": "b", "address": 3, "position": 2, "coins": []}),
        ("each once", {"id": "b", "address": 3, "position": 2, "coins": [1, 1]}),
        ("numbers from 1 to 16", {"id": "b", "address": 3, "position": 2, "coins": [0]}),
        ("numbers from 1 to 16", {"id": "b", "address": 3, "position": 2, "coins": [17]}),
        ("a wager it is for", {"id": "b", "address": 3, "position": 2, "wager": ""}),
    ],
)
def test_acceptors_that_cannot_be_told_apart_or_set_up_are_refused(wrong: str, parts: dict[str, object]) -> None:
    one: dict[str, object] = {"id": "a", "position": 1, "wager": "royal9", "coins": [1, 16]}
    with pytest.raises(msgspec.ValidationError, match=wrong):
        msgspec.convert({"port": "port", "acceptors": [one, one | parts]}, CcTalkSettings)


def test_a_driver_knows_its_devices_and_what_they_show() -> None:
    host = Host(configured(Path("port"), acceptors=2))
    assert [(device.id, device.driver, device.places) for device in host.driver.devices] == [
        ("slot-1", "cctalk", (Place(1, "royal9"),)),
        ("slot-2", "cctalk", (Place(2, "royal9"),)),
    ]
    assert host.driver.look("slot-1") == {"slot": "?", "counter": "?", "fault": ""}
