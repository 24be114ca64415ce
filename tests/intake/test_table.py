"""A table on real parts: twins on terminals, drivers, intake, engine, SQLite; and lamps back on the twins' boards."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from controller.core import facts, inputs
from controller.core.effects import Effect
from controller.core.lamps import Lamp, lamps
from controller.core.phases import Phase
from controller.core.state import State
from controller.core.times import stamp
from controller.engine import Engine
from controller.intake.devices import Intake, bookmarks
from controller.journal.audit.verifying import verify
from controller.journal.reading import open_readonly
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load
from controller.outlets.table import TableLines
from controller.settings import ButtonSettings
from drivers.registry import make, read
from drivers.simulated.cctalk import Acceptor, AcceptorBus
from drivers.simulated.dealer import Round
from drivers.simulated.line import TwinLine
from drivers.simulated.modbus import Board, Bus
from drivers.simulated.shoe import TextShoeTwin, tell
from tests.core.play import DEALER, FLOOR, MINI, vault

NATURAL = Round(("KS", "9S"), ("2H", "3D"), "player")
PAIR = Round(("2S", "3S", "5C"), ("TH", "4D", "KD"), "banker")  # 2+3+5=0, 4+0=4


class WallClock:
    """The wall clock of these tests: an hour of its own, so that presses need not wait."""

    def __init__(self) -> None:
        self.ahead = 0

    def now(self) -> int:
        self.ahead += 1
        return 1_794_841_200_000_000 + self.ahead

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Told(TableLines):
    """Lines that remember what was released, and in which state of the journal."""

    def __init__(self, journal: SqliteJournal) -> None:
        self.faults: list[str] = []
        super().__init__(self.faults.append)
        self._journal = journal

    def release(self, effects: Sequence[Effect], state: State) -> None:
        assert self._journal.head().seq == state.seq  # nothing is lit that is not durable
        super().release(effects, state)


class Table:
    """One table, all its lines, and what stands behind them."""

    def __init__(self, tmp_path: Path, maintained: bool) -> None:
        loop = asyncio.get_running_loop()
        self.path = tmp_path
        self.boards = [Board(1, inputs=16, coils=16), Board(2, inputs=16, coils=16)]
        self.bus = Bus(self.boards, loop.time)
        self.slot = Acceptor(needs_polling=False)
        self.shoe = TextShoeTwin()
        self.lines = {
            "rail": TwinLine(tmp_path / "rail", self.bus),
            "slots": TwinLine(tmp_path / "slots", AcceptorBus([self.slot])),
            "shoe": TwinLine(tmp_path / "shoe", self.shoe),
        }
        self.clock = WallClock()
        self.button = ButtonSettings(maintained=maintained, reopen_after_ms=0)

    def settings(self) -> dict[str, dict[str, object]]:
        def chips(first: int, last: int) -> list[dict[str, object]]:
            return [
                {"at": at, "position": position, "wager": "royal9"}
                for at, position in enumerate(range(first, last + 1))
            ]

        left = {"id": "left", "address": 1, "inputs": [*chips(1, 4), {"at": 9, "button": True}], "lamps": chips(1, 4)}
        right = {"id": "right", "address": 2, "inputs": chips(5, 7), "lamps": chips(5, 7)}
        quick = {"baudrate": 115200, "poll_ms": 2, "debounce_ms": 4, "silence_ms": 0, "reply_ms": 200, "stale_ms": 2000}
        slot = {"id": "slot-9", "position": 9, "wager": "harmony", "coins": [1]}
        port = {name: str(line.path) for name, line in self.lines.items()}
        return {
            "rail": {"driver": "modbus", "port": port["rail"], "boards": [left, right], **quick},
            "slots": {"driver": "cctalk", "port": port["slots"], "poll_ms": 5, "acceptors": [slot], "stale_ms": 5000},
            "shoe": {"driver": "text-shoe", "port": port["shoe"]},
        }

    @property
    def state(self) -> State:
        return self.engine.state

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Table"]:
        """The engine and all drivers, from the journal as it is."""
        with SqliteJournal(self.path / "table.db") as journal:
            self.told = Told(journal)
            self.engine = Engine(load(journal), journal, vault(), self.clock, self.told)
            self.intake = Intake(
                self.engine, self.clock, self.button, {1: 500}, decided=lambda: self.told.open_slots(self.engine.state)
            )
            drivers = make(read(self.settings()), self.intake.take, bookmarks(self.engine.state)).values()
            self.intake.serve(drivers)
            self.told.serve(drivers)
            tasks = [asyncio.create_task(self.engine.run())]
            if self.engine.state.filed is None:
                filing = inputs.SubmissionChanged(at=self.at(), key="file", toml=MINI, day="2026-11-16", reason="new")
                await self.engine.submit(filing)
            await self.intake.begin(self.engine.state)
            tasks += [asyncio.create_task(driver.run()) for driver in drivers]
            try:
                await self.intake.started()
                yield self
            finally:
                for task in tasks:
                    task.cancel()
                ended = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(isinstance(each, asyncio.CancelledError) for each in ended), ended

    def at(self) -> str:
        return stamp(self.clock.now())

    async def give(self, kind: type[inputs.Input], **parts: object) -> None:
        self.clock.ahead += 1
        key = f"key-{self.clock.ahead}"
        answer = await self.engine.submit(kind(**{"at": self.at(), "key": key, **parts}))  # type: ignore[arg-type]
        assert answer.ok, answer

    async def open(self) -> None:
        assert not any(device.lost for device in self.state.devices.values())
        assert set(self.state.devices) == {"left", "left.button", "right", "slot-9", "shoe", "start"}
        await self.give(inputs.TableOpened, by=DEALER)

    def chip(self, position: int, *, there: bool = True) -> None:
        board, at = (0, position - 1) if position < 5 else (1, position - 5)
        self.boards[board].sense(at, on=there)

    async def press(self) -> None:
        """Press the button, as long as it takes to be seen."""
        seen = self.facts(facts.LockedOut, facts.Reopened, facts.ButtonIgnored)
        self.boards[0].sense(9, on=True)
        await self.until(lambda: self.facts(facts.LockedOut, facts.Reopened, facts.ButtonIgnored) > seen)
        self.boards[0].sense(9, on=False)
        before = self.bus.questions
        await self.until(lambda: self.bus.questions >= before + 16)  # several polls of both boards

    def facts(self, *kinds: type[facts.Fact]) -> int:
        names = [facts.NAMES[kind] for kind in kinds]
        with open_readonly(self.path / "table.db") as journal:
            marks = ", ".join("?" * len(names))
            query = f"SELECT count(*) FROM facts WHERE type IN ({marks})"  # noqa: S608 -- question marks
            (found,) = journal.db.execute(query, names).fetchone()
        return int(found)

    def deal(self, played: Round) -> None:
        for message in tell(played, self.shoe):
            self.lines["shoe"].send(message)

    def lamp(self, position: int) -> Lamp:
        return lamps(self.state)[position]["royal9"]

    async def until(self, true: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not true():
                await asyncio.sleep(0.003)


def at_a_table(tmp_path: Path, *scenes: Callable[[Table], Awaitable[None]], maintained: bool = False) -> None:
    """Play scenes at one table, with the controller started anew for each; at the end the journal must be whole."""

    async def main() -> None:
        table = Table(tmp_path, maintained)
        for line in table.lines.values():
            line.plug()
        for scene in scenes:
            async with table.running():
                await scene(table)
        for line in table.lines.values():
            line.unplug()

    asyncio.run(main())
    with open_readonly(tmp_path / "table.db") as journal:
        verdict = verify(journal)
    assert verdict.bad is None, verdict


def test_a_round_from_the_chip_to_the_lamp_the_meters_and_the_cards(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        await table.open()
        assert [table.lamp(position) for position in (1, 5, 8)] == [Lamp.INVITE] * 3
        mega = table.state.meters["royal9-mega"].units
        table.chip(1)
        table.chip(5)
        await table.until(lambda: [table.lamp(position) for position in (1, 5)] == [Lamp.PLACED] * 2)
        await table.press()
        assert table.state.phase is Phase.LOCKED
        assert table.lamp(1) is Lamp.ACCEPTED
        await table.until(lambda: table.boards[0].coils[0] and table.boards[1].coils[0])
        assert table.state.meters["royal9-mega"].units - mega == 2 * 500 * 100_000  # 10% of two wagers of $5
        table.chip(2)  # too late
        await table.until(lambda: table.lamp(2) is Lamp.REFUSED)
        table.deal(NATURAL)
        await table.until(lambda: table.state.phase is Phase.SETTLED)
        record = table.state.record(1) or pytest.fail("no round")
        assert (record.player, record.banker, record.source) == (("KS", "9S"), ("2H", "3D"), "shoe")
        # KS9S is position 1's own combination.
        assert {award.position: award.outcome for award in record.awards} == {1: "minor", 5: "any-suited-royal9"}
        for position in (1, 2, 5):
            table.chip(position, there=False)
        await table.until(lambda: not any(sensor.present for sensor in table.state.sensors.values()))
        await table.press()
        assert (table.state.phase, table.state.round) == (Phase.OPEN, 2)
        assert table.lamp(1) is Lamp.WON
        (award,) = table.state.pending()
        await table.give(inputs.AwardValidated, by=FLOOR, award=award.id, method="slip", base_wager=True)
        await table.until(lambda: table.lamp(1) is Lamp.INVITE)

    at_a_table(tmp_path, scene)


def test_the_first_card_out_of_the_shoe_locks_an_open_round(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        await table.open()
        table.chip(3)
        await table.until(lambda: table.lamp(3) is Lamp.PLACED)
        table.deal(PAIR)
        await table.until(lambda: table.state.phase is Phase.SETTLED)
        record = table.state.record(1) or pytest.fail("no round")
        assert [wager.position for wager in record.wagers] == [3]
        assert record.complete

    at_a_table(tmp_path, scene)


def test_a_result_that_is_not_that_of_the_cards_is_told_until_the_next_game(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        await table.open()
        table.deal(NATURAL._replace(result="banker"))
        await table.until(lambda: table.state.devices["shoe"].lost)
        assert "look at the hand" in table.state.devices["shoe"].detail
        assert table.state.phase is Phase.SETTLED  # the table plays on
        await table.press()
        table.deal(NATURAL)
        await table.until(lambda: not table.state.devices["shoe"].lost)

    at_a_table(tmp_path, scene)


def test_a_coin_that_fell_before_the_press_is_in_and_one_after_it_is_to_return(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        await table.open()
        await table.until(lambda: table.slot.accepting)
        assert table.slot.insert(1)
        table.boards[0].sense(9, on=True)  # at the same moment
        await table.until(lambda: table.state.phase is Phase.LOCKED)
        record = table.state.record(1) or pytest.fail("no round")
        assert [(wager.position, wager.wager, wager.source) for wager in record.wagers] == [(9, "harmony", "drop")]
        await table.until(lambda: not table.slot.accepting)
        table.slot.happen(1, 1)  # one that slipped through a slot that was shut
        await table.until(lambda: bool(table.state.returns))
        assert [each.why for each in table.state.returns.values()] == ["late"]

    at_a_table(tmp_path, scene)


def test_a_slot_takes_one_coin_a_round(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        await table.open()
        await table.until(lambda: table.slot.accepting)
        table.slot.insert(1)
        await table.until(lambda: "9/harmony" in table.state.standing and not table.slot.accepting)
        await table.press()
        assert not table.slot.accepting
        await table.press()
        await table.until(lambda: table.slot.accepting)

    at_a_table(tmp_path, scene)


def test_a_slot_is_open_whenever_a_wager_can_be_made(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        table.button = table.intake._button = ButtonSettings(reopen_after_ms=3000)  # noqa: SLF001 -- as this scene has it
        await table.open()
        await table.until(lambda: table.slot.accepting)
        for _ in range(2):  # locked, and open again
            table.clock.ahead += 5_000_000
            await table.press()
        assert (table.state.phase, table.state.round) == (Phase.OPEN, 2)
        await table.until(lambda: table.slot.accepting)
        await table.press()  # once more at once: ignored, though the slot was shut and read for it
        assert table.facts(facts.ButtonIgnored) == 1
        await table.until(lambda: table.slot.accepting)
        service = {"by": FLOOR, "position": 9, "reason": "stuck"}
        await table.give(inputs.PositionService, **service, on=False)
        await table.until(lambda: not table.slot.accepting)
        await table.give(inputs.PositionService, **service, on=True)
        await table.until(lambda: table.slot.accepting)

    at_a_table(tmp_path, scene)


def test_a_lost_board_takes_its_positions_out_and_a_lost_button_the_table(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        await table.open()
        table.chip(5)
        table.chip(1)
        await table.until(lambda: table.lamp(5) is Lamp.PLACED and table.lamp(1) is Lamp.PLACED)
        table.bus.silent.add(2)
        await table.until(lambda: table.lamp(5) is Lamp.FAULT)
        assert table.lamp(1) is Lamp.PLACED
        assert list(table.state.standing) == ["1/royal9"]
        table.chip(5, there=False)  # while nobody could see it
        table.bus.silent.clear()
        await table.until(lambda: table.lamp(5) is Lamp.INVITE)
        table.lines["rail"].unplug()
        await table.until(lambda: table.state.phase is Phase.FAULTED)
        table.lines["rail"].plug()
        await table.until(lambda: table.state.phase is Phase.OPEN)
        await table.until(lambda: table.lamp(1) is Lamp.PLACED)

    at_a_table(tmp_path, scene)


def test_after_a_restart_it_goes_on_where_it_was(tmp_path: Path) -> None:
    async def first(table: Table) -> None:
        await table.open()
        await table.until(lambda: table.slot.accepting)
        table.chip(2)
        table.slot.insert(1)
        await table.until(lambda: set(table.state.standing) == {"2/royal9", "9/harmony"})

    async def second(table: Table) -> None:
        assert table.state.phase is Phase.OPEN
        await table.until(lambda: set(table.state.standing) == {"2/royal9", "9/harmony"})
        table.slot.happen(1, 1)  # a second coin is to return, and is not the first once more
        await table.until(lambda: len(table.state.returns) == 1)
        assert table.state.counted["slot-9"].ordinal == 2
        await table.press()
        record = table.state.record(1) or pytest.fail("no round")
        assert {(wager.position, wager.wager) for wager in record.wagers} == {(2, "royal9"), (9, "harmony")}

    at_a_table(tmp_path, first, second)


def test_a_maintained_switch_is_followed(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        await table.open()
        table.boards[0].sense(9, on=True)
        await table.until(lambda: table.state.phase is Phase.LOCKED)
        table.boards[0].sense(9, on=False)
        await table.until(lambda: (table.state.phase, table.state.round) == (Phase.OPEN, 2))

    at_a_table(tmp_path, scene, maintained=True)
