"""Lamps and drop slots do what the state says: each effect on a line that only notes what it is told."""

from collections.abc import Mapping

from controller.core import inputs
from controller.core.decision import Decision
from controller.outlets.table import TableLines
from drivers.driver import Device, Driver, Place
from tests.core.play import DEALER, Table

CHIP, SLOT = Place(1, "royal9"), Place(9, "royal9")


class Line(Driver):
    """A line with one board and one drop slot."""

    name = "noted"

    def __init__(self) -> None:
        self.devices = (
            Device("left", "modbus", "rail", (CHIP,), button=True),
            Device("slot", "cctalk", "bus", (SLOT,)),
        )
        self.lamps: dict[Place, str] = {}
        self.open: frozenset[Place] = frozenset()
        self.flashed: list[Place] = []

    async def run(self) -> None:
        """It says nothing."""

    def show(self, lamps: Mapping[Place, str]) -> None:
        self.lamps |= lamps

    def flash(self, place: Place) -> None:
        self.flashed.append(place)

    def accept(self, places: frozenset[Place]) -> None:
        self.open = places


class Served:
    """A table whose decisions are released on a line."""

    def __init__(self) -> None:
        self.table, self.line, self.faults = Table(), Line(), list[str]()
        self.lines = TableLines(self.faults.append)
        self.lines.serve([self.line])
        self.do(inputs.WagerAbsent, position=1, wager="royal9")
        self.do(inputs.TableOpened, by=DEALER)

    def do(self, kind: type[inputs.Input], **parts: object) -> None:
        answer = self.table.try_(kind, **parts)
        assert isinstance(answer, Decision), answer
        self.lines.release(answer.effects, self.table.state)


def test_every_lamp_shows_a_fault_and_then_what_it_did_before() -> None:
    served = Served()
    assert served.line.lamps[CHIP] == "invite"
    lost = {"device": "left.button", "device_kind": "button"}
    served.do(inputs.DeviceLost, **lost)
    assert set(served.line.lamps.values()) == {"fault"}
    served.do(inputs.DeviceRestored, **lost)
    assert served.line.lamps[CHIP] == "invite"


def test_a_chip_out_of_time_flashes_its_own_lamp() -> None:
    served = Served()
    served.do(inputs.Button)
    served.do(inputs.WagerPresent, position=1, wager="royal9")  # too late
    assert (served.line.flashed, served.line.lamps[CHIP]) == ([CHIP], "refused")


def test_a_chip_pulled_soon_after_the_lock_out_flashes_its_lamp() -> None:
    served = Served()
    served.do(inputs.WagerPresent, position=1, wager="royal9")
    served.do(inputs.Button)
    assert (served.line.flashed, served.line.lamps[CHIP]) == ([], "accepted")
    served.do(inputs.WagerAbsent, position=1, wager="royal9", pulled_ms=60_000)
    assert (served.line.flashed, served.line.lamps[CHIP]) == ([CHIP], "accepted")


def test_a_slot_is_open_while_a_wager_can_be_made_there_and_shut_otherwise() -> None:
    served = Served()
    assert served.line.open == {SLOT}
    served.do(inputs.Button)
    assert served.line.open == set()
    served.do(inputs.Button)
    assert served.line.open == {SLOT}
    served.do(inputs.WagerDropped, position=9, wager="royal9", cents=500)
    assert served.line.open == set()


def test_what_ends_play_shows_a_fault_and_shuts_every_slot() -> None:
    served = Served()
    served.lines.faulted("the journal cannot be written")
    assert (set(served.line.lamps.values()), served.line.open) == ({"fault"}, frozenset())
    assert served.faults == ["the journal cannot be written"]
