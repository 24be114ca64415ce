"""A fact's results against the books: awards made and their fates, meters after it, and what kind of wrong it is."""

from fractions import Fraction
from typing import Any

from controller.simulation.auditor.entries import Award, Meter
from controller.simulation.auditor.facts import Fact
from controller.simulation.auditor.law import CENT, ZERO
from controller.simulation.auditor.table import TableBooks

UNITS = 10**8  # of the journal's amounts, in a dollar
Finding = tuple[str, str]


def award_differences(books: TableBooks, fact: Fact, new: list[Award]) -> list[Finding]:
    """Awards that are missing, must not be, or are another; and fates."""
    wrong: list[Finding] = []
    waiting = list(new)
    for theirs in fact.payload.get("awards", ()):
        spot = (theirs["position"], theirs["wager"].partition("/")[0], theirs["kind"] == "mystery")
        ours = next((a for a in waiting if (*a.spot, a.kind == "mystery") == spot), None)
        if ours is None:
            kind = "hit-unfounded" if theirs["kind"] == "mystery" else "award"
            wrong.append((kind, f"{theirs['id']}: {theirs['kind']} of {theirs['amount_cents']} cents must not be"))
            continue
        waiting.remove(ours)
        ours.theirs = theirs["id"]
        got = _terms(theirs)
        want = (ours.kind, ours.id, int(ours.amount * 100), ours.meter, ours.listed, ours.validate)
        if got != want or (ours.kind != "mystery" and theirs["outcome"] != ours.outcome):
            wrong.append(("award", f"{theirs['id']} is {got} {theirs['outcome']}, must be {want} {ours.outcome}"))
    for ours in waiting:
        kind = "hit-missing" if ours.kind == "mystery" else "award"
        wrong.append((kind, f"missing: {ours.kind} of {int(ours.amount * 100)} cents at position {ours.position}"))
    return wrong + _fates(books, fact)


def _terms(theirs: dict[str, Any]) -> tuple[object, ...]:
    plain = (theirs["kind"], theirs["wager"], theirs["amount_cents"], theirs.get("meter", ""))
    return *plain, theirs.get("listed", ""), theirs.get("validate", True)


def _fates(books: TableBooks, fact: Fact) -> list[Finding]:
    wrong: list[Finding] = []
    for told in fact.payload.get("fates", ()):
        ours = books.award(told["award"])
        if ours is None:
            wrong.append(("award", f"{told['award']} is unknown, and is said to be {told['fate']}"))
            continue
        fate = "rejected or unwound" if ours.fate == "taken out" else ours.fate
        if told["fate"] not in fate or told["amount_cents"] != int(ours.amount * 100):
            wrong.append(
                (
                    "award",
                    f"{told['award']} {told['fate']} at {told['amount_cents']} cents, must be {fate} {ours.amount}",
                )
            )
    return wrong


def meter_differences(books: TableBooks, fact: Fact) -> list[Finding]:
    """Meters after a fact."""
    wrong: list[Finding] = []
    for told in [*fact.payload.get("meters", ()), *fact.payload.get("opened", ())]:
        meter = books.meters.get(told["id"])
        if meter is None:
            wrong.append(("books", f"there is no meter {told['id']}"))
            continue
        wrong += _meter(books, fact, meter, told)
    return wrong


def _meter(books: TableBooks, fact: Fact, meter: Meter, told: dict[str, Any]) -> list[Finding]:
    id_ = told["id"]
    money = {"units": f"meter:{id_}", "reserve": f"reserve:{id_}", "carry": f"carry:{id_}"}
    wrong: list[Finding] = []
    for name, account in money.items():
        ours = books.balance(account)
        if name in told and Fraction(told[name], UNITS) != ours:
            kind = _kind(books, fact, id_, Fraction(told[name], UNITS) - ours) if name == "units" else name
            wrong.append((kind, f"{account} holds {_exact(told[name])}, must hold {_exact(int(ours * UNITS))}"))
    if meter.numbers.maximum and Fraction(told.get("units", 0), UNITS) > meter.numbers.maximum:
        wrong.append(("ceiling", f"{id_} holds {_exact(told['units'])}, must hit by {meter.numbers.maximum}"))
    counted = {"in_cents": meter.taken_in, "wins_cents": meter.wins, "paid_cents": meter.paid}
    plain: dict[str, int] = {name: int(amount * 100) for name, amount in counted.items()} | {"hits": meter.hits}
    if meter.kind == "mystery":
        plain["cycle"] = meter.cycle
    wrong += [
        ("books", f"{id_} {name} {told[name]}, must be {ours}")
        for name, ours in plain.items()
        if name in told and told[name] != ours
    ]
    return wrong


def _kind(books: TableBooks, fact: Fact, id_: str, more: Fraction) -> str:
    """What kind of wrong it is that a meter holds so much more than it must, or less."""
    if fact.type != "locked-out":
        return "books"
    round_ = books.rounds.get(books.round)
    mine = [award for award in fact.payload.get("awards", ()) if award.get("meter") == id_]
    due = [award for award in (round_.awards if round_ else ()) if award.meter == id_]
    if len(mine) != len(due):
        return "hit-missing" if len(mine) < len(due) else "hit-unfounded"
    shares = {wager.shares[id_].amount for wager in (round_.wagers if round_ else ()) if id_ in wager.shares}
    if abs(more) in shares:
        return "contribution-doubled" if more > 0 else "contribution-missing"
    if mine and more < 0:
        return "overshoot"
    whole = (books.balance(f"meter:{id_}") + more) % CENT == ZERO
    return "rounded" if whole and abs(more) < CENT else "contribution-wrong"


def _exact(units: int) -> str:
    return f"${units // UNITS}.{units % UNITS:08}"
