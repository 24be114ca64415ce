"""The staff of a demonstration: they sign in before they ask, again when they were idle, and two where two are due."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from controller.demo.pace import Pace
from controller.demo.people import DEALER, FLOOR
from controller.demo.staff import MOST_TRIES, Staff
from controller.demo.twins import StalledError
from controller.demo.watching import Watched
from controller.wire.commands import LoginReply, Reply
from controller.wire.messages import PhaseName, Round
from tests.demo.said import award, say, stand


class Controller:
    """The other end of the staff's commands: does what it is asked to whoever shows a token it gave."""

    def __init__(self, table: Watched) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.tokens: dict[str, str] = {}
        self.deaf = ""  # a command it refuses
        self._table = table
        self._seq = 10

    async def ask(self, name: str, **parts: Any) -> Reply:  # noqa: ANN401 -- the fields of a command
        await asyncio.sleep(0)
        self.asked.append((name, parts))
        head = {**stand(), "id": str(uuid4())}
        if name == "login":
            if name == self.deaf:
                return LoginReply(**head, ok=False, error="wrong-pin", message="no")
            token = f"token {len(self.asked)}"
            self.tokens[token] = parts["operator"]
            return LoginReply(**head, ok=True, token=token)
        if parts["token"] not in self.tokens or parts.get("second", parts["token"]) not in self.tokens:
            return Reply(**head, ok=False, error="not-allowed", message="sign in")
        if name == self.deaf:
            return Reply(**head, ok=False, error="wrong-phase", message="no")
        if name == "validate":
            self._table.take(f"{self._table.base}/awards/{parts['award']}", b"")
        else:
            self.phase("open" if name == "open-table" else "closed")
        return Reply(**head, ok=True)

    def phase(self, phase: PhaseName) -> None:
        self._seq += 1
        say(self._table, "round", Round(**stand(self._seq), round=1, phase=phase, positions={}))

    def who(self, name: str) -> list[str]:
        return [self.tokens[parts["token"]] for asked, parts in self.asked if asked == name]


def staffed(phase: PhaseName) -> tuple[Watched, Controller, Staff]:
    table = Watched("mb-01")
    controller = Controller(table)
    controller.phase(phase)
    return table, controller, Staff(controller, table, Pace(0))


def test_the_dealer_opens_a_closed_table_and_closes_it() -> None:
    table, controller, staff = staffed("closed")

    async def main() -> None:
        await staff.open_table()
        assert table.round is not None
        assert table.round.phase == "open"
        await staff.open_table()  # there is nothing to do
        await staff.close_table()

    asyncio.run(main())
    assert [name for name, _ in controller.asked] == ["login", "open-table", "close-table"]
    assert controller.who("close-table") == [DEALER.id]


@pytest.mark.parametrize("phase", ["locked", "dealt", "faulted"])
def test_a_table_whose_round_is_under_way_is_left_as_it_is(phase: PhaseName) -> None:
    _, controller, staff = staffed(phase)
    asyncio.run(staff.close_table())
    assert controller.asked == []


@pytest.mark.parametrize(("needs_second", "people"), [(False, [FLOOR[0]]), (True, list(FLOOR))])
def test_the_floor_validates_what_waits_by_two_where_two_are_due(needs_second: bool, people: list[Any]) -> None:
    table, controller, staff = staffed("open")

    async def main() -> None:
        validating = asyncio.create_task(staff.validate())
        for number in (7, 8):
            say(table, f"awards/mb-01-{number}-1", award(number, needs_second=needs_second))
        assert await table.until(lambda: not table.pending, 20)
        validating.cancel()

    asyncio.run(main())
    assert sorted(controller.tokens.values()) == sorted(member.id for member in people)  # each signed in once
    validated = [parts for name, parts in controller.asked if name == "validate"]
    assert [parts["award"] for parts in validated] == ["mb-01-7-1", "mb-01-8-1"]
    assert all(parts["base_wager"] is True for parts in validated)
    seconds = {controller.tokens[parts["second"]] for parts in validated if "second" in parts}
    assert seconds == ({FLOOR[1].id} if needs_second else set())


def test_who_was_idle_for_too_long_signs_in_again() -> None:
    table, controller, staff = staffed("open")

    async def main() -> None:
        await staff.close_table()
        controller.tokens.clear()
        controller.phase("closed")
        await staff.open_table()

    asyncio.run(main())
    assert [name for name, _ in controller.asked] == ["login", "close-table", "open-table", "login", "open-table"]
    assert table.round is not None
    assert table.round.phase == "open"


def test_a_table_that_cannot_be_opened_and_a_pin_that_is_refused_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.demo.staff.RETRY_SECONDS", 0)
    _, controller, staff = staffed("closed")
    controller.deaf = "open-table"
    with pytest.raises(StalledError, match="mb-01 cannot be opened"):
        asyncio.run(staff.open_table())
    assert len([name for name, _ in controller.asked if name == "open-table"]) == MOST_TRIES
    _, controller, staff = staffed("closed")
    controller.deaf = "login"
    with pytest.raises(StalledError, match="cannot sign in at table mb-01: no"):
        asyncio.run(staff.open_table())
