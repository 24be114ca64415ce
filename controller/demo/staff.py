"""The dealer who opens the table and the floor staff who validate: they sign in and ask over MQTT like anybody else."""

import asyncio
from typing import Any, Protocol

from controller.demo.pace import Pace
from controller.demo.people import DEALER, FLOOR, Member
from controller.demo.twins import StalledError
from controller.demo.watching import Watched
from controller.wire.commands import LoginReply, Reply
from controller.wire.messages import Award

WALK_SECONDS = 6.0  # until a floorperson is at the table and has seen the chip
RETRY_SECONDS = 1.0  # before someone asks again who was refused
OPENING_SECONDS = 60.0  # for a table to come up; devices have five of them
CLOSING_SECONDS = 2.0  # for a table to close when the demonstration ends; it may stay open
MOST_TRIES = 5  # of one command by one person
FRESH_SECONDS = 120.0  # a token not used for longer is not tried: five minutes of idleness end it


class Asks(Protocol):
    """A way to send commands."""

    async def ask(self, name: str, **parts: Any) -> Reply:  # noqa: ANN401 -- the fields of a command
        """Send a command and wait for its reply."""


class Staff:
    """Everybody who works at one table."""

    def __init__(self, asks: Asks, watched: Watched, pace: Pace) -> None:
        self._asks = asks
        self._watched = watched
        self._pace = pace
        self._tokens: dict[str, tuple[str, float]] = {}  # and when each was last shown

    async def open_table(self) -> None:
        """See to it that there is play: open a closed table, end a simulated round."""
        watched = self._watched
        for _ in range(MOST_TRIES):
            if not await watched.until(lambda: self._phase() not in ("", "faulted"), OPENING_SECONDS):
                why = watched.status.reason if watched.status else "it says nothing"
                raise StalledError(f"table {watched.table} does not come up: {why}")
            command = {"closed": "open-table", "simulated": "simulated-round"}.get(self._phase())
            if command is None:
                return
            phase = self._phase()
            reply = await self._by(DEALER, command)
            if reply.ok:
                await watched.until(lambda: self._phase() != phase, OPENING_SECONDS)  # noqa: B023 -- asked only within this turn
            else:
                await asyncio.sleep(RETRY_SECONDS)
        raise StalledError(f"table {watched.table} cannot be opened: it stays {self._phase()}")

    async def close_table(self) -> None:
        """Close the table if its round allows that; one that is locked goes on when the demonstration does."""
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                if self._phase() in ("open", "settled"):
                    await self._by(DEALER, "close-table")
        except TimeoutError:
            return

    async def validate(self) -> None:
        """Validate what waits, one award after the other, for ever."""
        while True:
            award = next(iter(self._watched.pending.values()), None)
            if award is None:
                await self._watched.change()
                continue
            await asyncio.sleep(self._pace.of(WALK_SECONDS))
            await self._validate(award)

    async def _validate(self, award: Award) -> None:
        first, second = FLOOR
        parts: dict[str, Any] = {"award": award.award, "method": "slip", "base_wager": True}
        if award.needs_second:
            parts["second"] = await self._token(second)
        reply = await self._by(first, "validate", **parts)
        settled = await self._watched.until(lambda: award.award not in self._watched.pending, RETRY_SECONDS)
        if not reply.ok and not settled:
            self._tokens.clear()  # whoever was idle for long signs in again
            await asyncio.sleep(RETRY_SECONDS)

    async def _by(self, member: Member, command: str, **parts: Any) -> Reply:  # noqa: ANN401 -- the fields of a command
        """Ask as someone, who signs in first, and once more where their time was over."""
        reply = await self._asks.ask(command, token=await self._token(member), **parts)
        if not reply.ok and reply.error == "not-allowed" and member.id in self._tokens:
            del self._tokens[member.id]
            reply = await self._asks.ask(command, token=await self._token(member), **parts)
        return reply

    async def _token(self, member: Member) -> str:
        now = asyncio.get_running_loop().time
        for _ in range(MOST_TRIES):
            token, shown = self._tokens.get(member.id, ("", 0.0))
            if token and now() - shown < FRESH_SECONDS:
                self._tokens[member.id] = (token, now())
                return token
            reply = await self._asks.ask("login", operator=member.id, pin=member.pin)
            if isinstance(reply, LoginReply) and isinstance(reply.token, str):
                self._tokens[member.id] = (reply.token, now())
            elif reply.error in ("wrong-pin", "locked-out"):
                raise StalledError(f"{member.name} cannot sign in at table {self._watched.table}: {reply.message}")
            else:
                await asyncio.sleep(RETRY_SECONDS)
        raise StalledError(f"{member.name} cannot sign in at table {self._watched.table}")

    def _phase(self) -> str:
        return self._watched.round.phase if self._watched.round else ""
