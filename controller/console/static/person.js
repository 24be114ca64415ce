// Who is signed in at this page, how long for, and how they sign in and out.

import { command, onSession, signIn, signOut, whoAmI } from "/static/api.js";
import { text } from "/static/text.js";
import { ask, credentials, fill, make, word } from "/static/parts.js";

const IDLE_SECONDS = 5 * 60; // as the controller's: a screen left alone signs its person out
const WARN_SECONDS = 60; // the time to come back for one touch

export class Person {
  /** `element` shows who it is; `changed()` is called when that is somebody else. */
  constructor(table, element, changed) {
    this.table = table;
    this.element = element;
    this.changed = changed;
    this.session = null;
    this.touched = Date.now();
    for (const name of ["pointerdown", "keydown"]) {
      document.addEventListener(name, () => { this.touched = Date.now(); }, { capture: true, passive: true });
    }
    onSession((session) => this.take(session));
    setInterval(() => this.tick(), 1000);
  }

  async start() {
    await this.check();
  }

  /** Ask the server who is signed in: a command may have been refused because nobody is any more. */
  async check() {
    try {
      this.take(await whoAmI());
    } catch {
      // Whether someone is signed in is not known while the server is away; the page says that it is.
    }
  }

  /** A session is one at a table: whoever signed in at another one signs in here too. */
  take(session) {
    const here = session?.operator ? session.tables?.[this.table] : undefined;
    const before = this.session?.operator;
    this.session = here ? { ...here, operator: session.operator } : null;
    if (here) this.ends = Date.now() + here.seconds * 1000;
    if (before === this.session?.operator && this.element.childElementCount) return this.showLeft();
    this.show();
    this.changed();
  }

  async signIn({ operator, pin }) {
    await signIn(operator, pin, this.table);
  }

  /** A command of this page: the controller puts the end of the session off with each. */
  async command(name, fields, options) {
    const reply = await command(this.table, name, fields, options);
    if (this.session && this.session.role !== "dealer") this.ends = Date.now() + IDLE_SECONDS * 1000;
    return reply;
  }

  async signOut() {
    try {
      await signOut();
    } finally {
      this.take(null);
    }
  }

  /** Whether somebody touched the page lately: what it asks by itself must not keep a session open. */
  awake() {
    return Date.now() - this.touched < IDLE_SECONDS * 1000;
  }

  /** Seconds until the session ends. Touches of the page count only as long as the controller's own end is not sooner. */
  left() {
    if (!this.session) return null;
    const idle = this.session.role === "dealer" ? Infinity : this.touched + IDLE_SECONDS * 1000;
    return Math.max(0, Math.ceil((Math.min(this.ends, idle) - Date.now()) / 1000));
  }

  async tick() {
    const left = this.left();
    if (left === null) return;
    if (left <= 0 && !this.leaving) {
      this.leaving = true;
      try {
        await this.check(); // another command may have put the end off
        if (this.left() === 0) await this.signOut();
      } catch {
        this.take(null);
      } finally {
        this.leaving = false;
      }
    }
    this.showLeft();
  }

  show() {
    if (!this.session) {
      return fill(
        this.element,
        make("button", { id: "sign-in", type: "button", class: "primary", text: text("floor.sign_in"), on: { click: () => this.askIn() } }),
      );
    }
    const { name, operator, role } = this.session;
    this.clock = make("span", { class: "left", role: "timer" });
    fill(
      this.element,
      make("span", { class: "who" }, make("strong", { text: name || operator }), make("span", { text: word("floor.role", role) })),
      this.clock,
      make("button", { id: "stay", type: "button", hidden: true, text: text("floor.stay"), on: { click: () => this.stay() } }),
      make("button", { id: "sign-out", type: "button", text: text("floor.sign_out"), on: { click: () => this.signOut() } }),
    );
    this.showLeft();
  }

  showLeft() {
    const left = this.left();
    if (left === null || !this.clock) return;
    const soon = left <= WARN_SECONDS;
    const short = this.session.role !== "dealer" || soon;
    const shown = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    this.clock.textContent = short ? text("floor.ends_in", { time: shown }) : "";
    this.clock.classList.toggle("soon", soon);
    const stay = this.element.querySelector("#stay");
    if (stay) stay.hidden = !soon || this.session.role === "dealer";
  }

  /** One harmless question puts the end off. */
  async stay() {
    try {
      await this.command("query-hits", { limit: 1 });
    } catch {
      await this.check();
    }
  }

  askIn() {
    return ask(text("floor.sign_in"), (close) => {
      const asked = credentials({
        id: "sign-in-form",
        button: text("floor.sign_in"),
        submit: async (given) => {
          await this.signIn(given);
          close();
        },
      });
      return [asked.form, make("button", { type: "button", class: "quiet", text: text("floor.cancel"), on: { click: () => close() } })];
    });
  }
}
