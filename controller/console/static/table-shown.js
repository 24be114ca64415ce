// What the table's page shows of a round, each as a function of what the table said: phase, cards, meters, refused wagers,
// actions.

import { points } from "/static/drawing.js";
import { cardFace, dollars, fill, make, meterLabel, moment, word } from "/static/parts.js";
import { text } from "/static/text.js";

export function showPhase(element, now) {
  const shown = !now ? "unknown" : now.phase;
  element.dataset.phase = shown;
  fill(
    element,
    make("p", { class: "phase-word", text: word("table.phase", shown) }),
    make("p", { class: "phase-says", text: word("table.phase_says", shown) }),
    now?.prior && make("p", { class: "phase-prior", text: text("table.prior", { phase: word("table.phase", now.prior) }) }),
  );
}

/** The cards of the round in play, from wherever the controller has them. */
export function showCards(element, now) {
  const shown = JSON.stringify([now?.player, now?.banker]);
  if (element.dataset.shown === shown) return; // or they would be read out with every lamp
  element.dataset.shown = shown;
  fill(
    element,
    ...["player", "banker"]
      .filter((side) => now?.[side]?.length)
      .map((side) =>
        make(
          "div",
          { class: `dealt ${side}` },
          make("h3", {}, make("span", { text: text(`table.${side}`) }), make("output", { class: "points", text: String(points(now[side])) })),
          make("div", { class: "dealt-cards" }, ...now[side].map(cardFace)),
        ),
      ),
  );
}

/** Every meter; no amount while nothing is known for certain. */
export function showMeters(element, meters, table, stale) {
  fill(
    element,
    ...[...meters].map(([id, meter]) =>
      make(
        "div",
        { class: `meter ${meter.state}`, "data-meter": id },
        make("span", { class: "meter-label", text: meterLabel(id, meter) }),
        make("span", { class: "meter-amount", text: stale || meter.state === "faulted" ? "—" : dollars(meter.display_cents) }),
        meter.link && make("span", { class: "meter-link", text: text("table.meter_link", { link: meter.link }) }),
        meter.state === "faulted" && make("span", { class: "meter-state", text: text("table.meter_faulted") }),
        ...meter.hits.map((hit) => hitAt(hit, table)),
      ),
    ),
  );
}

/** A hit that is not settled: this table's own leads to its validation, another table's is that table's to validate. */
function hitAt(hit, table) {
  const words = text("table.hit_at", { position: hit.position, amount: dollars(hit.amount_cents) });
  if (hit.table === undefined || hit.table === table.split("/")[1]) {
    return make("a", { class: "meter-hit", href: `/floor?table=${encodeURIComponent(table)}#${hit.award}`, text: words });
  }
  return make("span", { class: "meter-hit elsewhere", text: text("table.hit_elsewhere", { table: hit.table, hit: words }) });
}

/** Wagers that came in vain: why, where the journal was asked, otherwise in which round. */
export function showLate(element, rows) {
  const lines = rows.map((each) =>
    make(
      "li",
      {},
      each.at ? moment(each.at) : make("span", { class: "at", text: text("table.earlier") }),
      make("strong", { text: text("table.position", { position: each.position }) }),
      make("span", { text: word("table.wager", each.wager) }),
      make("span", { class: "why", text: each.why ? word("table.why", each.why) : text("table.round", { round: each.round }) }),
    ),
  );
  fill(element, lines.length ? make("ul", { class: "rows" }, ...lines) : make("p", { class: "note", text: text("table.no_late") }));
}

/** The list of who did what. */
export function actionRows(actions) {
  if (!actions.length) return make("p", { class: "note", text: text("table.no_actions") });
  return make(
    "ul",
    { class: "rows" },
    ...actions.map((each) =>
      make(
        "li",
        { class: each.refusal ? "was-refused" : "" },
        moment(each.at),
        make("strong", { text: word("table.action", each.action) }),
        make("span", { text: [each.person, each.second].filter(Boolean).join(" + ") }),
        make("span", { class: "why", text: each.refusal ? text("table.was_refused", { why: each.why ?? each.refusal }) : (each.reason ?? "") }),
      ),
    ),
  );
}

/** Coins to give back, as everyone at the table sees them. `confirm(id)` where somebody may say that it was done. */
export function showReturns(element, now, confirm) {
  const shown = JSON.stringify([now?.returns, now?.more_returns, Boolean(confirm)]);
  if (element.dataset.shown === shown) return; // a button under a finger stays where it is
  element.dataset.shown = shown;
  const rows = (now?.returns ?? []).map((each) =>
    make(
      "li",
      { "data-return": each.id },
      make("strong", { text: text("table.return_of", { amount: dollars(each.cents), position: each.position }) }),
      make("span", { text: word("table.wager", each.wager) }),
      make("span", { class: "why", text: word("table.why", each.why) }),
      confirm && make("button", { type: "button", id: `return-${each.id}`, text: text("table.do_return"), on: { click: () => confirm(each.id) } }),
    ),
  );
  const more = now?.more_returns;
  fill(element, ...rows, more && make("li", { class: "more" }, make("span", { text: text("table.more_returns", { count: more }) })));
}
