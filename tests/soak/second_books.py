"""A journal audited by the second set of books: what was put in is read off the facts, and everything else foretold.

`tests.core.auditor` shares no rule and no arithmetic with the product. It is given each input that led to a fact, and
what it says must follow is held against what the facts add up to.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import UNSET

from controller.core import facts, inputs
from controller.core.decision import Decision
from controller.core.evolve import evolve
from controller.core.facts import Recorded
from controller.core.state import State
from controller.vault import Vault
from tests.core.auditor import Auditor

COMPARED_EVERY = 250  # facts: to compare all rounds after each of them would take hours
_NOTHING_CHANGED = (facts.InputNoted, facts.InputRefused, facts.KeyReused, facts.SnapshotTaken)


def check_second_books(journal: Sequence[Recorded], vault: Vault) -> Auditor:
    """Fail where these facts are not what the second books say must follow from their inputs; those books."""
    values, auditor, state = _values(journal, vault), Auditor(), State()
    for seq, recorded in enumerate(journal, start=1):
        fact = recorded.fact
        state = evolve(state, recorded)
        if not isinstance(fact, _NOTHING_CHANGED):
            auditor.take(_Given(recorded.at, fact, auditor).input(), Decision(fact), values)
        # The auditor learns the product's names of awards and returns when the two are compared.
        if fact.awards or fact.returns or seq % COMPARED_EVERY == 0:
            auditor.compare(state)
    auditor.compare(state)
    return auditor


def _values(journal: Sequence[Recorded], vault: Vault) -> Mapping[tuple[str, int], int]:
    """Every mystery value, unsealed: by meter and cycle."""
    found: dict[tuple[str, int], int] = {}
    cycles, keys, table = dict[str, int](), dict[str, str](), ""
    for fact in (recorded.fact for recorded in journal):
        sealed: dict[str, str] = {}
        if isinstance(fact, facts.SubmissionFiled):
            table = fact.filed.name
            for meter in fact.opened:
                cycles[meter.id], keys[meter.id], sealed[meter.id] = meter.cycle, meter.key_id, meter.sealed
        for after in fact.meters:  # says what has changed, and nothing else
            cycles |= {} if after.cycle is UNSET else {after.id: after.cycle}
            keys |= {} if after.key_id is UNSET else {after.id: after.key_id}
            sealed |= {} if after.sealed is UNSET else {after.id: after.sealed}
        for id_, text in sealed.items():
            if text:
                found[id_, cycles[id_]], _ = vault.unseal(table, id_, cycles[id_], keys[id_], text)
    return found


class _Given:
    """The input behind one fact."""

    def __init__(self, at: str, fact: facts.Fact, auditor: Auditor) -> None:
        self._at = at
        self._fact: Any = fact
        self._auditor = auditor

    def input(self) -> inputs.Input:
        """As it was given."""
        return _MAKERS[type(self._fact)](self)

    def make(self, kind: type[inputs.Input], *names: str, **more: object) -> inputs.Input:
        """An input of this kind, with these parts of the fact."""
        parts: dict[str, object] = {name: getattr(self._fact, name) for name in names} | more
        return kind(**({"at": self._at} | parts))  # type: ignore[arg-type]  # each line below gives its input's parts

    def command(self, kind: type[inputs.Input], *names: str, **more: object) -> inputs.Input:
        """The same, asked for by people."""
        fact = self._fact
        return self.make(kind, "key", *names, by=self._person(fact.by), second=self._person(fact.second), **more)

    def _person(self, id_: str) -> inputs.Person | None:
        return inputs.Person(id_, self._auditor.staff[id_][1]) if id_ else None

    def chip(self, kind: type[inputs.Input]) -> inputs.Input:
        """A sensor that reads."""
        return self.make(kind, "position", "wager")

    def wager(self) -> inputs.Input:
        """A chip, or a coin that became a wager."""
        placed = self._fact.placed
        if placed and placed[0].source == "drop":
            return self.make(inputs.WagerDropped, "key", "position", "wager", cents=placed[0].stake_cents)
        return self.chip(inputs.WagerPresent)

    def coin(self) -> inputs.Input:
        """A coin to be given back."""
        (one,) = self._fact.returns
        return self.make(inputs.WagerDropped, "key", position=one.position, wager=one.wager, cents=one.cents)

    def button(self) -> inputs.Input:
        """A press, or the first card."""
        cause = getattr(self._fact, "cause", "button")
        return self.make(inputs.Button, cause=cause, level=self._fact.switch, reopen_after_ms=0)

    def hand(self) -> inputs.Input:
        """Cards: of this round, or of an earlier one."""
        fact = self._fact
        kind: type[inputs.Input]
        if fact.late or fact.corrected:
            kind = inputs.HandCorrected if fact.corrected else inputs.LateHand
            return self.command(kind, "round", "player", "banker", "reference")
        kind = inputs.HandComplete if fact.complete else inputs.FourCards
        return self.make(kind, "player", "banker", "source", "key", by=self._person(fact.by))

    def device(self) -> inputs.Input:
        """A part lost, or back."""
        kind = inputs.DeviceLost if self._fact.lost else inputs.DeviceRestored
        return self.make(kind, "device", "device_kind", "positions", "wagers", "detail")


def _as(kind: type[inputs.Input], *names: str, **more: object) -> Callable[[_Given], inputs.Input]:
    return lambda given: given.command(kind, *names, **more)


_MAKERS: dict[type[facts.Fact], Callable[[_Given], inputs.Input]] = {
    facts.WagerPlaced: _Given.wager,
    facts.WagerRefused: lambda given: given.chip(inputs.WagerPresent),
    facts.WagerWithdrawn: lambda given: given.chip(inputs.WagerAbsent),
    facts.SensorRead: lambda given: given.chip(inputs.WagerAbsent),
    facts.ChipLifted: lambda given: given.chip(inputs.WagerAbsent),
    facts.CreditToReturn: _Given.coin,
    facts.LockedOut: _Given.button,
    facts.Reopened: _Given.button,
    facts.ButtonIgnored: _Given.button,
    facts.HandEntered: _Given.hand,
    facts.DeviceChanged: _Given.device,
    facts.ReadingsTaken: lambda given: given.make(inputs.ReadingsDue, "day"),
    facts.ControllerWasStarted: lambda given: given.make(inputs.ControllerStarted, "version", "record", "mode"),
    facts.AccessWasNoted: lambda given: given.make(inputs.AccessNoted, "what", "operator", "client"),
    facts.SubmissionFiled: _as(inputs.SubmissionChanged, "toml", "day", "reason"),
    facts.OperatorWasChanged: _as(inputs.OperatorChanged, "operator", "name", "role", "active"),
    facts.TableWasOpened: _as(inputs.TableOpened),
    facts.TableWasClosed: _as(inputs.TableClosed),
    facts.AwardWasValidated: _as(inputs.AwardValidated, "award", "method", base_wager=True),
    facts.AwardWasRejected: _as(inputs.AwardRejected, "award", "reason"),
    facts.SlipWasPrinted: _as(inputs.SlipPrinted, "award"),
    facts.RoundWasVoided: _as(inputs.RoundVoided, "round", "reason"),
    facts.WagerTakenOut: _as(inputs.WagerVoided, "round", "position", "wager", "reason"),
    facts.PositionServiced: _as(inputs.PositionService, "position", "on", "reason"),
    facts.ReturnWasConfirmed: _as(inputs.ReturnConfirmed, "return_id"),
    facts.SimulatedBegun: _as(inputs.SimulatedRound),
    facts.SimulatedEnded: _as(inputs.SimulatedRound),
}
