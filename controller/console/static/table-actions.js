// What people at the table may do: the dealer's buttons, a position's dialog, and the commands behind them.

import { ask, asked, fill, make, may, reasonField, refusal, word } from "/static/parts.js";
import { text } from "/static/text.js";

const SAID_MS = 8000; // long enough to read that it was done; what was refused stays
const LAMPS_IN = ["placed", "accepted", "won"]; // a wager stands behind these

export class Actions {
  /** `said` is where it is told what came of a command; `round()` the round as it is now; `pad` takes hands. */
  constructor(person, said, round, pad) {
    this.person = person;
    this.said = said;
    this.round = round;
    this.pad = pad;
    this.clearing = 0;
  }

  /** Give a command, and say what came of it: a refusal until the next one. */
  async act(name, fields = {}, options = {}) {
    clearTimeout(this.clearing);
    fill(this.said);
    try {
      const reply = await asked(this.person, name, fields, options);
      if (!reply) return;
      fill(this.said, make("p", { class: "did", role: "status", text: text("table.did", { what: word("table.command", name) }) }));
      clearTimeout(this.clearing);
      this.clearing = setTimeout(() => fill(this.said), SAID_MS);
    } catch (error) {
      fill(this.said, refusal(error));
    }
  }

  /** The buttons that fit the phase and whoever is signed in. */
  show(element) {
    const now = this.round();
    const { session } = this.person;
    const phase = now?.phase === "faulted" ? now.prior : now?.phase;
    const shown = JSON.stringify([phase, now?.round > 1, session?.role]);
    if (element.dataset.shown === shown) return; // a button under a finger stays where it is
    element.dataset.shown = shown;
    const button = (id, key, least, action, extra = "") =>
      may(session, least) && make("button", { id, type: "button", class: extra, text: text(key), on: { click: action } });
    const hand = (correcting) => () => this.pad.open({ round: this.round().round, correcting });
    fill(
      element,
      phase === "closed" && button("open-table", "table.do_open", "dealer", () => this.act("open-table"), "primary"),
      ["locked", "dealt", "simulated"].includes(phase) && button("enter-hand", "table.do_hand", "dealer", hand(false), "primary"),
      ["dealt", "settled"].includes(phase) && button("correct-hand", "table.do_correct", "dealer", hand(true)),
      ["open", "settled"].includes(phase) && button("simulated-round", "table.do_simulated", "dealer", () => this.act("simulated-round")),
      phase === "simulated" && button("simulated-round", "table.do_simulated_end", "dealer", () => this.act("simulated-round")),
      phase === "open" && button("close-table", "table.do_close", "dealer", () => this.act("close-table")),
      ["locked", "dealt"].includes(phase) && button("void-round", "table.do_void", "floorperson", () => this.voidRound(), "danger"),
      ["open", "closed"].includes(phase) && now.round > 1 &&
        button("late-hand", "table.do_late", "floorperson", () => this.pad.open({ round: this.round().round - 1 })),
      !may(session, "dealer") && make("p", { class: "note", text: text(session?.role ? "table.may_look" : "table.sign_in_to_act") }),
    );
  }

  /** One position: its wagers in words, and what may be done about them and about the position. */
  openSeat(position) {
    const now = this.round();
    const { session } = this.person;
    const reason = outOfService(now, position);
    ask(text("table.position", { position }), (close) => {
      const least = now.phase === "open" ? "dealer" : "floorperson";
      const then = (action) => () => {
        close();
        action();
      };
      const wagers = Object.entries(now.positions[position] ?? {}).map(([wager, lamp]) =>
        make(
          "li",
          { class: `seat-wager lamp-${lamp}` },
          make("strong", { text: word("table.wager", wager) }),
          make("span", { class: "lamp-word", text: word("table.lamp", lamp) }),
          make("p", { text: word("table.lamp_says", lamp) }),
          LAMPS_IN.includes(lamp) && may(session, least) &&
            make("button", { type: "button", class: "danger", text: text("table.do_void_wager"),
              on: { click: then(() => this.voidWager(now.round, position, wager)) } }),
        ),
      );
      const [id, key, on] = reason === null ? ["service-off", "table.do_service_off", false] : ["service-on", "table.do_service_on", true];
      return [
        reason !== null && make("p", { class: "warning", text: text("table.out_of_service", { reason }) }),
        make("ul", { class: "seat-wagers" }, ...wagers),
        may(session, "floorperson") &&
          make("button", { type: "button", id, text: text(key), on: { click: then(() => this.positionService(position, on)) } }),
        make("button", { type: "button", class: "quiet", autofocus: true, text: text("table.close"), on: { click: () => close() } }),
      ].filter(Boolean);
    });
  }

  async voidRound() {
    const { round } = this.round();
    const reason = await askReason(text("table.void_title", { round }), text("table.void_says"), ["misdeal", "exposed", "early_lock"]);
    if (reason) await this.act("void-round", { round, reason });
  }

  async voidWager(round, position, wager) {
    const title = text("table.void_wager_title", { wager: word("table.wager", wager), position });
    const reason = await askReason(title, text("table.void_wager_says"), ["player_asked", "no_base", "wrong_chip"]);
    const two = !["open", "simulated"].includes(this.round()?.phase);
    if (reason) await this.act("void-wager", { round, position, wager, reason }, { two });
  }

  async positionService(position, on) {
    const title = text(on ? "table.service_on_title" : "table.service_off_title", { position });
    const reason = await askReason(title, text("table.service_says"), on ? ["repaired", "cleaned"] : ["sensor", "cleaning"]);
    if (reason) await this.act("position-service", { position, on, reason });
  }
}

/** Why a position is out of service; null where it is not. */
export function outOfService(now, position) {
  const out = now?.out_of_service ?? {};
  return Object.hasOwn(out, String(position)) ? out[position] : null;
}

function askReason(title, says, suggestions) {
  return ask(title, (close) => {
    const { element, field } = reasonField(suggestions.map((each) => text(`table.reason_${each}`)));
    const submit = (event) => {
      event.preventDefault();
      if (field.value.trim()) close(field.value.trim());
    };
    return [
      make("p", { text: says }),
      make(
        "form",
        { on: { submit } },
        element,
        make(
          "div",
          { class: "buttons" },
          make("button", { type: "button", text: text("floor.cancel"), on: { click: () => close() } }),
          make("button", { type: "submit", id: "reason-go", class: "danger", text: text("table.confirm") }),
        ),
      ),
    ];
  });
}
