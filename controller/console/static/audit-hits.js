// Hits: every one with its fate; and of one, how its amount came about and whether the promise was kept.

import { dollars } from "./audit-money.js";
import { Pages } from "./audit-pages.js";
import {
  account, choice, count, downloads, element, exact, facts, fate, inWords, meterName, money,
  named, none, page, people, roundLink, span, table, time, verdict,
} from "./audit-parts.js";
import { available, commitment } from "./proving.js";
import { text } from "./text.js";

const ROWS = 50; // of a page: a screenful or two
const LINES = 200; // of a derivation: as many as the controller gives at once

export async function show(panel, context) {
  await (context.params.get("award") ? one(panel, context) : list(panel, context));
}

// -- every hit --

async function list(panel, { ask, params, go, link, tableName, meters }) {
  const meter = params.get("meter") ?? "";
  const options = [["", text("audit.all_meters")], ...meters().map((each) => [each, meterName(each)])];
  const rows = element("div", {});
  panel.append(
    element(
      "form",
      { className: "controls", onsubmit: (event) => event.preventDefault() },
      choice(text("audit.meter"), options, meter, (chosen) => go(chosen ? { meter: chosen } : {}), "meter"),
      downloads(tableName, "hits", { meter }),
    ),
    rows,
  );
  const draw = (reply, place) => {
    rows.replaceChildren(...page(reply.hits, (found) => hitTable(found, link), place, "audit.no_hits"));
  };
  await new Pages(ask, "query-hits", "hits", { meter }, ROWS, draw).show();
}

function hitTable(hits, link) {
  return table(
    text("audit.section_hits"),
    [
      { head: text("audit.time"), cell: (hit) => time(hit.at) },
      { head: text("audit.meter"), cell: (hit) => element("strong", {}, meterName(hit.meter)) },
      { head: text("audit.amount"), number: true, className: "gold", cell: (hit) => money(hit.amount_cents) },
      { head: text("audit.positions"), cell: (hit) => positions(hit) },
      { head: text("audit.round"), number: true, cell: (hit) => roundLink(link, hit.round, count(hit.round)) },
      { head: text("audit.fate"), cell: (hit) => fate(hit.fate) },
      { head: text("audit.by"), cell: (hit) => endedBy(hit.awards) },
      {
        head: text("audit.derivation"),
        cell: ({ hit }) => {
          const about = { className: "open", "aria-label": text("audit.open_hit", { hit }) };
          return element("a", { href: link("hits", { award: hit }), ...about }, text("audit.open"));
        },
      },
    ],
    hits,
  );
}

const positions = (hit) => [...new Set(hit.awards.map((award) => award.position))].join(", ");

function endedBy(awards) {
  const all = [...new Set(awards.filter((award) => award.by).map((award) => people(award.by, award.second)))];
  return all.length ? all.join("; ") : none();
}

// -- one hit --

async function one(panel, { ask, params, link, tableName }) {
  const award = params.get("award");
  const [about, proof, lines] = [element("div", {}), element("div", {}), element("div", {})];
  panel.append(
    element(
      "div",
      { className: "controls" },
      element("a", { href: link("hits", {}), className: "back" }, text("audit.back_to_hits")),
      downloads(tableName, "derive", { award }),
    ),
    about,
    proof,
    lines,
  );
  let known = false;
  const draw = (reply, place) => {
    if (!known) {
      about.replaceChildren(...aboutHit(reply.hit, link));
      if (reply.hit.reveal) prove(proof, reply.hit, tableName);
      known = true;
    }
    lines.replaceChildren(...derivation(reply, place));
  };
  await new Pages(ask, "query-derive", "lines", { award }, LINES, draw).show();
}

function aboutHit(hit, link) {
  return [
    element("h3", { className: "hit-title" }, meterName(hit.meter), span("gold", dollars(hit.amount_cents)), fate(hit.fate)),
    facts([
      [text("audit.hit_id"), element("code", {}, hit.hit)],
      [text("audit.kind"), named("kind", hit.kind)],
      [text("audit.time"), time(hit.at)],
      [text("audit.round"), roundLink(link, hit.round, count(hit.round))],
      [text("audit.fact"), count(hit.seq)],
      [text("audit.paid_from"), account(hit.paid_from)],
    ]),
    awardTable(hit.awards),
    ...shared(hit),
  ];
}

/** Winners share in whole cents; what cannot be shared stays on the meter. */
function shared(hit) {
  const paid = hit.awards.reduce((sum, award) => sum + (award.fate === "paid" || award.fate === "pending" ? award.amount_cents : 0), 0);
  const left = hit.amount_cents - paid;
  if (hit.awards.length < 2 || left <= 0 || left >= hit.awards.length) return [];
  return [element("p", { className: "lead" }, text("audit.shared", { number: count(hit.awards.length), left: dollars(left) }))];
}

/** Awards as they stand now; of a hit, or of a round. */
export function awardTable(awards) {
  return table(
    text("audit.awards"),
    [
      { head: text("audit.award"), cell: (award) => element("code", {}, award.award) },
      { head: text("audit.position"), number: true, cell: (award) => award.position },
      { head: text("audit.wager"), cell: (award) => `${named("wager", award.wager.split("/")[0])} \u00b7 ${outcome(award)}` },
      { head: text("audit.amount"), number: true, className: "gold", cell: (award) => money(award.amount_cents) },
      { head: text("audit.fate"), cell: (award) => fate(award.fate === "paid" && !award.needs_validation ? "recorded" : award.fate) },
      { head: text("audit.by"), cell: (award) => people(award.by, award.second) },
      { head: text("audit.ended"), cell: (award) => time(award.ended_at) },
      { head: text("audit.how"), cell: how },
    ],
    awards,
  );
}

function outcome(award) {
  const won = named("outcome", award.outcome);
  return award.outcome_by_list ? text("audit.outcome_by_list", { outcome: won, listed: named("outcome", award.outcome_by_list) }) : won;
}

function how(award) {
  const parts = [
    award.method && named("method", award.method),
    award.slip && text("audit.slip_number", { slip: award.slip }),
    award.reason,
  ].filter(Boolean);
  return parts.length ? parts.join(", ") : none();
}

// -- how it came about --

function derivation(reply, place) {
  const amount = reply.hit.amount_cents;
  const words = { total: inWords(reply.total), amount: dollars(amount), rest: inWords(reply.remainder) };
  return [
    element("h3", {}, text("audit.derivation")),
    verdict(reply.explained, text(reply.explained ? "audit.derived" : "audit.not_derived", words)),
    element("p", { className: "lead" }, text("audit.derivation_lead")),
    ...page(reply.lines, lineTable, place, "audit.no_lines"),
    facts([
      [text("audit.total"), exact(reply.total)],
      [text("audit.award_amount"), money(amount)],
      [text("audit.remainder"), exact(reply.remainder)],
    ]),
  ];
}

function lineTable(lines) {
  return table(
    text("audit.derivation"),
    [
      { head: text("audit.fact"), number: true, className: "fact", cell: (line) => count(line.seq) },
      { head: text("audit.time"), className: "time", cell: (line) => time(line.at) },
      { head: text("audit.why"), className: "why", cell: (line) => named("why", line.what) },
      { head: text("audit.round"), number: true, className: "round", cell: (line) => [line.table ?? "", line.round === undefined ? "" : count(line.round)].join(" ").trim() },
      { head: text("audit.position"), number: true, className: "position", cell: (line) => line.position ?? "" },
      { head: text("audit.wager"), className: "wager", cell: (line) => stake(line) },
      { head: text("audit.amount"), number: true, className: "amount", cell: (line) => exact(line.amount) },
      { head: text("audit.running_total"), number: true, className: "total", cell: (line) => exact(line.total) },
    ],
    lines,
    { stack: false, dense: true }, // hundreds of them, also where it is narrow
  );
}

// A rate is millionths; ten thousand of them are one per cent, and four decimals of a per cent are all there are.
function stake(line) {
  if (line.stake_cents === undefined) return line.wager ? named("wager", line.wager) : "";
  const whole = Math.floor(line.rate_millionths / 10_000);
  const part = String(line.rate_millionths % 10_000).padStart(4, "0").replace(/0+$/, "");
  const rate = `${whole}${part ? `.${part}` : ""}%`;
  return text("audit.rate_of", { rate, stake: dollars(line.stake_cents), wager: named("wager", line.wager) });
}

// -- the promise --

/** In whose name a value was promised: the table's, or that of the link that keeps its meter. */
function promiser(hit, tableName) {
  return hit.paid_from.startsWith("link:") ? hit.paid_from.slice("link:".length) : tableName;
}

async function prove(host, hit, tableName) {
  const { value_cents: cents, nonce, cycle, commitment: promised } = hit.reveal;
  const answer = element("div", { "aria-live": "polite" }, element("p", { className: "running" }, text("audit.checking")));
  host.replaceChildren(
    element("h3", {}, text("audit.proof")),
    element("p", { className: "lead" }, text("audit.proof_lead")),
    facts([
      [text("audit.value"), money(cents)],
      [text("audit.award_amount"), money(hit.amount_cents)],
      [text("audit.cycle"), count(cycle)],
      [text("audit.nonce"), element("code", { className: "digest" }, nonce)],
      [text("audit.commitment"), element("code", { className: "digest" }, promised)],
    ]),
    answer,
  );
  if (!available()) {
    answer.replaceChildren(element("p", { className: "warn" }, text("audit.cannot_check")));
    return;
  }
  const found = await commitment({ table: promiser(hit, tableName), meter: hit.meter, cycle, cents, nonce });
  const kept = found === promised;
  // The meter passed the value by less than a cent where the two are the same: an award is whole cents.
  const passed = hit.amount_cents >= cents;
  answer.replaceChildren(
    verdict(kept, text(kept ? "audit.proof_kept" : "audit.proof_broken", { found })),
    ...(passed ? [] : [verdict(false, text("audit.value_not_passed"))]),
  );
}
