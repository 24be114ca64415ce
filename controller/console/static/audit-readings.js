// Daily readings: each meter at the beginning and at the end of a gaming day, and every reason for the difference.

import { units } from "./audit-money.js";
import {
  choice, count, dayName, downloads, element, empty, exact, meterName, money, named, table, time,
  verdict,
} from "./audit-parts.js";
import { text } from "./text.js";

const ACCOUNTS = ["display", "reserve", "carry"];

export async function show(panel, { ask, params, go, tableName }) {
  const reply = await ask("query-readings", { day: params.get("day") ?? "" });
  const days = [...reply.days].reverse();
  const options = days.map((day, place) => [day, place ? dayName(day) : text("audit.day_running", { day: dayName(day) })]);
  const place = days.indexOf(reply.day);
  const step = (to, words) =>
    element("button", { type: "button", disabled: days[to] === undefined, onclick: () => go({ day: days[to] }) }, words);
  panel.append(
    element(
      "form",
      { className: "controls", onsubmit: (event) => event.preventDefault() },
      choice(text("audit.day"), options, reply.day, (day) => go({ day }), "day"),
      step(place + 1, text("audit.day_before")),
      step(place - 1, text("audit.day_after")),
      downloads(tableName, "readings", { day: reply.day }),
    ),
    element(
      "p",
      { className: "span" },
      text(reply.ended ? "audit.day_ended" : "audit.day_so_far", { day: dayName(reply.day) }),
      " ", time(reply.begins), " \u2013 ", time(reply.ends), ". ",
      text("audit.day_facts", { first: count(reply.first_seq), last: count(reply.last_seq) }),
    ),
    verdict(reply.explained, text(reply.explained ? "audit.all_explained" : "audit.not_explained")),
    reply.meters.length
      ? element("div", { className: "statements" }, reply.meters.map(statement))
      : empty("audit.no_meters"),
  );
}

/** One meter's day: opening, what came in and why, what went out and why, closing, and what nobody can explain. */
function statement(meter) {
  const used = ACCOUNTS.filter((name) => name === "display" || !isZero(meter[name]));
  const changes = [...new Set(used.flatMap((name) => Object.keys(meter[name].changes)))];
  const of = (name, why) => units(meter[name].changes[why] ?? "0.00000000");
  const into = changes.filter((why) => used.some((name) => of(name, why) > 0n));
  const out = changes.filter((why) => used.some((name) => of(name, why) < 0n));
  const sum = (name, sign) =>
    Object.values(meter[name].changes).map(units).filter((each) => (sign > 0 ? each > 0n : each < 0n)).reduce((a, b) => a + b, 0n);
  const checked = meter.explained ? "checked" : "checked alarm";
  const lines = [
    { words: text("audit.opening"), className: "sum", of: (name) => units(meter[name].opening) },
    ...into.map((why) => ({ words: named("why", why), className: "into", of: (name) => positive(of(name, why)) })),
    { words: text("audit.increase"), className: "part", of: (name) => sum(name, 1) },
    ...out.map((why) => ({ words: named("why", why), className: "out", of: (name) => negative(of(name, why)) })),
    { words: text("audit.decrease"), className: "part", of: (name) => sum(name, -1) },
    { words: text("audit.closing"), className: "sum", of: (name) => units(meter[name].closing) },
    { words: text("audit.unexplained"), className: checked, of: (name) => units(meter[name].unexplained) },
  ];
  const name = meterName(meter.meter);
  return element(
    "article",
    { className: meter.explained ? "card-box statement" : "card-box statement alarm", "data-meter": meter.meter },
    element("h3", {}, name),
    table(
      text("audit.statement_of", { meter: name }),
      [
        { head: text("audit.why"), cell: (line) => line.words },
        ...used.map((account) => ({ head: text(`audit.${account}`), number: true, cell: (line) => amount(line.of(account)) })),
      ],
      lines,
      { stack: false, rowProperties: (line) => ({ className: line.className }) },
    ),
    counters(meter),
  );
}

const positive = (amount_) => (amount_ > 0n ? amount_ : null);
const negative = (amount_) => (amount_ < 0n ? amount_ : null);
const amount = (given) => (given === null ? "" : exact(given));

function isZero(account) {
  const all = [account.opening, account.closing, account.unexplained, ...Object.values(account.changes)];
  return all.every((each) => units(each) === 0n);
}

function counters(meter) {
  const rows = [
    [text("audit.in"), meter.in_cents, money],
    [text("audit.hits"), meter.hits, count],
    [text("audit.wins"), meter.wins_cents, money],
    [text("audit.paid"), meter.paid_by_attendant_cents, money],
  ];
  return table(
    text("audit.counters"),
    [
      { head: text("audit.counter"), cell: ([name]) => name },
      { head: text("audit.opening"), number: true, cell: ([, counter, how]) => how(counter.opening) },
      { head: text("audit.of_the_day"), number: true, cell: ([, counter, how]) => how(counter.closing - counter.opening) },
      { head: text("audit.closing"), number: true, cell: ([, counter, how]) => how(counter.closing) },
    ],
    rows,
    { stack: false },
  );
}
