// What a hand makes due, as the controller tells it: asked before the hand is sent, and answered when it was.

import { points } from "/static/drawing.js";
import { dollars, make, meterLabel, outcomeName, refusal, word } from "/static/parts.js";
import { text } from "/static/text.js";

const PAUSE_MS = 200; // cards touched one after the other are asked about once
const PATIENCE_MS = 5000; // from then on the pad says that it is not known; an answer that still comes is shown
const UNTOLD = new Set(["no-reply", "too-many", "under-way"]); // nobody decided anything about the hand

/** Asks the controller what a hand would settle. Nothing waits for the answer, and only the newest one counts. */
export class Preview {
  /** `person()` is who asks; `changed()` is called whenever there is something else to show. */
  constructor(person, changed) {
    this.person = person;
    this.changed = changed;
    this.forget();
  }

  /** Whatever was asked is of no interest any more. */
  forget() {
    clearTimeout(this.pause);
    clearTimeout(this.patience);
    Object.assign(this, { mine: null, state: "none", told: null, error: null });
  }

  ask(fields) {
    this.forget();
    const mine = (this.mine = {});
    this.state = "asked";
    this.pause = setTimeout(() => this.send(mine, fields), PAUSE_MS);
  }

  async send(mine, fields) {
    this.patience = setTimeout(() => this.take(mine, { state: "lost" }), PATIENCE_MS);
    try {
      const told = await this.person().command("preview-hand", fields);
      this.take(mine, { state: "told", told });
    } catch (error) {
      this.take(mine, { state: UNTOLD.has(error.error ?? "no-reply") ? "lost" : "refused", error });
    }
  }

  take(mine, found) {
    if (mine !== this.mine) return;
    clearTimeout(this.patience);
    Object.assign(this, found);
    this.changed();
  }
}

/** Who won, which the cards alone tell. */
export function result({ player, banker }) {
  const [players, bankers] = [points(player), points(banker)];
  const name = players === bankers ? "tie" : players > bankers ? "player_wins" : "banker_wins";
  return make("p", { class: "result" }, make("strong", { text: text(`table.result_${name}`, { player: players, banker: bankers }) }));
}

/** What is known of a hand before it is sent. `context` has the meters, and the awards that wait. */
export function beforehand(preview, { round, complete, correcting }, context) {
  if (preview.state === "refused") return [make("h3", { text: text("table.would_refuse") }), refusal(preview.error)];
  if (preview.state === "lost") return [make("p", { class: "note", text: text("table.due_unknown") })];
  if (preview.state === "asked") return [make("p", { class: "note", text: text("table.due_asked") })];
  if (preview.state !== "told") return [];
  const { awards, fates, linked = [] } = preview.told;
  const standing = stand(round, fates, context);
  const rows = [...largest(awards).map(due), ...linked.map((each) => ofLink(each, context)), ...fates.map((fate) => undone(fate, context)), ...standing];
  const nothing = standing.length || correcting ? "table.nothing_more_due" : complete ? "table.nothing_due" : "table.nothing_due_yet";
  return [
    rows.length ? make("ul", {}, ...rows) : null,
    awards.length + linked.length ? null : make("p", { text: text(nothing) }),
  ].filter(Boolean);
}

/** What became of a hand that was sent. */
export function afterwards(reply, context) {
  const rows = [...largest(reply.awards ?? []).map(due), ...(reply.fates ?? []).map((fate) => undone(fate, context))];
  return [
    make("h3", { text: text(reply.complete ? "table.hand_taken" : "table.four_taken", { round: reply.round }) }),
    rows.length ? make("ul", {}, ...rows) : make("p", { text: text("table.no_awards") }),
  ];
}

/** On a phone not all of them are in sight: what matters most comes first. */
function largest(awards) {
  return [...awards].sort((one, other) => other.amount_cents - one.amount_cents);
}

function due(award) {
  const who = !award.needs_validation ? "table.award_dealer" : award.needs_second ? "table.award_two" : "table.award_floor";
  return make(
    "li",
    { class: award.meter ? "jackpot" : "", "data-due": award.position },
    make("strong", { text: text("table.award_at", { position: award.position, amount: dollars(award.amount_cents) }) }),
    make("span", { text: outcomeName(award.wager, award.outcome) }),
    make("span", { class: "at", text: text(who) }),
  );
}

function ofLink({ meter, positions, display_cents: cents }, { meters }) {
  const label = meterLabel(meter, meters.get(meter));
  return make(
    "li",
    { class: "jackpot" },
    make("strong", { text: text("table.linked_at", { positions: positions.join(", "), meter: label }) }),
    make("span", { class: "at", text: text("table.linked_says", { amount: dollars(cents) }) }),
  );
}

/** An award made before that these cards change. Those that wait are known by position and row, others by their id. */
function undone({ award: id, fate, amount_cents: cents }, { awards }) {
  const award = awards.get(id);
  const what = award ? text("table.award_of", { position: award.position, row: outcomeName(award.wager, award.outcome) }) : id;
  return make(
    "li",
    { class: "undone", "data-undone": id },
    make("strong", { text: text("table.award_fate", { award: what, fate: word("table.fate", fate), amount: dollars(cents) }) }),
  );
}

/** Awards of the round that wait already and stay as they are: they are due once. */
function stand(round, fates, { awards }) {
  const leaving = new Set(fates.map((fate) => fate.award));
  return [...awards.values()]
    .filter((award) => award.round === round && !leaving.has(award.award))
    .map((award) =>
      make(
        "li",
        { class: "stands" },
        make("strong", { text: text("table.award_at", { position: award.position, amount: dollars(award.amount_cents) }) }),
        make("span", { text: outcomeName(award.wager, award.outcome) }),
        make("span", { class: "at", text: text("table.award_stands") }),
      ),
    );
}
