// The table, live: phase, positions and lamps, meters, what came too late, devices; and what people at the table may do.

import { connect } from "/static/live.js";
import { text } from "/static/text.js";
import { points } from "/static/drawing.js";
import { showDevices, showHealth } from "/static/devices.js";
import { Felt } from "/static/felt.js";
import { HandPad } from "/static/hand.js";
import { Person } from "/static/person.js";
import { ask, asked, cardFace, dollars, fill, make, may, mayQuery, meterLabel, moment, reasonField, refusal, word } from "/static/parts.js";

const MOST_LATE = 20; // attempts kept on the page: what a dealer looks back on
const MOST_ACTIONS = 12; // rows of the list of recent actions: a screenful
const SAID_MS = 8000; // long enough to read that it was done; what was refused stays
const LAMPS_IN = ["placed", "accepted", "won"]; // a wager stands behind these

const page = document.getElementById("table-page");
const table = page.dataset.table;
const part = (id) => document.getElementById(id);

const live = connect([table]);
const person = new Person(table, part("person"), () => showAll());
const known = { late: [], refused: new Map(), actions: null, hands: new Map(), returns: new Map(), health: null, error: null };

const round = () => live.get(table, "round");
const meters = () => {
  const found = new Map();
  for (const [topic, message] of live.all(table)) {
    if (topic.startsWith("meters/") && message) found.set(topic.slice("meters/".length), message);
  }
  return found;
};

const felt = new Felt(part("seats"), (position) => openSeat(position));
const pad = new HandPad(
  () => ({ person, round: round(), meters: meters() }),
  (reply) => {
    keepHand(reply.round, reply);
    showCards();
  },
);

// -- what is shown --

function showPhase() {
  const now = round();
  const { state } = live.state(table);
  const shown = !now ? "unknown" : now.phase;
  part("phase").dataset.phase = shown;
  fill(
    part("phase"),
    make("p", { class: "phase-word", text: word("table.phase", shown) }),
    make("p", { class: "phase-says", text: word("table.phase_says", shown) }),
    now?.prior && make("p", { class: "phase-prior", text: text("table.prior", { phase: word("table.phase", now.prior) }) }),
  );
  part("round-number").textContent = now?.round ? text("table.round", { round: now.round }) : text("table.no_round");
  page.classList.toggle("not-live", state !== "live" && state !== "faulted");
}

function showSeats() {
  const now = round();
  if (now) felt.show(now.positions);
}

/** The hand of the round as far as this page may know it: entered here, asked for, or told by an award. */
function handOf(number) {
  if (known.hands.has(number)) return known.hands.get(number);
  for (const [topic, award] of live.all(table)) {
    if (topic.startsWith("awards/") && award?.round === number && award.player) return award;
  }
  return null;
}

function keepHand(number, { player, banker }) {
  known.hands = new Map([[number, { player, banker }]]); // the newest is all that the felt shows
}

function showCards() {
  const now = round();
  const hand = now && ["dealt", "settled"].includes(now.phase) ? handOf(now.round) : null;
  const waits = now && ["dealt", "settled"].includes(now.phase) && !hand;
  fill(
    part("cards"),
    ...(hand
      ? ["player", "banker"].map((side) =>
          make(
            "div",
            { class: `dealt ${side}` },
            make("h3", {}, make("span", { text: text(`table.${side}`) }), make("output", { class: "points", text: String(points(hand[side])) })),
            make("div", { class: "dealt-cards" }, ...hand[side].map(cardFace)),
          ),
        )
      : []),
    waits && make("p", { class: "note", text: text("table.cards_in") }),
  );
}

function showMeters() {
  const stale = live.state(table).state === "stale" || live.state(table).state === "offline";
  fill(
    part("meters"),
    ...[...meters()].map(([id, meter]) =>
      make(
        "div",
        { class: `meter ${meter.state}`, "data-meter": id },
        make("span", { class: "meter-label", text: meterLabel(id, meter) }),
        make("span", { class: "meter-amount", text: stale || meter.state === "faulted" ? "—" : dollars(meter.display_cents) }),
        meter.state === "faulted" && make("span", { class: "meter-state", text: text("table.meter_faulted") }),
        ...meter.hits.map((hit) =>
          make("a", { class: "meter-hit", href: `/floor?table=${encodeURIComponent(table)}#${hit.award}`,
            text: text("table.hit_at", { position: hit.position, amount: dollars(hit.amount_cents) }) }),
        ),
      ),
    ),
  );
}

function showLate() {
  const now = round();
  const told = now ? known.refused.get(now.round) : null;
  const rows = told
    ? told.map((each) => ({ ...each, round: now.round }))
    : known.late;
  fill(
    part("late"),
    rows.length
      ? make(
          "ul",
          { class: "rows" },
          ...rows.slice(0, MOST_LATE).map((each) =>
            make(
              "li",
              {},
              moment(each.at),
              make("strong", { text: text("table.position", { position: each.position }) }),
              make("span", { text: word("table.wager", each.wager) }),
              make("span", { class: "why", text: each.why ? word("table.why", each.why) : text("table.round", { round: each.round }) }),
            ),
          ),
        )
      : make("p", { class: "note", text: text("table.no_late") }),
  );
}

function showActions() {
  if (!mayQuery(person.session)) {
    return fill(part("recent"), make("p", { class: "note", text: text("table.recent_sign_in") }));
  }
  fill(
    part("recent"),
    known.error && refusal(known.error),
    known.actions &&
      (known.actions.length
        ? make(
            "ul",
            { class: "rows" },
            ...known.actions.map((each) =>
              make(
                "li",
                { class: each.refusal ? "was-refused" : "" },
                moment(each.at),
                make("strong", { text: word("table.action", each.action) }),
                make("span", { text: [each.person, each.second].filter(Boolean).join(" + ") }),
                make("span", { class: "why", text: each.refusal ? text("table.was_refused", { why: each.why ?? each.refusal }) : (each.reason ?? "") }),
              ),
            ),
          )
        : make("p", { class: "note", text: text("table.no_actions") })),
    make("button", { id: "look", type: "button", text: text(known.actions ? "table.look_again" : "table.look"), on: { click: look } }),
  );
}

/** Ask for what only the journal knows. Only on a touch: each question puts off the end of the session. */
async function look() {
  const now = round();
  known.error = null;
  try {
    if (now?.round) {
      const told = await person.command("query-rounds", { round: now.round });
      takeRound(told.rounds?.[0]);
    }
    known.actions = (await person.command("query-actions", { limit: MOST_ACTIONS })).actions ?? [];
  } catch (error) {
    known.error = error;
  }
  showAll();
}

function takeRound(row) {
  if (!row) return;
  known.refused.set(row.round, [...row.refused].reverse());
  const hand = row.hands.at(-1);
  if (hand) keepHand(row.round, hand);
}

/** With a shoe the cards come by themselves: ask for them once when the round has them, if someone here may. */
let askedFor = "";
async function fetchCards() {
  const now = round();
  if (!now || !["dealt", "settled"].includes(now.phase) || !mayQuery(person.session)) return;
  const what = `${now.round} ${now.phase} ${now.seq}`;
  if (askedFor === what || !person.awake()) return;
  askedFor = what;
  try {
    const told = await person.command("query-rounds", { round: now.round });
    takeRound(told.rounds?.[0]);
    showCards();
    showLate();
  } catch {
    askedFor = ""; // the next change asks again; the felt says that the cards are in
  }
}

// -- what can be done --

function showDealer() {
  const now = round();
  const { session } = person;
  const phase = now?.phase === "faulted" ? now.prior : now?.phase;
  const playing = ["locked", "dealt", "settled", "simulated"].includes(phase);
  const button = (id, key, least, action, extra = "") =>
    may(session, least) && make("button", { id, type: "button", class: extra, text: text(key), on: { click: action } });
  fill(
    part("dealer"),
    phase === "closed" && button("open-table", "table.do_open", "dealer", () => act("open-table"), "primary"),
    playing && phase !== "settled" && button("enter-hand", "table.do_hand", "dealer", () => enterHand(false), "primary"),
    ["dealt", "settled"].includes(phase) && button("correct-hand", "table.do_correct", "dealer", () => enterHand(true)),
    ["open", "settled"].includes(phase) && button("simulated-round", "table.do_simulated", "dealer", () => act("simulated-round")),
    phase === "simulated" && button("simulated-round", "table.do_simulated_end", "dealer", () => act("simulated-round")),
    ["open"].includes(phase) && button("close-table", "table.do_close", "dealer", () => act("close-table")),
    ["locked", "dealt"].includes(phase) && button("void-round", "table.do_void", "floorperson", voidRound, "danger"),
    ["open", "closed"].includes(phase) && now.round > 1 && button("late-hand", "table.do_late", "floorperson", () => pad.open({ round: now.round - 1 })),
    !may(session, "dealer") && make("p", { class: "note", text: text(session?.role ? "table.may_look" : "table.sign_in_to_act") }),
  );
}

function enterHand(correcting) {
  const now = round();
  const hand = handOf(now.round) ?? {};
  pad.open({ round: now.round, correcting, player: hand.player, banker: hand.banker });
}

/** Give a command, and say what came of it: a refusal until the next one. */
let saidUntil = 0;
async function act(name, fields = {}, options = {}) {
  clearTimeout(saidUntil);
  fill(part("said"));
  try {
    const reply = await asked(person, name, fields, options);
    if (!reply) return undefined;
    for (const each of reply.returns ?? []) known.returns.set(each.id, each);
    fill(part("said"), make("p", { class: "did", role: "status", text: text("table.did", { what: word("table.command", name) }) }));
    clearTimeout(saidUntil);
    saidUntil = setTimeout(() => fill(part("said")), SAID_MS);
    showReturns();
    return reply;
  } catch (error) {
    fill(part("said"), refusal(error));
    return undefined;
  }
}

async function voidRound() {
  const now = round();
  const reason = await askReason(text("table.void_title", { round: now.round }), text("table.void_says"), [
    text("table.reason_misdeal"),
    text("table.reason_exposed"),
    text("table.reason_early_lock"),
  ]);
  if (reason) await act("void-round", { round: now.round, reason });
}

function askReason(title, says, suggestions) {
  return ask(title, (close) => {
    const { element, field } = reasonField(suggestions);
    const go = make("button", { type: "submit", id: "reason-go", class: "danger", text: text("table.confirm") });
    return [
      make("p", { text: says }),
      make(
        "form",
        { on: { submit: (event) => {
          event.preventDefault();
          if (field.value.trim()) close(field.value.trim());
        } } },
        element,
        make("div", { class: "buttons" }, make("button", { type: "button", text: text("floor.cancel"), on: { click: () => close() } }), go),
      ),
    ];
  });
}

function openSeat(position) {
  const now = round();
  const lamps = now?.positions[position] ?? {};
  ask(text("table.position", { position }), (close) => {
    const { session } = person;
    const least = now.phase === "open" ? "dealer" : "floorperson";
    const wagers = Object.entries(lamps).map(([wager, lamp]) =>
      make(
        "li",
        { class: `seat-wager lamp-${lamp}` },
        make("strong", { text: word("table.wager", wager) }),
        make("span", { class: "lamp-word", text: word("table.lamp", lamp) }),
        make("p", { text: word("table.lamp_says", lamp) }),
        LAMPS_IN.includes(lamp) && may(session, least) &&
          make("button", { type: "button", class: "danger", text: text("table.do_void_wager"), on: { click: () => {
            close();
            voidWager(now.round, position, wager);
          } } }),
      ),
    );
    const out = now.phase === "open" && Object.values(lamps).every((lamp) => lamp === "off");
    const service = (on) => () => {
      close();
      positionService(position, on);
    };
    return [
      make("ul", { class: "seat-wagers" }, ...wagers),
      may(session, "floorperson") &&
        make(
          "div",
          { class: "buttons" },
          make("button", { type: "button", id: "service-off", text: text("table.do_service_off"), disabled: out, on: { click: service(false) } }),
          make("button", { type: "button", id: "service-on", text: text("table.do_service_on"), disabled: now.phase === "open" && !out, on: { click: service(true) } }),
        ),
      make("button", { type: "button", class: "quiet", autofocus: true, text: text("table.close"), on: { click: () => close() } }),
    ].filter(Boolean);
  });
}

async function voidWager(number, position, wager) {
  const name = word("table.wager", wager);
  const reason = await askReason(text("table.void_wager_title", { wager: name, position }), text("table.void_wager_says"), [
    text("table.reason_player_asked"),
    text("table.reason_no_base"),
    text("table.reason_wrong_chip"),
  ]);
  const two = !["open", "simulated"].includes(round()?.phase);
  if (reason) await act("void-wager", { round: number, position, wager, reason }, { two });
}

async function positionService(position, on) {
  const title = text(on ? "table.service_on_title" : "table.service_off_title", { position });
  const reason = await askReason(title, text("table.service_says"), [
    text("table.reason_sensor"),
    text("table.reason_repaired"),
    text("table.reason_cleaning"),
  ]);
  if (reason) await act("position-service", { position, on, reason });
}

function showReturns() {
  const rows = [...known.returns.values()];
  part("returns-part").hidden = !rows.length;
  fill(
    part("returns"),
    ...rows.map((each) =>
      make(
        "li",
        {},
        make("strong", { text: text("table.return_of", { amount: dollars(each.cents), position: each.position }) }),
        make("span", { class: "why", text: word("table.why", each.why) }),
        may(person.session, "dealer") &&
          make("button", { type: "button", text: text("table.do_return"), on: { click: async () => {
            if (await act("confirm-return", { return: each.id })) known.returns.delete(each.id);
            showReturns();
          } } }),
      ),
    ),
  );
}

// -- what happens --

/** A lamp that turned to `refused` is a wager that came too late, or otherwise in vain. */
let before = null;
function noteLate(message) {
  if (!message) return;
  for (const [position, lamps] of Object.entries(message.positions)) {
    for (const [wager, lamp] of Object.entries(lamps)) {
      if (lamp === "refused" && before && before.positions[position]?.[wager] !== "refused") {
        known.late.unshift({ at: message.at, round: message.round, position: Number(position), wager });
        part("announce").textContent = text("table.late_said", { position, wager: word("table.wager", wager) });
      }
    }
  }
  known.late.length = Math.min(known.late.length, MOST_LATE);
  if (before && before.round !== message.round) known.refused.clear();
  before = message;
}

function showAll() {
  showPhase();
  showSeats();
  showCards();
  showMeters();
  showLate();
  showActions();
  showDealer();
  showReturns();
  showDevices(part("devices"), live.all(table));
  showHealth(part("health"), live.get(table, "status"), known.health);
  fetchCards();
}

live.on((_table, topic, message) => {
  if (topic === "round") {
    noteLate(message);
    showPhase();
    showSeats();
    showCards();
    showLate();
    showDealer();
    fetchCards();
  } else if (topic.startsWith("meters/")) showMeters();
  else if (topic.startsWith("devices/")) showDevices(part("devices"), live.all(table));
  else if (topic.startsWith("awards/")) showCards();
  else if (topic === "status") {
    if (message?.health) known.health = message.health;
    showPhase();
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
