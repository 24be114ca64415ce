// What the pages of the floor are made of: elements, cards, amounts, and questions to people.

import { has, language, text } from "/static/text.js";

export const SUIT_SYMBOLS = { S: "♠", H: "♥", D: "♦", C: "♣" };
// Text, not pictures: U+FE0E keeps fonts from colouring them.
export const LAMP_SYMBOLS = {
  off: "·",
  invite: "○",
  placed: "◐",
  accepted: "✔\uFE0E",
  refused: "✕\uFE0E",
  won: "★\uFE0E",
  fault: "⚠\uFE0E",
};
const RANK_OF = ["auditor", "dealer", "floorperson", "supervisor"];
const MOST_TEXT = 200; // characters; what the controller takes as a reason or a reference
const LAST_OPERATORS = 6; // names offered for one touch; as many as fit beside the keypad

/** An element: `make("button", {class: "big", text: "Go", on: {click: go}, "aria-label": "…"}, child, …)`. */
export function make(tag, { text: words, on = {}, ...attributes } = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, value);
  }
  if (words !== undefined) element.textContent = words;
  for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener);
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// A touch is a press and a release on the same element. If what is pressed were replaced in between, because the table
// said something just then, a mouse would give no click, and a finger would click whatever lies there by then: the
// browser looks for what was touched only after it has told of the release. So the part of the page under a press keeps
// its content until the click; what came meanwhile is shown then.
const MOST_PRESS_MS = 2000; // longer is no touch, or a pull that clicks nothing: the page shows what is true again
let pressed = null; // the element under a press
let overdue = 0;
const waiting = new Map(); // what a part of the page is to show after the press

function press({ type, key, target }) {
  // The space bar presses a button as a finger does, and writes a space elsewhere.
  if (type === "keydown" && (key !== " " || target.matches?.("input"))) return;
  pressed = target;
  clearTimeout(overdue);
  overdue = setTimeout(endPress, MOST_PRESS_MS);
}

function endPress() {
  clearTimeout(overdue);
  pressed = null;
  if (waiting.size) setTimeout(showWaiting); // behind what the click does
}

function showWaiting() {
  const parts = [...waiting];
  waiting.clear();
  for (const [element, children] of parts) fill(element, ...children);
}

for (const name of ["pointerdown", "keydown"]) addEventListener(name, press, { capture: true });
for (const name of ["click", "pointercancel"]) addEventListener(name, endPress, { capture: true });

/** Put other children into an element, and keep the focus where it was if that is still there by its id. */
export function fill(element, ...children) {
  if (pressed && element.contains(pressed)) return void waiting.set(element, children);
  waiting.delete(element);
  const focused = element.contains(document.activeElement) ? document.activeElement.id : "";
  element.replaceChildren(...children.filter((child) => child !== null && child !== undefined && child !== false));
  if (focused) document.getElementById(focused)?.focus();
}

/** An amount in whole numbers: no rounding ever shows. */
export function dollars(cents) {
  const whole = Math.floor(Math.abs(cents) / 100).toLocaleString("en-US");
  return `${cents < 0 ? "−" : ""}$${whole}.${String(Math.abs(cents) % 100).padStart(2, "0")}`;
}

/** An exact amount, text with eight decimals, without the zeros that say nothing. */
export function exact(amount) {
  const [whole, part] = amount.replace("-", "").split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${amount.startsWith("-") ? "−" : ""}$${grouped}.${part.replace(/0{1,6}$/, "")}`;
}

/** A time of the controller (UTC) on this browser's clock. */
export function clock(at) {
  return new Date(at).toLocaleTimeString(document.documentElement.lang, { hour12: false });
}

export function moment(at) {
  return make("time", { datetime: at, title: `${at.slice(0, 19).replace("T", " ")} UTC`, text: clock(at) });
}

/** A word of a catalog, or the name itself where the catalog does not know it: a newer controller may say new ones. */
export function word(key, name) {
  const full = `${key}_${name.replaceAll(" ", "-")}`;
  return has(full) ? text(full) : name;
}

/** A meter's name in the page's language, or as the table labels it. */
export function meterLabel(id, meter) {
  return has(`signage.meter_${id}`) ? text(`signage.meter_${id}`) : (meter?.label ?? id);
}

export function cardName(card) {
  return text("table.card_name", { rank: word("table.rank", card[0]), suit: word("table.suit", card[1]) });
}

export function rankShown(rank) {
  return rank === "T" ? "10" : rank;
}

export function cardFace(card) {
  const red = "HD".includes(card[1]);
  return make(
    "span",
    { class: `card ${red ? "red" : "black"}`, role: "img", "aria-label": cardName(card) },
    make("b", { text: rankShown(card[0]) }),
    make("i", { text: SUIT_SYMBOLS[card[1]] }),
  );
}

/** A row of a paytable: the wager, by its id or name, and the outcome. */
export function outcomeName(wager, outcome) {
  return text("table.row", { wager: word("table.wager", wager.split("/")[0]), outcome: word("table.outcome", outcome) });
}

/** Whether someone of a role may what takes at least another. The controller decides again. */
export function may(session, least) {
  if (!session?.role) return false;
  return RANK_OF.indexOf(session.role) >= RANK_OF.indexOf(least) && session.role !== "auditor";
}

export function mayQuery(session) {
  return session?.role === "auditor" || may(session, "floorperson");
}

/**
 * Why something was refused, as paragraphs. The controller's own sentence names the exact input and is English; on a page
 * in another language what it means comes first, and the sentence stands below it in small print.
 */
export function because(error) {
  const meaning = `base.because_${error?.error || "no-reply"}`;
  const sentence = error?.message ?? String(error ?? "");
  if (!has(meaning)) return [make("p", { lang: "en", text: sentence || error.error })]; // a newer controller may say new ones
  if (language === "en") return [make("p", { text: sentence || text(meaning) })];
  return [make("p", { text: text(meaning) }), ...(sentence ? [make("p", { class: "own-words", lang: "en", text: sentence })] : [])];
}

/** What was refused, in words: what it was, why, and what to do about it. */
export function refusal(error) {
  const name = error?.error || "no-reply";
  const [why, ...below] = because(error);
  return make(
    "div",
    { class: "refusal", role: "alert" },
    make("strong", { text: word("table.refused", name) }),
    why,
    make("p", { class: "remedy", text: word("table.remedy", name) }),
    ...below,
  );
}

/** Ask something in a dialog. `build(close)` gives its content; resolves with what `close` was given, or undefined. */
export function ask(title, build) {
  return new Promise((resolve) => {
    let given;
    const dialog = make("dialog", { class: "ask", "aria-label": title });
    const close = (value) => {
      given = value;
      dialog.close();
    };
    dialog.append(make("h2", { text: title }), ...build(close, dialog));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(given);
    });
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("[autofocus]")?.focus();
  });
}

/** A reason, chosen with one touch or written. */
export function reasonField(suggestions, id = "reason") {
  const field = make("input", { id, type: "text", maxlength: MOST_TEXT, autocomplete: "off", required: true });
  const chips = suggestions.map((words) =>
    make("button", { type: "button", class: "chip", text: words, on: { click: () => {
      field.value = words;
      field.dispatchEvent(new Event("input"));
    } } }),
  );
  const element = make(
    "div",
    { class: "field" },
    make("label", { for: id, text: text("table.reason") }),
    make("div", { class: "chips" }, ...chips),
    field,
  );
  return { element, field };
}

/** A keypad for a PIN beside a field that takes a keyboard too. Nothing of it is kept. */
export function pinField(id, label, onEnter) {
  const field = make("input", {
    id,
    type: "password",
    inputmode: "none",
    autocomplete: "off",
    maxlength: 12,
    pattern: "[0-9]{6,12}",
    "aria-label": label,
  });
  const key = (words, name, action, extra = "") =>
    make("button", { type: "button", class: `key ${extra}`, "aria-label": name, text: words, on: { click: action } });
  const put = (digit) => {
    if (field.value.length < field.maxLength) field.value += digit;
  };
  const digits = [..."123456789"].map((digit) => key(digit, digit, () => put(digit)));
  const pad = make(
    "div",
    { class: "keypad", role: "group", "aria-label": label },
    ...digits,
    key("⌫", text("floor.key_back"), () => { field.value = field.value.slice(0, -1); }, "quiet"),
    key("0", "0", () => put("0")),
    key("↵", text("floor.key_enter"), onEnter, "accent"),
  );
  return { element: make("div", { class: "pin" }, make("label", { for: id, text: label }), field, pad), field };
}

/** People who signed in at this screen lately, so that they need not be written. An id is no secret; a PIN is never kept. */
export function lastOperators() {
  try {
    const kept = JSON.parse(localStorage.getItem("operators") ?? "[]");
    return Array.isArray(kept) ? kept.filter((id) => typeof id === "string").slice(0, LAST_OPERATORS) : [];
  } catch {
    return [];
  }
}

export function rememberOperator(id) {
  try {
    localStorage.setItem("operators", JSON.stringify([id, ...lastOperators().filter((each) => each !== id)].slice(0, LAST_OPERATORS)));
  } catch {
    // A browser that keeps nothing asks for the name each time.
  }
}

/** Operator and PIN: a form for a finger. `submit({operator, pin})` may throw a refusal, which is shown in it. */
export function credentials({ id, button, submit, others = "" }) {
  const operator = make("input", {
    id: `${id}-operator`,
    type: "text",
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    maxlength: 32,
    required: true,
  });
  const said = make("div", { class: "said" });
  const names = lastOperators().filter((each) => each !== others);
  const chips = names.map((each) =>
    make("button", { type: "button", class: "chip", text: each, on: { click: () => {
      operator.value = each;
      pin.field.focus();
    } } }),
  );
  const go = async () => {
    const given = { operator: operator.value.trim(), pin: pin.field.value };
    if (!given.operator) {
      fill(said, make("p", { class: "refusal", role: "alert", text: text("floor.operator_needed") }));
      return operator.focus();
    }
    if (!/^[0-9]{6,12}$/.test(given.pin)) {
      fill(said, make("p", { class: "refusal", role: "alert", text: text("floor.pin_digits") }));
      return pin.field.focus();
    }
    pin.field.value = "";
    send.disabled = true;
    fill(said);
    try {
      await submit(given);
      rememberOperator(given.operator);
    } catch (error) {
      fill(said, refusal(error));
    } finally {
      send.disabled = false;
    }
  };
  const pin = pinField(`${id}-pin`, text("floor.pin"), go);
  const send = make("button", { type: "submit", id: `${id}-go`, class: "primary", text: button });
  const form = make(
    "form",
    { class: "credentials", id, novalidate: true, on: { submit: (event) => {
      event.preventDefault();
      go();
    } } },
    make("div", { class: "field" }, make("label", { for: operator.id, text: text("floor.operator") }), operator, make("div", { class: "chips" }, ...chips)),
    pin.element,
    said,
    send,
  );
  return { form, operator, pin: pin.field };
}

/** Ask a second person for their name and PIN; undefined where they went away. The PIN goes with one command and no further. */
export function askSecond(first) {
  return ask(text("floor.second_title"), (close) => {
    const asked = credentials({
      id: "second",
      button: text("floor.second_sign"),
      others: first,
      submit: async (given) => close(given),
    });
    return [
      make("p", { text: text("floor.second_why") }),
      asked.form,
      make("button", { type: "button", class: "quiet", text: text("floor.cancel"), on: { click: () => close() } }),
    ];
  });
}

/** Give a command; where it takes two people, ask for the second and give it anew. Undefined where nobody came. */
export async function asked(person, name, fields, { two = false } = {}) {
  const first = person.session?.operator;
  let second = two ? await askSecond(first) : undefined;
  if (two && !second) return undefined;
  try {
    return await person.command(name, fields, second ? { second } : {});
  } catch (error) {
    if (second || error.error !== "second-person") throw error;
    second = await askSecond(first);
    return second ? person.command(name, fields, { second }) : undefined;
  }
}
