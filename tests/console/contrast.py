"""How well text on a page can be read, measured on what chromium painted: WCAG 2.2, 1.4.3, level AA.

The ground behind a text is taken from the painted page itself, with all text made clear: gradients, hatchings and
whatever lies on top of one another are in it. The ink is the text's own colour, through every opacity above it. Of all
pixels behind a text the worst counts.
"""

from base64 import b64encode
from typing import Any

from playwright.async_api import Page

LEAST, LEAST_LARGE = 4.5, 3.0  # to one; large is 24 px, or 18.66 px and bold
# Every text that can be seen, where it is, and its colour. What cannot be used now is exempt, as the standard has it.
TEXTS = """() => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    const pen = document.createElement("canvas").getContext("2d");
    while (walker.nextNode()) {
        const node = walker.currentNode;
        const element = node.parentElement;
        if (!node.data.trim() || !element.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
        if (element.closest(":disabled, [aria-disabled=true], noscript, option, .unseen, .for-readers")) continue;
        range.selectNodeContents(node);
        const style = getComputedStyle(element);
        pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
        const reach = pen.measureText(node.data); // a line of some fonts is higher than their letters: only these count
        const above = Math.max(0, reach.fontBoundingBoxAscent - reach.actualBoundingBoxAscent);
        const below = Math.max(0, reach.fontBoundingBoxDescent - reach.actualBoundingBoxDescent);
        let opacity = 1;
        for (let at = element; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
        const size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        for (const {left, top, right, bottom} of range.getClientRects()) { // one for each line
            const middle = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
            if (!middle || !(element.contains(middle) || middle.contains(element))) continue; // off screen, or covered
            found.push({
                words: node.data.trim().slice(0, 40), where: element.className || element.localName,
                box: [left, top + above, right, bottom - below],
                ink: element instanceof SVGElement ? style.fill : style.color, opacity, large,
            });
        }
    }
    return found;
}"""
CLEAR = """() => {
    const sheet = new CSSStyleSheet();
    const clear = "color: transparent !important; text-shadow: none !important; caret-color: transparent !important;";
    const never = "transition: none !important; animation: none !important;";
    sheet.replaceSync(`*, *::before, *::after {${clear} ${never}} text {fill: transparent !important}`);
    document.adoptedStyleSheets = [sheet];
}"""
RESTORE = "() => { document.adoptedStyleSheets = []; }"
WORST = """async ([picture, texts]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${picture}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const pen = canvas.getContext("2d", {willReadFrequently: true});
    pen.drawImage(image, 0, 0);
    const linear = (value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    const light = (colour) => {
        const [red, green, blue] = colour.map((part) => linear(part / 255));
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const dot = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
    const read = (colour) => {
        dot.clearRect(0, 0, 1, 1);
        dot.fillStyle = colour;
        dot.fillRect(0, 0, 1, 1);
        return [...dot.getImageData(0, 0, 1, 1).data];
    };
    return texts.map(({box: [left, top, right, bottom], ink, opacity}) => {
        const [x, y] = [Math.max(0, Math.ceil(left)), Math.max(0, Math.ceil(top))];
        const wide = Math.min(image.width, Math.floor(right)) - x;
        const tall = Math.min(image.height, Math.floor(bottom)) - y;
        if (wide < 1 || tall < 1) return null;
        const {data} = pen.getImageData(x, y, wide, tall);
        const [red, green, blue, alpha] = read(ink);
        const part = (alpha / 255) * opacity;
        const seen = new Set();
        for (let at = 0; at < data.length; at += 4) seen.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
        let worst = 21;
        for (const pixel of seen) {
            const ground = [pixel >> 16, (pixel >> 8) & 255, pixel & 255];
            const shown = [red, green, blue].map((value, place) => value * part + ground[place] * (1 - part));
            const [low, high] = [light(ground), light(shown)].sort((one, other) => one - other);
            worst = Math.min(worst, (high + 0.05) / (low + 0.05));
        }
        return worst;
    });
}"""


async def faint(page: Page) -> list[str]:
    """Texts that are too faint, each with its contrast; nothing is the right answer."""
    texts: list[dict[str, Any]] = await page.evaluate(TEXTS)
    assert texts, page.url
    await page.evaluate(CLEAR)
    picture = b64encode(await page.screenshot()).decode()
    await page.evaluate(RESTORE)
    dark_room = await page.context.new_page()
    contrasts: list[float | None] = await dark_room.evaluate(WORST, [picture, texts])
    await dark_room.close()
    return [
        f"{each['words']!r} ({each['where']}): {contrast:.2f}"
        for each, contrast in zip(texts, contrasts, strict=True)
        if contrast is not None and contrast < (LEAST_LARGE if each["large"] else LEAST)
    ]
