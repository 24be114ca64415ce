"""`python -m tests.console.screenshots`: the pictures in docs/pictures, of a scripted evening after some recorded days.

Everything on them is real: the pages of the console, over a broker, from a controller that keeps a journal. Cards,
wagers and people are the same each time; times are today's, and a mystery's nonce is drawn anew. Mystery values alone
are not drawn as a table draws them: they are low, so that some days are enough to hit several.
"""

import struct
import sys
import tempfile
import zlib
from base64 import b64decode, b64encode
from pathlib import Path
from random import Random

from playwright.async_api import Page

from controller.journal.sqlite import SqliteJournal
from controller.vault import Vault, key_id
from tests.console.browsers import HEADLESS
from tests.console.house import Browser, Console, sign_in, visit
from tests.console.pit import MEGA, awards, looks
from tests.console.recorded import DAYS, Recorded
from tests.journal.played import MINOR_AT_1
from tests.outlets.brokers import MOSQUITTO
from tests.service.house import House

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
MOST_BYTES = 250_000  # of a picture: they are in the repository for ever
WALL, DESK, TALL, PHONE, PAPER = (1920, 1080), (1280, 800), (1280, 1100), (390, 844), (760, 840)
HERE = 'timezone = "America/New_York"'  # of the slip
SEED = 9
LOW_CENTS = 1200  # above its minimum: about what a day adds to the mystery
# A browser dithers its gradients, and noise packs badly: colours are kept in steps that an eye does not see.
STEP = 3
DEVELOP = """async ([picture, step]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${picture}`;
    await image.decode();
    const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
    pen.drawImage(image, 0, 0);
    const {data, width, height} = pen.getImageData(0, 0, image.width, image.height);
    const rounded = (value) => String.fromCharCode(Math.min(255, Math.round(value / step) * step));
    const pixels = [];
    for (let at = 0; at < data.length; at += 4) {
        pixels.push(rounded(data[at]) + rounded(data[at + 1]) + rounded(data[at + 2]));
    }
    return [width, height, btoa(pixels.join(""))];
}"""


def png(width: int, height: int, pixels: bytes) -> bytes:
    """A picture of three bytes a pixel, packed as well as it can be: rows as they are suit large even areas."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    row = width * 3
    rows = b"".join(b"\0" + pixels[at : at + row] for at in range(0, len(pixels), row))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, red green blue
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)


class Camera:
    """Takes pictures, and refuses those that are too large to keep."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.taken: dict[str, int] = {}

    async def take(self, page: Page, name: str) -> None:
        """What is on the screen, with nothing marked by a finger or a key."""
        await page.evaluate("() => document.fonts.ready.then(() => document.activeElement?.blur())")
        seen = await page.screenshot(animations="disabled")
        dark_room = await page.context.new_page()
        width, height, pixels = await dark_room.evaluate(DEVELOP, [b64encode(seen).decode(), STEP])
        await dark_room.close()
        picture = png(width, height, b64decode(pixels))
        if len(picture) > MOST_BYTES:
            raise RuntimeError(f"{name}: {len(picture)} bytes, at most {MOST_BYTES}: show less, or on a smaller screen")
        (self._folder / f"{name}.png").write_bytes(picture)
        self.taken[name] = len(picture)


def before(house: House) -> str:
    """Some days in the journal, decided by the real engine; a hit of them."""
    key = bytes.fromhex((house.keys / "vault-key").read_text())
    chance = Random(SEED)
    vault = Vault({key_id(key): key}, key_id(key), randbelow=lambda below: chance.randrange(below) % LOW_CENTS)
    with SqliteJournal(house.journal) as journal:
        table = Recorded(journal, vault)
        paid = ""
        for _ in range(DAYS):
            table.spell()
            table.play(1, 3, hands=MINOR_AT_1)
            for award in table.pending():
                paid = award.hit if award.meter == "royal9-minor" else paid
                table.validate(award.id)
            table.spell(9)
            table.day_ends()
        table.engine.stop()
    return paid


async def evening(house: House, browser: Browser, camera: Camera) -> None:
    """What is played, and what is looked at meanwhile."""
    paid = before(house)
    await house.start()
    await house.sign_in("dora", "flo", "finn")
    sign = await browser.page(*WALL, path="/signage")
    table = await looks(browser, "/table", width=DESK[0], height=DESK[1])
    await sign_in(table, "dora")
    await house.bet(1, 2, 4, 5, 8)
    await house.bet(2, 5, 9, wager="harmony")
    await house.lock()
    house.chip(7)
    await house.until(lambda: house.sign.lamp(7) == "refused")
    await house.agree()
    await table.locator("[data-position='7'] .lamp-refused").wait_for()
    await camera.take(table, "table")
    await sign.wait_for_function("() => !document.querySelector('#sign .wheel .next:not(:empty)')")
    await camera.take(sign, "signage")
    await _jackpot(house, browser, camera, sign)
    await _office(house, browser, camera, paid)


async def _jackpot(house: House, browser: Browser, camera: Camera, sign: Page) -> None:
    """A jackpot for two people: on the wall, on the floor, on a telephone, on paper."""
    house.deal(MEGA)
    await house.until(lambda: len(awards(house)) > 0)
    (mega,) = [each for each in (await house.agree()).pending() if each.meter == "royal9-mega"]
    await sign.locator("#hit").wait_for()
    await camera.take(sign, "signage-hit")
    for envy in [each for each in house.state().pending() if each.kind == "fixed"][1:]:  # all but one are paid
        await house.do("validate", "flo", award=envy.id, method="inventory", base_wager=True)
    await house.agree()
    for name, size in (("floor", DESK), ("floor-phone", PHONE)):
        page = await looks(browser, "/floor", width=size[0], height=size[1])
        await sign_in(page, "flo")
        await page.get_by_role("button", name="Royal 9 Mega $").click()
        await page.get_by_text("How the amount came about").wait_for()
        await camera.take(page, name)
    await house.do("validate", "flo", "finn", award=mega.id, method="slip", base_wager=True)
    slip = await browser.page(*PAPER, path=f"/slip/{mega.id}")
    await sign_in(slip, "flo")
    await slip.get_by_role("button", name="Make the slip").click()
    await slip.get_by_role("img").wait_for()
    await camera.take(slip, "slip")


async def _office(house: House, browser: Browser, camera: Camera, paid: str) -> None:
    """What an auditor reads, and what anybody may."""
    audit = await browser.page(*TALL, path="/audit#meters")
    await sign_in(audit, "abe")
    for where, name in (("meters", "audit-meters"), (f"hits?award={paid}", "audit-hit")):
        await audit.evaluate("(where) => { location.hash = where; }", where)
        await audit.locator("#panel[aria-busy=false] h2").wait_for()
        await audit.locator({"audit-meters": "#panel svg", "audit-hit": "#panel .hit-title"}[name]).first.wait_for()
        await camera.take(audit, name)
    await house.agree()
    proof = await browser.page(*DESK, path="/proof")
    await proof.get_by_text("Fits").first.wait_for()
    await proof.locator("#meters-title").scroll_into_view_if_needed()
    await camera.take(proof, "proof")


def main() -> int:
    """Take them all."""
    if HEADLESS is None or MOSQUITTO is None:
        print("apt-get install chromium-headless-shell mosquitto", file=sys.stderr)  # noqa: T201 -- a program
        return 2
    PICTURES.mkdir(parents=True, exist_ok=True)
    camera = Camera(PICTURES)

    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await evening(house, browser, camera)

    with tempfile.TemporaryDirectory() as made:
        visit(Path(made), scene, started=False, settings=HERE)
    for name, size in camera.taken.items():
        print(f"docs/pictures/{name}.png  {size // 1000} KB")  # noqa: T201 -- a program
    return 0


if __name__ == "__main__":
    sys.exit(main())
