"""One message of a table against the books after the fact it names."""

from typing import Any

from controller.simulation.auditor.bookkeeper import Bookkeeper
from controller.simulation.auditor.history import cents

Finding = tuple[str, str]


def meter_wrong(id_: str, told: dict[str, Any], last: dict[str, Any] | None, books: Bookkeeper) -> list[Finding]:
    """A meter: the amount, the hits beside it, the commitment, and why it fell."""
    steps = books.history.meters.get(id_)
    stood = steps.at(told["seq"]) if steps else None
    if stood is None:
        return [("display", f"{id_} is shown, and is not filed")]
    amount, cycle, *limits = stood
    wrong: list[Finding] = []
    if cents(told["display_cents"]) != amount:
        wrong.append(("display", f"{id_} shows {told['display_cents']} cents, {amount} can be won"))
    if told.get("must_hit_by_cents") is not None and told["display_cents"] > told["must_hit_by_cents"]:
        wrong.append(("ceiling", f"{id_} shows {told['display_cents']} cents, must hit by {told['must_hit_by_cents']}"))
    if [told.get("must_hit_by_cents", 0), told.get("minimum_cents", 0)] != limits:
        wrong.append(("display", f"{id_} shows other limits than {limits} cents"))
    if told["state"] != "faulted" and _is_faulted(told["seq"], books):
        wrong.append(("display", f"{id_} is {told['state']} on a table that is faulted"))
    if told.get("cycle", cycle) != cycle:
        wrong.append(("display", f"{id_} is said to be in cycle {told['cycle']}, it is in {cycle}"))
    hits = tuple(sorted((hit["award"], hit["position"], hit["amount_cents"]) for hit in told.get("hits", ())))
    if hits != books.history.hits[id_].at(told["seq"]):
        wrong.append(("award", f"{id_} shows the hits {hits}, there are {books.history.hits[id_].at(told['seq'])}"))
    return wrong + _commitment(id_, cycle, told, books) + _fall(id_, told, last, books)


def _commitment(id_: str, cycle: int, told: dict[str, Any], books: Bookkeeper) -> list[Finding]:
    stood = books.committed.get((id_, cycle))
    if "commitment" not in told or told["commitment"] == stood:
        return []
    return [
        ("redrawn", f"{id_} cycle {cycle} is committed to {told['commitment'][:16]}…, it was to {(stood or '')[:16]}…")
    ]


def _fall(id_: str, told: dict[str, Any], last: dict[str, Any] | None, books: Bookkeeper) -> list[Finding]:
    """A display falls with a hit, or names the fact that took from it."""
    if last is None or told["display_cents"] >= last["display_cents"] or told["seq"] <= last["seq"]:
        return []
    if told.get("cycle") != last.get("cycle"):
        return []
    named = told.get("correction", 0)
    if last["seq"] < named <= told["seq"] and books.history.falls.get((id_, named)) is False:
        return []
    why = f"{id_} falls from {last['display_cents']} to {told['display_cents']} cents, by fact {named or 'none'}"
    return [("fall", why)]


def round_wrong(told: dict[str, Any], books: Bookkeeper) -> list[Finding]:
    """The round: its number, the phase, every lamp."""
    wrong: list[Finding] = []
    stood = books.history.play.at(told["seq"])
    if stood != (told["phase"], told["round"]):
        wrong.append(("display", f"{told['phase']}, round {told['round']}: it is {stood}"))
    ours = books.history.lamps.at(told["seq"]) or {}
    theirs = {(int(seat), wager): lamp for seat, each in told["positions"].items() for wager, lamp in each.items()}
    other = {spot: lamp for spot, lamp in theirs.items() if ours.get(spot) != lamp}
    if not other and ours.keys() != theirs.keys():
        wrong.append(("lamp", f"the round shows nothing of {sorted(ours.keys() - theirs.keys())}"))
    cards = (tuple(told.get("player", ())), tuple(told.get("banker", ())))
    if cards != books.history.cards.at(told["seq"]):
        wrong.append(("cards", f"the round shows {cards}, there lie {books.history.cards.at(told['seq'])}"))
    returns = told.get("returns", ())
    owed = (len(returns), sum(each["cents"] for each in returns))
    if not told.get("more_returns") and owed != books.history.owed.at(told["seq"]):
        wrong.append(("display", f"coins and cents to give back are {books.history.owed.at(told['seq'])}, not {owed}"))
    if other:
        wrong.append(("lamp", f"the round shows {other}, must { ({spot: ours.get(spot) for spot in other}) }"))
    return wrong


def award_wrong(id_: str, told: dict[str, Any], books: Bookkeeper) -> list[Finding]:
    """An award that waits: as much as it must be."""
    waiting = books.history.awards.at(told["seq"]) or {}
    shown = tuple(told[name] for name in ("amount_cents", "position", "wager", "kind", "round", "needs_second"))
    return [] if waiting.get(id_) == shown else [("award", f"{id_} waits as {shown}, must as {waiting.get(id_)}")]


def status_wrong(told: dict[str, Any], books: Bookkeeper) -> list[Finding]:
    """The status: no table is online that is faulted."""
    if told["state"] == "online" and _is_faulted(told["seq"], books):
        return [("display", "the status is online, and the table is faulted")]
    return []


def _is_faulted(seq: int, books: Bookkeeper) -> bool:
    stood = books.history.play.at(seq)
    return stood is not None and stood[0] == "faulted"


def proof_wrong(id_: str, told: dict[str, Any], books: Bookkeeper) -> list[Finding]:
    """A proof: the commitment of its cycle, and reveals of those before."""
    wrong = _commitment(id_, told["cycle"], told, books)
    for each in told.get("reveals", ()):
        wrong += _commitment(id_, each["cycle"], each, books)
    return wrong
