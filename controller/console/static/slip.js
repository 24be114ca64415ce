// A jackpot slip for paper. Each printing is asked of the controller, which numbers the slip and records it; what was
// printed once is taken off the screen, so that the next paper is asked for too, and marked as a reprint.

import { connect } from "/static/live.js";
import { text } from "/static/text.js";
import { Person } from "/static/person.js";
import { dollars, fill, make, may, meterLabel, refusal, word } from "/static/parts.js";

const page = document.getElementById("slip-page");
const { table, award, timezone } = page.dataset;
const part = (id) => document.getElementById(id);
const live = connect([table]);
const person = new Person(table, part("person"), () => showAsk());
const state = { busy: false, error: null, slip: null };

/** A time in the table's zone; in this browser's where the console does not know the table's. */
function local(at) {
  const how = { dateStyle: "medium", timeStyle: "long", ...(timezone ? { timeZone: timezone } : {}) };
  return new Intl.DateTimeFormat(document.documentElement.lang, how).format(new Date(at));
}

function showAsk() {
  const allowed = may(person.session, "floorperson");
  part("slip").hidden = !state.slip;
  fill(
    part("ask"),
    state.error && refusal(state.error),
    state.busy && make("p", { role: "status", text: text("floor.slip_loading") }),
    !allowed && !state.slip && make("p", { text: text("floor.slip_sign_in") }),
    allowed && !state.slip && !state.busy && make("p", { class: "note", text: text("floor.slip_make_says") }),
    allowed && !state.slip && !state.busy && make("button", { id: "make", type: "button", class: "primary", text: text("floor.slip_make"), on: { click: make_ } }),
    state.slip && make("button", { id: "print", type: "button", class: "primary", text: text("floor.slip_print"), on: { click: () => window.print() } }),
  );
}

async function make_() {
  Object.assign(state, { busy: true, error: null });
  showAsk();
  try {
    const reply = await person.command("print-slip", { award });
    state.slip = reply.slip;
    showSlip(reply.slip, reply.qr);
  } catch (error) {
    state.error = error;
  }
  state.busy = false;
  showAsk();
}

function showSlip(slip, qr) {
  const row = (key, ...value) => [make("dt", { text: text(`floor.${key}`) }), make("dd", {}, ...value)];
  const what = slip.meter ? meterLabel(slip.meter, live.get(table, `meters/${slip.meter}`)) : word("table.wager", slip.wager.split("/")[0]);
  const signature = (key, name = "") => make("div", { class: "signature" }, make("span", { class: "line" }), make("span", { text: text(`floor.${key}`) }), make("b", { text: name }));
  const demonstration = live.get(table, "status")?.mode === "demonstration";
  fill(
    part("slip"),
    demonstration && make("p", { class: "mark", text: text("floor.slip_demonstration") }),
    slip.reprint && make("p", { class: "mark reprint" }, make("strong", { text: text("floor.slip_reprint") }), make("span", { text: text("floor.slip_reprint_says") })),
    make("header", {}, make("h1", { text: text("floor.slip") }), make("p", { class: "number", text: text("floor.slip_number", { slip: slip.slip }) })),
    make("p", { class: "amount", text: dollars(slip.amount_cents) }),
    make(
      "dl",
      {},
      ...row("slip_table", table),
      ...row("slip_jackpot", `${text("table.row", { wager: what, outcome: word("table.outcome", slip.outcome) })} (${slip.wager})`),
      ...row("slip_position", String(slip.position)),
      ...row("slip_round", String(slip.round)),
      ...row("slip_method", word("floor.method", slip.method)),
      ...row("slip_validated", make("time", { datetime: slip.at, text: local(slip.at) })),
      ...row("slip_utc", make("time", { datetime: slip.at, text: `${slip.at.slice(0, 19).replace("T", " ")}Z` })),
      ...row("slip_by", slip.by),
      ...(slip.second ? row("slip_second", slip.second) : []),
      ...row("slip_award", make("code", { text: slip.award })),
      ...row("slip_fact", make("code", { text: String(slip.seq) })),
      ...row("slip_hash", make("code", { class: "hash", text: slip.hash })),
    ),
    make("img", { class: "qr", src: qr, alt: text("floor.slip_qr") }),
    make(
      "section",
      { class: "signatures" },
      signature("slip_signature_player"),
      signature("slip_signature_by", slip.by),
      slip.second ? signature("slip_signature_second", slip.second) : null,
      signature("slip_signature_paid"),
    ),
  );
}

window.addEventListener("afterprint", () => {
  state.slip = null;
  fill(part("slip"));
  showAsk();
});

/** Right after its validation the slip is made without another touch; otherwise a person asks for it. */
function fresh() {
  try {
    const wanted = sessionStorage.getItem("fresh-slip") === award;
    sessionStorage.removeItem("fresh-slip");
    return wanted;
  } catch {
    return false;
  }
}

await person.start();
showAsk();
if (fresh() && may(person.session, "floorperson")) make_();
