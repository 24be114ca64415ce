"""What becomes of a message before it is a command: its id, its age, its size, who sends it, and how often."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from msgspec import json

from controller.commands import answering
from controller.commands.gate import MOST_OF_A_CLIENT
from controller.commands.looks import Looks, TooLongError
from controller.commands.telling import MOST_KEPT
from controller.core.facts import AccessWasNoted, KeyReused, OperatorWasChanged
from controller.core.inputs import Input, WagerDropped
from controller.core.operators import WRONG_PINS
from controller.engine import Answer, EngineStoppedError
from controller.journal.reading import JournalReader, open_readonly
from controller.journal.starting import recorded
from controller.people.tokens import DEALER_SECONDS, IDLE_SECONDS
from controller.wire.commands import MOST_AGE_SECONDS, MOST_REQUEST_BYTES, MOST_SUBMISSION_BYTES
from tests.commands.desks import MAJOR, PIN, Desk, run
from tests.commands.test_every_command import award, locked, opened
from tests.core.play import MINI

ID = "0f8fad5b-d9cb-469f-a165-70867728950e"


async def ready(path: Path) -> Desk:
    return await Desk(path / "journal.db").install().staff()


# ------------------------------------------------------------------------------------------------------- the id


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b'{"id": 5}',
        b'{"id": "5"}',
        b'{"id": "' + ID.encode(),
        b'{"id": "' + ID.encode() + b'/#"}',
        b'{"id": "0f8fad5bd9cb469fa16570867728950e"}',
        f'{{"id": "{ID[:-1]}\u0661"}}'.encode(),  # a digit, but not of these
        b'{"id": "' + ID.encode() + b'", "token": "\\ud800"}',  # half a character
        b"[" * 100_000,
        b'{"id": "' + ID.encode() + b'", "x": ' + b"[" * 100_000,
    ],
    ids=range(14),
)
def test_without_an_id_there_is_nowhere_to_reply_to(tmp_path: Path, payload: bytes) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            before = desk.state
            assert await desk.commands.answer("console", "open-table", payload, retained=False) is None
            assert desk.state == before

    run(main())


@pytest.mark.parametrize(
    ("name", "rest", "why"),
    [
        ("open-table", b"}", "missing required field `at`"),
        ("format-disk", b"}", "there is no command 'format-disk'"),
        ("open-table", b', "at": 5}', "Expected `str`, got `int` - at `$.at`"),
        ("enter-hand", b', "at": "", "round": 0}', "Expected `int` >= 1 - at `$.round`"),
        ("enter-hand", b', "at": "", "round": 1.5}', "Expected `int`, got `float`"),
        ("enter-hand", b', "at": "", "round": 99999999999999999999}', "at `$.round`"),
        ("query-hits", b', "at": "", "limit": 201}', "Expected `int` <= 200"),
        ("query-hits", b', "at": "", "limit": 0}', "Expected `int` >= 1"),
        ("open-table", b', "at": "2026-11-16"}', "at: write when it is asked like"),
        ("open-table", b', "at": "2026-11-16T15:00:00"}', "at: write when it is asked like"),
        ("open-table", b', "at": "soon"}', "at: write when it is asked like"),
    ],
)
def test_what_is_no_request_is_refused_with_what_is_wrong(tmp_path: Path, name: str, rest: bytes, why: str) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            before = desk.state
            payload = b'{"id": "' + ID.encode() + b'"' + rest
            answer = await desk.commands.answer("console", name, payload, retained=False)
            assert answer is not None
            reply = json.decode(answer[1])
            assert (reply["id"], reply["ok"], reply["error"]) == (ID, False, "bad-request")
            assert why in reply["message"]
            assert desk.state == before

    run(main())


@pytest.mark.parametrize("over", [0, 1])
def test_a_request_has_a_most_of_bytes(tmp_path: Path, over: int) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            fields = {"id": ID, "at": desk.now(), "token": await desk.token("dee")}
            room = MOST_REQUEST_BYTES + over - len(json.encode(fields))
            payload = json.encode(fields)[:-1] + b" " * room + b"}"
            answer = await desk.commands.answer("console", "open-table", payload, retained=False)
            assert answer is not None
            reply = json.decode(answer[1])
            assert reply["ok"] == (over == 0)
            if over:
                assert f"has {MOST_REQUEST_BYTES + 1} bytes: at most {MOST_REQUEST_BYTES}" in reply["message"]

    run(main())


@pytest.mark.parametrize("over", [0, 1])
def test_a_submission_may_be_longer_and_what_is_longer_than_that_is_not_looked_at(tmp_path: Path, over: int) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            fields = {"id": ID, "at": desk.now(), "token": await desk.token("sue"), "toml": MINI, "reason": "r"}
            fields["second"] = await desk.token("sam")
            room = MOST_SUBMISSION_BYTES + over - len(json.encode(fields))
            payload = json.encode(fields)[:-1] + b" " * room + b"}"
            answer = await desk.commands.answer("console", "change-submission", payload, retained=False)
            if over:
                assert answer is None
            else:
                assert answer is not None
                assert json.decode(answer[1])["ok"]

    run(main())


@pytest.mark.parametrize(("length", "ok"), [(63, True), (64, False)])
def test_a_client_s_name_has_a_most_of_characters(tmp_path: Path, length: int, ok: bool) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            client = "c" * length
            if ok:
                token = await desk.token("dee", client)
                assert (await desk.send("open-table", client=client, token=token))["ok"]
            else:
                reply = await desk.send("login", client=client, operator="dee", pin=PIN)
                assert (reply["error"], "at most 63 characters" in reply["message"]) == ("bad-request", True)

    run(main())


# --------------------------------------------------------------------------------------------------- when


@pytest.mark.parametrize(
    ("ahead", "ok"),
    [
        (-MOST_AGE_SECONDS, True),
        (-MOST_AGE_SECONDS - 1, False),
        (MOST_AGE_SECONDS, True),
        (MOST_AGE_SECONDS + 1, False),
    ],
)
def test_a_command_is_neither_old_nor_of_the_future(tmp_path: Path, ahead: float, ok: bool) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            token = await desk.token("dee")
            reply = await desk.send("open-table", token=token, at=desk.now(ahead))
            assert reply["ok"] == ok
            login = await desk.send("login", operator="dee", pin=PIN, at=desk.now(ahead))
            assert login["ok"] == ok
            if not ok:
                assert (reply["error"], login["error"]) == ("stale", "stale")
                assert ("31 s old" if ahead < 0 else "31 s ahead") in reply["message"]
                assert desk.state.phase.value == "closed"

    run(main())


def test_times_may_be_of_any_place(tmp_path: Path) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            token = await desk.token("dee")
            minute = desk.now()[14:16]
            reply = await desk.send("open-table", token=token, at=f"2026-11-16T10:{minute}:{desk.now()[17:19]}-05:00")
            assert reply["ok"], reply

    run(main())


def test_a_retained_command_is_refused_even_if_it_was_answered_before(tmp_path: Path) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            token = await desk.token("dee")
            for _ in range(2):
                reply = await desk.send("open-table", retained=True, token=token, id=ID)
                assert (reply["error"], "retained" in reply["message"]) == ("stale", True)
            assert desk.state.phase.value == "closed"
            assert (await desk.send("open-table", token=token, id=ID))["ok"]
            assert (await desk.send("open-table", retained=True, token=token, id=ID))["error"] == "stale"
            login = await desk.send("login", retained=True, operator="dee", pin=PIN)
            assert login["error"] == "stale"

    run(main())


# ------------------------------------------------------------------------------------------------- who


def test_signing_in_gives_a_token_and_signing_out_takes_it(tmp_path: Path) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            reply = await desk.send("login", operator="dee", pin=PIN)
            assert (reply["role"], reply["name"], reply["seconds"]) == ("dealer", "Dee", DEALER_SECONDS)
            assert reply["expires"] == desk.now(DEALER_SECONDS)
            floor = await desk.send("login", operator="flo", pin=PIN)
            assert (floor["role"], floor["expires"]) == ("floorperson", desk.now(IDLE_SECONDS))
            token = {"token": reply["token"]}
            assert (await desk.send("logout", client="other", **token))["ok"]  # not its own: nothing happens
            assert (await desk.send("open-table", **token))["ok"]
            out = await desk.send("logout", id=ID, **token)
            assert out["ok"]
            assert await desk.send("logout", id=ID, **token) == out
            assert (await desk.send("close-table", **token))["error"] == "not-allowed"

    run(main())


def test_a_login_is_tried_anew_each_time(tmp_path: Path) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            first = await desk.send("login", id=ID, operator="dee", pin=PIN)
            second = await desk.send("login", id=ID, operator="dee", pin=PIN)
            assert first["token"] != second["token"]
            replies = [await desk.send("login", id=ID, operator="dee", pin="000000") for _ in range(WRONG_PINS)]
            assert [reply["error"] for reply in replies] == ["wrong-pin"] * (WRONG_PINS - 1) + ["locked-out"]
            assert (await desk.send("login", id=ID, operator="dee", pin=PIN))["error"] == "locked-out"

    run(main())


def test_a_refused_command_is_recorded_once_however_often_it_is_sent(tmp_path: Path) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            token = await desk.token("aud")
            before = desk.state.seq
            replies = [await desk.send("open-table", id=ID, token=token) for _ in range(3)]
            assert replies[0] == replies[1] == replies[2]
            assert desk.state.seq == before + 1
            other = await desk.send("close-table", id=ID, token=await desk.token("dee"))
            assert (other["error"], "another command" in other["message"]) == ("bad-request", True)

    run(main())


@pytest.mark.parametrize(("others", "forgotten"), [(MOST_KEPT - 1, False), (MOST_KEPT, True)])
def test_so_many_replies_without_a_fact_are_kept(tmp_path: Path, others: int, forgotten: bool) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            first = await desk.send("open-table", id=ID, at=desk.now(-60))
            assert first["error"] == "stale"
            for number in range(others):  # of several clients: none may send so many in a minute
                await desk.send("open-table", client=f"console-{number % 3}", at=desk.now(-60))
            again = await desk.send("open-table", id=ID, token=await desk.token("dee"))
            assert again["ok"] == forgotten
            assert (again == first) != forgotten

    run(main())


# -------------------------------------------------------------------------------------------- many at once


class Held(Desk):
    """A table whose commits wait until the test lets them go."""

    gate: asyncio.Event | None = None
    taken = 0

    async def submit(self, input_: Input) -> Answer:
        self.taken += 1
        if self.gate is not None:
            await self.gate.wait()
        return await super().submit(input_)


def test_so_many_commands_are_under_way_and_who_comes_then_asks_again(tmp_path: Path) -> None:
    async def main() -> None:
        with Held(tmp_path / "journal.db") as desk:
            await desk.install().staff()
            token = await desk.token("flo")
            desk.gate, reason = asyncio.Event(), "sensor stuck"
            service: dict[str, Any] = {"token": token, "position": 3, "on": False, "reason": reason}
            waiting = [asyncio.create_task(desk.send("position-service", **service)) for _ in range(MOST_OF_A_CLIENT)]
            await asyncio.sleep(0)
            reply = await desk.send("position-service", id=ID, **service)
            assert (reply["error"], "are under way: send it again" in reply["message"]) == ("stale", True)
            desk.gate.set()
            assert all(each["ok"] for each in await asyncio.gather(*waiting))
            assert (await desk.send("position-service", id=ID, **service))["ok"]

    run(main())


def test_the_same_id_twice_at_once_is_done_once(tmp_path: Path) -> None:
    async def main() -> None:
        with Held(tmp_path / "journal.db") as desk:
            await desk.install().staff()
            token = await desk.token("dee")
            desk.gate, desk.taken = asyncio.Event(), 0
            both = [asyncio.create_task(desk.send("open-table", id=ID, token=token)) for _ in range(2)]
            await asyncio.sleep(0.05)
            assert desk.taken == 1
            desk.gate.set()
            first, second = await asyncio.gather(*both)
            assert first == second
            assert first["ok"]

    run(main())


def test_who_stops_waiting_for_one_leaves_the_other_its_turn(tmp_path: Path) -> None:
    async def main() -> None:
        with Held(tmp_path / "journal.db") as desk:
            await desk.install().staff()
            token = await desk.token("dee")
            desk.gate = asyncio.Event()
            tasks = [asyncio.create_task(desk.send("open-table", id=ID, token=token)) for _ in range(3)]
            await asyncio.sleep(0.05)
            tasks[1].cancel()
            await asyncio.wait([tasks[1]])
            desk.gate.set()
            first, third = await tasks[0], await tasks[2]
            assert first == third

    run(main())


def test_a_stopped_controller_says_so_and_the_id_may_come_again(tmp_path: Path) -> None:
    class Stopped(Desk):
        stopped = False

        async def submit(self, input_: Input) -> Answer:
            if self.stopped:
                raise EngineStoppedError("stopped: no space left on device")
            return await super().submit(input_)

    async def main() -> None:
        with Stopped(tmp_path / "journal.db") as desk:
            await desk.install().staff()
            token = await desk.token("dee")
            desk.stopped = True
            reply = await desk.send("open-table", id=ID, token=token)
            assert (reply["error"], "send it again with the same id" in reply["message"]) == ("faulted", True)
            desk.stopped = False
            assert (await desk.send("open-table", id=ID, token=token))["ok"]

    run(main())


# ---------------------------------------------------------------------------------------- what follows a fact


EVE: dict[str, Any] = {"operator": "eve", "name": "Eve Sand", "role": "dealer", "pin": "918273"}


def test_who_is_added_signs_in_and_who_is_disabled_does_no_more(tmp_path: Path) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            assert (await desk.ask("operator-add", "sue", **EVE))["ok"]
            login = await desk.send("login", operator="eve", pin="918273")
            assert login["role"] == "dealer"
            assert (await desk.ask("operator-disable", "sue", operator="eve"))["ok"]
            assert (await desk.send("open-table", token=login["token"]))["error"] == "not-allowed"
            assert (await desk.send("login", operator="eve", pin="918273"))["error"] == "wrong-pin"
            assert desk.journal.pin("eve") is None

    run(main())


@pytest.mark.parametrize("pin", ["12345", "1234567890123", "12345a", ""])
def test_a_pin_that_is_none_is_refused_before_anything_is_changed(tmp_path: Path, pin: str) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            reply = await desk.ask("operator-add", "sue", **EVE | {"pin": pin})
            assert (reply["error"], "a PIN has 6 to 12 digits" in reply["message"]) == ("bad-request", True)
            assert "eve" not in desk.state.operators

    run(main())


def test_nobody_there_is_not_is_disabled(tmp_path: Path) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            reply = await desk.ask("operator-disable", "sue", operator="eve")
            assert (reply["error"], "'eve'" in reply["message"]) == ("unknown", True)

    run(main())


def test_a_pin_that_was_not_kept_is_kept_by_the_same_command_again_from_who_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the controller had died after the fact and before the PIN."""

    async def died(*_: object) -> None:
        raise EngineStoppedError("stopped: killed")

    async def main() -> None:
        with await ready(tmp_path) as desk:
            token = await desk.token("sue")
            with monkeypatch.context() as patch:
                patch.setattr(desk.way_in, "give_pin", died)
                assert (await desk.send("operator-add", id=ID, token=token, **EVE))["error"] == "faulted"
        with Desk(tmp_path / "journal.db", desk.clock, epoch=2) as desk:
            assert desk.state.operators["eve"].active
            assert (await desk.send("operator-add", id=ID, **EVE))[
                "error"
            ] == "not-allowed"  # and no PIN of a stranger's
            assert desk.journal.pin("eve") is None
            before = sum(isinstance(recorded(row).fact, OperatorWasChanged) for row in desk.rows())
            assert (await desk.ask("operator-add", "sam", id=str(uuid4()), **EVE | {"operator": "ivo"}))["ok"]
            assert (await desk.send("login", operator="eve", pin="918273"))["error"] == "wrong-pin"
            desk.commands = answering.Commands(
                desk, desk.way_in, lambda: open_readonly(desk.path), desk.clock, 3
            )  # the refusal above is forgotten
            assert (await desk.ask("operator-add", "sam", id=ID, **EVE))["ok"]
            assert (await desk.send("login", operator="eve", pin="918273"))["ok"]
            after = sum(isinstance(recorded(row).fact, OperatorWasChanged) for row in desk.rows())
            assert after == before + 1  # ivo
            # Kept: another PIN with the same id changes nothing.
            assert (await desk.ask("operator-add", "sam", id=ID, **EVE | {"pin": "111111"}))["ok"]
            assert (await desk.send("login", operator="eve", pin="111111"))["error"] == "wrong-pin"

    run(main())


def test_a_lost_caller_does_not_part_a_pin_from_its_operator(tmp_path: Path) -> None:
    async def main() -> None:
        with Held(tmp_path / "journal.db") as desk:
            await desk.install().staff()
            token = await desk.token("sue")
            desk.gate = asyncio.Event()
            asking = asyncio.create_task(desk.send("operator-add", token=token, **EVE))
            await asyncio.sleep(0.05)
            asking.cancel()
            await asyncio.wait([asking])
            desk.gate.set()
            async with asyncio.timeout(20):
                while desk.journal.pin("eve") is None:
                    await asyncio.sleep(0.01)

    run(main())


def test_an_id_used_again_is_recorded_by_the_core(tmp_path: Path) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            token = await desk.token("dee")
            assert (await desk.send("open-table", id=ID, token=token))["ok"]
            assert (await desk.send("close-table", id=ID, token=token))["error"] == "bad-request"
            fact = recorded(desk.rows()[-1]).fact
            assert isinstance(fact, KeyReused)
            assert (fact.by, fact.kind) == ("dee", "table-closed")
            before = desk.state  # without a token it is refused, and recorded, as any other
            assert (await desk.send("close-table", id=ID, client="console"))["error"] == "not-allowed"
            assert isinstance(recorded(desk.rows()[before.seq]).fact, AccessWasNoted)

    run(main())


# -------------------------------------------------------------------------------------------------- replies


def test_a_hand_tells_the_awards_it_makes_and_a_correction_what_becomes_of_them(tmp_path: Path) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            locked(desk)
            reply = await desk.ask("enter-hand", "dee", round=1, **MAJOR)
            (made,) = reply["awards"]
            assert made | {"award": ""} == {
                "award": "",
                "kind": "jackpot",
                "wager": "royal9/5",
                "outcome": "major",
                "position": 1,
                "amount_cents": 45_020,
                "needs_validation": True,
                "needs_second": False,
                "meter": "royal9-major",
            }
            other = {"player": ("2S", "6S"), "banker": ("2H", "5D")}
            corrected = await desk.ask("correct-hand", "dee", round=1, **other)
            assert corrected["fates"] == [{"award": made["award"], "fate": "unwound", "amount_cents": 45_020}]

    run(main())


def test_a_hand_of_the_current_round_repeated_later_is_still_that_one(tmp_path: Path) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            locked(desk)
            first = await desk.ask("enter-hand", "dee", id=ID, round=1, **MAJOR)
            desk.next()
            desk.play(1)
            cards: dict[str, Any] = dict(MAJOR)
            assert await desk.send("enter-hand", id=ID, round=1, **cards) == first
            other = await desk.ask("enter-hand", "flo", id=ID, round=2, **MAJOR)
            assert other["error"] == "bad-request"  # the core's input does not name the round; the reply's fact does

    run(main())


def test_a_validation_gives_the_slip_and_each_printing_after_the_first_is_a_reprint(tmp_path: Path) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            id_ = award(MAJOR)(desk)["award"]
            early = await desk.ask("print-slip", "flo", award=id_)
            assert (early["error"], "is pending" in early["message"]) == ("unknown", True)
            reply = await desk.ask("validate", "flo", "fay", award=id_, method="inventory", base_wager=True)
            row = desk.rows()[-1]
            slip = reply["slip"]
            assert slip == {
                "slip": 1,
                "award": id_,
                "kind": "jackpot",
                "wager": "royal9/5",
                "outcome": "major",
                "round": 1,
                "position": 1,
                "amount_cents": 45_020,
                "method": "inventory",
                "by": "flo",
                "second": "fay",
                "at": row.at,
                "seq": row.seq,
                "hash": row.hash.hex(),
                "meter": "royal9-major",
            }
            printed = [await desk.ask("print-slip", "fay", award=id_) for _ in range(3)]
            assert [each["slip"] for each in printed] == [slip | {"reprint": again} for again in (False, True, True)]
            assert await desk.send("print-slip", id=printed[0]["id"], award=id_) == printed[0]

    run(main())


def test_a_validation_stands_although_its_slip_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            fields = award(MAJOR, method="slip", base_wager=True)(desk)

            async def lost(*_: object) -> None:
                raise TooLongError("this took longer")

            monkeypatch.setattr(Looks, "glance", lost)
            reply = await desk.ask("validate", "flo", **fields)
            assert reply["ok"]
            assert "slip" not in reply
            assert "ask for it with print-slip" in reply["message"]

    run(main())


def test_coins_to_return_are_told_and_confirmed_once(tmp_path: Path) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            opened(desk)
            desk.do(WagerDropped, position=2, wager="royal9", cents=500)
            closed = await desk.ask("close-table", "dee")
            (coin,) = closed["returns"]
            assert (coin["position"], coin["wager"], coin["cents"], coin["why"]) == (2, "royal9", 500, "table-closed")
            confirmed = await desk.ask("confirm-return", "dee", **{"return": coin["id"]})
            assert (confirmed["ok"], confirmed["return"]) == (True, coin["id"])
            again = await desk.ask("confirm-return", "dee", **{"return": coin["id"]})
            assert again["error"] == "unknown"

    run(main())


# --------------------------------------------------------------------------------------------------- looks


def test_a_look_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            looks = Looks(lambda: open_readonly(desk.path), query_seconds=0.05)
            with pytest.raises(TooLongError, match=r"longer than 0.05 s: ask for less"):
                await looks.query(_endless)
            assert await looks.query(lambda journal: journal.head().seq) == desk.state.seq

    run(main())


def test_a_look_nobody_waits_for_ends_by_itself(tmp_path: Path) -> None:
    ended = []

    def look(journal: JournalReader) -> None:
        try:
            _endless(journal)
        finally:
            ended.append(True)

    async def main() -> None:
        with await ready(tmp_path) as desk:
            looks = Looks(lambda: open_readonly(desk.path), query_seconds=600)
            asking = asyncio.create_task(looks.query(look))
            await asyncio.sleep(0.1)
            asking.cancel()
            async with asyncio.timeout(20):
                while not ended:
                    await asyncio.sleep(0.01)

    run(main())


@pytest.mark.parametrize("name", ["query-rounds", "query-actions"])
def test_a_journal_someone_meddled_with_is_told_and_nothing_ends(tmp_path: Path, name: str) -> None:
    async def main() -> None:
        with await ready(tmp_path) as desk:
            locked(desk)
            token = await desk.token("aud")
            with sqlite3.connect(desk.path) as meddler:
                meddler.execute("DROP TRIGGER facts_never_change")
                meddler.execute("""UPDATE facts SET payload = '{"by":"x"}' WHERE type = 'locked-out'""")
            meddler.close()
            reply = await desk.send(name, token=token)
            assert (reply["error"], "verify it" in reply["message"]) == ("faulted", True)

    run(main())


def _endless(journal: JournalReader) -> None:
    count = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
    journal.db.conn.execute(count).fetchone()
