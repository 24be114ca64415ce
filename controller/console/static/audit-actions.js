// Actions: who did what and when, and what they were refused. Operators: who may sign in.

import { dollars } from "./audit-money.js";
import { Pages } from "./audit-pages.js";
import {
  account, cards, count, dayChoice, downloads, element, isNamed, meterName, named, page, people, roundLink,
  span, table, time,
} from "./audit-parts.js";
import { text } from "./text.js";

const ROWS = 50; // of a page

export async function show(panel, { ask, params, go, link, tableName, days }) {
  const [day, person] = [params.get("day") ?? "", params.get("person") ?? ""];
  const known = await days();
  const rows = element("div", {});
  const asked = (more) => {
    const wanted = { day, person, ...more };
    go(Object.fromEntries(Object.entries(wanted).filter(([, value]) => value)));
  };
  const typed = { autocomplete: "off", autocapitalize: "none", spellcheck: "false" }; // an id, not a word
  const field = element("input", { name: "person", value: person, size: "14", maxlength: "64", ...typed });
  panel.append(
    element(
      "form",
      {
        className: "controls",
        onsubmit: (event) => {
          event.preventDefault();
          asked({ person: field.value.trim() });
        },
      },
      dayChoice(text("audit.all_days"), known, day, (chosen) => asked({ day: chosen })),
      element("label", { className: "ask-field" }, element("span", {}, text("audit.person")), field),
      element("button", { type: "submit" }, text("audit.show")),
      person && element("button", { type: "button", onclick: () => asked({ person: "" }) }, text("audit.everybody")),
      downloads(tableName, "actions", { day, person }),
    ),
    rows,
  );
  const draw = (reply, place) => {
    rows.replaceChildren(...page(reply.actions, (found) => actionTable(found, link), place, "audit.no_actions"));
  };
  await new Pages(ask, "query-actions", "actions", { day, person }, ROWS, draw).show();
}

function actionTable(actions, link) {
  return table(
    text("audit.section_actions"),
    [
      { head: text("audit.time"), cell: (action) => time(action.at) },
      { head: text("audit.who"), cell: (action) => people(action.person, action.second) },
      { head: text("audit.what"), cell: (action) => element("strong", {}, what(action)) },
      { head: text("audit.about"), cell: (action) => about(action, link) },
      { head: text("audit.result"), cell: result },
      { head: text("audit.fact"), number: true, cell: (action) => count(action.seq) },
    ],
    actions,
    { rowProperties: (action) => ({ className: action.refusal ? "was-refused" : undefined }) },
  );
}

/** What was done; what was refused is told as something somebody tried, so that nobody takes it for done. */
function what({ action, refusal }) {
  return refusal ? text("audit.tried", { what: named(isNamed("tried", action) ? "tried" : "action", action) }) : named("action", action);
}

function result(action) {
  if (action.action === "adjustment-asked") return text("audit.asked");
  if (!action.refusal) return element("span", { className: "done" }, text("audit.done"));
  return span("refused", span("fate rejected", text("audit.not_done", { refusal: named("refusal", action.refusal) })), " ", action.why ?? "");
}

/** Whether an action was about a round; of others the journal only tells which one was being played. */
function ownRound(action) {
  return action.round && !action.client && !action.award && !action.operator && !action.meter;
}

/** What an action was about, in the order a person asks: which thing, how much, why. */
function about(action, link) {
  const found = [
    action.award && element("code", {}, action.award),
    action.meter && meterName(action.meter),
    action.amount_cents !== undefined && dollars(action.amount_cents),
    action.delta_cents !== undefined && `${action.delta_cents > 0 ? "+" : ""}${dollars(action.delta_cents)}`,
    action.source && account(action.source),
    action.method && named("method", action.method),
    action.slip && text("audit.slip_number", { slip: action.slip }),
    action.operator && action.operator !== action.person && action.operator,
    action.role && named("role", action.role),
    action.active === false && text("audit.disabled"),
    action.position && text("audit.position_n", { position: action.position }),
    action.wager && named("wager", action.wager),
    action.on !== undefined && text(action.on ? "audit.in_service" : "audit.out_of_service"),
    action.player?.length > 0 && element("span", {}, cards(action.player), " : ", cards(action.banker ?? [])),
    action.return_id && element("code", {}, action.return_id),
    action.client && text("audit.at_client", { client: action.client }),
    action.reason && `\u201c${action.reason}\u201d`,
    action.reference && text("audit.reference", { reference: action.reference }),
    ownRound(action) && roundLink(link, action.round, text("audit.round_n", { round: count(action.round) })),
  ].filter(Boolean);
  return element("span", { className: "about" }, found.map((each) => element("span", {}, each)));
}

export async function showOperators(panel, { ask, link, tableName }) {
  const rows = element("div", {});
  panel.append(element("div", { className: "controls" }, downloads(tableName, "operators")), rows);
  const draw = (reply, place) => {
    rows.replaceChildren(...page(reply.operators, (found) => operatorTable(found, link), place, "audit.no_operators"));
  };
  await new Pages(ask, "query-operators", "operators", {}, ROWS, draw).show();
}

function operatorTable(operators, link) {
  const state = (operator) => {
    if (!operator.active) return element("span", { className: "fate rejected" }, text("audit.disabled"));
    if (operator.locked_out) return element("span", { className: "fate pending" }, text("audit.locked_out"));
    return element("span", { className: "fate paid" }, text("audit.active"));
  };
  return table(
    text("audit.section_operators"),
    [
      { head: text("audit.operator"), cell: (operator) => element("code", {}, operator.operator) },
      { head: text("audit.name"), cell: (operator) => element("strong", {}, operator.name) },
      { head: text("audit.role"), cell: (operator) => named("role", operator.role) },
      { head: text("audit.may_sign_in"), cell: state },
      { head: text("audit.pin_since"), cell: (operator) => (operator.pin_since ? time(operator.pin_since) : text("audit.no_pin")) },
      {
        head: text("audit.section_actions"),
        cell: ({ operator }) => element("a", { href: link("actions", { person: operator }) }, text("audit.their_actions")),
      },
    ],
    operators,
  );
}
