// What every page with a header has: the banner that says how the table is, and the choice of another one.

import { connect, inWords } from "/static/live.js";
import { text } from "/static/text.js";

const banner = document.querySelector("#banner");
const words = document.querySelector("#banner-words");
const demonstration = document.querySelector("#demonstration");
const tables = document.documentElement.dataset.shownTables.split(",");

const live = connect(tables);
live.onState((table, state, reason) => {
  if (table !== tables[0]) return;
  banner.dataset.state = state;
  words.textContent = state === "live" ? text("base.state_live") : inWords(state, reason);
});
live.on((table, topic, message) => {
  if (topic === "status" && table === tables[0]) demonstration.hidden = message?.mode !== "demonstration";
});

const choice = document.querySelector("#choose-table");
choice?.addEventListener("change", () => {
  const address = new URL(location.href);
  address.searchParams.set("table", choice.value);
  location.assign(address);
});
