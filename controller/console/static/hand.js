// Hand entry: one touch for each card, the third card asked for only when the rule calls for it, and what the hand makes due
// told by the controller before it is sent. The controller checks everything again.

import { Cards, INITIAL, SIDES } from "/static/hand-cards.js";
import { Preview, afterwards, beforehand, result } from "/static/hand-due.js";
import { Keys } from "/static/hand-keys.js";
import { points } from "/static/drawing.js";
import { asked, cardFace, cardName, fill, make, may, refusal } from "/static/parts.js";
import { text } from "/static/text.js";

/** The pad of a table. `context()` gives {person, round, meters, awards}, as they are now. */
export class HandPad {
  constructor(context) {
    this.context = context;
    this.dialog = null;
    this.preview = new Preview(() => context().person, () => this.show());
  }

  /** Open it for a round: the current one, with the cards that are known of it, or an earlier one. */
  open({ round, correcting = false }) {
    this.round = round;
    this.correcting = correcting;
    this.cards = new Cards(this.known());
    this.sending = false;
    this.dialog = make("dialog", { class: "hand", "aria-label": text("table.hand_title") });
    this.dialog.addEventListener("close", () => {
      this.preview.forget();
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
    this.reference = make("input", { id: "reference", type: "text", maxlength: 200, autocomplete: "off" });
    this.keys = new Keys((card) => this.touch(() => this.cards.put(card)));
    this.dialog.append(this.head, this.slots, this.says, ...this.keys.elements, this.settles, this.foot);
  }

  /** The cards the table tells of this round: only of the one in play. */
  known() {
    const { round } = this.context();
    return round?.round === this.round ? round : {};
  }

  /** The table said something new. Cards of the shoe go on a pad that nobody has touched. */
  heard() {
    if (!this.dialog || this.cards.touched || this.sending || this.reply) return;
    const { player, banker } = this.known();
    if (!player || [player, banker].join("/") === [this.cards.player, this.cards.banker].join("/")) return;
    this.cards = new Cards({ player, banker });
    this.changed();
  }

  touch(change) {
    if (this.reply?.complete || this.sending) return;
    change();
    this.changed();
  }

  changed() {
    this.refused = null;
    this.reply = null;
    const { player, banker } = this.cards;
    const fields = { round: this.round, player, banker, correction: this.correcting };
    if (this.cards.four && may(this.context().person.session, "dealer")) this.preview.ask(fields);
    else this.preview.forget();
    this.show();
  }

  show() {
    if (!this.dialog) return;
    const next = this.cards.next();
    const draw = this.cards.draw();
    this.showHead();
    fill(this.slots, ...SIDES.map((side) => this.side(side, next)));
    const { chosen } = this.cards;
    this.says.textContent = chosen
      ? text("table.choose_card", { hand: text(`table.${chosen.side}`), nth: chosen.index + 1 })
      : this.sentence(draw);
    this.keys.enable(next !== null && !this.sending);
    this.dialog.classList.toggle("whole", next === null);
    this.settles.setAttribute("aria-busy", String(this.preview.state === "asked"));
    fill(this.settles, ...this.settled(draw.to === null));
    this.showFoot(draw.to === null);
  }

  sentence(draw) {
    if (draw.why === "first_two") {
      return text("table.draw_first_two", { hand: text(`table.${draw.to}`), nth: this.cards[draw.to].length + 1 });
    }
    return text(`table.draw_${draw.why}`, { count: draw.count, third: draw.third });
  }

  showHead() {
    const { person: { session }, round } = this.context();
    const current = round?.round ?? this.round;
    const late = may(session, "floorperson");
    const step = (id, shown, label, by, disabled) =>
      late && make("button", { id, type: "button", class: "square", text: shown, "aria-label": label, disabled, on: { click: () => this.step(by) } });
    fill(
      this.head,
      make("h2", { text: text(this.correcting ? "table.hand_correct_of" : "table.hand_of", { round: this.round }) }),
      step("round-before", "−", text("table.round_before"), -1, this.round <= 1 || this.sending),
      step("round-after", "+", text("table.round_after"), 1, this.round >= current || this.sending),
      make("button", { type: "button", class: "square close", text: "✕", "aria-label": text("table.close_pad"), on: { click: () => this.dialog.close() } }),
    );
  }

  /** Another round. Cards that were keyed go with it; those that the table told of one round stay with that. */
  step(by) {
    this.round += by;
    this.correcting = false;
    if (!this.cards.touched) this.cards = new Cards(this.known());
    this.changed();
  }

  side(side, next) {
    const cards = this.cards[side];
    const { chosen } = this.cards;
    const wanted = next === side && !chosen ? cards.length : -1;
    const places = Array.from({ length: Math.max(INITIAL, cards.length, wanted + 1) }, (_, index) => {
      const card = cards[index];
      const changing = chosen?.side === side && chosen.index === index;
      return make(
        "button",
        {
          type: "button",
          id: `slot-${side}-${index}`,
          class: `slot ${card ? "" : "empty"} ${changing || wanted === index ? "wanted" : ""}`,
          "aria-label": card
            ? text("table.change_card", { card: cardName(card), hand: text(`table.${side}`) })
            : text("table.empty_slot", { hand: text(`table.${side}`), nth: index + 1 }),
          "aria-pressed": String(changing),
          disabled: !card || this.sending || this.reply?.complete,
          on: { click: () => {
            this.cards.choose(side, index);
            this.show();
          } },
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
  }

  settled(complete) {
    const context = this.context();
    if (this.refused) return [refusal(this.refused), this.correctInstead(this.refused)];
    if (this.reply) return afterwards(this.reply, this.sentIn);
    if (!this.cards.four) return [];
    const { round, correcting } = this;
    return [
      make("h3", { text: text("table.will_settle") }),
      complete && result(this.cards),
      ...beforehand(this.preview, { round, complete, correcting }, context),
      this.correctInstead(this.preview.error),
    ];
  }

  /** Other cards than those that were entered are a correction: what that undoes is told before it is sent. */
  correctInstead(error) {
    if (this.correcting || error?.error !== "bad-hand" || !this.cards.possible) return null;
    return make("button", { id: "as-correction", type: "button", text: text("table.correct_instead"), on: { click: () => this.touch(() => {
      this.correcting = true;
    }) } });
  }

  showFoot(complete) {
    if (this.reply?.complete) {
      return fill(this.foot, make("button", { id: "pad-done", type: "button", class: "primary", text: text("table.done"), on: { click: () => this.dialog.close() } }));
    }
    const { person: { session }, round } = this.context();
    const signed = may(session, "dealer");
    const earlier = this.round < (round?.round ?? this.round);
    const button = (id, key, disabled, click, extra = "") =>
      make("button", { id, type: "button", class: extra, text: text(key), disabled: disabled || this.sending, on: { click } });
    const send = this.sending ? "table.sending" : this.correcting ? "table.send_corrected" : "table.send_hand";
    fill(
      this.foot,
      button("undo", "table.undo", !this.cards.before.length, () => this.touch(() => this.cards.undo())),
      button("clear", "table.clear", this.cards.empty, () => this.touch(() => this.cards.clear())),
      earlier && make("label", { class: "reference" }, make("span", { text: text("table.reference") }), this.reference),
      !signed && make("p", { class: "note", text: text("table.sign_in_first") }),
      this.cards.four && !complete && !this.reply && button("send-four", "table.send_four", !signed, () => this.send()),
      button("send-hand", send, !complete || !signed, () => this.send(), "primary"),
    );
  }

  /** Send it. What was told beforehand, or not, is no condition: the controller decides now. */
  async send() {
    const { dialog } = this;
    const fields = { round: this.round, player: this.cards.player, banker: this.cards.banker };
    const reference = this.reference.isConnected && this.reference.value.trim();
    if (reference) fields.reference = reference;
    this.sentIn = this.context(); // with the awards that it may undo: they are gone when it is answered
    this.sending = true;
    this.refused = null;
    this.preview.forget();
    this.show();
    let reply, refused;
    try {
      reply = await asked(this.sentIn.person, this.correcting ? "correct-hand" : "enter-hand", fields);
    } catch (error) {
      refused = error;
    }
    if (dialog !== this.dialog) return; // closed meanwhile: the felt shows what came of it
    this.sending = false;
    if (!reply && !refused) return this.changed(); // nobody came to sign with them
    this.reply = reply ?? null;
    this.refused = refused ?? null;
    this.show();
  }
}
