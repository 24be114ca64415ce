// Hand entry: one touch for each card, the third card asked for only when the rule calls for it, and what it will settle
// shown before it is sent. The controller checks everything again.

import { text } from "/static/text.js";
import { RANKS, SUITS, judge, nextDraw, points } from "/static/drawing.js";
import { asked, cardFace, cardName, combination, dollars, fill, make, may, meterLabel, outcomeName, payout, rankShown, refusal, SUIT_SYMBOLS, word } from "/static/parts.js";

const SIDES = ["player", "banker"];
const INITIAL = 2;
const MOST_UNDO = 32; // touches: many times what six cards take

/** The pad of a table. `context()` gives {person, round, meters}; `done(reply)` is called after each success. */
export class HandPad {
  constructor(context, done) {
    this.context = context;
    this.done = done;
    this.dialog = null;
  }

  /** Open it for a round: the current one, or an earlier one, to enter or to correct. */
  open({ round, correcting = false, player = [], banker = [] }) {
    this.hand = { player: [...player], banker: [...banker] };
    this.before = [];
    this.chosen = null;
    this.round = round;
    this.correcting = correcting;
    this.told = null;
    this.refused = null;
    this.reply = null;
    this.sending = false;
    this.dialog = make("dialog", { class: "hand", "aria-label": text("table.hand_title") });
    this.dialog.addEventListener("close", () => {
      this.dialog.remove();
      this.dialog = null;
    });
    this.build();
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.changed();
  }

  build() {
    this.head = make("header", { class: "hand-head" });
    this.slots = make("div", { class: "hand-slots" });
    this.says = make("p", { class: "hand-says", role: "status", "aria-live": "polite" });
    this.settles = make("section", { class: "hand-settles", "aria-label": text("table.will_settle"), "aria-live": "polite" });
    this.foot = make("footer", { class: "hand-foot" });
    this.pad = make("div", { class: "pad", role: "group", "aria-label": text("table.pad") });
    for (const suit of SUITS) {
      for (const rank of RANKS) {
        const card = rank + suit;
        this.pad.append(
          make(
            "button",
            {
              type: "button",
              class: `pad-card ${"HD".includes(suit) ? "red" : "black"}`,
              "data-card": card,
              "aria-label": cardName(card),
              on: { click: () => this.put(card) },
            },
            make("b", { text: rankShown(rank) }),
            make("i", { text: SUIT_SYMBOLS[suit] }),
          ),
        );
      }
    }
    this.half = {};
    const key = (what, name, label, shown, extra = "") =>
      make("button", { type: "button", class: `pad-card ${extra}`, [`data-${what}`]: name, "aria-label": label, text: shown, on: { click: () => this.putHalf(what, name) } });
    this.two = make(
      "div",
      { class: "pad-two", role: "group", "aria-label": text("table.pad") },
      make("div", { class: "pad-ranks" }, ...RANKS.map((rank) => key("rank", rank, word("table.rank", rank), rankShown(rank)))),
      make("div", { class: "pad-suits" }, ...SUITS.map((suit) => key("suit", suit, word("table.suit", suit), SUIT_SYMBOLS[suit], "HD".includes(suit) ? "red" : "black"))),
    );
    this.dialog.append(this.head, this.slots, this.says, this.pad, this.two, this.settles, this.foot);
  }

  /** Which hand the next touch goes to, or null. */
  next() {
    if (this.chosen) return this.chosen.side;
    return nextDraw(this.hand.player, this.hand.banker).to;
  }

  remember() {
    this.before.push({ player: [...this.hand.player], banker: [...this.hand.banker] });
    if (this.before.length > MOST_UNDO) this.before.shift();
  }

  put(card) {
    const side = this.next();
    if (side === null || this.reply?.complete) return;
    this.remember();
    if (this.chosen) this.hand[side][this.chosen.index] = card;
    else this.hand[side].push(card);
    this.chosen = null;
    // Another card among the first four may leave a third card that nobody draws.
    for (const other of ["banker", "player"]) {
      if (judge(this.hand.player, this.hand.banker) === "impossible") this.hand[other].splice(INITIAL);
    }
    this.changed();
  }

  /** A rank or a suit; both make a card. */
  putHalf(what, name) {
    this.half[what] = this.half[what] === name ? undefined : name;
    const { rank, suit } = this.half;
    if (rank && suit) {
      this.half = {};
      this.put(rank + suit);
    }
    this.show();
  }

  undo() {
    const last = this.before.pop();
    if (!last) return;
    this.hand = last;
    this.chosen = null;
    this.changed();
  }

  clear() {
    if (!this.hand.player.length && !this.hand.banker.length) return;
    this.remember();
    this.hand = { player: [], banker: [] };
    this.chosen = null;
    this.changed();
  }

  changed() {
    this.refused = null;
    this.reply = null;
    this.told = null;
    this.show();
    this.preview();
  }

  async preview() {
    const { player, banker } = this.hand;
    if (player.length < INITIAL || banker.length < INITIAL) return;
    const wagers = [...this.wagersIn().keys()].join(",");
    const asking = new URLSearchParams({ player: player.join(","), banker: banker.join(","), wagers });
    const mine = (this.asking = asking.toString());
    try {
      const response = await fetch(`/api/preview?${mine}`);
      const told = await response.json();
      if (!response.ok) throw Object.assign(new Error(told.message), { error: told.error, message: told.message });
      if (mine === this.asking) this.told = told;
    } catch (error) {
      if (mine === this.asking) this.refused = error;
    }
    if (this.dialog && mine === this.asking) this.show();
  }

  /** Positions whose wagers are in, by wager; of an earlier round nobody here knows them. */
  wagersIn() {
    const { round } = this.context();
    const found = new Map();
    for (const [position, lamps] of Object.entries(round?.positions ?? {})) {
      for (const [wager, lamp] of Object.entries(lamps)) {
        const positions = found.get(wager) ?? [];
        if (round.round === this.round && (lamp === "accepted" || lamp === "won")) positions.push(Number(position));
        found.set(wager, positions);
      }
    }
    return found;
  }

  show() {
    if (!this.dialog) return;
    this.showHead();
    this.showSlots();
    const draw = nextDraw(this.hand.player, this.hand.banker);
    this.says.textContent = this.chosen
      ? text("table.choose_card", { hand: text(`table.${this.chosen.side}`), nth: this.chosen.index + 1 })
      : this.sentence(draw);
    const open = this.next() !== null && !this.sending;
    for (const button of [...this.pad.children, ...this.two.querySelectorAll("button")]) button.disabled = !open;
    for (const what of ["rank", "suit"]) {
      for (const button of this.two.querySelectorAll(`[data-${what}]`)) {
        button.setAttribute("aria-pressed", String(button.dataset[what] === this.half[what]));
      }
    }
    this.dialog.classList.toggle("whole", this.next() === null);
    this.showSettles();
    this.showFoot(draw);
  }

  sentence(draw) {
    if (draw.why === "first_two") {
      const nth = this.hand[draw.to].length + 1;
      return text("table.draw_first_two", { hand: text(`table.${draw.to}`), nth });
    }
    return text(`table.draw_${draw.why}`, { count: draw.count, third: draw.third });
  }

  showHead() {
    const { person: { session }, round } = this.context();
    const step = (by) => () => {
      this.round += by;
      this.correcting = false;
      this.changed();
    };
    const current = round?.round ?? this.round;
    const late = may(session, "floorperson");
    fill(
      this.head,
      make("h2", { text: text(this.correcting ? "table.hand_correct_of" : "table.hand_of", { round: this.round }) }),
      late && make("button", { id: "round-before", type: "button", class: "square", text: "−", "aria-label": text("table.round_before"),
        disabled: this.round <= 1, on: { click: step(-1) } }),
      late && make("button", { id: "round-after", type: "button", class: "square", text: "+", "aria-label": text("table.round_after"),
        disabled: this.round >= current, on: { click: step(1) } }),
      make("button", { type: "button", class: "square close", text: "✕", "aria-label": text("table.close_pad"), on: { click: () => this.dialog.close() } }),
    );
  }

  showSlots() {
    const next = this.next();
    fill(
      this.slots,
      ...SIDES.map((side) => {
        const cards = this.hand[side];
        const wanted = next === side && !this.chosen ? cards.length : -1;
        const count = Math.max(INITIAL, cards.length, wanted + 1);
        const places = Array.from({ length: count }, (_, index) => {
          const card = cards[index];
          const chosen = this.chosen?.side === side && this.chosen.index === index;
          const label = card
            ? text("table.change_card", { card: cardName(card), hand: text(`table.${side}`) })
            : text("table.empty_slot", { hand: text(`table.${side}`), nth: index + 1 });
          return make(
            "button",
            {
              type: "button",
              id: `slot-${side}-${index}`,
              class: `slot ${card ? "" : "empty"} ${chosen || wanted === index ? "wanted" : ""}`,
              "aria-label": label,
              "aria-pressed": chosen ? "true" : "false",
              disabled: !card || this.sending,
              on: { click: () => this.choose(side, index) },
            },
            card ? cardFace(card) : null,
          );
        });
        return make(
          "div",
          { class: `hand-side ${side}` },
          make("h3", {}, make("span", { text: text(`table.${side}`) }), make("output", { class: "points", text: cards.length ? String(points(cards)) : "–" })),
          make("div", { class: "slots" }, ...places),
        );
      }),
    );
  }

  choose(side, index) {
    this.chosen = this.chosen?.side === side && this.chosen.index === index ? null : { side, index };
    this.show();
  }

  showSettles() {
    if (this.refused) return fill(this.settles, refusal(this.refused), this.correctInstead());
    if (this.reply) return fill(this.settles, ...this.outcome(this.reply));
    if (!this.told) return fill(this.settles);
    const { player_total: player, banker_total: banker, complete } = this.told;
    const result = player === banker ? "tie" : player > banker ? "player_wins" : "banker_wins";
    const wagers = this.wagersIn();
    const rows = this.told.rows.map((row) => this.row(row, wagers.get(row.wager) ?? []));
    fill(
      this.settles,
      make("h3", { text: text("table.will_settle") }),
      complete && make("p", { class: "result" }, make("strong", { text: text(`table.result_${result}`, { player, banker }) })),
      rows.length ? make("ul", {}, ...rows) : make("p", { text: text(complete ? "table.settles_nothing" : "table.settles_nothing_yet") }),
      make("p", { class: "note", text: text("table.settles_note") }),
    );
  }

  row(row, positions) {
    const { meters } = this.context();
    const whom = !row.whom
      ? text("table.whom_all")
      : row.whom === "others"
        ? text("table.whom_others")
        : text("table.whom_combination", { combination: combination(row.whom) });
    const meter = row.meter && meters.get(row.meter);
    const pays = meter
      ? text("table.pays_meter", { meter: meterLabel(row.meter, meter), amount: dollars(meter.display_cents) })
      : Object.entries(row.pays)
          .map(([pays, tables]) => (Object.keys(row.pays).length > 1 ? `${payout(pays)} (${this.paytables(row.wager, tables)})` : payout(pays)))
          .join(" · ");
    const at = positions.length ? text("table.wagers_at", { positions: positions.join(", ") }) : text("table.no_wagers");
    return make(
      "li",
      { class: `${row.meter ? "jackpot" : ""} ${positions.length ? "" : "idle"}` },
      make("strong", { text: outcomeName(row.wager, row.outcome) }),
      make("span", { text: whom }),
      make("span", { class: "pays", text: pays }),
      this.round === this.context().round?.round && make("span", { class: "at", text: at }),
    );
  }

  paytables(wager, tables) {
    return wager === "royal9" ? text("table.royal9_for", { dollars: tables.join(", $") }) : text("table.paytable", { tables: tables.join(", ") });
  }

  outcome(reply) {
    const awards = (reply.awards ?? []).map((award) =>
      make(
        "li",
        { class: award.meter ? "jackpot" : "" },
        make("strong", { text: text("table.award_at", { position: award.position, amount: dollars(award.amount_cents) }) }),
        make("span", { text: outcomeName(award.wager, award.outcome) }),
        make("span", { class: "at", text: text(award.needs_validation ? "table.award_floor" : "table.award_dealer") }),
      ),
    );
    const undone = (reply.fates ?? []).map((fate) =>
      make("li", { text: text("table.award_fate", { award: fate.award, fate: word("table.fate", fate.fate), amount: dollars(fate.amount_cents) }) }),
    );
    return [
      make("h3", { text: text(reply.complete ? "table.hand_taken" : "table.four_taken", { round: reply.round }) }),
      awards.length + undone.length ? make("ul", {}, ...awards, ...undone) : make("p", { text: text("table.no_awards") }),
    ];
  }

  correctInstead() {
    const { error } = this.refused;
    if (this.correcting || error !== "bad-hand" || judge(this.hand.player, this.hand.banker) === "impossible") return null;
    return make("button", { id: "as-correction", type: "button", text: text("table.send_correction"), on: { click: () => this.send(true) } });
  }

  showFoot(draw) {
    const { person: { session }, round } = this.context();
    const four = this.hand.player.length >= INITIAL && this.hand.banker.length >= INITIAL;
    const complete = four && draw.to === null;
    const signed = may(session, "dealer");
    const early = this.round < (round?.round ?? this.round);
    if (!this.reference) this.reference = make("input", { id: "reference", type: "text", maxlength: 200, autocomplete: "off" });
    if (this.reply?.complete) {
      return fill(this.foot, make("button", { id: "pad-done", type: "button", class: "primary", text: text("table.done"), on: { click: () => this.dialog.close() } }));
    }
    fill(
      this.foot,
      make("button", { id: "undo", type: "button", text: text("table.undo"), disabled: !this.before.length || this.sending, on: { click: () => this.undo() } }),
      make("button", { id: "clear", type: "button", text: text("table.clear"), disabled: (!this.hand.player.length && !this.hand.banker.length) || this.sending, on: { click: () => this.clear() } }),
      early && make("label", { class: "reference" }, make("span", { text: text("table.reference") }), this.reference),
      !signed && make("p", { class: "note", text: text("table.sign_in_first") }),
      four && !complete && !this.reply &&
        make("button", { id: "send-four", type: "button", text: text("table.send_four"), disabled: !signed || this.sending, on: { click: () => this.send(this.correcting) } }),
      make("button", {
        id: "send-hand",
        type: "button",
        class: "primary",
        text: text(this.sending ? "table.sending" : this.correcting ? "table.send_corrected" : "table.send_hand"),
        disabled: !complete || !signed || this.sending,
        on: { click: () => this.send(this.correcting) },
      }),
    );
  }

  async send(correcting) {
    const { person } = this.context();
    const fields = { round: this.round, player: this.hand.player, banker: this.hand.banker };
    if (this.reference?.isConnected && this.reference.value.trim()) fields.reference = this.reference.value.trim();
    this.sending = true;
    this.refused = null;
    this.show();
    try {
      const reply = await asked(person, correcting ? "correct-hand" : "enter-hand", fields);
      if (reply) {
        this.reply = reply;
        this.correcting = correcting;
        this.done(reply);
      }
    } catch (error) {
      this.refused = error;
    } finally {
      this.sending = false;
      this.show();
    }
  }
}
