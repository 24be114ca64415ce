// The felt: positions as they stand on the layout, an arc as the dealer sees it, with every lamp as symbol, word and colour.

import { text } from "/static/text.js";
import { LAMP_SYMBOLS, fill, make, word } from "/static/parts.js";

const MOST_POSITIONS = 16; // a table has no more: seats beyond have no place on the arc
const STEPS = 400; // to measure the arc by; finer than a pixel on any screen
// How far the arc reaches down at its ends, as angles: a little beyond a half circle would hide seats behind the dealer.
const FIRST = Math.PI * 0.985;
const LAST = Math.PI * 0.015;

/**
 * Where `count` seats stand on an arc: fractions of its box, from the left. Distances are measured in seats (`across` and
 * `down` of them fit in the box), the longer way counting, so that none stands on another.
 */
export function seats(count, across, down) {
  const at = (angle) => ({ x: 0.5 + 0.5 * Math.cos(angle), y: 1 - Math.sin(angle) });
  const lengths = [0];
  let before = at(FIRST);
  for (let step = 1; step <= STEPS; step += 1) {
    const here = at(FIRST + ((LAST - FIRST) * step) / STEPS);
    lengths.push(lengths[step - 1] + Math.max(Math.abs(here.x - before.x) * across, Math.abs(here.y - before.y) * down));
    before = here;
  }
  const whole = lengths[STEPS];
  return Array.from({ length: count }, (_, index) => {
    const wanted = count === 1 ? whole / 2 : (whole * index) / (count - 1);
    const step = lengths.findIndex((length) => length >= wanted - 1e-9);
    return at(FIRST + ((LAST - FIRST) * step) / STEPS);
  });
}

/** The numbers of positions, in order; what is no position is left out. */
export function numbered(positions) {
  const possible = Array.from({ length: MOST_POSITIONS }, (_, index) => index + 1);
  return possible.filter((number) => Object.hasOwn(positions, String(number)));
}

export class Felt {
  /** `arc` is the element the seats stand in; `touched(position)` is called when one is. */
  constructor(arc, touched) {
    this.arc = arc;
    this.touched = touched;
    this.buttons = new Map();
    this.turned = false;
    new ResizeObserver(() => this.place()).observe(arc);
  }

  /** Show the lamps of a round, and why positions are out of service. */
  show(positions, out = {}) {
    const numbers = numbered(positions);
    const known = [...this.buttons.keys()];
    if (numbers.length !== known.length || numbers.some((number, index) => number !== known[index])) this.build(numbers);
    this.arc.classList.toggle("single", numbers.every((number) => Object.keys(positions[number]).length === 1));
    for (const number of numbers) this.showSeat(number, positions[number], Object.hasOwn(out, String(number)) ? out[number] : null);
    this.place();
  }

  build(numbers) {
    this.buttons = new Map(
      numbers.map((number) => [
        number,
        make("button", { type: "button", class: "seat", "data-position": number, on: { click: () => this.touched(number) } }),
      ]),
    );
    this.arc.classList.toggle("many", numbers.length > 9);
    fill(this.arc, ...this.buttons.values());
  }

  showSeat(number, lamps, reason) {
    const button = this.buttons.get(number);
    const shown = JSON.stringify([lamps, reason]);
    if (button.dataset.shown === shown) return;
    button.dataset.shown = shown;
    const words = Object.entries(lamps).map(([wager, lamp]) => `${word("table.wager", wager)}: ${word("table.lamp", lamp)}`);
    if (reason !== null) words.unshift(text("table.out_of_service", { reason }));
    button.setAttribute("aria-label", `${text("table.position", { position: number })}. ${words.join(". ")}`);
    button.classList.toggle("out", reason !== null);
    const states = Object.values(lamps);
    for (const lamp of Object.keys(LAMP_SYMBOLS)) button.classList.toggle(`has-${lamp}`, states.includes(lamp));
    fill(
      button,
      make(
        "span",
        { class: "seat-head" },
        make("span", { class: "seat-number", text: String(number) }),
        reason !== null && make("span", { class: "seat-out", title: reason, text: reason }),
      ),
      ...Object.entries(lamps).map(([wager, lamp]) =>
        make(
          "span",
          { class: `lamp lamp-${lamp}`, "data-wager": wager, "data-lamp": lamp },
          make("span", { class: "lamp-wager", text: word("table.short", wager) }),
          make("span", { class: "lamp-symbol", "aria-hidden": "true", text: LAMP_SYMBOLS[lamp] ?? "?" }),
          make("span", { class: "lamp-word", text: word("table.lamp", lamp) }),
        ),
      ),
    );
  }

  /** Position 1 on the other side. */
  turn(turned) {
    this.turned = turned;
    this.place();
  }

  place() {
    const { clientWidth: width, clientHeight: height } = this.arc;
    if (!width || !height) return;
    const [first] = this.buttons.values();
    if (!first) return;
    const found = seats(this.buttons.size, width / first.offsetWidth, height / first.offsetHeight);
    if (this.turned) found.reverse();
    [...this.buttons.values()].forEach((button, index) => {
      button.style.left = `${(found[index].x * 100).toFixed(3)}%`;
      button.style.top = `${(found[index].y * 100).toFixed(3)}%`;
    });
  }
}
