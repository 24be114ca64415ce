"""A table people sign in at: the real engine on a journal in memory, PINs hashed cheaply, clocks that tests turn."""

from collections.abc import Sequence
from uuid import uuid4

from controller.core.effects import Effect
from controller.core.facts import AccessWasNoted
from controller.core.inputs import Input, OperatorChanged, Person
from controller.core.state import State
from controller.core.times import stamp
from controller.engine import Answer, Engine
from controller.journal.memory import MemoryJournal
from controller.journal.starting import load, recorded
from controller.people.pins import Pins
from controller.people.signing_in import SigningIn
from controller.people.tokens import Tokens
from tests.core.play import BEGIN, vault

PEPPER = bytes(range(32))
PIN, WRONG = "480213", "480214"


class Clock:
    """Both clocks of a service: the time of day, and seconds that never go back."""

    def __init__(self) -> None:
        self.passed = 0.0

    def now(self) -> int:
        return BEGIN + round(self.passed * 1_000_000)

    def seconds(self) -> float:
        return self.passed

    async def sleep(self, seconds: float) -> None:
        self.passed += seconds


class Lines:
    """No lamps."""

    def release(self, effects: Sequence[Effect], state: State) -> None:
        pass

    def faulted(self, why: str) -> None:
        pass


class Door:
    """A table with a way in."""

    def __init__(self, journal: MemoryJournal | None = None) -> None:
        self.journal = journal or MemoryJournal()
        self.clock = Clock()
        self.engine = Engine(load(self.journal), self.journal, vault(), self.clock, Lines())
        self.pins = Pins(self.journal, PEPPER, memory_kib=8, passes=1)
        self.tokens = Tokens(self.clock.seconds)
        self.way_in = SigningIn(self, self.pins, self.tokens, self.clock, self.clock.seconds)

    @property
    def state(self) -> State:
        return self.engine.state

    async def submit(self, input_: Input) -> Answer:
        (answer,) = self.engine.step([input_])
        return answer

    async def add(
        self, operator: str = "ana", role: str = "supervisor", *, pin: str = PIN, active: bool = True
    ) -> None:
        """Let someone in, or no more."""
        at = stamp(self.clock.now())
        changed = OperatorChanged(
            at=at,
            key=str(uuid4()),
            operator=operator,
            name=operator.title(),
            role=role,
            active=active,
            by=Person("boss", "supervisor"),
        )
        assert (await self.submit(changed)).ok
        await self.pins.keep(operator, pin, at)

    def noted(self) -> list[AccessWasNoted]:
        """All that was recorded of people coming and not coming in."""
        found = (recorded(row).fact for row in self.journal.rows())
        return [fact for fact in found if isinstance(fact, AccessWasNoted)]
