// The evidence of an award: the cards, the wager and when it was in, the lamp, the meter before and after, how the amount
// came about, and for a mystery its commitment held against what was revealed.

import { text } from "/static/text.js";
import { points } from "/static/drawing.js";
import { cardFace, dollars, exact, fill, make, mayQuery, outcomeName, moment, refusal, word, LAMP_SYMBOLS } from "/static/parts.js";
import { available, commitment } from "/static/proving.js";

const FIRST_LINES = 200; // one page of the derivation; more are asked for with a touch
const MOST_KEPT = 16; // awards whose evidence is remembered: more than ever wait at one table

export class Evidence {
  /** `changed()` is called when something more is known. */
  constructor(table, live, person, changed) {
    this.table = table;
    this.live = live;
    this.person = person;
    this.changed = changed;
    this.known = new Map();
  }

  /** What is known of an award; what is not is asked for, once, by whoever may. */
  of(award) {
    let found = this.known.get(award.award);
    if (!found) {
      found = { round: null, derived: null, lines: [], drawn: null, next: undefined, error: null, check: null, asking: false, open: false, asked: "" };
      this.known.set(award.award, found);
      if (this.known.size > MOST_KEPT) this.known.delete(this.known.keys().next().value);
    }
    const who = this.person.session?.operator ?? "";
    if (mayQuery(this.person.session) && found.asked !== who && !found.derived && this.person.awake()) {
      found.asked = who;
      this.ask(award, found);
    }
    if (award.reveal && found.check === null) {
      found.check = "checking";
      this.check(award, found);
    }
    return found;
  }

  async ask(award, found) {
    Object.assign(found, { asking: true, error: null, lines: [], drawn: null, next: undefined });
    try {
      const rounds = await this.person.command("query-rounds", { round: award.round });
      found.round = rounds.rounds?.[0] ?? null;
      if (award.meter) await this.derive(award, found);
    } catch (error) {
      found.error = error;
    }
    found.asking = false;
    this.changed();
  }

  async derive(award, found) {
    const fields = { award: award.award, limit: FIRST_LINES, ...(found.next ? { after: found.next } : {}) };
    const told = await this.person.command("query-derive", fields);
    found.derived = told;
    found.lines.push(...(told.lines ?? []));
    found.next = told.next;
  }

  async check(award, found) {
    if (!available()) found.check = "unavailable";
    else {
      const { cycle, value_cents: cents, nonce } = award.reveal;
      try {
        const made = await commitment({ table: this.live.get(this.table, `meters/${award.meter}`)?.link ?? this.table, meter: award.meter, cycle, cents, nonce });
        found.check = made === award.reveal.commitment ? "holds" : "broken";
      } catch {
        found.check = "broken";
      }
    }
    this.changed();
  }

  show(element, award) {
    const found = this.of(award);
    const derivation = found.derived && this.derivation(award, found);
    const parts = [
      this.cards(award),
      this.wager(award, found),
      this.meter(award, found),
      award.reveal && this.reveal(award, found),
      found.asking && make("p", { class: "note", role: "status", text: text("floor.asking") }),
      found.error && refusal(found.error),
      found.error && make("button", { type: "button", id: "ask-again", text: text("table.look_again"), on: { click: () => this.ask(award, found) } }),
      !mayQuery(this.person.session) && make("p", { class: "note", text: text("floor.more_signed_in") }),
    ];
    if (!derivation || derivation.parentNode !== element) return fill(element, ...parts, derivation);
    // Thousands of lines stay where they are: to lay them out again takes as long as a person notices.
    const focused = element.contains(document.activeElement) ? document.activeElement.id : "";
    for (const child of [...element.children]) if (child !== derivation) child.remove();
    derivation.before(...parts.filter(Boolean));
    if (focused) document.getElementById(focused)?.focus();
    return undefined;
  }

  cards(award) {
    if (!award.player || !award.banker) return make("section", { class: "proof cards" }, make("h3", { text: text("floor.cards") }), make("p", { text: text("floor.no_cards") }));
    return make(
      "section",
      { class: "proof cards" },
      make("h3", { text: text("floor.cards") }),
      ...["player", "banker"].map((side) =>
        make(
          "div",
          { class: `dealt ${side}` },
          make("h4", {}, make("span", { text: text(`table.${side}`) }), make("output", { class: "points", text: String(points(award[side])) })),
          make("div", { class: "dealt-cards" }, ...award[side].map(cardFace)),
        ),
      ),
      award.kind === "mystery" && make("p", { class: "note", text: text("floor.no_cards") }),
      make("p", { class: "outcome", text: outcomeName(award.wager, award.outcome) }),
    );
  }

  wager(award, found) {
    const name = award.wager.split("/")[0];
    const row = found.round?.wagers.find((each) => each.position === award.position && each.wager === name);
    const lamps = this.live.get(this.table, "round")?.positions?.[award.position] ?? {};
    const lamp = Object.hasOwn(lamps, name) ? lamps[name] : undefined; // a name such as __proto__ finds what is no lamp
    const hand = found.round?.hands.at(-1);
    return section(
      text("floor.wager"),
      [text("floor.wager_name"), `${word("table.wager", name)} (${award.wager})`],
      [text("floor.position"), String(award.position)],
      row && [text("floor.stake"), `${dollars(row.stake_cents)}, ${word("floor.source", row.source)}`],
      row && [text("floor.placed_at"), make("span", {}, moment(row.placed_at), ` ${text("floor.fact", { seq: row.placed_seq })}`)],
      row?.given_back && [text("floor.given_back"), word("floor.given_back", row.given_back)],
      found.round && !row && [text("floor.stake"), make("strong", { class: "alarm", text: text("floor.no_wager") })],
      found.round?.locked_at && [text("floor.locked_at"), moment(found.round.locked_at)],
      hand && [text("floor.hand_at"), make("span", {}, moment(hand.at), ` ${word("floor.hand_source", hand.source)} ${hand.by ?? ""}${hand.corrected ? `, ${text("floor.corrected")}` : ""}`)],
      lamp && [text("floor.lamp"), make("span", { class: `lamp-inline lamp-${lamp}` }, `${LAMP_SYMBOLS[lamp] ?? ""} ${word("table.lamp", lamp)}`)],
    );
  }

  meter(award, found) {
    if (!award.meter) return section(text("floor.amount"), [text("floor.fixed"), text("floor.fixed_says")]);
    const now = this.live.get(this.table, `meters/${award.meter}`);
    const { derived } = found;
    return section(
      text("floor.meter"),
      derived && [text("floor.before"), exact(derived.total)],
      derived?.hit && derived.hit.amount_cents !== award.amount_cents && [text("floor.whole_hit"), dollars(derived.hit.amount_cents)],
      [text("floor.award"), make("strong", { text: dollars(award.amount_cents) })],
      derived && [text("floor.remainder"), exact(derived.remainder)],
      now && [text("floor.after"), dollars(now.display_cents)],
    );
  }

  reveal(award, found) {
    const { value_cents: cents, nonce, cycle, commitment: committed } = award.reveal;
    return make(
      "section",
      { class: "proof reveal" },
      make("h3", { text: text("floor.mystery") }),
      make("p", { class: `check ${found.check}`, role: "status", text: text(`floor.check_${found.check}`) }),
      pairs([text("floor.value"), dollars(cents)], [text("floor.cycle"), String(cycle)], [text("floor.commitment"), make("code", { text: committed })], [text("floor.nonce"), make("code", { text: nonce })]),
    );
  }

  /** Drawn once for the lines that are known: there may be thousands, and a meter moves every second. */
  derivation(award, found) {
    if (found.drawn?.lines !== found.lines.length) {
      found.drawn = { lines: found.lines.length, element: this.drawDerivation(award, found) };
    }
    return found.drawn.element;
  }

  drawDerivation(award, found) {
    const { derived, lines } = found;
    const contributions = lines.filter((line) => line.position !== undefined).length;
    const details = make(
      "details",
      { class: "proof derivation", open: found.open },
      make("summary", { id: "derivation" }, make("strong", { text: text("floor.derivation") }), make("span", { text: text("floor.derivation_says", { count: contributions, more: found.next ? "+" : "" }) })),
      make("p", { class: `check ${derived.explained ? "holds" : "broken"}`, text: text(derived.explained ? "floor.explained" : "floor.unexplained") }),
      make(
        "table",
        {},
        make("thead", {}, make("tr", {}, ...["line_at", "line_what", "line_amount", "line_total"].map((key) => make("th", { scope: "col", text: text(`floor.${key}`) })))),
        make(
          "tbody",
          {},
          ...lines.map((line) =>
            make(
              "tr",
              {},
              make("td", {}, moment(line.at)),
              make("td", { text: line.position === undefined ? word("floor.line", line.what) : contribution(line) }),
              make("td", { class: "number", text: exact(line.amount) }),
              make("td", { class: "number", text: exact(line.total) }),
            ),
          ),
        ),
      ),
      found.next && make("button", { type: "button", id: "more-lines", text: text("floor.more_lines"), on: { click: async () => {
        try {
          await this.derive(award, found);
        } catch (error) {
          found.error = error;
        }
        this.changed();
      } } }),
    );
    details.addEventListener("toggle", () => { found.open = details.open; });
    return details;
  }
}

/** Whose wager: of a meter that tables share, also at which table. */
function contribution(line) {
  const words = text("floor.contribution", { round: line.round, position: line.position, wager: word("table.wager", line.wager) });
  return line.table ? text("table.hit_elsewhere", { table: line.table, hit: words }) : words;
}

function pairs(...rows) {
  return make("dl", {}, ...rows.filter(Boolean).flatMap(([name, value]) => [make("dt", { text: name }), make("dd", {}, value)]));
}

function section(title, ...rows) {
  return make("section", { class: "proof" }, make("h3", { text: title }), pairs(...rows));
}
