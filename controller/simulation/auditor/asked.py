"""What people asked for, held against the facts it led to and against what they were told."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from controller.simulation.auditor.facts import Fact
from controller.simulation.auditor.verdicts import Verdict
from controller.simulation.trace import Commanded, Replied

Find = Callable[[Verdict], None]
Finding = tuple[str, str]
Shown = Callable[[str], int | None]  # what a meter shows, in cents
FRESH = timedelta(seconds=31)  # docs/mqtt-commands.md: 30 s either way, and a moment to do it
# Of a command and of its fact, by the name in the fact.
FIELDS = {
    **{
        name: name for name in ("round", "position", "wager", "award", "method", "reason", "on", "meter", "delta_cents")
    },
    **{name: name for name in ("operator", "name", "role", "toml", "player", "banker", "reference")},
    "return_id": "return",
}
UNDONE = {"input-refused", "input-noted"}
UNITS_OF_A_CENT = 10**6


class Asked:
    """Every command by its key, the facts under that key, and the replies."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._first: dict[str, Commanded] = {}
        self._times: dict[str, list[str]] = {}
        self._facts: dict[str, tuple[Fact, str]] = {}  # with the hash of its row
        self._replies: list[tuple[int, str, dict[str, Any]]] = []

    def commanded(self, event: Commanded) -> None:
        """Someone asked, or asked again."""
        key = f"{event.client}/{event.id.lower()}"
        self._first.setdefault(key, event)
        self._times.setdefault(key, []).append(json.loads(event.payload).get("at", ""))

    def replied(self, event: Replied) -> None:
        """Someone got an answer."""
        key, told = f"{event.client}/{event.id.lower()}", json.loads(event.payload)
        asked = self._first.get(key)
        if asked is None:
            return
        if asked.name == "login":
            if told["ok"] and asked.meant == "wrong-pin":
                self._find(Verdict("people", event.at, f"{asked.by} is let in with a wrong PIN"))
            return
        self._replies.append((event.at, key, told))

    def wrong(self, fact: Fact, hash_: str, shown: Shown) -> list[Finding]:
        """What is wrong with a fact that somebody asked for; `shown` is how meters stood before it."""
        key = fact.payload.get("key", "")
        asked = self._first.get(key)
        if asked is None:
            return []
        self._facts.setdefault(key, (fact, hash_))
        found = [("asked", why) for why in self._who_and_when(fact, asked, self._times[key])]
        if fact.type not in UNDONE:
            found += [("asked", why) for why in _what(fact, json.loads(asked.payload), shown)]
        return found

    @staticmethod
    def _who_and_when(fact: Fact, asked: Commanded, times: list[str]) -> list[str]:
        wrong = []
        for name, who in (("by", asked.by), ("second", asked.second)):
            named = fact.payload.get(name, "")
            if who and named != who and not (name == "second" and not named and fact.type in _OF_ONE):
                wrong.append(f"{fact.type}: {name} is {named or 'nobody'}, {who} asked for it")
        at = datetime.fromisoformat(fact.at)
        if all(times) and all(abs(at - datetime.fromisoformat(each)) > FRESH for each in times):
            wrong.append(f"{fact.type} at {fact.at}, and it was asked for at {times[-1]}")
        return wrong

    def judge(self, when: Callable[[int], int | None], last: int) -> None:
        """Hold the replies against the facts, which are sound up to `last`."""
        for at, key, told in self._replies:
            if key in self._facts and self._facts[key][0].seq <= last:
                fact, hash_ = self._facts[key]
                for why in _told(fact, hash_, told, at, when(fact.seq)):
                    self._find(Verdict("reply", at, why, fact.seq))


_OF_ONE = {"input-noted", "simulated-ended"}  # facts that name one person only


def _what(fact: Fact, told: dict[str, Any], shown: Shown) -> list[str]:
    wrong = [
        f"{fact.type} has {mine} {fact.payload[mine]!r}, asked for was {told[theirs]!r}"
        for mine, theirs in FIELDS.items()
        if mine in fact.payload and theirs in told and fact.payload[mine] != told[theirs]
    ]
    if fact.type == "award-validated" and not told.get("base_wager", True):
        wrong.append(f"{fact.payload['award']} is paid, and there was no base wager")
    if fact.type == "meter-adjusted" and told.get("expected_cents", shown(told["meter"])) != shown(told["meter"]):
        wrong.append(f"{told['meter']} shows {shown(told['meter'])} cents, adjusted was {told['expected_cents']}")
    return wrong


def _told(fact: Fact, hash_: str, told: dict[str, Any], at: int, durable: int | None) -> list[str]:
    """What is wrong with a reply."""
    done = fact.type not in UNDONE
    if not told["ok"]:
        late = durable is not None and at >= durable and told["error"] != "faulted"
        return [f"{fact.type} is refused with {told['error']}, and is done"] if done and late else []
    if fact.type == "input-refused":
        return [f"{fact.payload['kind']} is answered with ok, and was refused"]
    if not done:
        return []
    wrong = [f"the reply stands at fact {told['seq']}"] if told["seq"] != fact.seq else []
    for name in ("awards", "fates", "returns"):
        ours = _short(fact.payload.get(name, ()))
        if told.get(name) and _short(told[name]) != ours:
            wrong.append(f"the reply has the {name} {_short(told[name])}, the fact {ours}")
    after = [each["units"] for each in fact.payload.get("meters", ()) if "units" in each]
    if "display_cents" in told and after and told["display_cents"] != after[0] // UNITS_OF_A_CENT:
        wrong.append(f"the reply shows {told['display_cents']} cents, the meter {after[0] // UNITS_OF_A_CENT}")
    slip = told.get("slip")
    if slip and fact.type == "award-validated":
        ours_ = (fact.payload["slip"], fact.payload["award"], fact.payload["fates"][0]["amount_cents"], hash_)
        if (slip["slip"], slip["award"], slip["amount_cents"], slip["hash"]) != ours_:
            wrong.append(f"the slip says {slip}, the fact {ours_}")
    return wrong


def _short(listed: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 -- of a reply or of a fact
    """Which, of whom, and how much."""
    return [
        (each.get("award") or each["id"], each.get("position"), each.get("amount_cents", each.get("cents")))
        for each in listed
    ]
