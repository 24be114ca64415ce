"""A table whose Harmony meter is linked, on real parts: the service, its devices, a broker, and a PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from controller.core.inputs import LinkAnswered
from controller.core.state import Intent
from controller.link import postgres
from controller.link.sessions import Filing, Identity
from controller.service.starting import configuration
from tests.core.play import BEGIN, MINI
from tests.link.floor import HARMONY, Floor
from tests.link.player import NAME
from tests.link.server import Server, running
from tests.outlets.brokers import needs_mosquitto
from tests.service.house import SITE, TABLE, House, in_a_house
from tests.service.test_table import NOTHING, SIX_OF_A_KIND

pytestmark = needs_mosquitto
OTHER = "mb-09"
SEED, SHARE = 2_500_000, 95  # cents: what the meter opens with, and 19% of a wager of $5


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as found:
        yield found


class Pit:
    """A floor with two tables: one in the house, and one that only this test plays."""

    def __init__(self, folder: Path, server: Server, database: str) -> None:
        folder.mkdir()
        self.server = server
        self.floor = Floor(folder, server.database(database), HARMONY, MINI)
        self.floor.init(TABLE, OTHER)
        self.asked = 0

    @property
    def settings(self) -> str:
        return f'[link]\nname = "{NAME}"\nmeter = "harmony"\ndsn = "{self.floor.dsn}"\n'

    @asynccontextmanager
    async def other(self) -> AsyncIterator[postgres.Session]:
        """A session of the other table, with a journal that has answers to everything."""
        files = configuration(self.floor.config(OTHER), BEGIN).files
        (wager,) = [each for each in files.wagers.values() if each.name == "harmony"]
        filings = {"harmony": Filing(wager.id, wager.stake_cents, wager.meters[0])}
        asked = frozenset(f"{OTHER}-{number}-i1" for number in range(1, self.asked + 1))
        identity = Identity(SITE, f"{SITE}/{OTHER}", "test", filings, {}, asked)
        async with postgres.session(self.floor.settings, identity, self.floor.chances()) as session:
            yield session

    async def ask(self, session: postgres.Session, kind: str, round_: int, **parts: Any) -> LinkAnswered:  # noqa: ANN401 -- an intent's
        self.asked += 1
        name = f"{OTHER}-{self.asked}-i1"
        intent = Intent(name, f"{SITE}/{OTHER}", NAME, "harmony", kind, round_, **parts)
        return await session.apply(intent, "2026-11-18T01:02:03.000004Z")

    def audit(self, *journals: Path) -> str:
        given = [word for journal in journals for word in ("--journal", str(journal))]
        done = self.floor.call("link", "audit", "--config", str(self.floor.folder / f"{TABLE}.toml"), *given)
        assert done.code == 0, done
        return done.out


def meter(house: House) -> dict[str, Any]:
    found: dict[str, Any] = house.sign.topics.get("meters/harmony", {})
    return found


async def round_of(house: House, *positions: int) -> None:
    """One round in which nothing is won."""
    await house.bet(*positions, wager="harmony")
    await house.lock()
    house.deal(NOTHING)
    await house.until(lambda: house.sign.phase == "settled")
    await house.reopen()


def test_tables_feed_one_meter_and_a_hit_at_one_is_seen_at_the_other(tmp_path: Path, server: Server) -> None:
    pit = Pit(tmp_path / "pit", server, "fed")

    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.sign_in("flo", "finn")
        assert (meter(house)["display_cents"], meter(house)["state"], meter(house)["link"]) == (SEED, "live", NAME)
        await house.bet(1, 2, wager="harmony")
        await house.lock()
        await house.until(lambda: house.sign.meter("harmony") == SEED + 2 * SHARE)
        async with pit.other() as other:
            await pit.ask(other, "contribute", 1, stakes=((4, 500), (5, 500)))
            await house.until(lambda: house.sign.meter("harmony") == SEED + 4 * SHARE)
            # A hit here pays what the link's meter holds when it is asked, the other table's wagers included.
            house.deal(SIX_OF_A_KIND)
            await house.until(lambda: len(meter(house)["hits"]) == 2)
            hits = meter(house)["hits"]
            assert {(hit["table"], hit["position"], hit["amount_cents"]) for hit in hits} == {
                (TABLE, position, (SEED + 4 * SHARE) // 2) for position in (1, 2)
            }
            await house.until(lambda: house.sign.lamp(1, "harmony") == "won")
            told = await house.do("query-derive", "flo", award=hits[0]["award"])
            assert told["explained"] is True
            steps = [(line["what"], line.get("table"), line.get("position")) for line in told["lines"]]
            fed = [("contribution", TABLE, 1), ("contribution", TABLE, 2)]
            fed += [("contribution", OTHER, 4), ("contribution", OTHER, 5)]
            assert steps == [("opening amount", None, None), *fed]
            assert meter(house)["display_cents"] == 500_000  # the reserve of four wagers is less than the filed least
            await other.look()
            (listed,) = other.shown["harmony"].listed
            assert (listed.table, listed.hit.positions, listed.hit.fate) == (f"{SITE}/{TABLE}", (1, 2), "pending")
            for hit in hits:
                await house.do("validate", "flo", "finn", award=hit["award"], method="slip", base_wager=True)
            await house.until(lambda: meter(house)["hits"] == [])
            await house.until(lambda: not house.state().intents)
            await other.look()
            assert other.shown["harmony"].listed[0].hit.fate == "paid"
            # And the other way round.
            await house.reopen()
            answer = await pit.ask(other, "contribute", 2, stakes=((4, 500),))
            answer = await pit.ask(other, "hit", 2, positions=(4,), outcome="six-of-a-kind")
            (won,) = answer.hits
            await house.until(lambda: len(meter(house)["hits"]) == 1)
            (elsewhere,) = meter(house)["hits"]
            assert (elsewhere["table"], elsewhere["position"]) == (OTHER, 4)
            assert elsewhere["amount_cents"] == won.amount_cents == 500_000 + SHARE
            assert not house.state().pending()  # validated where it was won
            await round_of(house, 3)  # and play goes on at once
            await pit.ask(other, "paid", 2, positions=(4,))
            await house.until(lambda: meter(house)["hits"] == [])
            await house.until(lambda: not house.state().intents)

    house = in_a_house(tmp_path, scene, settings=pit.settings)
    assert "harmony" in pit.audit(house.journal)


def test_a_rejected_share_and_an_adjustment_are_seen_at_every_table(tmp_path: Path, server: Server) -> None:
    pit = Pit(tmp_path / "pit", server, "shared")
    jackpot = SEED + 3 * SHARE

    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.sign_in("flo", "finn", "sue", "sid")
        await house.bet(1, 2, 3, wager="harmony")
        await house.lock()
        house.deal(SIX_OF_A_KIND)
        await house.until(lambda: len(meter(house).get("hits", ())) == 3)
        first, *others = meter(house)["hits"]
        told = await house.do("reject", "flo", "finn", award=first["award"], reason="no base wager")
        assert {(each["award"], each["fate"], each["amount_cents"]) for each in told["fates"]} == {
            (first["award"], "rejected", jackpot // 3),
            *((each["award"], "pending", jackpot // 2) for each in others),
        }
        await house.until(lambda: [hit["amount_cents"] for hit in meter(house)["hits"]] == [jackpot // 2] * 2)
        await house.until(lambda: not house.state().intents)
        async with pit.other() as other:
            (listed,) = other.shown["harmony"].listed
            assert listed.hit.positions == tuple(each["position"] for each in others)
            assert listed.hit.amount_cents == jackpot
            shown = meter(house)["display_cents"]
            wanted = {"meter": "harmony", "delta_cents": 12_34, "reason": "reading of the day"}
            told = await house.do("adjust-meter", "sue", "sid", **wanted, expected_cents=shown)
            assert (told["link"], told["delta_cents"]) == (NAME, 12_34)
            await house.until(lambda: meter(house)["display_cents"] == shown + 12_34)
            await house.do("adjust-meter", "sue", "sid", **wanted, expected_cents=shown)
            await house.until(lambda: not house.state().intents)
            await other.look()
            assert other.shown["harmony"].meter.display_cents == shown + 12_34
        rows = (await house.do("query-actions", "sue", limit=4))["actions"]
        done = [(row["action"], row.get("refusal"), row["person"], row["second"]) for row in reversed(rows)]
        by = ("sue", "sid")
        asked, answered = ("adjustment-asked", None, *by), ("link-answered", None, *by)
        assert done == [asked, answered, asked, ("link-answered", "stale", *by)]
        for each in others:
            await house.do("validate", "flo", "finn", award=each["award"], method="slip", base_wager=True)
        await house.until(lambda: not house.state().intents)

    house = in_a_house(tmp_path, scene, settings=pit.settings)
    assert "+ adjustments, less those out of it" in pit.audit(house.journal)


@pytest.mark.parametrize("how", ["crash", "freeze", "stop"])
def test_without_the_link_its_wager_is_not_taken_and_the_rest_plays_on(tmp_path: Path, how: str) -> None:
    with running() as server:
        pit = Pit(tmp_path / "pit", server, "lost")

        async def scene(house: House) -> None:
            await house.start()
            await house.open()
            await round_of(house, 1)
            await house.bet(2, wager="harmony")
            await house.lock()  # in, whatever becomes of the link
            await house.until(lambda: house.sign.meter("harmony") == SEED + 2 * SHARE)
            house.deal(NOTHING)
            await house.reopen()
            await house.bet(4, wager="harmony")
            getattr(server, how)()
            await house.until(lambda: house.sign.lamp(4, "harmony") == "fault")
            await house.until(lambda: meter(house)["state"] == "faulted")
            await house.until(lambda: house.sign.topics[f"devices/link-{NAME}"]["state"] == "lost")
            assert house.sign.state == "online"
            await house.until(lambda: "link: " in str(house.sign.topics["status"].get("health")))
            mega = house.sign.meter("royal9-mega")
            await house.bet(3)
            await house.lock()
            await house.until(lambda: house.sign.meter("royal9-mega") == mega + 50)
            assert house.sign.lamp(4, "harmony") == "fault"
            assert server is not None
            if how == "freeze":
                server.thaw()
            else:
                server.start()
            await house.until(lambda: meter(house)["state"] == "live")
            assert meter(house)["display_cents"] == SEED + 2 * SHARE  # exactly where it was
            await house.reopen()
            await round_of(house, 5)
            await house.until(lambda: house.sign.meter("harmony") == SEED + 3 * SHARE)
            await house.until(lambda: not house.state().intents)

        house = in_a_house(tmp_path, scene, settings=pit.settings)
        pit.audit(house.journal)


def test_what_was_locked_in_while_the_link_died_is_asked_again_after_a_kill(tmp_path: Path) -> None:
    with running() as server:
        pit = Pit(tmp_path / "pit", server, "killed")

        async def scene(house: House) -> None:
            await house.start()
            await house.open()
            await house.bet(1, 2, wager="harmony")
            server.freeze()  # takes what is sent, and says nothing
            await house.lock()
            await house.until(lambda: house.sign.lamp(1, "harmony") in {"accepted", "fault"})
            await house.until(lambda: house.state().intents)
            await house.kill()
            server.thaw()
            await house.start()
            await house.until(lambda: not house.state().intents)
            await house.until(lambda: meter(house).get("display_cents") == SEED + 2 * SHARE)
            await house.until(lambda: meter(house)["state"] == "live")

        house = in_a_house(tmp_path, scene, settings=pit.settings)
        pit.audit(house.journal)


def test_a_journal_that_begins_anew_under_an_old_name_is_refused(tmp_path: Path, server: Server) -> None:
    pit = Pit(tmp_path / "pit", server, "anew")

    async def played(house: House) -> None:
        await house.start()
        await house.open()
        await round_of(house, 1)
        await house.until(lambda: not house.state().intents)

    async def again(house: House) -> None:
        await house.start()
        await house.until(lambda: house.logged("link-gone"))
        await house.until(lambda: "does not know its own intent" in str(house.logged("link-gone")[-1]["why"]))
        await asyncio.sleep(0)
        assert meter(house) == {}  # it was never seen, so there is no amount to show

    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    in_a_house(tmp_path / "first", played, settings=pit.settings)
    in_a_house(tmp_path / "second", again, settings=pit.settings)
