"""Wrong PINs counted where they are typed: one browser at a console keeps nobody at another from signing in."""

import asyncio

import pytest
from msgspec import json

from controller.commands.requests import BadRequestError, read
from controller.people.pace import MINUTE_SECONDS, MOST_CLIENTS, Pace
from controller.people.signing_in import (
    HOUR_SECONDS,
    LOCKED_OUT,
    MANY_WRONG,
    MOST_ORIGINS,
    MOST_TRIES,
    WRONG_OF_A_CLIENT,
    WRONG_PER_MINUTE,
    NotLetIn,
)
from controller.wire.commands import MOST_ORIGIN, Login
from tests.people.tables import PIN, WRONG, Clock, Door

HERE, THERE = "10.20.7.31", "10.20.7.32"


async def attempt(door: Door, operator: str, origin: str = HERE, pin: str = WRONG, client: str = "console") -> str:
    """How an attempt ends: its error, or nothing."""
    answer = await door.way_in.login(operator, pin, client, origin)
    return answer.error if isinstance(answer, NotLetIn) else ""


def test_an_origin_has_so_many_wrong_pins_in_a_minute_and_the_next_one_has_its_own() -> None:
    async def main() -> None:
        door = Door()
        await door.add("ana")
        for number in range(WRONG_PER_MINUTE):
            assert await attempt(door, f"guess{number}") == "wrong-pin"
        assert await attempt(door, "ana", pin=PIN) == LOCKED_OUT
        assert await attempt(door, "ana", "", pin=PIN) == ""  # where none is named is one of its own
        assert await attempt(door, "ana", THERE, pin=PIN) == ""
        assert await attempt(door, "ana", client="tool", pin=PIN) == ""  # the same address at another client is another
        assert [noted.what for noted in door.noted()].count("wrong-pin") == WRONG_PER_MINUTE
        door.clock.passed += MINUTE_SECONDS
        assert await attempt(door, "ana", pin=PIN) == ""

    asyncio.run(main())


def test_a_client_has_so_many_whatever_origins_it_names_and_other_clients_have_theirs() -> None:
    async def main() -> None:
        door = Door()
        await door.add("ana")
        for number in range(WRONG_OF_A_CLIENT):
            assert await attempt(door, "ana", f"before{number}", pin=PIN) == "", "right ones are not counted"
            assert await attempt(door, f"guess{number}", f"made-up{number}") == "wrong-pin"
        answer = await door.way_in.login("ana", PIN, "console", "never-seen")
        assert isinstance(answer, NotLetIn)
        assert (answer.error, answer.message[:3]) == (LOCKED_OUT, str(WRONG_OF_A_CLIENT))
        assert [noted.what for noted in door.noted()].count("wrong-pin") == WRONG_OF_A_CLIENT
        assert await attempt(door, "ana", "never-seen", client="tool", pin=PIN) == ""
        door.clock.passed += MINUTE_SECONDS
        assert await attempt(door, "ana", "never-seen", pin=PIN) == ""

    asyncio.run(main())


def test_who_has_had_all_tries_takes_no_place_from_those_who_wait() -> None:
    async def main() -> None:
        door = Door()
        await door.add("ana")
        for number in range(WRONG_PER_MINUTE):
            await attempt(door, f"guess{number}")
        async with asyncio.timeout(60):
            flood = [attempt(door, "more") for _ in range(100)]
            *kept_out, let_in = await asyncio.gather(*flood, attempt(door, "ana", THERE, pin=PIN))
        assert set(kept_out) == {LOCKED_OUT}
        assert let_in == ""

    asyncio.run(main())


def test_tries_made_all_at_once_are_no_more_than_one_after_the_other() -> None:
    async def main() -> None:
        door = Door()
        for number in range(WRONG_PER_MINUTE - 1):
            await attempt(door, f"guess{number}")
        async with asyncio.timeout(60):
            ends = await asyncio.gather(*(attempt(door, f"at-once{number}") for number in range(5)))
        assert ends == ["wrong-pin"] + [LOCKED_OUT] * 4
        assert len(door.noted()) == WRONG_PER_MINUTE

    asyncio.run(main())


def test_so_many_origins_are_counted_one_by_one_and_it_takes_many_clients_to_fill_them() -> None:
    pace = Pace(Clock().seconds, MOST_ORIGINS)
    for number in range(MOST_ORIGINS):
        assert pace.count(("console", f"origin{number}")) == 1
    assert [pace.count(("console", "one-more")), pace.count(("tool", "another"))] == [1, 2]
    assert pace.count(("console", "origin0")) == 2
    assert MOST_ORIGINS // WRONG_OF_A_CLIENT == 10
    assert MOST_ORIGINS // WRONG_OF_A_CLIENT < MOST_CLIENTS


def test_an_origin_may_be_left_out_and_has_an_end() -> None:
    def login(**more: str) -> Login:
        asked = {"id": "0f8fad5b-d9cb-469f-a165-70867728950e", "at": "2026-11-16T15:00:00Z", "operator": "ana"}
        found = read("login", json.encode({**asked, "pin": PIN, **more}))
        assert isinstance(found, Login)
        return found

    assert login().origin == ""
    assert login(origin="x" * MOST_ORIGIN).origin == "x" * MOST_ORIGIN
    with pytest.raises(BadRequestError, match="origin"):
        login(origin="x" * (MOST_ORIGIN + 1))


def test_many_wrong_pins_within_an_hour_are_a_warning_that_names_the_client() -> None:
    async def main() -> None:
        door = Door()
        for number in range(MANY_WRONG - 1):
            await attempt(door, f"guess{number}", f"made-up{number}", client="tool" if number < 10 else "console")
        assert door.way_in.guessing() == ""
        await attempt(door, "one-more", "another")
        assert door.way_in.guessing().startswith(f"{MANY_WRONG} wrong PINs within an hour, most from console: ")
        door.clock.passed += HOUR_SECONDS - 1
        assert door.way_in.guessing()
        door.clock.passed += 1
        assert door.way_in.guessing() == ""

    asyncio.run(main())


def test_tries_are_remembered_up_to_a_number() -> None:
    async def main() -> None:
        door = Door()
        for number in range(MOST_TRIES + 1):
            if number % WRONG_OF_A_CLIENT == 0:
                door.clock.passed += MINUTE_SECONDS
            await attempt(door, f"guess{number}", f"made-up{number}")
        assert door.way_in.guessing().startswith(f"{MOST_TRIES} or more wrong PINs within an hour")

    asyncio.run(main())
