"""Every phase with every input: allowed as the table says, or refused with the reason."""

from collections.abc import Callable
from pathlib import Path

import pytest

from controller.core import inputs
from controller.core.decision import Decision
from controller.core.inputs import Input
from controller.core.phases import TABLE, Phase, diagram
from controller.core.refusals import Refusal, Refused
from tests.core.play import DEALER, FLOOR, FLOOR2, MINI, SUPERVISOR, SUPERVISOR2, Table

ROOT = Path(__file__).parent.parent.parent

NATURAL = {"player": ("2S", "6S"), "banker": ("2H", "5D")}
FOUR = {"player": ("2S", "3S"), "banker": ("2H", "4D")}


def table_in(phase: Phase) -> Table:
    """A table in a phase, with a Royal 9 chip down where a round has been open."""
    table = Table(MINI)
    table.do(inputs.DeviceRestored, device="button", device_kind="button")
    table.do(inputs.WagerAbsent, position=1, wager="royal9")
    if phase is Phase.CLOSED:
        return table
    table.do(inputs.TableOpened, by=DEALER)
    if phase is Phase.SIMULATED:
        table.do(inputs.SimulatedRound, by=DEALER)
    if phase in (Phase.OPEN, Phase.SIMULATED):
        return table
    table.do(inputs.WagerPresent, position=1, wager="royal9")
    table.do(inputs.Button)
    if phase is Phase.DEALT:
        table.do(inputs.FourCards, by=DEALER, source="console", **FOUR)
    if phase is Phase.SETTLED:
        table.do(inputs.HandComplete, by=DEALER, source="console", **NATURAL)
    if phase is Phase.FAULTED:
        table.do(inputs.DeviceLost, device="button", device_kind="button")
    return table


# One input of each kind with everything right about it but, perhaps, the phase.
EVERY: dict[type[Input], Callable[[Table], dict[str, object]]] = {
    inputs.WagerPresent: lambda _: {"position": 2, "wager": "royal9"},
    inputs.WagerAbsent: lambda _: {"position": 2, "wager": "royal9"},
    inputs.WagerDropped: lambda _: {"position": 2, "wager": "royal9", "cents": 500},
    inputs.Button: lambda _: {},
    inputs.FourCards: lambda _: {"by": DEALER, "source": "console", **FOUR},
    inputs.HandComplete: lambda _: {"by": DEALER, "source": "console", **NATURAL},
    inputs.HandCorrected: lambda _: {"by": SUPERVISOR, "second": SUPERVISOR2, "round": 1, "reference": "c", **NATURAL},
    inputs.LateHand: lambda _: {"by": SUPERVISOR, "second": SUPERVISOR2, "round": 1, "reference": "c", **NATURAL},
    inputs.AwardValidated: lambda _: {"by": FLOOR, "award": "none", "method": "slip", "base_wager": True},
    inputs.AwardRejected: lambda _: {"by": FLOOR, "second": FLOOR2, "award": "none", "reason": "r"},
    inputs.SlipPrinted: lambda _: {"by": FLOOR, "award": "none"},
    inputs.RoundVoided: lambda table: {"by": FLOOR, "round": table.state.round, "reason": "r"},
    inputs.WagerVoided: lambda table: {
        "by": FLOOR,
        "second": FLOOR2,
        "round": table.state.round,
        "position": 1,
        "wager": "royal9",
        "reason": "r",
    },
    inputs.SimulatedRound: lambda _: {"by": DEALER},
    inputs.TableOpened: lambda _: {"by": DEALER},
    inputs.TableClosed: lambda _: {"by": DEALER},
    inputs.PositionService: lambda _: {"by": FLOOR, "position": 4, "on": False, "reason": "r"},
    inputs.ReturnConfirmed: lambda _: {"by": DEALER, "return_id": "none"},
    inputs.MeterAdjusted: lambda table: {
        "by": SUPERVISOR,
        "second": SUPERVISOR2,
        "meter": "harmony",
        "delta_cents": 100,
        "expected_cents": table.state.meters["harmony"].display_cents,
        "reason": "r",
    },
    inputs.SubmissionChanged: lambda _: {
        "by": SUPERVISOR,
        "second": SUPERVISOR2,
        "toml": MINI,
        "day": "2026-11-16",
        "reason": "r",
    },
    inputs.OperatorChanged: lambda _: {"by": SUPERVISOR, "operator": "ana", "name": "Ana Ruiz", "role": "dealer"},
    inputs.AccessNoted: lambda _: {"what": "wrong-pin", "operator": "ana", "client": "console"},
    inputs.DeviceLost: lambda _: {"device": "broker", "device_kind": "broker"},
    inputs.DeviceRestored: lambda _: {"device": "board-1", "device_kind": "board", "positions": (1, 2, 3)},
    inputs.ControllerStarted: lambda _: {"version": "1.0"},
    inputs.LinkAnswered: lambda _: {"intent": "none", "display_cents": 0},
    inputs.ReadingsDue: lambda _: {"day": "2026-11-17"},
    inputs.Tick: lambda _: {},
}

# Allowed in the phase by the table, and still refused for what the input says: the reason that must be given.
OTHERWISE = {
    "award-validated": Refusal.UNKNOWN,
    "award-rejected": Refusal.UNKNOWN,
    "slip-printed": Refusal.UNKNOWN,
    "return-confirmed": Refusal.UNKNOWN,
    "link-answered": Refusal.UNKNOWN,
}


def otherwise(phase: Phase, kind: str) -> Refusal | None:
    """The refusal of an input that its phase allows, where what it names is not there."""
    if kind == "wager-voided" and phase in (Phase.OPEN, Phase.SIMULATED, Phase.CLOSED):
        return Refusal.UNKNOWN  # no wager stands, or none was in
    if kind in ("late-hand", "hand-corrected"):
        if phase in (Phase.OPEN, Phase.SIMULATED, Phase.CLOSED):
            return Refusal.UNKNOWN  # no round was locked out
        if kind == "late-hand":
            return Refusal.WRONG_PHASE  # the round is in play
        return None if phase in (Phase.DEALT, Phase.SETTLED) else Refusal.BAD_HAND  # nothing to correct yet
    if kind == "four-cards" and phase is Phase.SETTLED:
        return Refusal.BAD_HAND  # other cards were entered
    if kind == "hand-complete" and phase is Phase.DEALT:
        return Refusal.BAD_HAND
    return OTHERWISE.get(kind)


def test_every_kind_of_input_is_tried() -> None:
    assert {kind.__struct_config__.tag for kind in EVERY} == {kind for row in TABLE.values() for kind in row}


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: str(kind.__struct_config__.tag))
@pytest.mark.parametrize("phase", Phase, ids=lambda phase: phase.value)
def test_every_phase_takes_or_refuses_every_input(phase: Phase, kind: type[Input]) -> None:
    table = table_in(phase)
    assert table.state.phase is phase
    before = table.state
    answer = table.try_(kind, **EVERY[kind](table))
    name = str(kind.__struct_config__.tag)
    allowed = TABLE[phase].get(name)
    if allowed is None:
        assert isinstance(answer, Refused)
        waits = phase is Phase.FAULTED and name in TABLE[Phase.LOCKED]
        assert answer.refusal is (Refusal.FAULTED if waits else Refusal.WRONG_PHASE)
        assert table.state.meters == before.meters
        assert table.state.phase is phase
    elif otherwise(phase, name) is not None:
        assert isinstance(answer, Refused)
        assert answer.refusal is otherwise(phase, name)
        assert table.state.phase is phase
    else:
        assert isinstance(answer, Decision), answer
        assert table.state.phase in allowed


def test_the_diagram_in_the_architecture_is_the_table() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    assert f"```mermaid\n{diagram()}\n```" in text


def test_a_faulted_table_returns_to_the_exact_phase_it_had() -> None:
    for phase in Phase:
        if phase is Phase.FAULTED:
            continue
        table = table_in(phase)
        before = table.state
        table.do(inputs.DeviceLost, device="button", device_kind="button")
        assert (table.state.phase, table.state.prior) == (Phase.FAULTED, phase)
        table.do(inputs.DeviceRestored, device="button", device_kind="button")
        assert (table.state.phase, table.state.prior) == (phase, None)
        assert table.state.standing == before.standing
        assert table.state.rounds == before.rounds
        assert table.state.meters == before.meters
