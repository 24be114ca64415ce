"""`evolve`: the state after a fact. It applies results and knows no rule, so a replay never depends on today's."""

from collections.abc import Callable
from typing import Any, cast

from msgspec import UNSET
from msgspec.structs import astuple, fields, replace

from controller.core import facts
from controller.core.accounts import moved
from controller.core.facts import Fact, MeterAfter, Recorded
from controller.core.meters import PENDING, Meter, listed
from controller.core.phases import Phase
from controller.core.state import (
    DROP,
    SHELF,
    Amount,
    Award,
    Device,
    LinkHead,
    Operator,
    Round,
    Seen,
    Sensor,
    Standing,
    State,
    WrongPins,
    head_key,
    spot,
)

_METER_FIELDS = [field.name for field in fields(MeterAfter)]
_PHASES = {phase.value: phase for phase in Phase}
_CLEAR, _LAID, _OLD = Sensor(present=False), Sensor(present=True), Sensor(present=True, lifted=False)
# Facts that tell what a sensor reads, and what that is.
_READS: dict[type[Fact], bool] = {
    facts.WagerPlaced: True,
    facts.WagerRefused: True,
    facts.WagerWithdrawn: False,
    facts.ChipLifted: False,
    facts.SensorRead: False,
}

Changes = dict[str, Any]  # fields of the next state


def evolve(state: State, recorded: Recorded) -> State:
    """The next state. The parts every fact may have come first, then what is special to its type."""
    at, fact = recorded.at, recorded.fact
    instant = state.instant if at == state.at else state.seq + 1
    changes: Changes = {"seq": state.seq + 1, "at": at, "instant": instant}
    if fact.key:
        changes["seen"] = _seen(state, at, fact)
    if fact.phase:
        changes["prior" if state.phase is Phase.FAULTED else "phase"] = _PHASES[fact.phase]
    if fact.placed or fact.withdrawn:
        changes["standing"] = _standing(state, fact, instant)
    if fact.moves or fact.intents:
        changes["accounts"] = moved(state.accounts, fact.moves)
        changes["intents"] = state.intents | {each.id: each for each in fact.intents}
    if fact.meters:
        changes["meters"] = state.meters | {each.id: _meter(state.meters[each.id], each) for each in fact.meters}
    if fact.returns:
        changes["returns"] = {**state.returns, **{each.id: each for each in fact.returns}}
    special = _SPECIAL.get(type(fact))
    if special is not None:
        special(state, recorded, changes)
    if fact.awards or fact.fates:
        _awards(state, fact, changes)
    return replace(state, **changes)


def _standing(state: State, fact: Fact, instant: int) -> dict[str, Standing]:
    standing = dict(state.standing)
    for gone in fact.withdrawn:
        standing.pop(spot(gone.position, gone.wager), None)
    for new in fact.placed:
        place = spot(new.position, new.wager)
        standing[place] = Standing(new.position, new.wager, new.stake_cents, new.source, state.seq + 1, instant)
    return standing


def _seen(state: State, at: str, fact: Fact) -> dict[str, dict[str, Seen]]:
    refusal, why = getattr(fact, "refusal", ""), getattr(fact, "why", "") if hasattr(fact, "refusal") else ""
    answer = Seen(fact.digest, at, state.seq + 1, refusal, why)
    bucket = fact.key[-2:]
    return {**state.seen, bucket: {**state.seen.get(bucket, {}), fact.key: answer}}


def _meter(meter: Meter, after: MeterAfter) -> Meter:
    values = zip(_METER_FIELDS, astuple(after), strict=True)
    changed = {name: value for name, value in values if value is not UNSET}
    del changed["id"], changed["listed"]
    new = replace(meter, **changed)
    for hit in after.listed:
        if any(each.id == hit.id for each in new.last):
            new = replace(new, last=tuple(hit if each.id == hit.id else each for each in new.last))
        else:
            new = listed(new, hit)
    return new


def _shelved(state: State, changes: Changes, *records: Round) -> None:
    """Put rounds on their shelves."""
    rounds: dict[int, dict[int, Round]] = dict(changes.get("rounds", state.rounds))
    for record in records:
        shelf = record.round // SHELF
        rounds[shelf] = {**rounds.get(shelf, {}), record.round: record}
    changes["rounds"] = rounds


def _record(state: State, changes: Changes, round_: int) -> Round:
    rounds: dict[int, dict[int, Round]] = changes.get("rounds", state.rounds)
    return rounds[round_ // SHELF][round_]


def _awards(state: State, fact: Fact, changes: Changes) -> None:
    """Awards made lie with their rounds; those that take validation are found by their ids."""
    index: dict[str, int] = dict(state.awards)
    new: dict[int, list[Award]] = {}
    for award in fact.awards:
        new.setdefault(award.round, []).append(award)
        if award.validate:
            index[award.id] = award.round
    for round_, made in new.items():
        record = _record(state, changes, round_)
        _shelved(state, changes, replace(record, awards=record.awards + tuple(made)))
    if fact.fates:
        round_ = facts.round_of(fact, 0) or index[fact.fates[0].award]
        record = _record(state, changes, round_)
        fates = {fate.award: fate for fate in fact.fates}
        kept = tuple(
            replace(award, fate=fates[award.id].fate, amount_cents=fates[award.id].amount_cents)
            if award.id in fates
            else award
            for award in record.awards
        )
        _shelved(state, changes, replace(record, awards=kept))
    changes["awards"] = index


def _sensed(state: State, recorded: Recorded, changes: Changes) -> None:
    """What a sensor reads now: a chip or none, or the base wager. A coin in a drop slot is no sensor's business."""
    fact = cast("facts.WagerPlaced", recorded.fact)  # or any other of `_READS`: all have position and wager
    present = _READS[type(fact)]
    if fact.wager == "base":
        changes["base"] = {**state.base, fact.position: present}
        return
    if present and fact.placed and fact.placed[0].source == DROP:
        _credited(state, recorded, changes)
        return
    place = spot(fact.position, fact.wager)
    sensors = state.sensors.copy()
    old = sensors.get(place)
    if not present:
        sensors[place] = _CLEAR
    else:
        sensors[place] = _LAID if old is not None and old.lifted else _OLD
    changes["sensors"] = sensors


def _credited(state: State, recorded: Recorded, changes: Changes) -> None:
    counted = cast("facts.CreditToReturn", recorded.fact).counted  # or any other fact that has it
    if counted is not None:
        changes["counted"] = {**state.counted, counted.device: counted}


def _locked(state: State, changes: Changes, recorded: Recorded, round_: int, fact: Fact) -> None:
    """A round is locked: its wagers, and each meter the cards decide, as they are after its contributions."""
    meters: dict[str, Meter] = changes.get("meters", state.meters)
    record = Round(
        round=round_,
        seq=state.seq + 1,
        at=recorded.at,
        day=state.day,
        filed=state.filed_seq,
        wagers=fact.wagers if isinstance(fact, facts.LockedOut) else (),
        amounts={id_: Amount(each.units, each.reserve) for id_, each in meters.items() if each.kind != "mystery"},
    )
    _shelved(state, changes, record)
    changes["standing"] = {}
    changes["last_locked"] = round_
    changes["locked_at"] = recorded.at
    changes["sensors"] = {place: _OLD if each.present else _CLEAR for place, each in state.sensors.items()}


def _lock_out(state: State, recorded: Recorded, changes: Changes) -> None:
    fact = recorded.fact
    if isinstance(fact, facts.LockedOut):
        _locked(state, changes, recorded, fact.round, fact)
        _pressed(fact.switch, recorded.at, changes)


def _pressed(switch: str, at: str, changes: Changes) -> None:
    """A press, or the shoe's lock-out, which the dealer's own press for the same round must not undo."""
    changes["switch"] = switch  # a button where a switch was leaves no level behind
    if not switch:
        changes["pressed_at"] = at


def _next_round(state: State, recorded: Recorded, changes: Changes) -> None:
    """A round opens; or is locked at once, with no wager in, by a switch that stands at locked."""
    fact = recorded.fact
    round_ = state.round
    if isinstance(fact, facts.Reopened | facts.TableWasOpened):
        round_ = fact.round
    elif isinstance(fact, facts.RoundWasVoided):
        record = _record(state, changes, fact.round)
        out = tuple(replace(wager, out=True) for wager in record.wagers)
        _shelved(state, changes, replace(record, voided=True, wagers=out))
        round_ = state.round + 1
    elif isinstance(fact, facts.SimulatedEnded):
        changes["simulated_from"] = None
    if isinstance(fact, facts.Reopened):
        _pressed(fact.switch, recorded.at, changes)
    changes["round"] = round_
    if fact.phase == Phase.LOCKED.value:
        _locked(state, changes, recorded, round_, fact)


def _switched(_state: State, recorded: Recorded, changes: Changes) -> None:
    if isinstance(recorded.fact, facts.ButtonIgnored) and recorded.fact.switch:
        changes["switch"] = recorded.fact.switch


def _simulated(state: State, _recorded: Recorded, changes: Changes) -> None:
    changes["simulated_from"] = state.phase


def _hand(state: State, recorded: Recorded, changes: Changes) -> None:
    fact = recorded.fact
    if isinstance(fact, facts.HandEntered):
        record = _record(state, changes, fact.round)
        entered = replace(record, player=fact.player, banker=fact.banker, source=fact.source, complete=fact.complete)
        _shelved(state, changes, entered)


def _validated(_state: State, recorded: Recorded, changes: Changes) -> None:
    if isinstance(recorded.fact, facts.AwardWasValidated):
        changes["slip"] = recorded.fact.slip


def _taken_out(state: State, recorded: Recorded, changes: Changes) -> None:
    fact = recorded.fact
    if not isinstance(fact, facts.WagerTakenOut):
        return
    if fact.withdrawn:  # from the open round: the chip that still lies there is no wager until it is lifted
        place = spot(fact.position, fact.wager)
        if place in state.sensors:
            changes["sensors"] = {**state.sensors, place: Sensor(state.sensors[place].present, lifted=False)}
        return
    record = _record(state, changes, fact.round)
    wagers = tuple(
        replace(each, out=True) if (each.position, each.wager) == (fact.position, fact.wager) else each
        for each in record.wagers
    )
    amounts = record.amounts | {id_: Amount(*lowered) for id_, lowered in fact.lowered.items()}
    _shelved(state, changes, replace(record, wagers=wagers, amounts=amounts))


def _serviced(state: State, recorded: Recorded, changes: Changes) -> None:
    fact = recorded.fact
    if isinstance(fact, facts.PositionServiced):
        out = {position: why for position, why in state.out_of_service.items() if position != fact.position}
        changes["out_of_service"] = out if fact.on else {**out, fact.position: fact.reason}


def _returned(state: State, recorded: Recorded, changes: Changes) -> None:
    if isinstance(recorded.fact, facts.ReturnWasConfirmed):
        gone = recorded.fact.return_id
        changes["returns"] = {id_: each for id_, each in state.returns.items() if id_ != gone}


def _operator(state: State, recorded: Recorded, changes: Changes) -> None:
    fact = recorded.fact
    if isinstance(fact, facts.OperatorWasChanged):
        changes["operators"] = {**state.operators, fact.operator: Operator(fact.name, fact.role, fact.active)}
        if fact.operator in state.wrong_pins:
            changes["wrong_pins"] = {name: each for name, each in state.wrong_pins.items() if name != fact.operator}


def _access(state: State, recorded: Recorded, changes: Changes) -> None:
    """Wrong PINs are counted until a right one; a command that was refused has nothing to do with them."""
    fact = recorded.fact
    if not isinstance(fact, facts.AccessWasNoted) or (not fact.wrong and fact.operator not in state.wrong_pins):
        return
    if fact.what == facts.NOT_ALLOWED:
        return
    gone = {fact.operator, fact.forgotten}
    kept = {name: each for name, each in state.wrong_pins.items() if name not in gone}
    if fact.wrong:
        kept[fact.operator] = WrongPins(fact.wrong, recorded.at, fact.locked)
    changes["wrong_pins"] = kept


def _device(state: State, recorded: Recorded, changes: Changes) -> None:
    fact = recorded.fact
    if not isinstance(fact, facts.DeviceChanged):
        return
    part = Device(fact.device_kind, fact.lost, fact.positions, fact.wagers, fact.detail)
    changes["devices"] = {**state.devices, fact.device: part}
    _credited(state, recorded, changes)
    if fact.faulted and state.phase is not Phase.FAULTED:
        changes |= {"phase": Phase.FAULTED, "prior": state.phase}
    elif not fact.faulted and state.phase is Phase.FAULTED:
        changes |= {"phase": state.prior, "prior": None}
        if fact.locked:
            changes["phase"] = Phase.LOCKED
            _locked(state, changes, recorded, state.round, fact)


def _filed(state: State, recorded: Recorded, changes: Changes) -> None:
    fact = recorded.fact
    if not isinstance(fact, facts.SubmissionFiled):
        return
    seq = state.seq + 1
    meters: dict[str, Meter] = changes.get("meters", state.meters)
    changes |= {
        "filed": fact.filed,
        "filed_seq": seq,
        "filings": {**state.filings, seq: fact.filed},
        "toml": fact.toml,
        "day": fact.day,
        "meters": meters | {meter.id: meter for meter in fact.opened},
        "linked": fact.linked,
        "intents": {id_: each for id_, each in state.intents.items() if id_ not in fact.abandoned},
        "abandoned": state.abandoned + fact.abandoned,
    }


def _answered(state: State, recorded: Recorded, changes: Changes) -> None:
    fact = recorded.fact
    if isinstance(fact, facts.LinkWasAnswered):
        intents = changes.get("intents", state.intents)
        intent = intents[fact.intent]
        link = intent.link
        changes["intents"] = {id_: each for id_, each in intents.items() if id_ != fact.intent}
        changes["linked"] = {**state.linked, fact.meter: fact.display_cents}
        key = head_key(link, fact.meter)
        known = state.link_heads.get(key)
        if known is None or fact.ledger_seq > known.seq:
            changes["link_heads"] = {**state.link_heads, key: LinkHead(fact.ledger_seq, fact.ledger_hash)}
        if intent.kind == "hit" and not fact.hits:
            record = _record(state, changes, intent.round)
            _shelved(state, changes, replace(record, found_empty=(*record.found_empty, intent.meter)))


def _started(_state: State, recorded: Recorded, changes: Changes) -> None:
    fact = recorded.fact
    if isinstance(fact, facts.ControllerWasStarted):
        changes |= {"epoch": fact.epoch, "mode": fact.mode}


def _day(state: State, recorded: Recorded, changes: Changes) -> None:
    """Keep the rounds of the day that ended, the last ones and those with something undecided; forget older answers."""
    fact = recorded.fact
    if not isinstance(fact, facts.ReadingsTaken):
        return
    asked = {intent.round for intent in state.intents.values()}
    recent = min(state.last_locked, state.round - (state.filed.late_hands if state.filed else 0))
    records = [
        record
        for record in state.records()
        if record.day == fact.ended
        or record.round >= recent
        or record.round in asked
        or any(award.validate and award.fate == PENDING for award in record.awards)
    ]
    kept = {record.round for record in records}
    changes["rounds"] = {}
    _shelved(state, changes, *records)
    changes["awards"] = {id_: round_ for id_, round_ in state.awards.items() if round_ in kept}
    played_under = {record.filed for record in records} | {state.filed_seq}
    changes["filings"] = {seq: each for seq, each in state.filings.items() if seq in played_under}
    since = state.day_began
    buckets = {
        bucket: {key: answer for key, answer in answers.items() if answer.seq > since}
        for bucket, answers in state.seen.items()
    }
    changes["seen"] = {bucket: answers for bucket, answers in buckets.items() if answers}
    changes |= {"day": fact.day, "previous_day": fact.ended, "day_began": state.seq + 1}


_SPECIAL: dict[type[Fact], Callable[[State, Recorded, Changes], None]] = {
    **dict.fromkeys(_READS, _sensed),
    facts.CreditToReturn: _credited,
    facts.InputRefused: _credited,
    facts.LockedOut: _lock_out,
    facts.Reopened: _next_round,
    facts.TableWasOpened: _next_round,
    facts.RoundWasVoided: _next_round,
    facts.SimulatedEnded: _next_round,
    facts.SimulatedBegun: _simulated,
    facts.ButtonIgnored: _switched,
    facts.HandEntered: _hand,
    facts.AwardWasValidated: _validated,
    facts.WagerTakenOut: _taken_out,
    facts.PositionServiced: _serviced,
    facts.ReturnWasConfirmed: _returned,
    facts.OperatorWasChanged: _operator,
    facts.AccessWasNoted: _access,
    facts.DeviceChanged: _device,
    facts.ControllerWasStarted: _started,
    facts.SubmissionFiled: _filed,
    facts.LinkWasAnswered: _answered,
    facts.ReadingsTaken: _day,
}
