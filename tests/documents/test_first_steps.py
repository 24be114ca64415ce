"""The README's five minutes, and the words of docs/floor.md: what a reader is told to touch is there to be touched."""

import asyncio
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from controller.demo.people import EVERYBODY
from tests.console.browsers import WHOLE, browse, needs_a_browser
from tests.console.house import browsing
from tests.documents.box import PATIENCE_S, end
from tests.documents.reading import ROOT, prose
from tests.documents.walking import commands_of
from tests.ports import free_port

README = ROOT / "README.md"
TEXTS = [
    text
    for name in ("table", "floor", "base")
    for text in json.loads((ROOT / f"controller/console/texts/{name}.en.json").read_text()).values()
]


def _demonstration(folder: Path, port: int) -> list[str]:
    """What `make run` of the README starts: with a port and a folder that are free, and nothing else changed."""
    (text,) = [command.text for command in commands_of(README) if "--no-floor" in command.text]
    words = shlex.split(text)
    assert words[:2] == ["make", "run"]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # of `make test`
    make = ["/usr/bin/env", "make", "--dry-run", *words[1:]]
    told = subprocess.run(make, cwd=ROOT, env=environ, capture_output=True, text=True, check=True)
    program, *arguments = shlex.split(told.stdout.splitlines()[-1])
    assert program.endswith("bin/jackpotd")
    return [sys.executable, "-m", "controller", *arguments, "--port", str(port), "--state", str(folder)]


@needs_a_browser
@pytest.mark.verify
def test_five_minutes_lead_to_a_validated_jackpot(tmp_path: Path) -> None:
    port = free_port()
    command = _demonstration(tmp_path / "state", port)
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        assert process.stdout is not None
        assert f"http://127.0.0.1:{port}" in process.stdout.readline()
        browse(_visit(f"http://127.0.0.1:{port}", tmp_path), WHOLE)
        process.terminate()
        told, _ = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, told
        assert re.search(r"[1-9]\d* validated", told), told
        assert "journal.db: whole" in told
    finally:
        end(process)


async def _visit(url: str, folder: Path) -> None:
    """The sign, and then the floor, as the README says."""
    person, pin = re.findall(r"sign in as `(\w+)` with the PIN `(\d+)`", README.read_text())[0]
    expect.set_options(timeout=PATIENCE_S * 1000)
    async with browsing(url, folder, WHOLE) as browser:
        sign = await _open(await (await browser.context()).new_page(), f"{url}/signage")
        await expect(sign.locator("#sign .hit").first).to_be_attached()
        page = await _open(await (await browser.context()).new_page(), f"{url}/floor")
        await page.locator("form.credentials input[type=text]").fill(person)
        for digit in pin:
            await page.locator("form.credentials").get_by_role("button", name=digit, exact=True).click()
        await page.locator("form.credentials button[type=submit]").click()
        for words in re.findall(r"\*(\w[\w ]+)\*", re.findall(r"^4\. (.*)$", README.read_text(), re.MULTILINE)[0]):
            await page.locator("button").filter(has_text=re.compile(words)).first.click()
        await expect(page.locator("#slip")).to_contain_text("Slip 1")


async def _open(page: Page, url: str) -> Page:
    """A page, as soon as the console that is just starting answers."""
    for _ in range(PATIENCE_S * 5):
        try:
            await page.goto(url)
        except Exception:  # noqa: BLE001 -- whatever a browser calls a console that does not listen yet
            await asyncio.sleep(0.2)
        else:
            return page
    raise AssertionError(f"{url} does not answer")


def test_who_may_sign_in_is_who_the_readme_says() -> None:
    named = re.findall(r"`(\w+)` `(\d{6})`", README.read_text())
    assert sorted(named) == sorted((member.id, member.pin) for member in EVERYBODY)


@pytest.mark.parametrize("words", sorted(set(re.findall(r"\*\*([^*]+)\*\*", prose(ROOT / "docs/floor.md")))))
def test_the_floors_guide_names_what_is_on_the_console(words: str) -> None:
    """Bold words are texts of the console, or the sentence itself is stressed."""
    stressed = {"bold", "once", "The amount is fixed at that moment", "A mystery hit stands"}
    plain = [re.sub(r"\s*\{.*", "", text) for text in TEXTS]
    assert words in stressed or words in plain
