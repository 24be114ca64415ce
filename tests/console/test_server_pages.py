"""Pages as a browser gets them: which there are, in which language, with which headers."""

from pathlib import Path

import pytest
from playwright.async_api import expect

from controller.console.pages import PAGES
from tests.console.browsers import needs_a_browser
from tests.console.house import NAME, Browser, Console, visit
from tests.console.visitors import Visitor, alone
from tests.service.house import House

POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
}


def test_every_answer_has_the_headers(tmp_path: Path) -> None:
    async def scene(console: Console) -> None:
        visitor = Visitor(console.port)
        for path in (
            "/",
            "/table",
            "/api/session",
            "/static/base.css",
            "/texts/en.json",
            "/nothing",
            "/static/no",
        ):
            answer = await visitor.get(path)
            assert set(answer.header("content-security-policy").split("; ")) == POLICY, path
            assert answer.header("x-content-type-options") == "nosniff"
            assert answer.header("referrer-policy") == "no-referrer"
            assert not answer.header("strict-transport-security")  # there is no TLS here
            assert not answer.header("server")
        assert (await visitor.post("/api/sign-in", {}, origin="http://evil.example")).header("content-security-policy")
        for path in ("/table", "/api/session"):
            assert (await visitor.get(path)).header("cache-control") == "no-store"

    alone(tmp_path, scene)


def test_files_are_kept_by_browsers_until_they_change(tmp_path: Path) -> None:
    async def scene(console: Console) -> None:
        visitor = Visitor(console.port)
        for path, type_ in (("/static/base.css", "text/css"), ("/static/live.js", "text/javascript")):
            first = await visitor.get(path)
            assert first.status == 200
            assert first.header("content-type").startswith(type_)
            assert first.header("cache-control") == "no-cache"
            again = await visitor.get(path, if_none_match=first.header("etag"))
            assert (again.status, again.body) == (304, b"")
            assert (await visitor.get(path, if_none_match='"other"')).status == 200

    alone(tmp_path, scene)


def test_a_page_is_of_a_table_that_is_there_and_in_its_readers_language(tmp_path: Path) -> None:
    tables = ("valley-forge/mb-07", "valley-forge/mb-08")

    async def scene(console: Console) -> None:
        visitor = Visitor(console.port)
        assert (await visitor.get("/")).header("location") == "/table"
        for page in PAGES:
            answer = await visitor.get(f"/{page}")
            assert answer.status == 200, page
            assert b"<html lang=" in answer.body
            assert (await visitor.get(f"/{page}?table=valley-forge/mb-08")).status == 200
            assert (await visitor.get(f"/{page}?table=valley-forge/mb-09")).status == 404
        assert (await visitor.get("/signage?tables=valley-forge/mb-07,valley-forge/mb-08")).status == 200
        assert (await visitor.get("/signage?tables=valley-forge/mb-07,other/x")).status == 404
        assert (await visitor.get("/slip/mb-07-214-1")).status == 200
        assert (await visitor.get("/slip/mb-07")).status == 404
        assert (await visitor.get("/texts/fr.json")).status == 404
        chinese = await visitor.get("/table", accept_language="zh-TW,zh;q=0.9,en;q=0.8")
        assert b'lang="zh-Hant"' in chinese.body
        assert not chinese.header("set-cookie")
        chosen = await visitor.get("/table?lang=zh-Hans", accept_language="zh-TW")
        assert "samesite=strict" in chosen.header("set-cookie").lower()
        assert b'lang="zh-Hans"' in chosen.body
        assert b'lang="zh-Hans"' in (await visitor.get("/floor", accept_language="en")).body

    alone(tmp_path, scene, tables=tables)


@needs_a_browser
@pytest.mark.parametrize("page", PAGES)
def test_a_page_loads_without_a_complaint_and_its_language_can_be_switched(tmp_path: Path, page: str) -> None:
    async def scene(_house: House, _console: Console, browser: Browser) -> None:
        shown = await browser.page(path=f"/{page}?table={NAME}")
        failed: list[str] = []
        shown.on("response", lambda answer: failed.append(answer.url) if answer.status >= 400 else None)
        for language in ("zh-Hant", "zh-Hans", "en"):
            await shown.goto(f"{browser.url}/{page}?table={NAME}&lang={language}")
            assert await shown.locator("html").get_attribute("lang") == language
            await shown.wait_for_function(
                """async (table) => {
                    const {connect} = await import("/static/live.js");
                    return connect([table]).state(table).state === "live";
                }""",
                arg=NAME,
            )
        assert failed == []

    visit(tmp_path, scene)


@needs_a_browser
def test_the_banner_says_how_the_table_is_and_the_choice_leads_to_another(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        two = Console(house.folder, house.broker.port, tables=(NAME, "valley-forge/mb-99"))
        await two.start()
        try:
            browser.url = two.url
            page = await browser.page(path="/table")
            await page.locator("#banner[data-state=live]").wait_for()
            assert await page.locator("#demonstration").is_hidden()
            await page.select_option("#choose-table", "valley-forge/mb-99")
            await page.wait_for_url("**/table?table=valley-forge*mb-99")
            # A page that has heard nothing yet is stale as well: only the words tell that this table is the silent one.
            await expect(page.locator("#banner-words")).to_contain_text("says nothing")
            await expect(page.locator("#banner")).to_have_attribute("data-state", "stale")
        finally:
            assert await two.stop() == 0

    visit(tmp_path, scene)
