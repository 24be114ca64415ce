"""From a row of the journal to what it says has happened: its cause, never its results."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from controller.simulation.auditor.entries import Person, Told

Payload = dict[str, Any]
Who = Callable[[str], Person | None]
FIRST_HASH = bytes(32)


@dataclass(frozen=True)
class Fact:
    """A row of the journal as it was read."""

    seq: int
    at: str
    round: int | None
    type: str
    payload: Payload


def link(before: bytes, seq: int, at: str, round_: int | None, rest: tuple[str, int, bytes]) -> bytes:
    """The hash of a row, as docs/journal.md says it is made."""
    kind, version, payload = rest
    number = b"" if round_ is None else b"%d" % round_
    fields = (
        (b"i", b"%d" % seq),
        (b"t", at.encode()),
        (b"n" if round_ is None else b"i", number),
        (b"t", kind.encode()),
        (b"i", b"%d" % version),
        (b"t", payload),
    )
    return sha256(before + b"".join(tag + len(value).to_bytes(8, "big") + value for tag, value in fields)).digest()


def commitment(table: str, meter: str, cycle: int, cents: int, nonce: str) -> str:
    """The commitment to a mystery value, as docs/mystery.md says it is made."""
    names = [name.encode() for name in ("jackpotd/mystery/v1", table, meter)]
    told = b"".join(len(name).to_bytes(2, "big") + name for name in names)
    numbers = cycle.to_bytes(8, "big") + cents.to_bytes(8, "big")
    return sha256(told + numbers + bytes.fromhex(nonce)).hexdigest()


def read(seq: int, at: str, round_: int | None, type_: str, payload: bytes) -> Fact:
    """A row, read."""
    return Fact(seq, at, round_, type_, json.loads(payload))


def told_to_all(type_: str, payload: Payload) -> str:
    """What docs/mqtt.md says everybody is told of a fact: all but what is sealed, and of people nothing."""
    return "{}" if type_ in {"operator-changed", "access-noted"} else json.dumps(_unsealed(payload), sort_keys=True)


def _unsealed(value: Any) -> Any:  # noqa: ANN401 -- any JSON
    if isinstance(value, list):
        return [_unsealed(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: _unsealed(each) for name, each in value.items() if name not in {"sealed", "key_id"}}


def _present(told: Payload) -> dict[str, Any]:
    source = next((each["source"] for each in told.get("placed", ()) if told["wager"] != "base"), "chip")
    if told.get("counted") is not None or source == "drop":
        return {"kind": "wager-dropped", "cents": told["placed"][0]["stake_cents"]}
    return {"kind": "wager-present"}


def _coin(told: Payload) -> dict[str, Any]:
    back = told["returns"][0]
    return {"kind": "wager-dropped", "position": back["position"], "wager": back["wager"], "cents": back["cents"]}


def _button(told: Payload) -> dict[str, Any]:
    # Whether two presses were one is the button's business; here it is known what came of it.
    level, pressed = told.get("switch", ""), told.get("cause", "button")
    return {"kind": "button", "level": level, "reopen_after_ms": 0, "cause": pressed}


def _hand(told: Payload) -> dict[str, Any]:
    if told.get("late"):
        return {"kind": "hand-corrected" if told.get("corrected") else "late-hand"}
    return {"kind": "hand-complete" if told["complete"] else "four-cards"}


def _device(told: Payload) -> dict[str, Any]:
    return {"kind": "device-lost" if told["lost"] else "device-restored"}


def _same(kind: str) -> Callable[[Payload], dict[str, Any]]:
    return lambda _: {"kind": kind}


# What each type of fact says was its cause. Types that are not here change nothing that is booked.
CAUSES: Mapping[str, Callable[[Payload], dict[str, Any]]] = {
    "submission-filed": _same("submission-changed"),
    "table-opened": _same("table-opened"),
    "table-closed": _same("table-closed"),
    "wager-placed": _present,
    "wager-withdrawn": _same("wager-absent"),
    "wager-refused": _same("wager-present"),
    "sensor-read": _same("wager-absent"),
    "chip-lifted": _same("wager-absent"),
    "credit-to-return": _coin,
    "return-confirmed": _same("return-confirmed"),
    "locked-out": _button,
    "reopened": _button,
    "hand-entered": _hand,
    "award-validated": _same("award-validated"),
    "award-rejected": _same("award-rejected"),
    "slip-printed": _same("slip-printed"),
    "round-voided": _same("round-voided"),
    "wager-taken-out": _same("wager-voided"),
    "simulated-begun": _same("simulated-round"),
    "position-serviced": _same("position-service"),
    "meter-adjusted": _same("meter-adjusted"),
    "operator-changed": _same("operator-changed"),
    "access-noted": _same("access-noted"),
    "device-changed": _device,
    "controller-started": _same("controller-started"),
    "readings-taken": _same("readings-due"),
}
_PLAIN = {
    *("position", "wager", "round", "player", "banker", "source", "reference", "award", "method", "reason", "on"),
    *("return_id", "meter", "delta_cents", "toml", "day", "operator", "name", "role", "active", "what", "device"),
    *("device_kind", "positions", "wagers", "mode"),
}
_TUPLES = {"player", "banker", "positions", "wagers"}


def cause(fact: Fact, who: Who) -> Told | None:
    """What a fact says has happened; nothing where it changes nothing that is booked."""
    made = CAUSES.get(fact.type)
    if made is None:
        return None
    told = fact.payload
    plain = {name: told[name] for name in _PLAIN if name in told and fact.type != "locked-out"}
    plain |= {name: tuple(plain[name]) for name in _TUPLES & plain.keys()}
    plain |= made(told)
    return Told(at=fact.at, by=who(told.get("by", "")), second=who(told.get("second", "")), **plain)
