// Overview: where the chain of facts stands, and every meter with its counters.

import { count, element, empty, exact, facts, meterName, money, table, time, verdict } from "./audit-parts.js";
import { text } from "./text.js";

const MOST_HEADS = 10; // heard while the page is open; enough to compare with one's own notes, short enough to read

/** Heads of the journal heard since the page was opened, the newest first. */
export class Heads {
  #heard = [];

  hear(head) {
    if (!head || this.#heard.some((each) => each.seq === head.seq && each.hash === head.hash)) return;
    this.#heard.unshift(head);
    this.#heard.length = Math.min(this.#heard.length, MOST_HEADS);
  }

  get newest() {
    return this.#heard[0];
  }

  get before() {
    return this.#heard.slice(1);
  }
}

// Sixty-four digits in groups of eight, so that an eye can compare them.
function digest(hash) {
  return element("code", { className: "digest" }, hash.match(/.{1,8}/g).map((part) => element("span", {}, part)));
}

const verifying = (head) => `jackpotd audit verify journal.db --head ${head.seq}:${head.hash}`;

function headBefore(head) {
  return element("li", {}, text("audit.fact_number", { seq: count(head.seq) }), " ", digest(head.hash), " ", time(head.at));
}

export async function show(panel, { ask, live, tableName, heads, onHear }) {
  const chain = element("div", { className: "card-box" });
  const meters = element("div", {});
  panel.append(chain, meters);

  let reply = null;
  let health = null; // not every status has it
  function drawChain() {
    const isOpen = chain.querySelector("details")?.open;
    const head = heads.newest;
    health = live.get(tableName, "status")?.health ?? health;
    chain.replaceChildren(
      element("h3", {}, text("audit.chain")),
      element("p", { className: "lead" }, text("audit.chain_lead")),
      head ? headFacts(head, health, reply) : empty("audit.chain_none"),
      head && element(
        "details",
        { open: isOpen },
        element("summary", {}, text("audit.head_more", { number: count(heads.before.length) })),
        element("p", {}, text("audit.head_check"), " ", element("code", { className: "command" }, verifying(head))),
        element("ul", { className: "heads" }, heads.before.map(headBefore)),
      ),
    );
  }

  /** What a meter shows now, or why that is not known: a stale amount is never shown as live. */
  function said(meter) {
    const { state } = live.state(tableName);
    if (state === "stale" || state === "offline") return text("audit.stale_display");
    return live.get(tableName, `meters/${meter}`) ?? text("audit.not_shown");
  }

  function drawMeters() {
    if (!reply) return;
    meters.replaceChildren(
      element("h3", {}, text("audit.meters_now")),
      verdict(reply.explained, text(reply.explained ? "audit.all_explained_so_far" : "audit.not_explained")),
      element("p", { className: "lead" }, text("audit.meters_now_lead", { seq: count(reply.last_seq) }), " ", time(reply.at)),
      reply.meters.length ? meterTable(reply.meters, said) : empty("audit.no_meters"),
    );
  }

  drawChain();
  onHear((topic) => {
    if (topic === "journal/head" || topic === "status") drawChain();
    if (topic === "" || topic.startsWith("meters/")) drawMeters(); // an empty one: the table's state is another
  });
  reply = await ask("query-readings", {});
  drawChain();
  drawMeters();
}

function headFacts(head, health, reply) {
  return facts([
    [text("audit.head_seq"), element("strong", { className: "large" }, count(head.seq))],
    [text("audit.head_at"), time(head.at)],
    reply && [text("audit.facts_now"), count(reply.seq)],
    health && [text("audit.outbox"), count(health.outbox)],
    [text("audit.head_hash"), digest(head.hash)],
  ]);
}

function meterTable(rows, said) {
  const now = (row) => {
    const meter = said(row.meter);
    return typeof meter === "string" ? element("span", { className: "none" }, meter) : money(meter.display_cents);
  };
  return table(
    text("audit.meters_now"),
    [
      { head: text("audit.meter"), cell: (row) => element("strong", {}, meterName(row.meter)) },
      { head: text("audit.display"), cell: now, number: true, className: "gold" },
      { head: text("audit.in"), cell: (row) => money(row.in_cents.closing), number: true },
      { head: text("audit.hits"), cell: (row) => count(row.hits.closing), number: true },
      { head: text("audit.wins"), cell: (row) => money(row.wins_cents.closing), number: true },
      { head: text("audit.paid"), cell: (row) => money(row.paid_by_attendant_cents.closing), number: true },
      { head: text("audit.reserve"), cell: (row) => exact(row.reserve.closing), number: true },
      { head: text("audit.carry"), cell: (row) => exact(row.carry.closing), number: true },
    ],
    rows,
  );
}
