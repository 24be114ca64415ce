"""A table whose controller is stopped, for who changes its people or archives its days on the journal itself."""

from collections.abc import Sequence

from controller.clock import WallClock
from controller.core.chance import Ready
from controller.core.effects import Effect
from controller.core.facts import FactsWereArchived
from controller.core.inputs import Input
from controller.core.state import State
from controller.engine import Answer, Clock, Engine
from controller.journal.archive.whole import archived_rows
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load


class _NoChance:
    def ready(self, *_: object, **__: object) -> Ready:
        raise LookupError("people need no mystery value")


class _NoLines:
    def release(self, effects: Sequence[Effect], state: State) -> None:
        """No lamp hangs on a stopped table."""

    def faulted(self, why: str) -> None:
        """The error itself is told."""


class Stopped:
    """Inputs are committed one by one."""

    def __init__(self, journal: SqliteJournal, clock: Clock | None = None, archives: Sequence[str] = ()) -> None:
        state = load(journal, lambda: archived_rows(journal.path, journal.place, archives))
        self._engine = Engine(state, journal, _NoChance(), clock or WallClock(), _NoLines())

    @property
    def state(self) -> State:
        """The state as it is now."""
        return self._engine.state

    async def submit(self, input_: Input) -> Answer:
        """Take an input; it is durable when this returns."""
        (answer,) = self._engine.step([input_])
        return answer

    def archive(self, fact: FactsWereArchived) -> None:
        """Record an archive; the facts in it may leave when this returns."""
        self._engine.archive(fact)
