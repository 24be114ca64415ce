"""The parts of a sign that compute: wheels, arrangements and the order of hits, in a real browser at made-up times."""

from pathlib import Path
from typing import Any

from tests.console.browsers import needs_a_browser
from tests.console.house import Browser, Console
from tests.console.spoken import Tables, listen

pytestmark = needs_a_browser

# Random amounts told at random times, looked at at random times: how far the wheels were off, whatever they did.
PLAYED = """async (seed) => {
    const {Rolling, wheels} = await import("/static/odometer.js");
    let state = seed;
    const random = (below) => (state = (state * 1103515245 + 12345) % 2147483648) % below;
    const found = {above: 0, late: 0, back: 0, between: 0, unequal: 0, falls: 0};
    const rolling = new Rolling();
    let time = 0, amount = 5000000, before = 0;
    const told = [];
    rolling.aim(amount, time);
    for (let step = 0; step < 4000; step += 1) {
        const pause = [1, 16, 16, 16, 40, 250, 1500][random(7)];
        time += pause;
        let fell = false;
        if (random(6) === 0) {
            fell = random(10) === 0;
            amount = fell ? Math.max(0, amount - random(3000000)) : amount + [1, 50, 475, 20000][random(4)];
            rolling.aim(amount, time);
            if (fell) {
                told.length = 0;
                found.falls += 1;
                if (rolling.whole > amount) found.above += 1;
            }
            told.push([time, amount]);
        }
        rolling.roll(time);
        const {whole, part} = rolling;
        const upper = part > 0 ? whole + 1 : whole;
        if (upper > amount) found.above += 1;
        const due = told.filter(([at]) => time - at >= 1000).at(-1);
        if (due && whole < due[1]) found.late += 1;
        if (!fell && whole < before) found.back += 1;
        before = whole;
        if (whole < amount) found.between += 1;
        const shown = wheels(whole, part, String(amount).length);
        const read = Number(shown.map((wheel) => wheel.now || "0").join(""));
        const next = Number(shown.map((wheel) => wheel.next || wheel.now || "0").join(""));
        if (read !== whole || next !== upper) found.unequal += 1;
    }
    return found;
}"""


def evaluated(folder: Path, script: str, argument: object = None) -> Any:  # noqa: ANN401 -- what the script says
    """What a script says on a page of the console."""
    said: list[Any] = []

    async def scene(_tables: Tables, _console: Console, browser: Browser) -> None:
        page = await browser.page(path="/signage")
        said.append(await page.evaluate(script, argument))

    listen(folder, scene)
    return said[0]


def test_wheels_are_never_above_what_is_true_and_never_a_second_behind(tmp_path: Path) -> None:
    script = f"async (seeds) => Promise.all(seeds.map({PLAYED}))"
    for found in evaluated(tmp_path, script, [1, 7, 2026, 90210]):
        assert found["between"] > 100  # they do roll
        assert found["falls"] > 10
        assert {name: found[name] for name in ("above", "late", "back", "unequal")} == dict.fromkeys(
            ("above", "late", "back", "unequal"), 0
        )


def test_amounts_are_written_in_whole_numbers(tmp_path: Path) -> None:
    script = """async (amounts) => {
        const {dollars} = await import("/static/odometer.js");
        return amounts.map(dollars);
    }"""
    amounts = [0, 5, 99, 100, 12_345, 99_999_999, 100_000_000, 2**53 - 1]
    assert evaluated(tmp_path, script, amounts) == [f"${cents // 100:,}.{cents % 100:02}" for cents in amounts]


def test_an_arrangement_fits_its_screen_and_puts_the_largest_first(tmp_path: Path) -> None:
    script = """async (screens) => {
        const {arrange} = await import("/static/signage-layout.js");
        const found = [];
        for (const [width, height] of screens) {
            for (let count = 1; count <= 8; count += 1) {
                const cells = Array.from({length: count}, (_, place) => ({ems: place < 2 ? 5 : 3.6, feet: place % 3}));
                const {rows} = arrange(cells, width, height);
                let at = 0, wide = 0;
                for (const row of rows) {
                    const widest = Math.max(...cells.slice(at, at + row.count).map((cell) => cell.ems));
                    wide = Math.max(wide, widest * row.size - width / row.count);
                    at += row.count;
                }
                found.push({
                    count: at - count, wide, sizes: rows.map((row) => row.size),
                    tall: rows.reduce((sum, row) => sum + row.tall * row.size, 0) - height,
                });
            }
        }
        return found;
    }"""
    for found in evaluated(tmp_path, script, [[1900, 1000], [1040, 1800], [3800, 2000], [380, 780], [600, 400]]):
        assert found["count"] == 0  # none left out
        assert found["wide"] <= 0
        assert found["tall"] <= 1
        assert found["sizes"] == sorted(found["sizes"], reverse=True)


def test_hits_take_turns_on_the_screen(tmp_path: Path) -> None:
    script = """async () => {
        const {Queue} = await import("/static/signage-hits.js");
        const hit = (award, position = 1, at = award) => ({award, position, amount_cents: 5, at});
        const shown = (queue, time) => queue.turn(time)?.hits.map((each) => each.award) ?? null;
        const found = {};

        const alone = new Queue(30);
        alone.stand("t", "m", [hit("a")], () => 0);
        found.alone = [0, 29.9, 30].map((time) => shown(alone, time));
        alone.stand("t", "m", [hit("a")], () => 31);
        found.once = shown(alone, 31);

        const two = new Queue(30);
        two.stand("t", "m", [hit("a")], () => 0);
        shown(two, 0);
        two.stand("t", "n", [hit("b")], () => 0);
        found.two = [9.9, 10, 39.9, 40].map((time) => shown(two, time));

        const validated = new Queue(30);
        validated.stand("t", "m", [hit("a")], () => 0);
        validated.stand("t", "n", [hit("b")], () => 0);
        shown(validated, 0);
        validated.stand("t", "m", [], () => 0);
        found.validated = shown(validated, 1);
        validated.drop("t");
        found.dropped = shown(validated, 2);

        const late = new Queue(30);
        late.stand("t", "m", [hit("a")], () => 20);
        found.late = [0, 9.9, 10].map((time) => shown(late, time));
        late.stand("t", "m", [hit("b")], () => 28);
        found.justInTime = shown(late, 50);
        late.stand("t", "m", [hit("c")], () => 28.1);
        found.tooLate = shown(late, 60);

        const shared = new Queue(30);
        shared.stand("t", "m", [hit("a", 5, "now"), hit("b", 1, "now"), hit("c", 8, "now")], () => 0);
        found.shared = shown(shared, 0);
        shared.stand("t", "m", [hit("a", 5, "now"), hit("c", 8, "now")], () => 0);
        found.fewer = shown(shared, 1);

        const many = new Queue(30);
        const names = Array.from({length: 9}, (_, place) => `hit-${place}`);
        for (const name of names) many.stand("t", name, [hit(name)], () => 0);
        found.many = names.map((_, place) => shown(many, 100 * place));
        return found;
    }"""
    found = evaluated(tmp_path, script)
    assert found["alone"] == [["a"], ["a"], None]  # at most 30 s
    assert found["once"] is None
    assert found["two"] == [["a"], ["b"], ["b"], None]  # with others waiting, ten seconds each
    assert found["validated"] == ["b"]
    assert found["dropped"] is None
    assert found["late"] == [["a"], ["a"], None]  # what is left of it
    assert found["justInTime"] == ["b"]
    assert found["tooLate"] is None
    assert found["shared"] == ["a", "b", "c"]
    assert found["fewer"] == ["a", "c"]
    assert found["many"] == [[f"hit-{place}"] for place in range(8)] + [None]  # eight wait, the ninth does not
