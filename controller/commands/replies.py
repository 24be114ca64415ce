"""What a reply says of the fact its request led to: the same, whenever it is told."""

from collections.abc import Callable
from typing import Any

from msgspec import UNSET

from controller.core import facts
from controller.core.facts import Fact
from controller.core.state import Award, Return
from controller.rules.money import UNITS_PER_CENT
from controller.wire import commands as wire
from controller.wire.command_rows import AwardDue, AwardMade, AwardSettled, ToReturn
from controller.wire.commands import Request

Parts = dict[str, Any]


def parts(request: Request, fact: Fact) -> Parts:
    """The fields of a reply beside those that every reply has. A fact that changed nothing has none."""
    maker = _PARTS.get(type(fact))
    return maker(fact) if maker else _unchanged(request)


def _unchanged(request: Request) -> Parts:
    if isinstance(request, wire.PositionService):
        return {"position": request.position, "on": request.on, "returns": ()}
    return {}


def _hand(fact: facts.HandEntered) -> Parts:
    return {
        "round": fact.round,
        "player": fact.player,
        "banker": fact.banker,
        "complete": fact.complete,
        "phase": fact.phase or UNSET,
        "awards": tuple(map(_made, fact.awards)),
        "fates": fates(fact),
    }


def _made(award: Award) -> AwardMade:
    return AwardMade(award=award.id, **_terms(award))


def due(award: Award) -> AwardDue:
    """An award that is not made yet, and so has no id."""
    return AwardDue(**_terms(award))


def _terms(award: Award) -> Parts:
    return {
        "kind": award.kind,
        "wager": award.wager,
        "outcome": award.outcome,
        "position": award.position,
        "amount_cents": award.amount_cents,
        "needs_validation": award.validate,
        "needs_second": award.second,
        "meter": award.meter or UNSET,
    }


def fates(fact: Fact) -> tuple[AwardSettled, ...]:
    """What becomes of awards made before."""
    return tuple(
        AwardSettled(award=each.award, fate=each.fate, amount_cents=each.amount_cents)  # type: ignore[arg-type]  # as the core says
        for each in fact.fates
    )


def _returns(fact: Fact) -> tuple[ToReturn, ...]:
    return tuple(map(_return, fact.returns))


def _return(each: Return) -> ToReturn:
    return ToReturn(id=each.id, position=each.position, wager=each.wager, cents=each.cents, why=each.why)


def _undone(fact: facts.RoundWasVoided | facts.WagerTakenOut) -> Parts:
    return {"round": fact.round, "phase": fact.phase or UNSET, "fates": fates(fact), "returns": _returns(fact)}


def _table(fact: Fact) -> Parts:
    return {"round": getattr(fact, "round", UNSET), "phase": fact.phase or UNSET, "returns": _returns(fact)}


def _serviced(fact: facts.PositionServiced) -> Parts:
    return {"position": fact.position, "on": fact.on, "returns": _returns(fact)}


def _adjusted(fact: facts.MeterWasAdjusted) -> Parts:
    after = next((each.units for each in fact.meters if each.id == fact.meter), UNSET)
    shown = UNSET if after is UNSET else after // UNITS_PER_CENT
    return {"meter": fact.meter, "delta_cents": fact.delta_cents, "display_cents": shown}


def _asked(fact: facts.AdjustmentWasAsked) -> Parts:
    return {"meter": fact.meter, "delta_cents": fact.delta_cents, "link": fact.intents[0].link}


def _operator(fact: facts.OperatorWasChanged) -> Parts:
    return {"operator": fact.operator, "name": fact.name, "role": fact.role, "active": fact.active}


def _filed(fact: facts.SubmissionFiled) -> Parts:
    waiting = tuple(each.id for each in fact.meters if each.next_filing is not UNSET and each.next_filing is not None)
    return {"opened": tuple(meter.id for meter in fact.opened), "removed": fact.removed, "waiting": waiting}


_PARTS: dict[type[Fact], Callable[[Any], Parts]] = {
    facts.HandEntered: _hand,
    facts.AwardWasRejected: lambda fact: {"fates": fates(fact)},
    facts.RoundWasVoided: _undone,
    facts.WagerTakenOut: _undone,
    facts.SimulatedBegun: _table,
    facts.SimulatedEnded: _table,
    facts.TableWasOpened: _table,
    facts.TableWasClosed: _table,
    facts.PositionServiced: _serviced,
    facts.ReturnWasConfirmed: lambda fact: {"return_": fact.return_id},
    facts.MeterWasAdjusted: _adjusted,
    facts.AdjustmentWasAsked: _asked,
    facts.OperatorWasChanged: _operator,
    facts.SubmissionFiled: _filed,
}
