"""What supervisors, floorpersons and auditors do now and then, right or wrong."""

from random import Random

from controller.simulation.desk import AUDITOR, DEALERS, EVERYBODY, FLOOR, SUPERVISORS
from controller.simulation.house import House
from controller.wire.commands import Reply

MOST_ADJUSTED = 5_000  # cents, either way
GUESSES = 6  # one more than are looked at


def other_awards(toml: str, chance: Random) -> str:
    """The same submission with other rules for validating awards."""
    parts = [part for part in toml.split("\n\n") if not part.startswith("[awards]")]
    second, hold = chance.randint(500, 20_000), chance.choice(("true", "false"))
    awards = (
        f'[awards]\nsecond_person_from = "{second}.00"\nhold_play_on_hit = {hold}\nlate_hands = {chance.randint(0, 5)}'
    )
    at = next(number for number, part in enumerate(parts) if part.startswith("[table]"))
    return "\n\n".join([*parts[: at + 1], awards, *parts[at + 1 :]])


class Office:
    """They are at the console of the table."""

    def __init__(self, house: House) -> None:
        self._house, self._desk, self._play = house, house.desk, house.play
        self._out: set[int] = set()  # positions out of service

    async def do_something(self, chance: Random) -> str:
        """One of all they can do; what it was, and how it went."""
        deeds = (
            self._adjust,
            self._adjust,
            self._service,
            self._service,
            self._wrong_pin,
            self._guess,
            self._stale,
            self._void_wager,
            self._void_wager,
            self._look,
            self._look,
            self._simulate,
            self._forbidden,
            self._disable,
        )
        deed = chance.choice(deeds)
        reply = await deed(chance)
        name = deed.__name__.removeprefix("_")
        return f"{name}: {'no reply' if reply is None else 'done' if reply.ok else reply.error}"

    async def file(self, chance: Random) -> str:
        """File another Rules Submission, and have the technician put it where the controller reads it."""
        after = other_awards(self._house.filed, chance)
        first, second = chance.sample(SUPERVISORS, 2)
        self._house.sent.append(after)
        reply = await self._desk.ask(first, "change-submission", second=second, toml=after, reason="as agreed")
        if reply is not None and reply.ok:
            self._house.file(after)
            return "done"
        return "no reply" if reply is None else str(reply.error)

    async def _adjust(self, chance: Random) -> Reply | None:
        meters = [(topic, each) for topic, each in sorted(self._play.eye.shown.items()) if topic.startswith("meters/")]
        if not meters:
            return None
        topic, meter = chance.choice(meters)
        first, second = chance.sample(SUPERVISORS, 2)
        return await self._desk.ask(
            first,
            "adjust-meter",
            second=second,
            meter=topic.removeprefix("meters/"),
            delta_cents=chance.randint(-MOST_ADJUSTED, MOST_ADJUSTED) or 1,
            expected_cents=meter["display_cents"] + chance.choice((0, 0, 0, 1)),
            reason="by the books",
        )

    async def _service(self, chance: Random) -> Reply | None:
        back = bool(self._out) and chance.random() < 0.7  # noqa: PLR2004 -- most are soon back
        position = chance.choice(sorted(self._out)) if back else chance.randint(1, self._house.layout.positions)
        by = chance.choice(FLOOR)
        reply = await self._desk.ask(by, "position-service", position=position, on=back, reason="sensor looked at")
        if reply is not None and reply.ok:
            (self._out.discard if back else self._out.add)(position)
        return reply

    async def _wrong_pin(self, chance: Random) -> Reply | None:
        who = chance.choice(EVERYBODY)
        return await self._desk.send(
            "login", who, meant="wrong-pin", operator=who.id, pin=f"{chance.randrange(10**6):06}"
        )

    async def _guess(self, chance: Random) -> Reply | None:
        """One PIN after another, and at last the right one: nobody is let in so soon."""
        for _ in range(GUESSES):
            pin = f"{chance.randrange(10**6):06}"
            await self._desk.send("login", AUDITOR, meant="wrong-pin", operator=AUDITOR.id, pin=pin)
        return await self._desk.send("login", AUDITOR, meant="mistake", operator=AUDITOR.id, pin=AUDITOR.pin)

    async def _stale(self, chance: Random) -> Reply | None:
        """A command that lay around for minutes, of someone who is signed in."""
        return await self._desk.ask(chance.choice(DEALERS), "open-table", meant="stale", late=120.0)

    async def _void_wager(self, chance: Random) -> Reply | None:
        spot, (first, second) = chance.choice(self._house.layout.spots), chance.sample(FLOOR, 2)
        number = max(1, self._play.round() - chance.choice((0, 0, 0, 1)))
        where = {"position": spot.position, "wager": spot.wager}
        return await self._desk.ask(
            first, "void-wager", second=second, meant="mistake", round=number, reason="too late", **where
        )

    async def _look(self, chance: Random) -> Reply | None:
        name = chance.choice(("query-hits", "query-readings", "query-rounds", "query-actions", "query-operators"))
        return await self._desk.ask(AUDITOR, name, limit=20)

    async def _simulate(self, chance: Random) -> Reply | None:
        return await self._desk.ask(chance.choice(DEALERS), "simulated-round", meant="mistake")

    async def _forbidden(self, chance: Random) -> Reply | None:
        who, number = chance.choice(DEALERS), max(1, self._play.round())
        return await self._desk.ask(who, "void-round", meant="mistake", round=number, reason="a dealer may not")

    async def _disable(self, chance: Random) -> Reply | None:
        """Someone is let go, and let in again."""
        who, (first, second) = chance.choice(DEALERS), chance.sample(SUPERVISORS, 2)
        await self._desk.ask(first, "operator-disable", operator=who.id)
        await self._desk.ask(who, "close-table", meant="mistake")  # with the token of before
        return await self._desk.ask(
            first, "operator-add", second=second, operator=who.id, name=who.id.title(), role=who.role, pin=who.pin
        )
