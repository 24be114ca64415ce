// The proof page: what mystery meters have promised and revealed, checked in the visitor's own browser.

import { connect } from "./live.js";
import { dollars } from "./odometer.js";
import { BadValue, EXAMPLE, available, cents, commitment } from "./proving.js";
import { text } from "./text.js";

const MOST_REMEMBERED = 200; // promises a browser keeps in mind: years of one table's hits
const MEMORY = "jackpotd.promises";
const PROOF = "proofs/";

const page = document.querySelector("#proof");
const shown = document.querySelector("#meters");
const tables = page.dataset.tables.split(",");
const live = connect(tables);
const proofs = new Map(); // "<table> <meter>" and what was said of it
const labels = new Map(); // the same, and what its sign says
const verdicts = new Map(); // what was computed already, by what it was computed from
let usable = false; // whether this browser computes the published example as it was published

function make(tag, { text: words, ...attributes } = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (words !== undefined) element.textContent = words;
  element.append(...children);
  return element;
}

// -- what this browser saw, and when: a promise seen before the hit is worth more than one read after it --

function remembered() {
  try {
    const found = JSON.parse(localStorage.getItem(MEMORY) ?? "{}");
    return found && typeof found === "object" && !Array.isArray(found) ? found : {};
  } catch {
    return {}; // a browser that keeps nothing, or something else under our name
  }
}

function remember(promise) {
  const all = remembered();
  if (all[promise]) return;
  all[promise] = new Date().toISOString();
  const kept = Object.entries(all).sort(([, one], [, other]) => (one < other ? 1 : -1)).slice(0, MOST_REMEMBERED);
  try {
    localStorage.setItem(MEMORY, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // Full, or not allowed: then this browser cannot vouch for what it saw.
  }
}

function moment(at) {
  return new Date(at).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
}

function seen(promise) {
  const at = remembered()[promise];
  return at && !Number.isNaN(Date.parse(at)) ? text("proof.seen", { at: moment(at) }) : "";
}

// -- verdicts --

async function verdict(values, promise) {
  if (!usable) return "unchecked";
  const key = JSON.stringify([values, promise]);
  if (!verdicts.has(key)) {
    try {
      verdicts.set(key, (await commitment(values)) === promise ? "fits" : "differs");
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      verdicts.set(key, "differs"); // what cannot even be written down was not promised
    }
  }
  return verdicts.get(key);
}

function mark(element, found) {
  element.dataset.verdict = found;
  element.textContent = text(`proof.verdict_${found}`);
}

// -- the page --

function row(table, meter, told) {
  const found = make("td", { class: "verdict", "data-head": text("proof.head_verdict") });
  mark(found, "checking");
  const values = { table, meter, cycle: told.cycle, cents: told.value_cents, nonce: told.nonce };
  verdict(values, told.commitment).then((answer) => {
    mark(found, answer);
    const saw = seen(told.commitment);
    if (saw && answer === "fits") found.append(make("span", { class: "seen", text: saw }));
  });
  const again = make("button", { type: "button", class: "quiet", text: text("proof.take_over") });
  again.setAttribute("aria-label", text("proof.take_over_cycle", { cycle: told.cycle }));
  again.addEventListener("click", () => takeOver(values, told.commitment));
  return make(
    "tr",
    {},
    make("th", { scope: "row", "data-head": text("proof.head_cycle"), text: told.cycle }),
    make("td", { class: "value", "data-head": text("proof.head_value"), text: dollars(told.value_cents) }),
    make(
      "td",
      { class: "digests", "data-head": text("proof.head_digests") },
      make("code", { text: told.commitment }),
      make("code", { class: "nonce", text: told.nonce }),
    ),
    found,
    make("td", { class: "again" }, again),
  );
}

function section(table, meter, proof) {
  const name = labels.get(`${table} ${meter}`) ?? meter;
  const card = make("section", { class: "card", "data-meter": meter, "data-table": table });
  card.append(
    make("h3", { text: text("proof.meter_at", { meter: name, table }) }),
    make("p", { class: "standing", text: text("proof.standing", { cycle: proof.cycle }) }),
    make("code", { class: "promise", text: proof.commitment }),
  );
  const saw = seen(proof.commitment);
  if (saw) card.append(make("p", { class: "seen", text: saw }));
  if (!proof.reveals?.length) {
    card.append(make("p", { class: "none", text: text("proof.no_reveals") }));
    return card;
  }
  const heads = ["cycle", "value", "digests", "verdict"].map((each) => make("th", { scope: "col", text: text(`proof.head_${each}`) }));
  card.append(
    make("h4", { text: text("proof.past") }),
    make(
      "table",
      { class: "reveals" },
      make("thead", {}, make("tr", {}, ...heads, make("td"))),
      make("tbody", {}, ...[...proof.reveals].reverse().map((told) => row(table, meter, told))),
    ),
  );
  return card;
}

let drawn = "";

function show() {
  const told = [...proofs.entries()].sort(([one], [other]) => (one < other ? -1 : 1));
  const key = JSON.stringify([told.map(([place, { commitment: promise, cycle, reveals }]) => [place, promise, cycle, reveals]), [...labels], usable]);
  if (key === drawn) return; // what has not changed stays: somebody may be reading or marking it
  drawn = key;
  shown.replaceChildren(
    ...told.map(([place, proof]) => section(...place.split(" "), proof)),
    ...(told.length ? [] : [make("p", { class: "none", text: text("proof.none") })]),
  );
}

live.on((table, topic, message) => {
  // A meter that tables share has promised in the name of their link.
  if (topic.startsWith("meters/") && message?.commitment) labels.set(`${message.link ?? table} ${topic.slice("meters/".length)}`, message.label);
  if (topic.startsWith(PROOF)) {
    const own = `${table} ${topic.slice(PROOF.length)}`;
    const place = message?.link ? `${message.link} ${topic.slice(PROOF.length)}` : own;
    if (message) {
      if ((proofs.get(place)?.cycle ?? 0) <= message.cycle || !message.link) proofs.set(place, message); // of a link's tables the one that knows most
      remember(message.commitment);
    } else {
      proofs.delete(own);
    }
  }
  queueMicrotask(show);
});

// -- the visitor's own values --

const form = document.querySelector("#own");
const answer = document.querySelector("#answer");
const fields = ["table", "meter", "cycle", "value", "nonce", "promise"];

function takeOver(values, promise) {
  const given = { ...values, value: dollars(Number(values.cents)), promise };
  for (const name of fields) form.elements[name].value = given[name];
  answer.replaceChildren();
  form.scrollIntoView();
  form.elements.table.focus();
}

function wrong(field) {
  const input = form.elements[field];
  input.setAttribute("aria-invalid", "true");
  answer.replaceChildren(make("p", { class: "problem", text: text(`proof.wrong_${field}`) }));
  input.focus();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  for (const name of fields) form.elements[name].removeAttribute("aria-invalid");
  const given = Object.fromEntries(fields.map((name) => [name, form.elements[name].value.trim()]));
  const spaceless = (words) => words.replace(/\s+/g, "").toLowerCase();
  const promise = spaceless(given.promise);
  try {
    if (promise && !/^[0-9a-f]{64}$/.test(promise)) throw new BadValue("promise");
    const found = await commitment({ ...given, cents: cents(given.value), nonce: spaceless(given.nonce) });
    const said = promise ? (found === promise ? "fits" : "differs") : "computed";
    const line = make("p", { class: "verdict" });
    mark(line, said);
    answer.replaceChildren(line, make("code", { class: "promise", text: found }));
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    wrong(error.field);
  }
});

document.querySelector("#example").addEventListener("click", () => takeOver(EXAMPLE, EXAMPLE.commitment));

async function selfTest() {
  const line = document.querySelector("#self-test");
  if (available()) {
    const { commitment: published, ...values } = EXAMPLE;
    usable = (await commitment(values)) === published;
    line.dataset.verdict = usable ? "fits" : "differs";
    line.textContent = text(usable ? "proof.self_test_passed" : "proof.self_test_failed");
  } else {
    line.dataset.verdict = "unchecked";
    line.textContent = text("proof.no_crypto");
  }
  for (const element of form.elements) element.disabled = !usable;
  show();
}

await selfTest();
