"""Meters corrected by two people: a table's own at once, a linked one when its link has answered.

What a mystery meter carries goes the same way, into a meter that the cards decide. Money on its way from one keeper to
another waits in the adjustments, which is where it came from if nothing becomes of it.
"""

from msgspec.structs import replace

from controller.core.accounts import ADJUSTMENTS, Move, carry_account, link_account, meter_account, units
from controller.core.decision import Decision, known, people, refuse, text
from controller.core.draft import Draft
from controller.core.effects import Ask, Meters
from controller.core.facts import AdjustmentWasAsked, MeterWasAdjusted
from controller.core.filed import MYSTERY, FiledMeter
from controller.core.inputs import SUPERVISOR, MeterAdjusted, need_two
from controller.core.meters import Meter
from controller.core.refusals import Refusal
from controller.core.state import Adjustment, State
from controller.rules.money import UNITS_PER_CENT, dollars

# Ten digits of dollars, as many as a submission may file: every amount fits the 64-bit integers of a database.
MOST_CENTS = 10**12 - 1


def refuse_unfit(meter: Meter, cents: int) -> None:
    """Refuse a change that would leave a meter below its reset amount, or above all that is ever filed."""
    after = meter.display_cents + cents
    if after > MOST_CENTS:
        raise refuse(Refusal.BAD_REQUEST, f"a change of {cents} cents: {meter.id} would show {after} cents")
    if meter.units + units(cents) < units(meter.filing.reset_cents):
        least = dollars(meter.filing.reset_cents)
        raise refuse(Refusal.BAD_REQUEST, f"{meter.id} would fall below its reset amount of {least}")


def refuse_unexpected(meter: Meter, expected_cents: int) -> None:
    """Refuse people who saw another amount."""
    if meter.display_cents != expected_cents:
        shown = dollars(meter.display_cents)
        raise refuse(Refusal.STALE, f"{meter.id} shows {shown} now, not {dollars(max(0, expected_cents))}")


def uncarried(meter: Meter, cents: int) -> Meter:
    """A mystery meter without so much of what it carries."""
    held = meter.carry // UNITS_PER_CENT
    if not 0 < cents <= held:
        why = f"{carry_account(meter.id)} holds {dollars(held)}: move that or less, out of it"
        raise refuse(Refusal.BAD_REQUEST, why)
    return replace(meter, carry=meter.carry - units(cents))


def adjust(state: State, command: MeterAdjusted) -> Decision:
    """Two supervisors correct a meter that the cards decide."""
    text("a reason", command.reason)
    filed = state.filed.meters() if state.filed else {}
    target, donor = filed.get(command.meter), _donor(filed, command.source)
    _refuse_lost(state, target, donor)
    need_two(command.by, command.second, SUPERVISOR)
    target = known(target, f"there is no meter {command.meter!r} on this table")
    if target.kind == MYSTERY:  # to touch it would be a probe
        raise refuse(Refusal.BAD_REQUEST, f"{target.id} is a mystery meter: it cannot be adjusted")
    if not 0 < abs(command.delta_cents) <= MOST_CENTS:
        raise refuse(Refusal.BAD_REQUEST, f"a change of {command.delta_cents} cents: {target.id} takes no such change")
    if not target.link:
        refuse_unfit(state.meters[target.id], command.delta_cents)
    if command.source != ADJUSTMENTS:
        donor = known(donor, f"{command.source!r}: money comes from adjustments or from carry:<meter>")
    draft, linked = Draft(state), bool(target.link or (donor and donor.link))
    if donor and not donor.link:
        draft.put(uncarried(state.meters[donor.id], command.delta_cents))
    elif donor and command.delta_cents < 0:
        raise refuse(Refusal.BAD_REQUEST, f"{command.source}: money is moved out of it, never into it")
    if not target.link:
        refuse_unexpected(state.meters[target.id], command.expected_cents)
    # From here it succeeds.
    told = {
        "meter": target.id,
        "delta_cents": command.delta_cents,
        "source": command.source,
        "reason": command.reason,
        **people(command.by, command.second),
    }
    if linked:
        _ask(draft, target, donor, command)
        asked = AdjustmentWasAsked(expected_cents=command.expected_cents, **told, **draft.parts())
        return Decision(asked, tuple(Ask(intent) for intent in draft.intents))
    money, account = units(command.delta_cents), meter_account(target.id)
    move = Move(command.source, account, money) if money > 0 else Move(account, command.source, -money)
    meter = draft.meter(target.id)
    draft.put(replace(meter, units=meter.units + money), (move,))
    return Decision(MeterWasAdjusted(**told, **draft.parts()), (Meters((target.id,)),))


def _donor(filed: dict[str, FiledMeter], source: str) -> FiledMeter | None:
    """The mystery meter whose carry a source is."""
    return next((each for each in filed.values() if each.kind == MYSTERY and carry_account(each.id) == source), None)


def _refuse_lost(state: State, *meters: FiledMeter | None) -> None:
    """Refuse to ask a link that is lost: nobody could say when the change would come, or on what."""
    for link in (each.link for each in meters if each and each.link):
        part = state.devices.get(link_account(link))
        if part is not None and part.lost:
            raise refuse(Refusal.FAULTED, f"the link {link} is lost: ask again when it is back")


def _ask(draft: Draft, target: FiledMeter, donor: FiledMeter | None, command: MeterAdjusted) -> None:
    """The first step: out of the link's carry; or, the money being at hand, into the linked meter."""
    by, second = command.by.id, command.second.id if command.second else ""
    wanted = Adjustment(target.id, command.delta_cents, command.expected_cents, command.source, by, second)
    if donor and donor.link:
        draft.ask(donor.link, donor.id, "adjust", 0, cents=-wanted.cents, adjustment=wanted)
        return
    if donor:
        draft.moves.append(Move(wanted.source, ADJUSTMENTS, units(wanted.cents)))
    move_in(draft, wanted)


def move_in(draft: Draft, wanted: Adjustment) -> None:
    """Money that is at hand goes into the meter it is for."""
    target = draft.filed.meters()[wanted.meter]
    if target.link:
        parts = {"cents": wanted.cents, "expected_cents": wanted.expected_cents, "adjustment": wanted}
        draft.ask(target.link, target.id, "adjust", 0, **parts)
        return
    meter, money = draft.meter(target.id), units(wanted.cents)
    draft.put(replace(meter, units=meter.units + money), (Move(ADJUSTMENTS, meter_account(meter.id), money),))


def put_back(draft: Draft, wanted: Adjustment) -> None:
    """A linked meter did not take what came out of a carry: it is carried again."""
    donor = _donor(draft.filed.meters(), wanted.source)
    if donor is None:
        return  # it came from the adjustments, or its meter is filed no more: two people place it from there
    if donor.link:
        draft.ask(donor.link, donor.id, "adjust", 0, cents=wanted.cents, adjustment=wanted)
        return
    meter, money = draft.meter(donor.id), units(wanted.cents)
    draft.put(replace(meter, carry=meter.carry + money), (Move(ADJUSTMENTS, wanted.source, money),))
