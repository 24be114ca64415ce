// The keys of the pad: one for each card, and on a phone one for each rank and each suit, in any order.

import { RANKS, SUITS } from "/static/drawing.js";
import { cardName, make, rankShown, SUIT_SYMBOLS, word } from "/static/parts.js";
import { text } from "/static/text.js";

const colour = (suit) => ("HD".includes(suit) ? "red" : "black");

export class Keys {
  /** `put(card)` is called for each card that was touched. */
  constructor(put) {
    this.put = put;
    this.half = {};
    this.one = make(
      "div",
      { class: "pad", role: "group", "aria-label": text("table.pad") },
      ...SUITS.flatMap((suit) => RANKS.map((rank) => this.whole(rank, suit))),
    );
    this.two = make(
      "div",
      { class: "pad-two", role: "group", "aria-label": text("table.pad") },
      make("div", { class: "pad-ranks" }, ...RANKS.map((rank) => this.part("rank", rank, rankShown(rank)))),
      make("div", { class: "pad-suits" }, ...SUITS.map((suit) => this.part("suit", suit, SUIT_SYMBOLS[suit], colour(suit)))),
    );
    this.elements = [this.one, this.two];
  }

  whole(rank, suit) {
    const card = rank + suit;
    return make(
      "button",
      { type: "button", class: `pad-card ${colour(suit)}`, "data-card": card, "aria-label": cardName(card), on: { click: () => this.put(card) } },
      make("b", { text: rankShown(rank) }),
      make("i", { text: SUIT_SYMBOLS[suit] }),
    );
  }

  part(what, name, shown, extra = "") {
    return make("button", {
      type: "button",
      class: `pad-card ${extra}`,
      [`data-${what}`]: name,
      "aria-label": word(`table.${what}`, name),
      "aria-pressed": "false",
      text: shown,
      on: { click: () => this.putHalf(what, name) },
    });
  }

  /** A rank or a suit; both make a card. */
  putHalf(what, name) {
    this.half[what] = this.half[what] === name ? undefined : name;
    const { rank, suit } = this.half;
    if (rank && suit) this.half = {};
    for (const button of this.two.querySelectorAll("button")) {
      const pressed = button.dataset.rank ? button.dataset.rank === this.half.rank : button.dataset.suit === this.half.suit;
      button.setAttribute("aria-pressed", String(pressed));
    }
    if (rank && suit) this.put(rank + suit);
  }

  /** Whether a card can be put anywhere. */
  enable(open) {
    for (const element of this.elements) {
      for (const button of element.querySelectorAll("button")) button.disabled = !open;
    }
  }
}
