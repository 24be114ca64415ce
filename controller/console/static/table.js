// The table, live: phase, positions and lamps, meters, what came too late, devices; and what people at the table may do.

import { connect } from "/static/live.js";
import { text } from "/static/text.js";
import { showDevices, showHealth } from "/static/devices.js";
import { Felt } from "/static/felt.js";
import { HandPad } from "/static/hand.js";
import { Person } from "/static/person.js";
import { fill, make, may, mayQuery, refusal, word } from "/static/parts.js";
import { Actions } from "/static/table-actions.js";
import { actionRows, showCards, showLate, showMeters, showPhase, showReturns } from "/static/table-shown.js";

const MOST_LATE = 20; // attempts kept on the page: what a dealer looks back on
const MOST_ACTIONS = 12; // rows of the list of recent actions: a screenful

const page = document.getElementById("table-page");
const table = page.dataset.table;
const part = (id) => document.getElementById(id);

const live = connect([table]);
const person = new Person(table, part("person"), () => showAll());
const known = { late: [], refused: new Map(), actions: null, health: null, error: null };

const round = () => live.get(table, "round");
/** What the table said last below a topic, by what follows it. */
const below = (topic) => {
  const found = new Map();
  for (const [name, message] of live.all(table)) {
    if (name.startsWith(topic) && message) found.set(name.slice(topic.length), message);
  }
  return found;
};

const pad = new HandPad(() => ({ person, round: round(), meters: below("meters/"), awards: below("awards/") }));
const actions = new Actions(person, part("said"), round, pad);
const felt = new Felt(part("seats"), (position) => actions.openSeat(position));

// -- what is shown --

function showMetersNow() {
  const { state } = live.state(table);
  showMeters(part("meters"), below("meters/"), table, state === "stale" || state === "offline");
}

function showLateNow() {
  const now = round();
  const told = now && known.refused.get(now.round);
  showLate(part("late"), (told || known.late).slice(0, MOST_LATE));
}

function showReturnsNow() {
  const now = round();
  part("returns-part").hidden = !now?.returns?.length;
  const confirm = (id) => actions.act("confirm-return", { return: id });
  showReturns(part("returns"), now, may(person.session, "dealer") && confirm);
}

function showActions() {
  if (!mayQuery(person.session)) {
    return fill(part("recent"), make("p", { class: "note", text: text("table.recent_sign_in") }));
  }
  fill(
    part("recent"),
    known.error && refusal(known.error),
    known.actions && actionRows(known.actions),
    make("button", { id: "look", type: "button", text: text(known.actions ? "table.look_again" : "table.look"), on: { click: look } }),
  );
}

/** Ask for what only the journal knows. Only on a touch: each question puts off the end of the session. */
async function look() {
  const now = round();
  known.error = null;
  try {
    if (now?.round) {
      const [row] = (await person.command("query-rounds", { round: now.round })).rounds ?? [];
      if (row) known.refused.set(row.round, [...row.refused].reverse());
    }
    known.actions = (await person.command("query-actions", { limit: MOST_ACTIONS })).actions ?? [];
  } catch (error) {
    known.error = error;
  }
  showAll();
}

// -- what happens --

/** A lamp that turned to `refused` is a wager that came too late, or otherwise in vain. */
let before = null;
function noteLate(message) {
  if (!message) return;
  for (const [position, lamps] of Object.entries(message.positions)) {
    for (const [wager, lamp] of Object.entries(lamps)) {
      if (lamp !== "refused" || before?.positions[position]?.[wager] === "refused") continue;
      // What stands refused when the page is opened came at a time that the page does not know.
      known.late.unshift({ at: before && message.at, round: message.round, position: Number(position), wager });
      if (before) part("announce").textContent = text("table.late_said", { position, wager: word("table.wager", wager) });
    }
  }
  known.late.length = Math.min(known.late.length, MOST_LATE);
  if (before && before.round !== message.round) known.refused.clear();
  before = message;
}

function showPhaseNow() {
  const now = round();
  const { state } = live.state(table);
  showPhase(part("phase"), now);
  part("round-number").textContent = now?.round ? text("table.round", { round: now.round }) : text("table.no_round");
  page.classList.toggle("not-live", state !== "live" && state !== "faulted");
}

function showRound() {
  const now = round();
  showPhaseNow();
  if (now) felt.show(now.positions, now.out_of_service);
  showCards(part("cards"), now);
  showLateNow();
  showReturnsNow();
  actions.show(part("dealer"));
  pad.heard();
}

function showAll() {
  showRound();
  showMetersNow();
  showActions();
  showDevices(part("devices"), live.all(table));
  showHealth(part("health"), live.get(table, "status"), known.health);
}

live.on((_table, topic, message) => {
  if (topic === "round") {
    noteLate(message);
    showRound();
  } else if (topic.startsWith("meters/")) showMetersNow();
  else if (topic.startsWith("devices/")) showDevices(part("devices"), live.all(table));
  else if (topic === "status") {
    if (message?.health) known.health = message.health;
    showPhaseNow();
    showHealth(part("health"), message, known.health);
  }
});
live.onState(() => showAll());

part("turn").addEventListener("click", () => {
  const turned = !felt.turned;
  felt.turn(turned);
  part("turn").setAttribute("aria-pressed", String(turned));
  try {
    localStorage.setItem("turned", turned ? "yes" : "");
  } catch {
    // It is turned until the page is left.
  }
});
try {
  felt.turn(localStorage.getItem("turned") === "yes");
} catch {
  felt.turn(false);
}
part("turn").setAttribute("aria-pressed", String(felt.turned));

person.start().then(showAll);
