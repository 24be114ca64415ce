// Meters over time: each meter's amount from day to day, or within one gaming day from lock-out to lock-out.

import { cents, dollars } from "./audit-money.js";
import { all } from "./audit-pages.js";
import {
  clock, count, dayChoice, dayName, downloads, element, empty, fate, hour, meterName, moment, money,
  named, span, table, time,
} from "./audit-parts.js";
import { byDay, reckon } from "./audit-reckoning.js";
import { chart } from "./chart.js";
import { text } from "./text.js";

const DAYS = 14; // shown at first, and added at a touch: each is a question to the journal
// Pages of one question. A page is 200 rows, or a megabyte: at least a hundred rounds in which every position wagers on
// everything. So many of those are 2,500 rounds, one every 35 s from morning to morning. What is beyond is said, not drawn.
const MOST_PAGES = 25;
const HOURS = 3_600_000;

export async function show(panel, context) {
  const { params, go, days, tableName } = context;
  const known = await days();
  const day = params.get("day") ?? "";
  const charts = element("div", { className: "charts" });
  panel.append(
    element(
      "form",
      { className: "controls", onsubmit: (event) => event.preventDefault() },
      dayChoice(text("audit.from_day_to_day"), known, day, (chosen) => go(chosen ? { day: chosen } : {})),
      downloads(tableName, "readings", { day }),
    ),
    legend(),
    charts,
  );
  if (!known.length) charts.append(empty("audit.no_meters"));
  else if (day) await withinDay(charts, context, day);
  else await overDays(charts, context, known);
}

function legend() {
  const keys = { line: "audit.key_line", "hit stands": "audit.key_hit", "hit undone": "audit.key_undone", dashed: "audit.key_dashed" };
  const items = Object.entries(keys).map(([kind, key]) => element("li", {}, span(`chart-key ${kind}`), text(key)));
  return element("ul", { className: "legend" }, items);
}

// -- from day to day --

async function overDays(host, context, known) {
  const wanted = Math.min(known.length, Number(context.params.get("days") ?? DAYS) || DAYS);
  const chosen = known.slice(0, wanted).reverse();
  const found = [];
  for (const [place, day] of chosen.entries()) {
    context.progress(text("audit.asking_day", { number: count(place + 1), of: count(chosen.length) }));
    found.push(await context.reading(day));
  }
  const first = found[0].first_seq;
  const { rows: hits, more } = await all(context.ask, "query-hits", "hits", {}, MOST_PAGES, (hit) => hit.seq < first);
  for (const meter of meterNames(found)) {
    const points = byDay(found, meter, hits);
    host.append(card(meter, points.map(overDaysPoint), dayLabels(found), false, rowsOver(points)));
  }
  if (more) host.after(note("audit.more_hits"));
  if (known.length > wanted) {
    const add = { days: String(Math.min(known.length, wanted + DAYS)) };
    host.after(element("button", { type: "button", onclick: () => context.go(add) }, text("audit.earlier_days")));
  }
}

const meterNames = (found) => [...new Set(found.flatMap((day) => day.meters.map((each) => each.meter)))];

function overDaysPoint(point) {
  return { x: Date.parse(point.at), cents: point.cents, text: words(point), hit: mark(point), unknown: Boolean(point.falls) };
}

const mark = (point) => (point.hit ? (point.falls ? "stands" : "undone") : undefined);

function words(point) {
  const values = { day: dayName(point.day), amount: dollars(point.cents), at: moment(point.at) };
  if (point.hit) return text("audit.point_hit", { ...values, ...ofHit(point.hit) });
  if (point.opens) return text("audit.point_opening", values);
  return text(point.ended ? "audit.point_closing" : "audit.point_so_far", values);
}

function ofHit(hit) {
  return { fate: named("fate", hit.fate), positions: hit.awards.map((award) => award.position).join(", ") };
}

function dayLabels(found) {
  return found.map((day) => ({ x: Date.parse(day.begins), text: dayName(day.day, { month: "short", day: "numeric" }) }));
}

function rowsOver(points) {
  const reading = (point) => (point.opens ? "audit.opening" : point.ended ? "audit.closing" : "audit.so_far");
  return points.map((point) => ({ ...point, what: text(point.hit ? "audit.what_hit" : reading(point)) }));
}

// -- within a day --

async function withinDay(host, context, name) {
  const day = await context.reading(name);
  context.progress(text("audit.asking_rounds"));
  const rounds = await all(context.ask, "query-rounds", "rounds", { day: name }, MOST_PAGES);
  const hits = await all(context.ask, "query-hits", "hits", {}, MOST_PAGES, (hit) => hit.seq < day.first_seq);
  const wasAdjusted = day.meters.some((meter) => Object.keys(meter.display.changes).some((why) => why.startsWith("adjustment")));
  const actions = wasAdjusted ? await all(context.ask, "query-actions", "actions", { day: name }, MOST_PAGES) : { rows: [] };
  for (const { meter } of day.meters) {
    const { points, missing } = reckon(day, meter, rounds.rows, hits.rows, actions.rows);
    const remark = missing ? note("audit.missing", { amount: dollars(cents(missing < 0n ? -missing : missing)) }) : null;
    host.append(card(meter, points.map(withinPoint), hourLabels(day), true, rowsWithin(points), remark));
  }
  if (rounds.more || hits.more || actions.more) host.after(note("audit.more_rounds"));
}

function withinPoint(point) {
  const shown = point.hit ? point.hit.amount_cents : cents(point.units);
  const values = { at: point.hit ? moment(point.at) : clock(point.at), amount: dollars(shown) };
  const said = point.hit ? text("audit.point_hit", { ...values, ...ofHit(point.hit) }) : text("audit.point_time", values);
  return { x: Date.parse(point.at), cents: shown, text: said, hit: mark(point) };
}

function hourLabels(day) {
  const [begins, ends] = [Date.parse(day.begins), Date.parse(day.ends)];
  const span = ends - begins;
  const step = [1 / 60, 1 / 12, 1 / 4, 1, 2, 4].map((each) => each * HOURS).find((each) => span / each <= 12) ?? 4 * HOURS;
  const found = [];
  for (let at = Math.ceil(begins / step) * step; at <= ends; at += step) found.push({ x: at, text: hour(at) });
  return found.length ? found : [{ x: begins, text: clock(begins) }];
}

function rowsWithin(points) {
  const last = points.length - 1;
  return points.map((point, place) => ({
    at: point.at,
    cents: point.hit ? point.hit.amount_cents : cents(point.units),
    hit: point.hit,
    what: text(point.hit ? "audit.what_hit" : place === 0 ? "audit.opening" : place === last ? "audit.closing" : "audit.what_amount"),
  }));
}

// -- both --

function note(key, values) {
  return element("p", { className: "warn" }, text(key, values));
}

/** A chart with its name, the amount now, and the same as a table for who cannot see it. */
function card(meter, points, labels, steps, rows, remark) {
  const host = element("div", { className: "chart-host" });
  const name = meterName(meter);
  const listed = element("div", {});
  const asTable = element(
    "details",
    {
      className: "as-table",
      ontoggle: () => {
        if (!listed.firstChild) listed.append(rowTable(name, rows)); // made when it is wanted: a day has thousands
      },
    },
    element("summary", {}, text("audit.as_table")),
    listed,
  );
  const made = element(
    "figure",
    { className: "card-box chart-card", "data-meter": meter },
    element("figcaption", {}, element("strong", {}, name), span("gold", dollars(points[points.length - 1].cents))),
    host,
    remark,
    asTable,
  );
  const drawn = { name: text("audit.chart_of", { meter: name }), points, labels, money: dollars, hint: text("audit.chart_hint"), steps };
  requestAnimationFrame(() => chart(host, drawn)); // once it is in the page and has a width
  return made;
}

function rowTable(name, rows) {
  return table(
    text("audit.chart_of", { meter: name }),
    [
      { head: text("audit.time"), cell: (row) => time(row.at) },
      { head: text("audit.what"), cell: (row) => row.what },
      { head: text("audit.amount"), number: true, cell: (row) => money(row.cents) },
      { head: text("audit.fate"), cell: (row) => (row.hit ? fate(row.hit.fate) : "") },
    ],
    rows,
    { stack: false },
  );
}
