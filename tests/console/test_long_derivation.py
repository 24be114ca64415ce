"""A hit that hundreds of wagers led up to: how its amount came about is seen whole, by auditors and on the floor."""

from itertools import accumulate
from pathlib import Path

from playwright.async_api import Page, expect

from controller.journal.audit.awards import find
from controller.journal.audit.derivation import Derivation, derive
from controller.journal.reading import open_readonly
from controller.journal.sqlite import SqliteJournal
from controller.rules.money import UNITS_PER_CENT
from controller.vault import Vault, key_id
from controller.wire.commands import MOST_ROWS
from tests.console.browsers import needs_a_browser
from tests.console.house import Browser, Console, sign_in, visit
from tests.console.pit import looks
from tests.console.recorded import Recorded
from tests.console.test_audit import dollars, opened
from tests.journal.played import MINOR_AT_1
from tests.service.house import House

pytestmark = needs_a_browser
POSITIONS = range(1, 10)
ROUNDS = 60  # of nine wagers each: more than two pages of lines, and not a multiple of one
FAR = 70_000  # cents above its minimum, at which the mystery meter would be hit: not in these rounds
SECONDS = 30_000_000  # of a round, in microseconds
CELLS = "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"


def played(house: House) -> tuple[str, Derivation]:
    """A jackpot that waits, after many full rounds, all of them today; and how its amount came about by the journal."""
    key = bytes.fromhex((house.keys / "vault-key").read_text())
    vault = Vault({key_id(key): key}, key_id(key), randbelow=lambda _below: FAR)
    with SqliteJournal(house.journal) as journal:
        table = Recorded(journal, vault)
        for _ in range(ROUNDS):
            table.now += SECONDS
            table.play(*POSITIONS)
        table.play(1, hands=MINOR_AT_1)
        (award,) = table.pending()
        table.engine.stop()
    with open_readonly(house.journal) as journal:
        return award.id, derive(journal, find(journal, award.id))


async def told(page: Page) -> list[list[str]]:
    """What stands in the cells of the audit's lines."""
    found: list[list[str]] = await page.locator("table.dense tbody tr").evaluate_all(CELLS)
    return found


def test_an_auditor_reads_every_line_page_by_page_with_the_total_and_the_verdict_on_each(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        award, expected = played(house)
        await house.start()
        page = await opened(browser, f"hits?award={award}")
        numbers = [f"{line.seq:,}" for line in expected.lines]
        totals = [dollars(units // UNITS_PER_CENT) for units in accumulate(line.units for line in expected.lines)]
        assert len(numbers) == ROUNDS * len(POSITIONS) + 2 > 2 * MOST_ROWS  # what opened the meter, and the last wager
        place, forward, back = (page.locator(part).first for part in (".pager", ".pager .next", ".pager .before"))
        for first in range(0, len(numbers), MOST_ROWS):
            last = min(first + MOST_ROWS, len(numbers))
            await expect(place).to_contain_text(f"Rows {first + 1} to {last}")
            lines = await told(page)
            assert [line[0] for line in lines] == numbers[first:last]
            assert [line[-1] for line in lines] == totals[first:last]
            await expect(page.locator(".verdict.good")).to_contain_text(f"Its whole cents are the award, {totals[-1]}")
            await expect(page.locator("#panel .facts").last).to_contain_text(totals[-1])
            if last < len(numbers):
                await page.locator(".pager .next").last.click()  # below the lines
                # The next page is read from its top, and a keyboard turns on from there.
                await expect(forward if last + MOST_ROWS < len(numbers) else back).to_be_focused()
                await expect(place).to_be_in_viewport()
        await expect(forward).to_be_disabled()
        await back.click()
        await expect(place).to_contain_text(f"Rows {MOST_ROWS + 1} to {2 * MOST_ROWS}")
        await expect(back).to_be_focused()

    visit(tmp_path, scene, started=False)


def test_a_floorperson_sees_the_verdict_at_once_and_every_line_at_a_touch(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        _, expected = played(house)
        await house.start()
        page = await looks(browser, "/floor")
        await sign_in(page, "flo")
        await page.locator("#derivation").click()
        evidence, lines = page.locator("#evidence"), page.locator(".derivation tbody tr")
        for known in range(MOST_ROWS, len(expected.lines), MOST_ROWS):
            await expect(lines).to_have_count(known)
            await expect(evidence).to_contain_text("Every line adds up to the amount.")
            await expect(page.locator("#derivation")).to_contain_text(f": {known - 1}+")  # one line opened the meter
            await page.locator("#more-lines").click()
        await expect(lines).to_have_count(len(expected.lines))
        await expect(page.locator("#more-lines")).to_have_count(0)
        await expect(page.locator("#derivation")).to_contain_text(f": {len(expected.lines) - 1}")
        await expect(lines.last).to_contain_text(dollars(expected.total // UNITS_PER_CENT))
        # So many lines are not drawn anew whenever the table says something.
        await page.evaluate("document.querySelector('.derivation tbody').dataset.kept = 'yes'")
        await house.bet(expected.won.awards[0].position)
        await expect(evidence.locator(".lamp-placed")).to_be_visible()
        await expect(evidence.locator("tbody[data-kept=yes] tr")).to_have_count(len(expected.lines))

    visit(tmp_path, scene, started=False)
