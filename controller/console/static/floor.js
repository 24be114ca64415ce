// Floor validation: pending awards in the order they came, each with its evidence, and three touches to validate one:
// base wager seen, inventory or slip, validate.

import { connect } from "/static/live.js";
import { text } from "/static/text.js";
import { Evidence } from "/static/evidence.js";
import { Person } from "/static/person.js";
import { ask, asked, credentials, dollars, fill, make, may, meterLabel, outcomeName, reasonField, refusal } from "/static/parts.js";

const page = document.getElementById("floor-page");
const table = page.dataset.table;
const part = (id) => document.getElementById(id);

const live = connect([table]);
const person = new Person(table, part("person"), () => showAll());
let wanted = decodeURIComponent(location.hash.slice(1)); // an award that a link leads to
const MOST_IN_SIGHT = 4; // awards of the list beside one award, on the smallest screen with both, 1024 × 768
const narrow = matchMedia("(max-width: 820px)"); // as in floor.css: there the award is below the list
const chosen = { award: "", own: false, base: false, method: "", sending: false, error: null, done: null }; // own: by a person
const evidence = new Evidence(table, live, person, () => showAward());

/** Pending awards in the order they came: an id ends in the number of its fact. Of those of one fact the largest comes first. */
const place = (id) => id.split("-").slice(-2).map(Number);
function pending() {
  return [...live.all(table)]
    .filter(([topic, message]) => topic.startsWith("awards/") && message)
    .map(([, message]) => message)
    .sort((one, other) => {
      const [a, b] = [place(one.award), place(other.award)];
      return a[0] - b[0] || other.amount_cents - one.amount_cents || a[1] - b[1];
    });
}

function meterName(award) {
  if (!award.meter) return outcomeName(award.wager, award.outcome);
  return meterLabel(award.meter, live.get(table, `meters/${award.meter}`));
}

// -- the list --

let told = null; // awards that were there when last looked, to announce new ones
function showList() {
  const awards = pending();
  const ids = awards.map((award) => award.award);
  if (ids.includes(wanted)) {
    choose(wanted);
    chosen.own = true;
    wanted = ""; // once: from then on it is the person who chooses
  }
  if (!ids.includes(chosen.award)) choose(ids.length === 1 || !chosen.award ? (ids[0] ?? "") : "");
  else if (!chosen.own && place(ids[0])[0] === place(chosen.award)[0]) choose(ids[0]); // awards of one fact come one by one
  if (told) {
    for (const award of awards) {
      if (!told.includes(award.award)) {
        part("announce").textContent = text("floor.hit_said", {
          what: meterName(award),
          position: award.position,
          amount: dollars(award.amount_cents),
        });
      }
    }
  }
  told = ids;
  part("count").textContent = awards.length ? text("floor.waiting", { count: awards.length }) : "";
  fill(
    part("awards"),
    ...awards.map((award) =>
      make(
        "li",
        {},
        make(
          "button",
          {
            type: "button",
            id: `award-${award.award}`,
            class: `award ${award.kind}`,
            "aria-current": award.award === chosen.award ? "true" : "false",
            on: { click: () => (narrow.matches ? lookAt(award.award) : pick(award.award)) },
          },
          make("span", { class: "award-what", text: meterName(award) }),
          make("span", { class: "award-amount", text: dollars(award.amount_cents) }),
          make("span", { class: "award-where", text: text("floor.where", { position: award.position, round: award.round }) }),
          award.needs_second && make("span", { class: "award-two", text: text("floor.two_people") }),
        ),
      ),
    ),
  );
  part("none").hidden = awards.length > 0;
  showSummary(awards);
}

/** What waits in few words that stay in sight, where the list is longer than the screen: how many, the largest, each. */
function showSummary(awards) {
  const bar = part("summary");
  bar.hidden = awards.length < 2;
  bar.classList.toggle("many", awards.length > MOST_IN_SIGHT);
  if (bar.hidden) return fill(bar);
  const largest = awards.reduce((one, other) => (other.amount_cents > one.amount_cents ? other : one));
  const leads = (award, name, ...words) =>
    make("a", {
      id: `${name}-${award.award}`,
      class: name,
      href: `#${encodeURIComponent(award.award)}`,
      "aria-current": award.award === chosen.award ? "true" : "false",
      "aria-label": text("floor.hit_said", { what: meterName(award), position: award.position, amount: dollars(award.amount_cents) }),
      on: { click: (event) => {
        event.preventDefault();
        lookAt(award.award);
      } },
    }, ...words);
  return fill(
    bar,
    make("strong", { class: "summary-count", text: text("floor.waiting", { count: awards.length }) }),
    leads(largest, "summary-largest", text("floor.largest", { amount: dollars(largest.amount_cents) })),
    make("ol", { class: "summary-each" }, ...awards.map((award) =>
      make("li", {}, leads(award, "summary-one", make("small", { text: text("floor.at", { position: award.position }) }), make("span", { text: dollars(award.amount_cents) }))),
    )),
  );
}

/** Choose an award and bring it on the screen: on a phone it is below the list. */
function lookAt(award) {
  pick(award);
  part("award").style.scrollMarginTop = `${part("summary").offsetHeight}px`; // which stays on top of it
  part("award").scrollIntoView({ block: "start" });
}

/** A person's own choice, which nothing that comes later changes. */
function pick(award) {
  choose(award);
  chosen.own = true;
  showAll();
}

function choose(award) {
  if (award === chosen.award) return;
  Object.assign(chosen, { award, own: false, base: false, method: "", error: null });
}

// -- one award --

function showAward() {
  const award = live.get(table, `awards/${chosen.award}`);
  part("award").hidden = !award;
  if (!award) return;
  fill(
    part("award-head"),
    make("h2", { text: meterName(award) }),
    make("p", { class: "amount", text: dollars(award.amount_cents) }),
    make("p", { class: "where", text: text("floor.where", { position: award.position, round: award.round }) }),
  );
  evidence.show(part("evidence"), award);
  showDecision(award);
}

function showDecision(award) {
  const { session } = person;
  if (!may(session, "floorperson")) {
    return fill(part("decision"), make("p", { class: "note", text: text(session ? "floor.not_yours" : "floor.sign_in_first") }));
  }
  const method = (name) =>
    make("button", {
      type: "button",
      id: `method-${name}`,
      class: "choice",
      role: "radio",
      "aria-checked": chosen.method === name ? "true" : "false",
      text: text(`floor.method_${name}`),
      on: { click: () => { Object.assign(chosen, { method: name, own: true }); showDecision(award); } },
    });
  const ready = chosen.base && chosen.method && !chosen.sending;
  fill(
    part("decision"),
    make("button", {
      type: "button",
      id: "base-wager",
      class: "choice",
      role: "checkbox",
      "aria-checked": chosen.base ? "true" : "false",
      text: text("floor.base_seen"),
      on: { click: () => { Object.assign(chosen, { base: !chosen.base, own: true }); showDecision(award); } },
    }),
    make("div", { class: "methods", role: "radiogroup", "aria-label": text("floor.method") }, method("inventory"), method("slip")),
    make("button", {
      type: "button",
      id: "validate",
      class: "primary validate",
      disabled: !ready,
      text: chosen.sending ? text("table.sending") : text(award.needs_second ? "floor.validate_two" : "floor.validate", { amount: dollars(award.amount_cents) }),
      on: { click: () => validate(award) },
    }),
    make("button", { type: "button", id: "reject", class: "danger", disabled: chosen.sending, text: text("floor.reject"), on: { click: () => reject(award) } }),
    chosen.error && refusal(chosen.error),
  );
}

async function decide(award, name, fields, two) {
  chosen.sending = true;
  chosen.error = null;
  showDecision(award);
  try {
    return await asked(person, name, fields, { two });
  } catch (error) {
    chosen.error = error;
    return undefined;
  } finally {
    chosen.sending = false;
    showAll();
  }
}

async function validate(award) {
  const { method } = chosen;
  const reply = await decide(award, "validate", { award: award.award, method, base_wager: true }, award.needs_second);
  if (!reply) return;
  const paper = `/slip/${encodeURIComponent(award.award)}?table=${encodeURIComponent(table)}`;
  if (method === "slip") {
    try {
      sessionStorage.setItem("fresh-slip", award.award);
    } catch {
      // The slip page asks for one more touch then.
    }
    return location.assign(paper);
  }
  showDone(text("floor.validated", { slip: reply.slip.slip, amount: dollars(award.amount_cents) }), paper);
}

async function reject(award) {
  const reason = await ask(text("floor.reject_title", { amount: dollars(award.amount_cents) }), (close) => {
    const { element, field } = reasonField([
      text("floor.reason_no_base"),
      text("floor.reason_wrong_cards"),
      text("floor.reason_wrong_chip"),
    ]);
    return [
      make("p", { text: text("floor.reject_says") }),
      make(
        "form",
        { on: { submit: (event) => {
          event.preventDefault();
          if (field.value.trim()) close(field.value.trim());
        } } },
        element,
        make(
          "div",
          { class: "buttons" },
          make("button", { type: "button", text: text("floor.cancel"), on: { click: () => close() } }),
          make("button", { type: "submit", id: "reject-go", class: "danger", text: text("floor.reject_next") }),
        ),
      ),
    ];
  });
  if (!reason) return;
  if (await decide(award, "reject", { award: award.award, reason }, true)) {
    showDone(text("floor.rejected", { amount: dollars(award.amount_cents) }));
  }
}

function showDone(words, paper) {
  fill(
    part("done"),
    make("p", { class: "did", role: "status", text: words }),
    paper && make("a", { class: "button", href: paper, text: text("floor.print_slip") }),
  );
}

// -- signing in --

function showSignIn() {
  const form = part("sign-in-part");
  form.hidden = Boolean(person.session);
  if (person.session) return fill(form);
  if (form.childElementCount) return;
  const asked = credentials({
    id: "floor-sign-in",
    button: text("floor.sign_in"),
    submit: (given) => person.signIn(given),
  });
  fill(form, make("h2", { text: text("floor.sign_in") }), make("p", { class: "note", text: text("floor.sign_in_says") }), asked.form);
}

function showAll() {
  showSignIn();
  showList();
  showAward();
}

live.on((_table, topic) => {
  if (topic.startsWith("awards/")) {
    showList();
    showAward();
  } else if (topic.startsWith("meters/") || topic === "round") showAward();
});
live.onState((_table, state) => {
  page.classList.toggle("not-live", state === "stale" || state === "offline");
  showAll();
});

person.start().then(showAll);
