"""A table driven by hand in tests: real decisions on a real vault, with times and keys made up as it goes."""

from datetime import UTC, datetime
from pathlib import Path

from controller.core.chance import Chance, Draw, Ready
from controller.core.decide import after, decide, placed, refusal
from controller.core.decision import Decision
from controller.core.facts import Fact, Recorded
from controller.core.inputs import Input, Person, SubmissionChanged
from controller.core.invariants import check
from controller.core.needs import Need, needs
from controller.core.refusals import Refused
from controller.core.state import State
from controller.core.times import stamp
from controller.vault import Vault

CONFIG = Path(__file__).parent.parent.parent / "config"
MINI = (CONFIG / "minibaccarat-royal9-5.toml").read_text()
HEAVENLY = (CONFIG / "baccarat-heavenly9.toml").read_text()

DEALER = Person("d1", "dealer")
FLOOR, FLOOR2 = Person("f1", "floorperson"), Person("f2", "floorperson")
SUPERVISOR, SUPERVISOR2 = Person("s1", "supervisor"), Person("s2", "supervisor")

BEGIN = int(datetime(2026, 11, 16, 15, 0, tzinfo=UTC).timestamp()) * 1_000_000


def vault() -> Vault:
    """A vault with a key of its own that draws the highest value there is: no test is hit by chance."""
    return Vault({"test": bytes(range(32))}, "test", randbelow=lambda below: below - 1)


class Rigged:
    """Chance that tests choose: values to come for each meter, in order. Sealed text is only a name here."""

    def __init__(self, **values: list[int]) -> None:
        self.values = {name.replace("_", "-"): list(cents) for name, cents in values.items()}
        self.standing: dict[tuple[str, int], int] = {}

    def ready(self, need: Need) -> Ready:
        """The standing value and the next ones: the last given is repeated."""
        draws = []
        for ahead in range(1, need.draws + 1):
            cycle = need.cycle + ahead
            if (need.meter, cycle) not in self.standing:
                waiting = self.values.get(need.meter, [need.maximum_cents - 1])
                self.standing[need.meter, cycle] = waiting.pop(0) if len(waiting) > 1 else waiting[0]
            cents = self.standing[need.meter, cycle]
            draws.append(Draw(cents, "00" * 32, f"sealed-{need.meter}-{cycle}", "test", f"c-{need.meter}-{cycle}"))
        standing = self.standing.get((need.meter, need.cycle)) if need.sealed else None
        return Ready(standing, "00" * 32, tuple(draws))


class Table:
    """A table and all its facts so far."""

    def __init__(self, toml: str = MINI, *, rigged: Rigged | None = None, links: dict[str, str] | None = None) -> None:
        self.state = State()
        self.facts: list[Recorded] = []
        self.decisions: list[Decision] = []
        self.now = BEGIN
        self.vault = vault()
        self.rigged = rigged
        self._keys = 0
        self.do(SubmissionChanged, toml=toml, day="2026-11-16", reason="installed", links=links or {})

    def chance(self, input_: Input) -> Chance:
        """What the engine would prepare for an input."""
        wanted = needs(self.state, input_)
        if self.rigged is not None:
            return {need.meter: self.rigged.ready(need) for need in wanted}
        return {
            need.meter: self.vault.ready(
                need.table,
                need.meter,
                need.cycle,
                need.minimum_cents,
                need.maximum_cents,
                sealed=need.sealed,
                key_id=need.key_id,
                draws=need.draws,
            )
            for need in wanted
        }

    def make(self, kind: type[Input], **parts: object) -> Input:
        """An input at the present time, with a new key where it takes one."""
        if "key" in kind.__struct_fields__ and "key" not in parts and parts.get("source", "console") == "console":
            self._keys += 1
            parts["key"] = f"key-{self._keys}"
        return kind(**({"at": stamp(self.now)} | parts))  # type: ignore[arg-type]  # each test gives its input's parts

    def try_(self, kind: type[Input], **parts: object) -> Decision | Refused:
        """Decide an input five seconds later and, if it led to a fact, take it over."""
        self.now += 5_000_000
        return self.give(self.make(kind, **parts))

    def give(self, input_: Input) -> Decision | Refused:
        """Decide an input as it is."""
        answer = decide(self.state, input_, self.chance(input_))
        fact = refusal(self.state, input_, answer) if isinstance(answer, Refused) else answer.fact
        if fact is not None:
            self.facts.append(placed(self.state, input_.at, fact))
            self.state = after(self.state, input_, self.facts[-1])
            check(self.state)
        return answer

    def do(self, kind: type[Input], **parts: object) -> Fact | None:
        """Decide an input that must not be refused; its fact."""
        answer = self.try_(kind, **parts)
        assert isinstance(answer, Decision), answer
        self.decisions.append(answer)
        return answer.fact
