// One table on a sign: its name, whether it is live, and its meters.

import { Odometer, dollars } from "./odometer.js";
import { shared } from "./signage-hits.js";
import { arrange } from "./signage-layout.js";
import { linkAt } from "./signage-links.js";
import { has, text } from "./text.js";

// The order of importance: what can be largest comes first.
const ORDER = ["royal9-mega", "heavenly9", "harmony", "must-hit-by", "royal9-major", "royal9-minor", "royal9-mystery"];
const BONUS = "must-hit-by";
const MOST_SHOWN_HITS = 3; // beside one amount, each on a line; more would push the amount away, and are counted
const BAND = 0.14; // of a panel's height: a word as tall as the digits
const HEAD = 0.065; // of the same, and
const LEAST_HEAD = 0.05; // of the screen's: on a sign of many tables, which one it is must be seen too
const SIDE = 0.02; // of a panel's width, left and right
const USUAL = "$00,000.00"; // how wide an amount is thought to be before the first
const REST = "\u2014"; // where no amount can be shown

/** An element with a class and words. */
export function make(tag, name, words) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (words !== undefined) element.textContent = words;
  return element;
}

/** Words no wider than their place: smaller where they must be. */
export function fit(element, size, unit = "em") {
  element.style.fontSize = `${size}${unit}`;
  const room = element.clientWidth;
  const need = element.scrollWidth;
  if (need > room) element.style.fontSize = `${(0.97 * size * room) / need}${unit}`; // a little air at both ends
}

function put(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

/** Meters in the order they are shown: as asked for, or as they matter. */
export function ordered(meters, wanted) {
  if (wanted.length) return wanted.filter((id) => meters.includes(id));
  const place = (id) => (ORDER.includes(id) ? ORDER.indexOf(id) : ORDER.length);
  return [...meters].sort((one, other) => place(one) - place(other) || (one < other ? -1 : 1));
}

/** A meter's name: as the house filed it, and in Chinese by both names, because the filed one is approved. */
export function named(id, label) {
  if (!ORDER.includes(id)) return { name: label, filed: "" };
  const own = text(`signage.meter_${id}`);
  if (document.documentElement.lang !== "en") return { name: own, filed: label };
  return { name: id === BONUS ? own : label, filed: "" }; // § 631c.6(b): by its whole name
}

/** Why a table is not live: a controller's own words, or which connection is lost. */
function cause({ state, reason }) {
  if (state !== "stale") return reason;
  return has(`signage.lost_${reason}`) ? text(`signage.lost_${reason}`) : "";
}

/** Whose hit: "Position 3", or "Positions 3, 5". */
export function positions(numbers) {
  return numbers.length === 1
    ? text("signage.position", { position: numbers[0] })
    : text("signage.positions", { positions: numbers.join(text("signage.comma")) });
}

/** The same with the table, where tables share the meter. */
export function winners(group) {
  const who = positions(group.positions);
  return group.table ? text("signage.at_table", { table: group.table, who }) : who;
}

class MeterCell {
  constructor(id, still) {
    this.element = make("article", "meter");
    this.element.dataset.meter = id;
    this.id = id;
    this.label = this.element.appendChild(make("h3", "label"));
    this.amount = this.element.appendChild(make("div", "amount"));
    this.rest = this.element.appendChild(make("div", "rest"));
    this.bar = this.element.appendChild(make("div", "bar"));
    this.track = this.bar.appendChild(make("span", "track"));
    this.fill = this.track.appendChild(make("span", "fill"));
    this.ends = this.bar.appendChild(make("span", "ends"));
    this.from = this.ends.appendChild(make("span", "from"));
    this.by = this.ends.appendChild(make("span", "by"));
    this.hits = this.element.appendChild(make("ul", "hits"));
    this.odometer = new Odometer(this.amount, still);
    this.track.setAttribute("role", "meter");
  }

  /** What the meter says now. `live`: whether its table is; `heard`: whether it is heard at all. */
  tell(message, live, heard) {
    const shown = live && message.state !== "faulted";
    const { name, filed } = named(this.id, message.label);
    const words = filed ? `${name} ${filed}` : name;
    if (this.label.textContent !== words) {
      this.label.replaceChildren(name);
      if (filed) this.label.append(" ", make("span", "filed", filed));
    }
    this.element.dataset.state = shown ? message.state : heard ? "faulted" : "unknown";
    this.amount.hidden = !shown;
    this.rest.hidden = shown;
    put(this.rest, heard && live ? text("signage.not_in_play") : REST);
    this.rest.classList.toggle("words", heard && live);
    if (shown) this.odometer.show(message.display_cents);
    else this.odometer.forget();
    this.#bar(message, shown);
    this.#hits(heard ? shared(message.hits) : []);
    return this;
  }

  #bar(message, shown) {
    const ceiling = message.must_hit_by_cents;
    this.bar.hidden = ceiling === undefined;
    if (ceiling === undefined) return;
    const floor = message.minimum_cents ?? 0;
    const way = Math.max(1, ceiling - floor);
    const gone = shown ? Math.min(Math.max(0, message.display_cents - floor), way) : 0;
    put(this.from, shown ? dollars(floor) : "");
    put(this.by, text("signage.must_hit_by", { amount: dollars(ceiling) }));
    this.fill.style.transform = `scaleX(${Math.floor((1000 * gone) / way) / 1000})`; // down: never further than is true
    for (const [name, value] of [["min", floor], ["max", ceiling], ["now", floor + gone]]) {
      this.track.setAttribute(`aria-value${name}`, value);
    }
    this.track.setAttribute("aria-label", words(this.label));
    this.track.setAttribute("aria-valuetext", shown ? dollars(message.display_cents) : REST);
  }

  #hits(groups) {
    const lines = groups.slice(0, MOST_SHOWN_HITS).map((group) => {
      const amount = dollars(group.amount_cents);
      return [winners(group), group.positions.length > 1 ? text("signage.each", { amount }) : amount];
    });
    const more = groups.length - lines.length;
    if (more > 0) lines.at(-1)[1] += ` ${text("signage.more_hits", { count: more })}`;
    const key = JSON.stringify([lines, document.documentElement.lang]);
    this.feet = lines.length + (this.bar.hidden ? 0 : 1);
    if (this.hits.dataset.key === key) return;
    this.hits.dataset.key = key;
    this.hits.replaceChildren(
      ...lines.map(([who, amount]) => {
        const line = make("li", "hit");
        line.append(make("span", "won", text("signage.won")), make("span", "who", who), make("span", "prize", amount));
        return line;
      }),
    );
  }
}

function words(element) {
  return element.firstChild?.textContent ?? "";
}

/** A table's part of the sign, or a link's. */
export class Panel {
  #cells = new Map();
  #key = "";

  constructor(table, still) {
    this.table = table;
    this.#still = still;
    this.element = make("section", "panel");
    this.element.dataset.table = table;
    this.head = this.element.appendChild(make("header", "head"));
    this.name = this.head.appendChild(make("h2", "name"));
    this.sign = this.head.appendChild(make("p", "sign-of-life"));
    this.demonstration = this.element.appendChild(make("p", "band demonstration"));
    this.trouble = this.element.appendChild(make("div", "band trouble"));
    this.trouble.setAttribute("role", "alert");
    this.what = this.trouble.appendChild(make("strong", "what"));
    this.why = this.trouble.appendChild(make("span", "why"));
    this.meters = this.element.appendChild(make("div", "meters"));
    this.note = this.element.appendChild(make("p", "note"));
  }

  #still;

  /** Show what the table says: `said` is {state, reason, mode, meters: {id: message}}. */
  tell(said, wanted) {
    const ids = ordered(Object.keys(said.meters), wanted);
    const live = said.state === "live";
    const heard = live || said.state === "faulted";
    this.element.dataset.state = said.state;
    const link = linkAt(this.table);
    put(this.name, link ? text("signage.link", { link }) : text("signage.table", { table: this.table.split("/")[1] ?? this.table }));
    put(this.sign, text(`signage.state_${said.state}`));
    this.demonstration.hidden = said.mode !== "demonstration";
    put(this.demonstration, text("signage.demonstration"));
    this.trouble.hidden = live;
    put(this.what, live ? "" : text(`signage.trouble_${said.state}`));
    put(this.why, live ? "" : [text(`signage.why_${said.state}`), cause(said)].filter(Boolean).join(" · "));
    for (const id of [...this.#cells.keys()]) if (!ids.includes(id)) this.#cells.delete(id);
    this.cells = ids.map((id) => {
      if (!this.#cells.has(id)) this.#cells.set(id, new MeterCell(id, this.#still));
      return this.#cells.get(id).tell(said.meters[id], live, heard);
    });
    this.#note(said.meters, ids);
    return this;
  }

  // The display says that the bonus is offered, and its maximum, whichever meters it was told to show: § 631c.6(b).
  #note(meters, shown) {
    const bonus = meters[BONUS];
    const unsaid = bonus?.must_hit_by_cents !== undefined && !shown.includes(BONUS);
    const waiting = !Object.keys(meters).length;
    this.note.hidden = !unsaid && !waiting && shown.length > 0;
    if (unsaid) put(this.note, text("signage.bonus_offered", { amount: dollars(bonus.must_hit_by_cents) }));
    else if (waiting) put(this.note, text("signage.waiting"));
    else put(this.note, shown.length ? "" : text("signage.no_such_meter"));
  }

  /** What decides the arrangement: the widths of the amounts and the lines below them. */
  sizes(measure) {
    return this.cells.map((cell) => ({ ems: measure(cell.odometer.shape || USUAL), feet: cell.feet }));
  }

  /** What a panel of that size leaves its meters. */
  room(width, height) {
    const bands = (this.demonstration.hidden ? 0 : 1) + (this.trouble.hidden ? 0 : 1);
    const taken = this.#headHeight(height) * (this.note.hidden ? 1 : 2) + height * BAND * bands;
    return { width: width * (1 - 2 * SIDE), height: height - taken - 8 };
  }

  #headHeight(height) {
    return Math.max(height * HEAD, innerHeight * LEAST_HEAD);
  }

  /** Set everything in its place. */
  lay(width, height, measure) {
    const sizes = this.sizes(measure);
    const key = JSON.stringify([
      sizes, width, height, this.demonstration.hidden, this.trouble.hidden, this.note.textContent,
      this.what.textContent, this.why.textContent, document.documentElement.lang,
      this.cells.map((cell) => [cell.id, cell.label.textContent, cell.ends.textContent, cell.hits.dataset.key]),
    ]);
    if (key === this.#key) return;
    this.#key = key;
    const inner = this.room(width, height);
    const { rows } = arrange(sizes, inner.width, inner.height);
    let at = 0;
    this.meters.replaceChildren(
      ...rows.map((row, place) => {
        const line = make("div", place === 0 && rows.length > 1 ? "row first" : "row");
        line.style.fontSize = `${row.size}px`;
        line.append(...this.cells.slice(at, at + row.count).map((cell) => cell.element));
        at += row.count;
        return line;
      }),
    );
    const head = this.#headHeight(height);
    this.element.style.setProperty("--head", `${head}px`);
    this.element.style.setProperty("--band", `${height * BAND}px`);
    this.element.style.setProperty("--side", `${width * SIDE}px`);
    fit(this.demonstration, height * BAND * 0.78, "px");
    fit(this.what, height * BAND * 0.5, "px");
    fit(this.why, height * BAND * 0.24, "px");
    fit(this.note, head * 0.6, "px");
    for (const cell of this.cells) {
      fit(cell.label, 0.32);
      fit(cell.rest, cell.rest.classList.contains("words") ? 0.42 : 1);
      fit(cell.ends, 0.24);
      for (const line of cell.hits.children) fit(line, 0.23);
    }
  }
}
