"""One decision in the making: the meters as they would be, the moves and awards so far, and the ids they get."""

from itertools import compress
from operator import is_not
from typing import Any

from msgspec.structs import astuple, fields

from controller.core.accounts import Move, total
from controller.core.decision import refuse
from controller.core.facts import Fate, MeterAfter
from controller.core.filed import Filed
from controller.core.meters import Meter
from controller.core.refusals import Refusal
from controller.core.state import Award, Intent, Return, State

_FIELDS = [field.name for field in fields(Meter)]


class Draft:
    """What a fact will carry, gathered while it is decided. Nothing of the state is touched."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.seq = state.seq + 1
        self.meters: dict[str, Meter] = {}
        self.moves: list[Move] = []
        self.awards: list[Award] = []
        self.fates: list[Fate] = []
        self.intents: list[Intent] = []
        self.returns: list[Return] = []
        self._named = 0

    @property
    def filed(self) -> Filed:
        """What is filed; there is no decision on wagers before that."""
        if self.state.filed is None:
            raise LookupError("nothing is filed")
        return self.state.filed

    def meter(self, id_: str) -> Meter:
        """A meter as it would be now."""
        return self.meters.get(id_) or self.state.meters[id_]

    def put(self, meter: Meter, moves: tuple[Move, ...] = ()) -> None:
        """Take over a changed meter and the moves that changed it."""
        self.meters[meter.id] = meter
        self.moves += moves

    def name(self) -> str:
        """The id of the next award of this fact."""
        self._named += 1
        return f"{self.filed.table}-{self.seq}-{self._named}"

    def fate(self, award: Award, fate: str, amount_cents: int | None = None) -> None:
        """Note what becomes of an award."""
        self.fates.append(Fate(award.id, fate, award.amount_cents if amount_cents is None else amount_cents))

    def give_back(self, position: int, wager: str, cents: int, why: str) -> None:
        """Note money of a drop slot that is to be returned by hand."""
        self.returns.append(
            Return(f"{self.filed.table}-{self.seq}-r{len(self.returns) + 1}", position, wager, cents, why)
        )

    def ask(self, link: str, meter: str, kind: str, round_: int, **parts: Any) -> None:  # noqa: ANN401 -- Intent checks them
        """Note what is to be asked of a link; refused where the table has left it: nobody would answer."""
        now = self.filed.meters().get(meter)
        if now is None or now.link != link:
            raise refuse(
                Refusal.TOO_LATE, f"{meter} of that round was kept by the link {link}, which the table has left"
            )
        id_ = f"{self.filed.table}-{self.seq}-i{len(self.intents) + 1}"
        self.intents.append(Intent(id_, self.filed.name, link, meter, kind, round_, **parts))

    def parts(self) -> dict[str, Any]:
        """The parts of the fact."""
        return {
            "moves": total(self.moves),
            "meters": tuple(_after(self.state.meters[id_], meter) for id_, meter in self.meters.items()),
            "awards": tuple(self.awards),
            "fates": tuple(self.fates),
            "intents": tuple(self.intents),
            "returns": tuple(self.returns),
        }


def _after(before: Meter, after: Meter) -> MeterAfter:
    """What changed of a meter."""
    old, new = astuple(before), astuple(after)
    touched = compress(zip(_FIELDS, old, new, strict=True), map(is_not, old, new))
    changed: dict[str, Any] = {name: now for name, was, now in touched if now != was}
    if "last" in changed:
        known = set(before.last)
        changed["listed"] = tuple(hit for hit in changed.pop("last") if hit not in known)
    return MeterAfter(id=after.id, **changed)
