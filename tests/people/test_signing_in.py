"""Signing in: the right PIN, the wrong ones, lock-outs that outlive a restart, and what is recorded of it all."""

import asyncio

import pytest

from controller.core.inputs import Person
from controller.core.operators import LOCKED_MS, MOST_CLAIMED, WRONG_PINS
from controller.people.pace import MINUTE_SECONDS, MOST_CLIENTS, Pace
from controller.people.signing_in import (
    LOCKED_OUT,
    MOST_WAITING,
    REFUSED_PER_MINUTE,
    WRONG_PER_MINUTE,
    NotLetIn,
)
from controller.people.tokens import Session
from tests.people.tables import PIN, WRONG, Clock, Door


async def attempt(door: Door, operator: str = "ana", pin: str = WRONG, client: str = "console") -> str:
    """How an attempt ends: its error, or nothing."""
    answer = await door.way_in.login(operator, pin, client)
    return answer.error if isinstance(answer, NotLetIn) else ""


async def signed_in(door: Door, operator: str = "ana", client: str = "console") -> Session:
    session = await door.way_in.login(operator, PIN, client)
    assert isinstance(session, Session), session
    return session


def test_the_right_pin_gives_a_token_and_is_recorded() -> None:
    async def main() -> None:
        door = Door()
        await door.add("ana", "floorperson")
        session = await signed_in(door)
        assert session.person == Person("ana", "floorperson")
        assert door.way_in.whose(session.token, "console") == session.person
        assert door.way_in.whose(session.token, "elsewhere") is None
        (noted,) = door.noted()
        assert (noted.what, noted.operator, noted.client, noted.wrong) == ("signed-in", "ana", "console", 0)

    asyncio.run(main())


def test_a_wrong_pin_a_name_nobody_has_and_one_who_has_left_are_answered_alike() -> None:
    async def main() -> None:
        door = Door()
        await door.add("ana")
        await door.add("bo", "dealer")
        await door.add("bo", "dealer", active=False)
        answers = [
            await door.way_in.login("ana", WRONG, "console"),
            await door.way_in.login("nobody", PIN, "console"),
            await door.way_in.login("bo", PIN, "console"),
            await door.way_in.login("ana", "no pin at all", "console"),
        ]
        assert len(set(map(repr, answers))) == 1
        assert [(noted.operator, noted.wrong) for noted in door.noted()] == [
            ("ana", 1),
            ("nobody", 1),
            ("bo", 1),
            ("ana", 2),
        ]

    asyncio.run(main())


@pytest.mark.parametrize("operator", ["ana", "nobody"])
def test_five_wrong_pins_lock_out_also_a_name_nobody_has(operator: str) -> None:
    async def main() -> None:
        door = Door()
        await door.add("ana")
        ends = [await attempt(door, operator) for _ in range(WRONG_PINS + 1)]
        assert ends == ["wrong-pin"] * (WRONG_PINS - 1) + [LOCKED_OUT] * 2
        assert len(door.noted()) == WRONG_PINS
        assert door.noted()[-1].locked
        assert await attempt(door, operator, PIN) == LOCKED_OUT
        door.clock.passed += LOCKED_MS / 1000 - 1
        assert await attempt(door, operator, PIN) == LOCKED_OUT
        door.clock.passed += 1
        assert await attempt(door, operator, PIN) == ("" if operator == "ana" else "wrong-pin")

    asyncio.run(main())


def test_a_lock_out_says_how_long_and_what_to_do() -> None:
    async def main() -> None:
        door = Door()
        for _ in range(WRONG_PINS - 1):
            await attempt(door)
        answer = await door.way_in.login("ana", WRONG, "console")
        assert isinstance(answer, NotLetIn)
        assert "in 15 minutes, or have a supervisor" in answer.message
        door.clock.passed += LOCKED_MS / 1000 - 60
        answer = await door.way_in.login("ana", WRONG, "console")
        assert isinstance(answer, NotLetIn)
        assert "in 1 minute," in answer.message

    asyncio.run(main())


def test_a_right_pin_resets_the_count() -> None:
    async def main() -> None:
        door = Door()
        await door.add("ana")
        for _ in range(3):
            for _ in range(WRONG_PINS - 1):
                assert await attempt(door) == "wrong-pin"
            await signed_in(door)
            door.clock.passed += MINUTE_SECONDS

    asyncio.run(main())


def test_a_restart_ends_no_lock_out_and_signs_everybody_out() -> None:
    async def main() -> None:
        door = Door()
        await door.add("ana")
        await door.add("bo", "dealer")
        session = await signed_in(door, "bo")
        for _ in range(WRONG_PINS):
            await attempt(door)
        again = Door(door.journal)
        assert await attempt(again, pin=PIN) == LOCKED_OUT
        assert again.way_in.whose(session.token, "console") is None
        await signed_in(again, "bo")

    asyncio.run(main())


def test_a_new_pin_ends_a_lock_out() -> None:
    async def main() -> None:
        door = Door()
        await door.add("ana")
        for _ in range(WRONG_PINS):
            await attempt(door)
        await door.add("ana", pin="99887766")
        assert await attempt(door, pin=PIN) == "wrong-pin"
        assert await attempt(door, pin="99887766") == ""

    asyncio.run(main())


def test_many_attempts_at_once_are_five_tries_too() -> None:
    async def main() -> None:
        door = Door()
        await door.add("ana")
        async with asyncio.timeout(60):
            ends = await asyncio.gather(*(attempt(door) for _ in range(MOST_WAITING)))
        assert ends.count("wrong-pin") == WRONG_PINS - 1
        assert len(door.noted()) == WRONG_PINS

    asyncio.run(main())


def test_so_many_wait_and_one_more_is_sent_away() -> None:
    async def main() -> None:
        door = Door()
        await door.add("ana")
        async with asyncio.timeout(60):
            ends = await asyncio.gather(*(attempt(door, pin=PIN) for _ in range(MOST_WAITING + 1)))
        assert ends == [""] * MOST_WAITING + [LOCKED_OUT]
        assert await attempt(door, pin=PIN) == ""

    asyncio.run(main())


def test_a_client_has_so_many_wrong_pins_in_a_minute_and_others_are_not_kept_out() -> None:
    async def main() -> None:
        door = Door()
        await door.add("ana")
        for number in range(WRONG_PER_MINUTE):
            assert await attempt(door, f"guess{number}") == "wrong-pin"
        assert await attempt(door, "guess") == LOCKED_OUT
        assert await attempt(door, pin=PIN) == LOCKED_OUT
        assert len(door.noted()) == WRONG_PER_MINUTE
        await signed_in(door, client="other")
        door.clock.passed += MINUTE_SECONDS
        await signed_in(door)

    asyncio.run(main())


@pytest.mark.parametrize("change", [{"active": False}, {"role": "dealer"}])
def test_who_is_disabled_or_has_another_role_is_signed_out(change: dict[str, bool | str]) -> None:
    async def main() -> None:
        door = Door()
        await door.add("boss")
        await door.add("ana")
        session = await signed_in(door)
        await door.add("ana", str(change.get("role", "supervisor")), active=bool(change.get("active", True)))
        assert door.way_in.whose(session.token, "console") is None
        await door.add("ana")
        assert door.way_in.whose(session.token, "console") is None

    asyncio.run(main())


def test_signing_out_ends_a_token_at_its_own_client_alone() -> None:
    async def main() -> None:
        door = Door()
        await door.add("ana", "floorperson")
        first, second = await signed_in(door), await signed_in(door)
        door.way_in.sign_out(first.token, "elsewhere")
        assert door.way_in.whose(first.token, "console") is not None
        door.way_in.sign_out(first.token, "console")
        assert door.way_in.whose(first.token, "console") is None
        assert door.way_in.whose(second.token, "console") is not None
        door.way_in.sign_out("no such token", "console")

    asyncio.run(main())


def test_a_new_pin_and_none_sign_out_too() -> None:
    async def main() -> None:
        door = Door()
        await door.add("ana")
        session = await signed_in(door)
        await door.way_in.give_pin("ana", "99887766")
        assert door.way_in.whose(session.token, "console") is None
        assert await attempt(door, pin=PIN) == "wrong-pin"
        again = await door.way_in.login("ana", "99887766", "console")
        assert isinstance(again, Session)
        door.way_in.take_pin("ana")
        assert door.way_in.whose(again.token, "console") is None
        assert await attempt(door, pin="99887766") == "wrong-pin"

    asyncio.run(main())


def test_whatever_a_stranger_says_is_recorded_in_a_form_that_can_be() -> None:
    async def main() -> None:
        door = Door()
        await door.add("ana")
        for name in ("x" * 10_000, "\ud800", "ana\0", ""):
            assert await attempt(door, name, PIN, client=name) == "wrong-pin"
        await door.way_in.refused("y" * 10_000, "\ud800", "z" * 10_000, "why " * 1000)
        assert len(door.noted()) == 5
        assert max(len(noted.operator) for noted in door.noted()) == MOST_CLAIMED

    asyncio.run(main())


def test_clients_whose_names_begin_alike_do_not_share_a_token() -> None:
    async def main() -> None:
        door = Door()
        await door.add("ana")
        long = "c" * MOST_CLAIMED
        session = await signed_in(door, client=long + "1")
        assert door.way_in.whose(session.token, long + "2") is None
        assert door.way_in.whose(session.token, long + "1") is not None

    asyncio.run(main())


def test_refused_commands_are_recorded_and_a_flood_of_them_is_not() -> None:
    async def main() -> None:
        door = Door()
        for _ in range(REFUSED_PER_MINUTE + 5):
            await door.way_in.refused("bo", "console", "validate", "bo is dealer: this takes a floorperson")
        noted = door.noted()
        assert len(noted) == REFUSED_PER_MINUTE
        first, last = noted[0], noted[-1]
        assert (first.what, first.operator, first.client, first.command) == ("not-allowed", "bo", "console", "validate")
        assert first.detail == "bo is dealer: this takes a floorperson"
        assert last.detail.endswith("(more from this client in this minute are not recorded)")
        await door.way_in.refused("bo", "other", "validate", "why")
        door.clock.passed += MINUTE_SECONDS
        await door.way_in.refused("bo", "console", "validate", "why")
        assert len(door.noted()) == REFUSED_PER_MINUTE + 2

    asyncio.run(main())


def test_no_fact_holds_a_pin_a_hash_or_a_token() -> None:
    async def main() -> None:
        door = Door()
        await door.add("ana")
        session = await signed_in(door)
        await attempt(door)
        kept = door.journal.pin("ana")
        assert kept is not None
        everything = " ".join(row.payload for row in door.journal.rows())
        assert [secret for secret in (PIN, WRONG, session.token, kept.hash) if secret in everything] == []

    asyncio.run(main())


def test_counts_begin_anew_each_minute_and_clients_beyond_the_most_share_one() -> None:
    clock = Clock()
    pace = Pace(clock.seconds)
    for number in range(MOST_CLIENTS):
        assert pace.count(f"client{number}") == 1
    assert [pace.count("one-more"), pace.count("another"), pace.so_far("a-third")] == [1, 2, 2]
    assert pace.count("client0") == 2
    clock.passed = MINUTE_SECONDS - 0.001
    assert pace.so_far("client0") == 2
    clock.passed = MINUTE_SECONDS
    assert pace.so_far("client0") == 0
