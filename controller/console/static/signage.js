// The sign on the wall: every meter of one or more tables. It only ever shows what it was told, and says when it was told nothing.

import { connect } from "./live.js";
import { Odometer, dollars } from "./odometer.js";
import { Queue } from "./signage-hits.js";
import { panels as grid } from "./signage-layout.js";
import { linkAt, parted } from "./signage-links.js";
import { Panel, fit, make, named, positions } from "./signage-panel.js";
import { text } from "./text.js";

const MOST_HIT_SECONDS = 30; // a hit fills the screen no longer, whatever was asked for
const LOOK_MS = 250; // how often the screen is looked at: whose turn it is, how large it is
const POINTER_MS = 4000; // a pointer that was moved is seen this long, and the choice of languages with it

const sign = document.querySelector("#sign");
const options = new URLSearchParams(location.search);
const listed = (words) => words.split(",").map((each) => each.trim()).filter(Boolean);
const tables = listed(sign.dataset.tables);
const wanted = listed(sign.dataset.meters);
const quiet = matchMedia("(prefers-reduced-motion: reduce)");
const still = () => quiet.matches || options.get("motion") === "reduced";

const live = connect(tables);
const panels = new Map(); // one for each table, and for each link that several of them share
const clocks = new Map(); // the newest time of each table's controller, and when it was heard
const asked = Number(sign.dataset.hitSeconds);
const queue = new Queue(Math.min(Number.isFinite(asked) && asked > 0 ? asked : MOST_HIT_SECONDS, MOST_HIT_SECONDS));
const states = new Map(tables.map((table) => [table, { state: "stale", reason: "" }]));
const overlay = document.querySelector("#hit");
const next = new Odometer(overlay.querySelector(".after"), still);
let due = false;

sign.dataset.motion = still() ? "reduced" : "full";

const METER = "meters/";
const meters = new Map(tables.map((table) => [table, {}])); // what each table says of each meter
let said = new Map(); // what stands on the sign: each panel's place, and what is told there

function keep(table, topic, message) {
  if (!topic.startsWith(METER)) return;
  const id = topic.slice(METER.length);
  if (message) {
    meters.get(table)[id] = message;
  } else {
    delete meters.get(table)[id];
  }
}

function age(place, hit) {
  const clock = clocks.get(place) ?? [...clocks.values()].sort((one, other) => other.at - one.at)[0]; // a link's: the newest
  const at = Date.parse(hit.at);
  if (Number.isNaN(at)) return Infinity; // of no time: it stands beside its amount and does not fill the screen
  return clock ? (clock.at + performance.now() - clock.heard - at) / 1000 : 0;
}

function hear(table, message) {
  const at = Date.parse(message?.at ?? "");
  if (Number.isNaN(at) || at < (clocks.get(table)?.at ?? -Infinity)) return;
  clocks.set(table, { at, heard: performance.now() });
}

// Everything that came is shown together: a hit and the amount that fell with it are one sight.
function soon() {
  if (due) return;
  due = true;
  queueMicrotask(() => {
    due = false;
    show();
  });
}

function show() {
  const told = tables.map((table) => {
    const { state, reason } = states.get(table);
    return [table, { state, reason, mode: live.get(table, "status")?.mode, meters: { ...meters.get(table) } }];
  });
  const before = said;
  said = parted(new Map(told));
  for (const place of said.keys()) if (!panels.has(place)) panels.set(place, new Panel(place, still));
  const shown = Array.from(said.keys(), (place) => panels.get(place).element);
  if (shown.length !== sign.children.length || shown.some((element, place) => element !== sign.children[place])) sign.replaceChildren(...shown);
  for (const [place, each] of said) {
    panels.get(place).tell(each, wanted);
    stand(place, each, before.get(place)?.meters ?? {});
  }
  for (const place of before.keys()) if (!said.has(place)) queue.drop(place);
  lay();
  fill();
}

function stand(place, { state, meters: now }, before) {
  if (state !== "live" && state !== "faulted") return queue.drop(place);
  for (const id of Object.keys(before)) if (!now[id]) queue.stand(place, id, [], () => 0); // no longer offered: its hits go with it
  for (const [id, { hits }] of Object.entries(now)) queue.stand(place, id, hits ?? [], (hit) => age(place, hit));
}

const HIGH_AND_LOW = "Ag獎"; // of the letters in labels
const pen = document.createElement("canvas").getContext("2d");
const widths = new Map(); // of amounts, in heights of their type; there are as many as numbers of digits

function measure(shape) {
  if (!widths.has(shape)) {
    const { fontFamily, fontWeight } = getComputedStyle(sign);
    pen.font = `${fontWeight} 100px ${fontFamily}`;
    const wide = (each) => pen.measureText(each).width / 100;
    document.body.style.setProperty("--digit", `${wide("0")}em`);
    document.body.style.setProperty("--raise-amount", raise("$0,"));
    document.body.style.setProperty("--raise-words", raise(HIGH_AND_LOW));
    widths.set(shape, Array.from(shape).reduce((sum, each) => sum + wide(each), 0));
  }
  return widths.get(shape);
}

/** How far a text moves in its line, so that as much is free above its letters as below them: `sample` reaches furthest. */
function raise(sample) {
  const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down, actualBoundingBoxAscent: top, actualBoundingBoxDescent: bottom } = pen.measureText(sample);
  return `${(top - bottom - up + down) / 200}em`;
}

let laid = "";
let columns = 1;

function lay() {
  const { clientWidth: width, clientHeight: height } = sign;
  const all = Array.from(said.keys(), (place) => panels.get(place));
  const room = (wide, tall) => {
    const rooms = all.map((panel) => panel.room(wide, tall));
    return { width: rooms[0].width, height: Math.min(...rooms.map((each) => each.height)) };
  };
  const sizes = all.map((panel) => panel.sizes(measure));
  const key = JSON.stringify([width, height, sizes, room(width, height)]);
  if (key !== laid) columns = grid(sizes, width, height, room); // not with every cent: it tries every arrangement there is
  laid = key;
  const lines = Math.ceil(all.length / columns);
  sign.style.setProperty("--columns", columns);
  sign.style.setProperty("--lines", lines);
  // Where the last line is not full, the first panel, which is a link's if there is one, takes the room that is left.
  const wide = [...said.keys()].some(linkAt) ? Math.min(columns, 1 + columns * lines - all.length) : 1;
  for (const [place, panel] of all.entries()) {
    const cells = place === 0 ? wide : 1;
    panel.element.style.gridColumn = cells > 1 ? `span ${cells}` : "";
    panel.lay(Math.floor((cells * width) / columns), Math.floor(height / lines), measure);
  }
}

function fill() {
  const current = queue.turn(performance.now() / 1000);
  overlay.hidden = !current;
  if (!current) {
    overlay.dataset.key = "";
    next.forget();
    return;
  }
  const { table, meter, hits } = current;
  const { state, mode, meters: now } = said.get(table);
  const message = now[meter];
  const part = (name) => overlay.querySelector(`.${name}`);
  const demonstration = mode === "demonstration";
  const won = message.state !== "faulted" && state === "live";
  part("now").hidden = !won;
  if (won) next.show(message.display_cents);
  const size = [sign.clientWidth, sign.clientHeight];
  const key = JSON.stringify([table, meter, hits, demonstration, won, next.shape, size]);
  if (overlay.dataset.key === key) return;
  overlay.dataset.key = key;
  overlay.dataset.table = table;
  overlay.dataset.meter = meter;
  const { name, filed } = named(meter, message.label);
  part("jackpot").replaceChildren(name, ...(filed ? [" ", make("span", "filed", filed)] : []));
  part("prize").textContent = dollars(hits[0].amount_cents);
  part("share").textContent = hits.length > 1 ? text("signage.shared") : "";
  part("share").hidden = hits.length < 2;
  part("who").textContent = positions(hits.map((hit) => hit.position).sort((one, other) => one - other));
  part("where").textContent = text("signage.table", { table: hits[0].table ?? table.split("/")[1] ?? table });
  part("band").hidden = !demonstration;
  part("now-word").textContent = text("signage.now");
  scale(Math.min(size[0] / 16, size[1] / 9), size[1] > size[0]);
}

// Sizes of a hit's lines, in sixteenths of the width or ninths of the height: on a wide screen, and on a tall one.
const SIZES = { band: [1, 1.6], cheer: [0.6, 1.1], jackpot: [1.15, 1.9], prize: [2.7, 6], share: [0.5, 0.9], who: [1.3, 2.6], where: [0.6, 1.2], now: [0.7, 1.2] };
const FULL = 0.96; // of the screen's height: what the lines may take together

function scale(unit, tall) {
  const set = (times) => {
    for (const [name, sizes] of Object.entries(SIZES)) fit(overlay.querySelector(`.${name}`), unit * sizes[tall ? 1 : 0] * times, "px");
    return Array.from(overlay.children).reduce((sum, line) => sum + line.offsetHeight, 0);
  };
  const room = overlay.clientHeight * FULL - 2 * parseFloat(getComputedStyle(overlay).paddingTop);
  const need = set(1);
  if (need > room) set(room / need);
}

live.on((table, topic, message) => {
  hear(table, message);
  keep(table, topic, message);
  soon();
});
live.onState((table, state, reason) => {
  states.set(table, { state, reason: reason ?? "" });
  soon();
});
quiet.addEventListener("change", () => {
  sign.dataset.motion = still() ? "reduced" : "full";
});
addEventListener("resize", soon);
setInterval(fill, LOOK_MS);

// A screen that sleeps tells nobody anything. Browsers that can keep it awake do so on pages that came safely.
async function stayAwake() {
  if (document.hidden) return;
  try {
    await navigator.wakeLock?.request("screen");
  } catch {
    // Refused, as on a battery that runs low: the house's own setting of the screen decides then.
  }
}
document.addEventListener("visibilitychange", () => {
  stayAwake();
  soon();
});
stayAwake();

for (const link of document.querySelectorAll(".languages a")) {
  const there = new URL(location.href);
  there.searchParams.set("lang", link.hreflang);
  link.href = there.href; // in the other language the sign is the same one
}

let pointer = 0;
addEventListener("pointermove", () => {
  document.body.classList.add("pointed");
  clearTimeout(pointer);
  pointer = setTimeout(() => document.body.classList.remove("pointed"), POINTER_MS);
});
soon();
