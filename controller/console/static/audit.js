// The audit: sections that are chosen by the part of the address after #, each a question to the journal. Nothing is asked
// by itself again and again: that would keep someone signed in who has left.

import { show as showActions, showOperators } from "./audit-actions.js";
import { show as showHits } from "./audit-hits.js";
import { show as showMeters } from "./audit-meters.js";
import { Heads, show as showOverview } from "./audit-overview.js";
import { element, moment, named, zone } from "./audit-parts.js";
import { show as showReadings } from "./audit-readings.js";
import { show as showRounds } from "./audit-rounds.js";
import { connect } from "./live.js";
import { because } from "./parts.js";
import { Person } from "./person.js";
import { text } from "./text.js";

const SECTIONS = {
  overview: showOverview,
  meters: showMeters,
  readings: showReadings,
  hits: showHits,
  rounds: showRounds,
  actions: showActions,
  operators: showOperators,
};
const MAY = ["auditor", "floorperson", "supervisor"]; // the controller decides; this only spares a question
const LONG_MS = 4000; // then it is said that it may take a while
// A busy address is told to wait a minute. So many tries have 13 pauses between them: 65 s, a little more than that minute;
// who is refused even then is told why.
const PATIENCE = { times: 14, ms: 5000 };

const page = document.getElementById("audit-page");
const part = (id) => document.getElementById(id);
const tableName = page.dataset.table;
const live = connect([tableName]);
const person = new Person(tableName, part("person"), () => route());
const heads = new Heads();

let turn = 0; // counts what was asked to be shown: an answer to an older question is not shown any more
let hear = () => {};
let kept = new Map(); // readings of days that have ended: they do not change any more
let knownDays = null;

function forget() {
  kept = new Map();
  knownDays = null;
}

/** Somebody asked for something else meanwhile. */
class Left extends Error {}

// -- what is asked for --

function asked() {
  const [name, query] = location.hash.slice(1).split("?");
  return { section: name in SECTIONS ? name : "overview", params: new URLSearchParams(query ?? "") };
}

function link(section, wanted) {
  const query = new URLSearchParams(wanted).toString();
  return query ? `#${section}?${query}` : `#${section}`;
}

function context(own, section, params) {
  const ask = async (name, fields) => {
    if (own !== turn) throw new Left();
    running(1);
    try {
      return await patiently(() => own === turn, name, fields);
    } finally {
      if (own === turn) running(-1);
    }
  };
  const reading = async (day) => {
    if (kept.has(day)) return kept.get(day);
    const reply = await ask("query-readings", { day });
    knownDays = [...reply.days].reverse();
    if (reply.ended) kept.set(day, reply);
    return reply;
  };
  return {
    ask,
    reading,
    params,
    link,
    live,
    heads,
    tableName,
    go: (wanted) => { location.hash = link(section, wanted); },
    onHear: (listener) => { hear = listener; },
    progress: (words) => {
      clearTimeout(long); // this says more
      part("running-text").textContent = words;
    },
    days: async () => {
      if (!knownDays) await reading(""); // the running day, which names all others
      return knownDays;
    },
    meters,
  };
}

/** The meters that the table shows now. */
function meters() {
  const topics = live.all(tableName).map(([topic]) => topic.split("/"));
  return topics.filter(([kind]) => kind === "meters").map(([, meter]) => meter).sort();
}

/** The reply to a query, also where this address has asked too much in a minute: then it is asked again. */
async function patiently(wanted, name, fields) {
  for (let tries = 1; ; tries += 1) {
    try {
      const reply = await person.command(name, fields);
      if (!wanted()) throw new Left();
      return reply;
    } catch (error) {
      if (!wanted()) throw new Left();
      if (error.error !== "too-many" || tries >= PATIENCE.times) throw error;
      await new Promise((resolve) => setTimeout(resolve, PATIENCE.ms));
    }
  }
}

// -- showing it --

async function route() {
  turn += 1;
  const own = turn;
  hear = () => {};
  running(-underWay);
  const { section, params } = asked();
  const may = MAY.includes(person.session?.role);
  part("audit-tabs").hidden = !may;
  for (const tab of document.querySelectorAll("#audit-tabs a")) {
    const chosen = tab.hash === `#${section}`;
    if (chosen) {
      tab.setAttribute("aria-current", "page");
      tab.scrollIntoView({ block: "nearest", inline: "center" }); // on a phone they are wider than the screen
    } else tab.removeAttribute("aria-current");
  }
  part("audit-tools").hidden = !may;
  if (!may) {
    forget(); // what one person was shown is not kept for the next
    return part("panel").replaceChildren(signInFirst());
  }
  const heading = element("h2", { tabindex: "-1" }, text(`audit.section_${section}`));
  const lead = section === "hits" && params.get("award") ? "audit.lead_hit" : `audit.lead_${section}`;
  const panel = element("div", { className: `section ${section}` });
  part("panel").replaceChildren(heading, element("p", { className: "lead" }, text(lead)), panel);
  document.title = `${text(`audit.section_${section}`)} \u2013 ${text("audit.title")} ${tableName}`;
  part("printed").textContent = text("audit.printed", { at: moment(Date.now()), person: person.session.name || person.session.operator });
  running(1);
  try {
    await SECTIONS[section](panel, context(own, section, params));
    part("announce").textContent = text("audit.shown", { section: text(`audit.section_${section}`) });
  } catch (error) {
    if (error instanceof Left) return undefined;
    panel.append(failed(error));
  } finally {
    if (own === turn) running(-1);
  }
  return undefined;
}

let underWay = 0; // questions
let long = 0;
/** Say that questions are under way, as long as they are. */
function running(more) {
  const before = underWay;
  underWay += more;
  if (Boolean(before) === Boolean(underWay)) return;
  clearTimeout(long);
  part("running").hidden = !underWay;
  part("running-text").textContent = underWay ? text("audit.asking") : "";
  part("panel").setAttribute("aria-busy", String(underWay > 0));
  if (underWay) long = setTimeout(() => { part("running-text").textContent = text("audit.asking_long"); }, LONG_MS);
}

function signInFirst() {
  const role = person.session?.role;
  const words = role ? text("audit.not_for_role", { role: named("role", role) }) : text("audit.sign_in_first");
  const onclick = () => (role ? person.signOut() : person.askIn());
  const label = text(role ? "floor.sign_out" : "floor.sign_in");
  const button = element("button", { type: "button", className: "primary", onclick }, label);
  return element("div", { className: "gate card-box" }, element("p", {}, words), button);
}

function failed(error) {
  return element(
    "div",
    { className: "verdict alarm", role: "alert" },
    element("strong", {}, text("audit.failed")),
    ...because(error),
    element("button", { type: "button", onclick: () => route() }, text("audit.try_again")),
  );
}

// -- what happens --

window.addEventListener("hashchange", () => route());
// A button of a section may lead to an answer that fails outside of `route`: the page says so all the same.
window.addEventListener("unhandledrejection", (event) => {
  if (event.reason instanceof Left) return event.preventDefault();
  return part("panel").append(failed(event.reason));
});
part("refresh").addEventListener("click", () => {
  forget();
  route();
});
part("print").addEventListener("click", () => window.print());
part("times").textContent = text("audit.times", { zone: zone() });
live.on((from, topic, message) => {
  if (from !== tableName) return;
  if (topic === "journal/head") heads.hear(message);
  hear(topic);
});
live.onState((from) => { if (from === tableName) hear(""); });
await person.start();
if (!part("panel").firstChild) route(); // who it is could not be asked: the server is away
