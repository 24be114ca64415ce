// What every section of the audit is made of: elements, amounts, times, cards, tables, pages. Text goes into the page as
// text and never as markup.

import { dollars, exactParts, units } from "./audit-money.js";
import { has, language, text } from "./text.js";

/** An element with properties and children. Children are elements or text; false, null and undefined are left out. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key === "className" ? "class" : key, value === true ? "" : String(value));
  }
  made.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return made;
}

// What other pages have words for already is called the same here.
const ELSEWHERE = { meter: "signage.meter", outcome: "table.outcome", wager: "table.wager", role: "floor.role" };

/** A piece of text with a style of its own. */
export const span = (className, ...children) => element("span", { className }, ...children);

/** Where there is nothing to say. */
export const none = () => span("none", "\u2013");

/** A link to a round. */
export const roundLink = (link, round, words) => element("a", { href: link("rounds", { round }) }, words);

const keyOf = (kind, name) => `${ELSEWHERE[kind] ?? `audit.${kind}`}_${String(name).replaceAll(" ", "-")}`;

/** Whether there is a text for a name. */
export const isNamed = (kind, name) => has(keyOf(kind, name));

/** The text of a name that the controller gives, like `award-validated`; a name this page does not know stands as it is. */
export function named(kind, name) {
  return isNamed(kind, name) ? text(keyOf(kind, name)) : String(name);
}

/** The name of a meter for people. */
export const meterName = (meter) => named("meter", meter);

/** An account of the books: `house:late`, or one of a meter, like `carry:royal9-mystery`. */
export function account(name) {
  const [kind, of] = name.split(":");
  if (!of || kind === "house") return named("account", name.replace(":", "-"));
  return text("audit.account_of", { account: named("account", kind), of: meterName(of) });
}

// -- amounts --

/** Whole cents, as an element that lines up with others. */
export function money(cents) {
  return element("span", { className: "money" }, dollars(cents));
}

/** An exact amount: what is below a cent stands smaller behind the cents. */
export function exact(given) {
  const [shown, fine] = exactParts(typeof given === "bigint" ? given : units(given));
  return element("span", { className: "money" }, shown, element("span", { className: "fine" }, fine));
}

/** An exact amount within a sentence: without the digits below a cent where they are zeros. */
export function inWords(given) {
  const [shownCents, fine] = exactParts(units(given));
  return /[1-9]/.test(fine) ? shownCents + fine : shownCents;
}

/** A whole number with its thousands grouped. */
export const count = (number) => Number(number).toLocaleString(language);

// -- times --

const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zone of this browser, by name. */
export const zone = () => HERE;

function shown(at, style) {
  return new Intl.DateTimeFormat(language, { hourCycle: "h23", ...style }).format(new Date(at));
}

const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit" };
const DATE = { year: "numeric", month: "short", day: "numeric" };

/** The time of day, and the date and time, in this browser's zone. */
export const clock = (at) => shown(at, CLOCK);
export const hour = (at) => shown(at, { hour: "2-digit", minute: "2-digit" });
export const moment = (at) => shown(at, { ...DATE, ...CLOCK });

/** A gaming day is a date of the casino's own, with no zone: 2026-11-16. */
export function dayName(day, style = { weekday: "short", ...DATE }) {
  return new Intl.DateTimeFormat(language, { ...style, timeZone: "UTC" }).format(new Date(`${day}T00:00:00Z`));
}

/** A time in this browser's zone; UTC, as the journal has it, on hover. */
export function time(at, how = moment) {
  if (!at) return none();
  return element("time", { datetime: at, title: `${at.replace("T", " ").replace("Z", "")} UTC` }, how(at));
}

// -- what else rows have --

const SUITS = { S: "\u2660", H: "\u2665", D: "\u2666", C: "\u2663" };

/** Cards as they lie: rank and suit. */
export function cards(hand) {
  const all = hand.map((card) => {
    const red = card[1] === "H" || card[1] === "D";
    return element("span", { className: red ? "face red" : "face" }, `${card[0] === "T" ? "10" : card[0]}${SUITS[card[1]] ?? card[1]}`);
  });
  return element("span", { className: "faces" }, all);
}

/** What became of a hit or an award: a word and a mark, not a colour alone. */
export function fate(name) {
  return element("span", { className: `fate ${name}` }, named("fate", name));
}

/** Who, and with whom. */
export function people(by, second) {
  if (!by) return none();
  return second ? text("audit.two", { first: by, second }) : by;
}

/** A verdict: good, or an alarm that nobody overlooks. */
export function verdict(good, words) {
  return element("p", { className: good ? "verdict good" : "verdict alarm", role: good ? "status" : "alert" }, words);
}

export const empty = (key) => element("p", { className: "empty" }, text(key));

/**
 * A table. columns: [{ head, cell(row), number?, className? }]. It scrolls by itself where the screen is narrow; with
 * `stack`, a narrow screen shows each row as a card, every value beside its head; with `dense`, a row is one line where there is room.
 */
export function table(caption, columns, rows, { stack = true, dense = false, rowProperties = () => ({}) } = {}) {
  const style = (column) => [column.number ? "number" : "", column.className ?? ""].join(" ").trim() || undefined;
  const head = columns.map((column) => element("th", { scope: "col", className: style(column) }, column.head));
  const body = rows.map((row) =>
    element(
      "tr",
      rowProperties(row),
      columns.map((column) => element("td", { className: style(column), "data-head": column.head }, column.cell(row))),
    ),
  );
  const made = element(
    "table",
    { className: ["records", stack && "stack", dense && "dense"].filter(Boolean).join(" ") },
    element("caption", { className: "for-readers" }, caption),
    element("thead", {}, element("tr", {}, head)),
    element("tbody", {}, body),
  );
  // Where every amount of a table is in whole cents, six zeros behind each say nothing.
  const fine = [...made.querySelectorAll(".fine")];
  if (fine.every((part) => /^0*$/.test(part.textContent))) for (const part of fine) part.remove();
  return element("div", { className: "scroll", tabindex: "0", role: "region", "aria-label": caption }, made);
}

/** Names and values, one under another. */
export function facts(pairs) {
  const shownPairs = pairs.filter((pair) => pair && pair[1] !== undefined && pair[1] !== null && pair[1] !== "");
  return element(
    "dl",
    { className: "facts" },
    shownPairs.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))),
  );
}

/** The same as a file: CSV for a spreadsheet, JSON for a program. */
export function downloads(tableName, what, more = {}) {
  const link = (format) => {
    const asked = new URLSearchParams({ table: tableName, what, format });
    for (const [key, value] of Object.entries(more)) if (value) asked.set(key, value);
    const label = text("audit.download", { format: format.toUpperCase() });
    return element("a", { className: "download", href: `/audit/download?${asked}` }, label);
  };
  return element("p", { className: "downloads" }, link("csv"), link("json"));
}

/** A choice of one among several: [[value, words], ...]. */
export function choice(label, options, chosen, onChange, name) {
  const made = element(
    "select",
    { name, onchange: (event) => onChange(event.target.value) },
    options.map(([value, words]) => element("option", { value, selected: value === chosen }, words)),
  );
  return element("label", { className: "ask-field" }, element("span", {}, label), made);
}

/** A gaming day among those there are, the newest first; `first` is what stands for all of them. */
export function dayChoice(first, known, day, onChange) {
  const options = [["", first], ...known.map((each) => [each, dayName(each)])];
  return choice(text("audit.day"), options, day, onChange, "day");
}

/** Rows drawn as one thing with the way to other pages above and under it, or the words for none. */
export function page(rows, draw, place, noneKey) {
  return rows.length ? [pager(place), draw(rows), pager(place)].flat().filter(Boolean) : [empty(noneKey)];
}

/** Buttons to the page before and the page after; `turn` gets what to ask with. Another page is read from its top. */
export function pager({ first, shownRows, earlier, next, turn }) {
  if (!earlier.length && !next) return null;
  const to = (way) => async () => {
    await turn(way);
    const top = document.querySelector("#panel .pager");
    (top?.querySelector(`.${way}:enabled`) ?? top?.querySelector("button:enabled"))?.focus({ preventScroll: true });
    top?.scrollIntoView({ block: "start" });
  };
  const place = text("audit.page_place", { first: count(first + 1), last: count(first + shownRows) });
  return element(
    "nav",
    { className: "pager", "aria-label": text("audit.page_name") },
    element("button", { type: "button", className: "before", disabled: !earlier.length, onclick: to("before") }, text("audit.page_before")),
    element("span", {}, place),
    element("button", { type: "button", className: "next", disabled: !next, onclick: to("next") }, text("audit.page_next")),
  );
}
