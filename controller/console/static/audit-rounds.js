// Rounds: what was wagered, the cards, what they made due, and what was refused.

import { awardTable } from "./audit-hits.js";
import { Pages } from "./audit-pages.js";
import {
  cards, clock, count, dayChoice, downloads, element, empty, exact, facts, meterName, money, named,
  none, page, people, span, table, time,
} from "./audit-parts.js";
import { text } from "./text.js";

const ROWS = 50; // of a page

export async function show(panel, { ask, params, go, tableName, days }) {
  const [day, number] = [params.get("day") ?? "", Number(params.get("round") ?? 0)];
  const rows = element("div", {});
  const known = await days();
  panel.append(
    element(
      "form",
      { className: "controls", onsubmit: (event) => byNumber(event, go) },
      dayChoice(text("audit.all_days"), known, day, (chosen) => go(chosen ? { day: chosen } : {})),
      element(
        "label",
        { className: "ask-field" },
        element("span", {}, text("audit.round_number")),
        element("input", { name: "round", inputmode: "numeric", pattern: "[0-9]{1,15}", size: "8", value: number || "" }),
      ),
      element("button", { type: "submit" }, text("audit.show")),
      downloads(tableName, "rounds", number ? { round: number } : { day }),
    ),
    rows,
  );
  const draw = (reply, place) => {
    const all = (found) => found.map((each) => oneRound(each, Boolean(number)));
    rows.replaceChildren(...page(reply.rounds, all, place, "audit.no_rounds"));
  };
  await new Pages(ask, "query-rounds", "rounds", number ? { round: number } : { day }, number ? 1 : ROWS, draw).show();
}

function byNumber(event, go) {
  event.preventDefault();
  const given = event.target.elements.round.value.trim();
  go(given ? { round: given } : {});
}

function oneRound(round, open) {
  const hand = round.hands[round.hands.length - 1];
  const stakes = round.wagers.reduce((sum, wager) => sum + wager.stake_cents, 0);
  return element(
    "details",
    { className: "round-row", open, "data-round": round.round },
    element(
      "summary",
      {},
      element("strong", { className: "round-number" }, text("audit.round_n", { round: count(round.round) })),
      span("round-time", round.locked_at ? time(round.locked_at) : text("audit.still_open")),
      span("round-wagers", text("audit.wagers_in", { number: count(round.wagers.length) }), " ", money(stakes)),
      span("round-cards", hand ? [cards(hand.player), " : ", cards(hand.banker)] : text("audit.no_hand")),
      span("round-awards", ...marks(round)),
    ),
    element("div", { className: "round-parts" }, ...parts(round)),
  );
}

function marks(round) {
  const jackpots = round.awards.filter((award) => award.kind !== "fixed");
  const fixed = round.awards.length - jackpots.length;
  const refused = round.refused.length + round.more_refused;
  return [
    jackpots.length > 0 && span("mark gold", text("audit.mark_hit", { number: count(jackpots.length) })),
    fixed > 0 && span("mark", text("audit.mark_awards", { number: count(fixed) })),
    round.voided_seq !== undefined && span("mark warn", text("audit.mark_void")),
    refused > 0 && span("mark warn", text("audit.mark_refused", { number: count(refused) })),
  ].filter(Boolean);
}

function parts(round) {
  return [
    facts([
      [text("audit.opened"), round.opened_at && time(round.opened_at)],
      [text("audit.locked"), round.locked_at && time(round.locked_at)],
      [text("audit.cause"), round.cause && named("cause", round.cause)],
      [text("audit.facts"), [round.opened_seq, round.locked_seq].filter(Boolean).map(count).join(" \u2013 ")],
      [text("audit.voided"), round.voided_by && `${round.voided_by}: ${round.void_reason ?? ""}`],
    ]),
    element("h4", {}, text("audit.wagers")),
    round.wagers.length ? wagerTable(round.wagers) : empty("audit.no_wagers"),
    element("h4", {}, text("audit.hands")),
    round.hands.length ? handTable(round.hands) : empty("audit.no_hands"),
    element("h4", {}, text("audit.awards")),
    round.awards.length ? awardTable(round.awards) : empty("audit.no_awards"),
    ...(round.refused.length ? refusedParts(round) : []),
  ];
}

/** When a wager was placed, and by which fact. */
function placed(wager) {
  return span("placed", time(wager.placed_at, clock), ` ${text("audit.fact_of", { seq: count(wager.placed_seq) })}`);
}

function wagerTable(wagers) {
  const share = (each) => {
    const reserve = /[1-9]/.test(each.reserve) ? [` ${text("audit.and_reserve")} `, exact(each.reserve)] : [];
    return element("li", {}, `${meterName(each.meter)}: `, exact(each.amount), ...reserve);
  };
  const given = (wager) => element("ul", { className: "plain" }, wager.contributions.map(share));
  return table(
    text("audit.wagers"),
    [
      { head: text("audit.position"), number: true, cell: (wager) => wager.position },
      { head: text("audit.wager"), cell: (wager) => named("wager", wager.wager) },
      { head: text("audit.stake"), number: true, cell: (wager) => money(wager.stake_cents) },
      { head: text("audit.source"), cell: (wager) => named("source", wager.source) },
      { head: text("audit.placed"), cell: (wager) => placed(wager) },
      { head: text("audit.contributions"), cell: given },
      { head: text("audit.given_back"), cell: (wager) => (wager.given_back ? named("back", wager.given_back) : none()) },
    ],
    wagers,
  );
}

function handTable(hands) {
  const how = (hand) => [
    named("source", hand.source),
    !hand.complete && text("audit.hand_incomplete"),
    hand.late && text("audit.hand_late"),
    hand.corrected && text("audit.hand_corrected"),
    hand.reference,
  ].filter(Boolean).join(", ");
  return table(
    text("audit.hands"),
    [
      { head: text("audit.time"), cell: (hand) => time(hand.at) },
      { head: text("audit.player"), cell: (hand) => cards(hand.player) },
      { head: text("audit.banker"), cell: (hand) => cards(hand.banker) },
      { head: text("audit.entered"), cell: how },
      { head: text("audit.by"), cell: (hand) => people(hand.by, hand.second) },
    ],
    hands,
  );
}

function refusedParts(round) {
  return [
    element("h4", {}, text("audit.refused_bets")),
    table(
      text("audit.refused_bets"),
      [
        { head: text("audit.time"), cell: (bet) => time(bet.at, clock) },
        { head: text("audit.position"), number: true, cell: (bet) => bet.position },
        { head: text("audit.wager"), cell: (bet) => named("wager", bet.wager) },
        { head: text("audit.why"), cell: (bet) => named("bar", bet.why) },
      ],
      round.refused,
    ),
    ...(round.more_refused ? [element("p", {}, text("audit.more_refused", { number: count(round.more_refused) }))] : []),
  ];
}
