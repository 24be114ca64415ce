"""One table played by hand, step by step, whose intents a test takes to the link itself."""

import secrets
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from controller.clock import WallClock
from controller.core import inputs
from controller.core.effects import Effect
from controller.core.inputs import LinkAnswered
from controller.core.state import Intent, State
from controller.core.times import stamp
from controller.engine import Answer, Engine
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load
from controller.link.filings import filings
from controller.link.sessions import Identity, Session
from tests.core.play import DEALER, FLOOR, FLOOR2, SUPERVISOR, SUPERVISOR2, vault
from tests.link.player import JACKPOTS, NAME, Setup, meeting


class Desk:
    """The engine of a table on its journal; nothing happens by itself."""

    def __init__(self, setup: Setup, *, opened: bool = True) -> None:
        self.setup = setup
        self.instance = secrets.token_hex(8)
        self.wager = "harmony" if "harmony" in setup.meters else "heavenly9"
        self._journal = SqliteJournal(setup.journal)
        self._clock = WallClock()
        self._keys = 0
        self.engine = Engine(load(self._journal), self._journal, vault(), self._clock, self)
        if self.state.filed is None:
            links = dict.fromkeys(setup.meters, NAME)
            self.do(inputs.SubmissionChanged, toml=setup.toml, day="2026-11-16", reason="installed", links=links)
            if opened:
                self.do(inputs.TableOpened, by=DEALER)

    def release(self, effects: Sequence[Effect], state: State) -> None:
        """Nobody is there."""

    def faulted(self, why: str) -> None:
        raise AssertionError(why)

    @property
    def state(self) -> State:
        return self.engine.state

    @property
    def intents(self) -> list[Intent]:
        return list(self.state.intents.values())

    def identity(self, instance: str = "") -> Identity:
        filed = self.state.filed
        assert filed is not None
        return Identity(
            filed.site,
            filed.name,
            instance or self.instance,
            filings(filed, NAME),
            {key.partition("/")[2]: head for key, head in self.state.link_heads.items()},
            self.state.asked(),
        )

    def now(self) -> str:
        return stamp(self._clock.now())

    def do(self, kind: type[inputs.Input], **parts: object) -> Answer:
        """Give an input that must be taken."""
        if "key" in kind.__struct_fields__ and parts.get("source", "console") == "console":
            self._keys += 1
            parts.setdefault("key", f"{self.instance}-{self._keys}")
        (answer,) = self.engine.step([kind(**({"at": self.now()} | parts))])  # type: ignore[arg-type]  # its parts
        assert answer.ok, (kind, answer)
        return answer

    def take(self, answer: LinkAnswered) -> None:
        """Journal an answer of the link."""
        (taken,) = self.engine.step([answer])
        assert taken.ok, taken

    # -- a round --

    def lock_out(self, *seats: int) -> None:
        """Chips down and the button pressed, in one commit."""
        at, bets = self.now(), list[inputs.Input]()
        for seat in seats:
            bets.append(inputs.WagerAbsent(at=at, position=seat, wager=self.wager))
            bets.append(inputs.WagerPresent(at=at, position=seat, wager=self.wager))
        answers = self.engine.step([*bets, inputs.Button(at=at, reopen_after_ms=0)])
        assert all(each.ok for each in answers), answers

    def jackpot(self) -> None:
        self.do(inputs.HandComplete, **JACKPOTS[self.wager], source="shoe")

    def reopen(self) -> None:
        self.do(inputs.Button, reopen_after_ms=0)

    def void(self) -> None:
        self.do(inputs.RoundVoided, by=FLOOR, round=self.state.round, reason="misdeal")

    def validate(self) -> None:
        award = self.state.pending()[0]
        method = "slip" if self.wager == "heavenly9" else "inventory"
        parts = {"award": award.id, "method": method, "base_wager": True}
        self.do(inputs.AwardValidated, by=FLOOR, second=FLOOR2, **parts)

    def reject(self) -> None:
        award = self.state.pending()[0]
        self.do(inputs.AwardRejected, by=FLOOR, second=FLOOR2, award=award.id, reason="no base wager")

    def adjust(self, delta: int, expected: int | None = None, source: str = "adjustments") -> None:
        """Two supervisors adjust the meter that the cards decide, from what it was last said to show."""
        shown = self.state.linked[self.wager] if expected is None else expected
        parts = {"meter": self.wager, "delta_cents": delta, "expected_cents": shown, "source": source}
        self._keys += 1
        who = {"by": SUPERVISOR, "second": SUPERVISOR2, "key": f"{self.instance}-{self._keys}"}
        self.do(inputs.MeterAdjusted, **who, **parts, reason="reading of the day")

    # -- the link --

    async def ask(self, session: Session, leave: int = 0) -> None:
        """Take everything intended to the link, but for the last few, and journal its answers."""
        while len(self.intents) > leave:
            self.take(await session.apply(self.intents[0], self.now()))

    async def ask_anew(self, leave: int = 0) -> None:
        """The same, in a session of its own."""
        async with meeting(self.setup)(self.identity()) as session:
            await self.ask(session, leave)

    def close(self) -> None:
        self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
