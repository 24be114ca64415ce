"""A command whose reply is lost on the way: asked again under the same id, done once, and answered in the end."""

import asyncio
from pathlib import Path
from typing import Any

from tests.console.browsers import needs_a_browser
from tests.console.house import NAME, Browser, Console, needs_a_house, serve, sign_in, visit
from tests.console.visitors import Visitor
from tests.service.house import House

pytestmark = needs_a_house


def test_a_broker_that_dies_between_command_and_reply_loses_nothing(tmp_path: Path) -> None:
    async def scene(house: House, console: Console) -> None:
        dealer = Visitor(console.port)
        await dealer.sign_in("dora")
        head = house.head()
        house.broker.kill()
        asked = asyncio.create_task(dealer.command("open-table"))
        await asyncio.sleep(1)  # it is asked, and waits for the broker
        assert not asked.done()
        await house.broker.start()
        answer = await asked
        assert answer.json["ok"], answer
        assert house.state().phase.value == "open"
        assert answer.json["seq"] > head

    serve(tmp_path, scene)


def test_a_reply_that_never_comes_is_told_as_such_and_the_same_id_is_answered_later(tmp_path: Path) -> None:
    async def scene(house: House, console: Console) -> None:
        dealer = Visitor(console.port)
        await dealer.sign_in("dora")
        id_ = "0f8fad5b-d9cb-469f-a165-70867728950e"
        house.broker.kill()
        lost = await dealer.command("open-table", id=id_)
        assert (lost.status, lost.error) == (504, "no-reply")
        assert "broker" in lost.json["message"]
        await house.broker.start()
        await house.until(lambda: house.sign.connections > 1)
        first = await dealer.command("open-table", id=id_)
        assert first.json["ok"]
        again = await dealer.command("open-table", id=id_)
        assert again.json["seq"] == first.json["seq"]

    serve(tmp_path, scene)


def test_two_requests_for_one_id_get_one_reply_and_a_strangers_gets_none(tmp_path: Path) -> None:
    async def scene(house: House, console: Console) -> None:
        dealer, floor = Visitor(console.port), Visitor(console.port)
        await dealer.sign_in("dora")
        await floor.sign_in("flo")
        id_ = "1f8fad5b-d9cb-469f-a165-70867728950e"
        house.broker.kill()
        both = [asyncio.create_task(dealer.command("open-table", id=id_)) for _ in range(2)]
        await asyncio.sleep(1)
        stranger = await floor.command("open-table", id=id_)
        other = await dealer.command("close-table", id=id_)
        assert [(each.status, each.error) for each in (stranger, other)] == [(409, "under-way")] * 2
        await house.broker.start()
        one, two = await asyncio.gather(*both)
        assert one.json == two.json
        assert one.json["ok"]

    serve(tmp_path, scene)


@needs_a_browser
def test_the_page_asks_again_by_itself_under_the_same_id_and_it_takes_effect_once(tmp_path: Path) -> None:
    async def scene(house: House, console: Console, browser: Browser) -> None:
        page = await browser.page(path="/table")
        await sign_in(page, "flo")
        await house.open()
        ids: list[str] = []

        async def lose(route: Any) -> None:  # noqa: ANN401 -- playwright's
            ids.append(route.request.post_data_json["id"])
            if len(ids) == 1:  # the controller did it, and nobody hears so
                await route.fetch()
                await route.abort()
            elif len(ids) == 2:
                await route.fulfill(status=504, body='{"ok":false,"error":"no-reply","message":"lost"}')
            else:
                await route.continue_()

        await page.route("**/api/command/position-service", lose)
        script = """async (table) => {
            const {command} = await import("/static/api.js");
            return await command(table, "position-service", {position: 2, on: false, reason: "stuck"});
        }"""
        reply = await page.evaluate(script, NAME)
        assert reply["ok"]
        assert len(ids) == 3
        assert len(set(ids)) == 1
        await house.until(lambda: house.sign.facts[-1]["seq"] >= reply["seq"])
        assert sum("position" in fact["type"] for fact in house.sign.facts) == 1
        # After so many attempts it says so, and does not go on for ever.
        await page.unroute("**/api/command/position-service")
        await page.route("**/api/command/*", lambda route: route.abort())
        given_up = f"(table) => ({script})(table).catch((error) => [error.name, error.error])"
        error = await page.evaluate(given_up, NAME)
        assert error == ["Refused", "no-reply"]
        await page.unroute("**/api/command/*")
        # A console that was restarted knows nobody: the page finds out, and what it must show is new.
        await console.kill()
        await console.start()
        session = await page.evaluate("import('/static/api.js').then(({whoAmI}) => whoAmI())")
        assert "operator" not in session
        assert (await sign_in(page, "flo"))["operator"] == "flo"

    visit(tmp_path, scene)


def test_a_controller_that_was_restarted_knows_nobody_and_the_page_is_told_to_sign_in(tmp_path: Path) -> None:
    async def scene(house: House, console: Console) -> None:
        floor = Visitor(console.port)
        await floor.sign_in("flo")
        assert (await floor.command("query-hits")).json["ok"]
        await house.stop()
        await house.start()
        answer = await floor.command("query-hits")
        assert (answer.status, answer.error) == (401, "not-signed-in")
        assert "operator" not in (await floor.get("/api/session")).json
        assert (await floor.sign_in("flo")).json["ok"]
        assert (await floor.command("query-hits")).json["ok"]
        # Whom a supervisor signs out is out, too.
        await house.sign_in("sue")
        await house.do("operator-disable", "sue", operator="flo")
        assert (await floor.command("query-hits")).status == 401

    serve(tmp_path, scene)
