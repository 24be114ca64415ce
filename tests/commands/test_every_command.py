"""Every command: done by who may, refused to who may not and recorded, done once however often it is sent."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import uuid4

import pytest
from msgspec import json

from controller.core.facts import AccessWasNoted, InputRefused
from controller.core.inputs import AwardValidated, Button, TableOpened, WagerDropped
from controller.journal.starting import recorded
from controller.people.rights import QUERIES, RIGHTS
from controller.wire.commands import REQUESTS
from tests.commands.desks import FIRST, MAJOR, MEGA, NOTHING, PIN, SECOND, Desk, Hand, run
from tests.core.play import DEALER, FLOOR, MINI

RANKS = ("dealer", "floorperson", "supervisor")
Fields = dict[str, Any]


def as_it_is(**fields: object) -> Callable[[Desk], Fields]:
    return lambda _: fields


def opened(desk: Desk) -> Fields:
    desk.do(TableOpened, by=DEALER)
    return {}


def with_a_bet(desk: Desk) -> None:
    opened(desk)
    desk.bet(1)


def locked(desk: Desk) -> None:
    with_a_bet(desk)
    desk.lock()


def then(first: Callable[[Desk], object], **fields: object) -> Callable[[Desk], Fields]:
    def make(desk: Desk) -> Fields:
        first(desk)
        return fields

    return make


def award(hand: Hand, **fields: object) -> Callable[[Desk], Fields]:
    def make(desk: Desk) -> Fields:
        locked(desk)
        desk.deal(hand)
        return {"award": desk.pending()[0], **fields}

    return make


def not_entered(rounds: int) -> Callable[[Desk], object]:
    def make(desk: Desk) -> None:
        locked(desk)
        for _ in range(2 * rounds - 1):
            desk.do(Button)

    return make


def entered(desk: Desk) -> None:
    locked(desk)
    desk.deal(NOTHING)


def paid(desk: Desk) -> Fields:
    fields = award(MAJOR)(desk)
    desk.do(AwardValidated, award=fields["award"], method="slip", base_wager=True, by=FLOOR)
    return fields


def coin(desk: Desk) -> Fields:
    opened(desk)
    desk.do(WagerDropped, position=2, wager="royal9", cents=100)
    return {"return": next(iter(desk.state.returns))}


def adjusting(desk: Desk) -> Fields:
    shown = desk.state.meters["royal9-major"].display_cents
    return {"meter": "royal9-major", "delta_cents": 100, "expected_cents": shown, "reason": "as was written"}


WAGER = {"round": 1, "position": 1, "wager": "royal9", "reason": "false chip"}
PAY = {"method": "slip", "base_wager": True}


class Case(NamedTuple):
    """A command with everything right about it but, perhaps, the people; and what its reply then says."""

    id: str
    name: str
    fields: Callable[[Desk], Fields]
    role: str
    two: bool = False
    says: Mapping[str, Any] = MappingProxyType({})

    def __str__(self) -> str:
        return self.id.replace(" ", "-")


CASES = [
    Case("hand", "enter-hand", then(locked, round=1, **NOTHING), "dealer", says={"round": 1, "phase": "settled"}),
    Case("four cards", "enter-hand", then(locked, round=1, **MEGA), "dealer", says={"complete": True}),
    Case("late hand", "enter-hand", then(not_entered(2), round=1, **NOTHING), "floorperson", says={"round": 1}),
    Case(
        "old hand",
        "enter-hand",
        then(not_entered(6), round=1, reference="camera 4", **NOTHING),
        "supervisor",
        two=True,
        says={"complete": True},
    ),
    Case("correction", "correct-hand", then(entered, round=1, **MAJOR), "dealer", says={"player": ["2S", "3H"]}),
    Case("validation", "validate", award(MAJOR, **PAY), "floorperson"),
    Case("large validation", "validate", award(MEGA, **PAY), "floorperson", two=True),
    Case("rejection", "reject", award(MAJOR, reason="no base wager"), "floorperson", two=True),
    Case("slip", "print-slip", paid, "floorperson"),
    Case("void", "void-round", then(locked, round=1, reason="misdeal"), "floorperson", says={"phase": "open"}),
    Case("wager out", "void-wager", then(with_a_bet, **WAGER), "dealer"),
    Case("wager out late", "void-wager", then(locked, **WAGER), "floorperson", two=True, says={"round": 1}),
    Case("simulated", "simulated-round", opened, "dealer", says={"phase": "simulated"}),
    Case("opening", "open-table", as_it_is(), "dealer", says={"round": 1, "phase": "open", "returns": []}),
    Case("closing", "close-table", opened, "dealer", says={"phase": "closed"}),
    Case(
        "service",
        "position-service",
        as_it_is(position=3, on=False, reason="sensor stuck"),
        "floorperson",
        says={"position": 3, "on": False},
    ),
    Case("return", "confirm-return", coin, "dealer"),
    Case("adjustment", "adjust-meter", adjusting, "supervisor", two=True, says={"display_cents": 45_100}),
    Case(
        "adding",
        "operator-add",
        as_it_is(operator="eve", name="Eve Sand", role="dealer", pin="918273"),
        "supervisor",
        says={"operator": "eve", "name": "Eve Sand", "role": "dealer", "active": True},
    ),
    Case("disabling", "operator-disable", as_it_is(operator="dan"), "supervisor", says={"active": False}),
    Case(
        "submission",
        "change-submission",
        as_it_is(toml=MINI.replace('rate = "10%"', 'rate = "11%"'), reason="new rate"),
        "supervisor",
        two=True,
        says={"opened": [], "removed": [], "waiting": ["royal9-mega"]},
    ),
]
EACH = pytest.mark.parametrize("case", CASES, ids=str)


async def ready(path: Path, case: Case) -> tuple[Desk, Fields]:
    desk = await Desk(path / "journal.db").install().staff()
    return desk, case.fields(desk)


def people(case: Case) -> tuple[str, str]:
    return FIRST[case.role], SECOND[case.role] if case.two else ""


def last_facts(desk: Desk, count: int) -> list[object]:
    return [recorded(row).fact for row in desk.rows()[len(desk.rows()) - count :]]


def test_every_command_that_changes_something_is_tried_here() -> None:
    assert RIGHTS.keys() == REQUESTS.keys() - QUERIES - {"login", "logout"}
    assert {case.name for case in CASES} == RIGHTS.keys() - {"preview-hand"}


@EACH
def test_it_is_done_and_the_reply_names_the_fact(tmp_path: Path, case: Case) -> None:
    async def main() -> None:
        desk, fields = await ready(tmp_path, case)
        with desk:
            by, second = people(case)
            reply = await desk.ask(case.name, by, second, **fields)
            assert reply["ok"], reply
            assert case.says.items() <= reply.items(), reply
            row = desk.rows()[-1]
            assert (reply["seq"], reply["at"]) == (row.seq, row.at)
            fact = recorded(row).fact
            assert (fact.by, fact.second) == (by, second)
            assert fact.key == f"console/{reply['id']}"

    run(main())


@EACH
def test_a_lesser_role_is_refused_and_the_refusal_recorded(tmp_path: Path, case: Case) -> None:
    async def main() -> None:
        desk, fields = await ready(tmp_path, case)
        with desk:
            place = RANKS.index(case.role)
            who = FIRST[RANKS[place - 1]] if place else "aud"
            second = SECOND[case.role] if case.two else ""
            tokens: Fields = {"token": await desk.token(who), "second": await desk.token(second) if second else ""}
            before = desk.state
            reply = await desk.send(case.name, **tokens, **fields)
            assert (reply["ok"], reply["error"]) == (False, "not-allowed"), reply
            (fact,) = last_facts(desk, desk.state.seq - before.seq)
            assert isinstance(fact, AccessWasNoted | InputRefused)
            if isinstance(fact, AccessWasNoted):
                assert (fact.what, fact.operator, fact.command) == ("not-allowed", who, case.name)
            else:
                assert (fact.refusal, fact.by) == ("not-allowed", who)
            assert (desk.state.meters, desk.state.phase) == (before.meters, before.phase)
            assert (desk.state.rounds, desk.state.operators) == (before.rounds, before.operators)

    run(main())


@pytest.mark.parametrize("case", [case for case in CASES if case.two], ids=str)
@pytest.mark.parametrize("wrong", ["nobody", "same token", "same person", "lesser", "unknown"])
def test_two_people_are_two_who_both_may(tmp_path: Path, case: Case, wrong: str) -> None:
    async def main() -> None:
        desk, fields = await ready(tmp_path, case)
        with desk:
            by = await desk.token(FIRST[case.role])
            again = await desk.send("login", operator=FIRST[case.role], pin=PIN)
            second = {
                "nobody": "",
                "same token": by,
                "same person": again["token"],
                "lesser": await desk.token("aud"),
                "unknown": "no such token",
            }[wrong]
            before = desk.state
            reply = await desk.send(case.name, token=by, second=second, **fields)
            assert (reply["ok"], reply["error"]) == (False, "second-person"), reply
            assert desk.state.seq == before.seq + 1  # the record of it
            assert (desk.state.meters, desk.state.accounts) == (before.meters, before.accounts)

    run(main())


@EACH
def test_the_same_id_gets_the_same_reply_and_is_done_once_also_after_a_restart(tmp_path: Path, case: Case) -> None:
    async def main() -> None:
        desk, fields = await ready(tmp_path, case)
        id_ = str(uuid4())
        with desk:
            first = await desk.ask(case.name, *people(case), id=id_, **fields)
            assert first["ok"], first
            after = desk.state
            desk.clock.passed += 3600  # older than any command may be; tokens and time are no part of it
            for tokens in (Fields(), Fields(second="y")):
                assert await desk.send(case.name, id=id_, at=first["at"], **tokens, **fields) == first
            assert desk.state == after
        with Desk(tmp_path / "journal.db", desk.clock, epoch=2) as desk:
            again = await desk.send(case.name, id=id_, **fields)
            assert again == first | {"epoch": 2}  # which alone tells that another start answers
            assert desk.state == after

    run(main())


@EACH
def test_a_refusal_of_the_core_is_repeated_too(tmp_path: Path, case: Case) -> None:
    async def main() -> None:
        desk, fields = await ready(tmp_path, case)
        id_ = str(uuid4())
        with desk:
            by, second = people(case)
            assert (await desk.ask(case.name, by, second, **fields))["ok"]
            refused = await desk.ask(case.name, by, second, id=id_, **fields)
            after = desk.state
            again = await desk.send(case.name, id=id_, **fields)
            assert again == refused
            assert desk.state == after

    run(main())


def other(value: object) -> object:
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case tuple():
            return ("2C", "2D")
        case str():
            return "slip" if value == "inventory" else "inventory" if value == "slip" else f"{value}0"
    raise AssertionError(value)


CONTENT = [
    (case, field)
    for case in CASES
    for field in REQUESTS[case.name].__struct_encode_fields__
    if field not in ("id", "at", "token", "second", "pin", "reference", "from", "role")
]


@pytest.mark.parametrize(("case", "field"), CONTENT, ids=str)
def test_the_same_id_with_other_content_is_refused(tmp_path: Path, case: Case, field: str) -> None:
    async def main() -> None:
        desk, fields = await ready(tmp_path, case)
        id_ = str(uuid4())
        with desk:
            first = await desk.ask(case.name, *people(case), id=id_, **fields)
            before = desk.state
            changed = fields | {field: other(fields[field])}
            reply = await desk.ask(case.name, *people(case), id=id_, **changed)
            assert (reply["ok"], reply["error"]) == (False, "bad-request"), (first, reply)
            assert "used for another command" in reply["message"]
            assert (desk.state.meters, desk.state.phase) == (before.meters, before.phase)
            assert (desk.state.rounds, desk.state.operators) == (before.rounds, before.operators)
            assert await desk.send(case.name, id=id_, **fields) == first

    run(main())


def test_one_id_is_of_one_command(tmp_path: Path) -> None:
    async def main() -> None:
        with await Desk(tmp_path / "journal.db").install().staff() as desk:
            id_ = str(uuid4())
            assert (await desk.ask("open-table", "dee", id=id_))["ok"]
            for name in ("close-table", "query-hits", "logout"):
                reply = await desk.ask(name, "flo", id=id_)
                assert (reply["ok"], reply["error"]) == (False, "bad-request"), name
            assert desk.state.phase.value == "open"

    run(main())


def test_two_clients_may_use_the_same_id(tmp_path: Path) -> None:
    async def main() -> None:
        with await Desk(tmp_path / "journal.db").install().staff() as desk:
            id_ = str(uuid4())
            assert (await desk.ask("open-table", "dee", id=id_))["ok"]
            token = await desk.token("dee", "other")
            reply = await desk.send("close-table", client="other", id=id_, token=token)
            assert (reply["ok"], reply["phase"]) == (True, "closed")

    run(main())


@EACH
def test_a_token_is_good_at_its_own_client_alone(tmp_path: Path, case: Case) -> None:
    async def main() -> None:
        desk, fields = await ready(tmp_path, case)
        with desk:
            by, second = people(case)
            tokens: Fields = {"token": await desk.token(by), "second": await desk.token(second) if second else ""}
            for client, given in (("other", tokens), ("console", tokens | {"token": "no such token"})):
                before = desk.state.seq
                reply = await desk.send(case.name, client=client, **given, **fields)
                assert (reply["ok"], reply["error"]) == (False, "not-allowed")
                (fact,) = last_facts(desk, desk.state.seq - before)
                assert isinstance(fact, AccessWasNoted)
                assert (fact.what, fact.client, fact.command) == ("not-allowed", client, case.name)

    run(main())


@EACH
def test_fields_are_all_there_and_no_others(tmp_path: Path, case: Case) -> None:
    async def main() -> None:
        desk, fields = await ready(tmp_path, case)
        with desk:
            before = desk.state.seq
            unknown = await desk.ask(case.name, *people(case), **fields, more="x")
            assert (unknown["error"], "unknown field `more`" in unknown["message"]) == ("bad-request", True)
            for name in fields:
                less = {each: value for each, value in fields.items() if each != name}
                reply = await desk.ask(case.name, *people(case), **less)
                if name != "reference":
                    assert (reply["error"], f"`{name}`" in reply["message"]) == ("bad-request", True), name
            signed_in = sum(isinstance(fact, AccessWasNoted) for fact in last_facts(desk, desk.state.seq - before))
            assert desk.state.seq - before - signed_in == (1 if "reference" in fields else 0)

    run(main())


def test_no_reply_but_a_login_s_holds_a_token_and_none_a_pin(tmp_path: Path) -> None:
    async def main() -> None:
        for number, case in enumerate(CASES):
            folder = tmp_path / str(number)
            folder.mkdir()
            desk, fields = await ready(folder, case)
            with desk:
                reply = json.encode(await desk.ask(case.name, *people(case), **fields)).decode()
                secrets = [*desk.tokens.values(), PIN, "918273"]
                told = "".join(f"{row.type} {row.payload}" for row in desk.rows())
                assert [secret for secret in secrets if secret in reply or secret in told] == []
            kept = b"".join(path.read_bytes() for path in folder.iterdir())
            assert [secret for secret in secrets if secret.encode() in kept] == []

    run(main())
