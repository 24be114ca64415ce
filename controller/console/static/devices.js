// Devices and the controller's health, for whoever is called when something does not work.

import { text } from "/static/text.js";
import { fill, make, moment, word } from "/static/parts.js";

const SYMBOLS = { online: "✔\uFE0E", lost: "✕\uFE0E", faulted: "⚠\uFE0E" };
const COUNTERS = ["frames", "bad_checksums", "resyncs", "timeouts", "reconnects"];

/** Every device: state as symbol and word, what is wrong in words, and the counters. */
export function showDevices(element, topics) {
  const found = [...topics].filter(([topic, message]) => topic.startsWith("devices/") && message);
  const opened = new Set([...element.querySelectorAll("details[open]")].map((each) => each.dataset.device));
  const rows = found.map(([topic, device]) => {
    const id = topic.slice("devices/".length);
    return make(
      "details",
      { class: `device ${device.state}`, "data-device": id, open: opened.has(id) },
      make(
        "summary",
        { id: `device-${id}` },
        make("span", { class: "device-symbol", "aria-hidden": "true", text: SYMBOLS[device.state] ?? "?" }),
        make("strong", { text: id }),
        make("span", { class: "device-state", text: word("table.device", device.state) }),
        device.detail && make("span", { class: "why", text: device.detail }),
      ),
      make(
        "dl",
        {},
        ...pair(text("table.driver"), device.driver),
        ...pair(text("table.port"), device.port),
        ...COUNTERS.flatMap((name) => pair(text(`table.${name}`), (device[name] ?? 0).toLocaleString("en-US"))),
        ...pair(text("table.last_seen"), device.last_seen ? moment(device.last_seen) : "—"),
      ),
    );
  });
  fill(element, ...(rows.length ? rows : [make("p", { class: "note", text: text("table.no_devices") })]));
}

function pair(name, value) {
  return [make("dt", { text: name }), make("dd", {}, value)];
}

/** Warnings first, then the figures. `kept` is the last health that was told: not every status has it. */
export function showHealth(element, status, kept) {
  const health = status?.health ?? kept;
  if (!health) return fill(element);
  const hours = Math.floor(health.uptime_s / 3600);
  const minutes = Math.floor((health.uptime_s % 3600) / 60);
  fill(
    element,
    ...health.warnings.map((words) => make("p", { class: "warning", role: "status" }, make("span", { "aria-hidden": "true", text: "⚠\uFE0E " }), words)),
    make(
      "dl",
      { class: "health" },
      ...pair(text("table.uptime"), text("table.hours_minutes", { hours, minutes })),
      ...pair(text("table.commit_ms"), text("table.milliseconds", { count: health.commit_ms })),
      ...pair(text("table.waiting"), String(health.waiting)),
      ...pair(text("table.outbox"), String(health.outbox)),
      ...pair(text("table.free_mb"), text("table.megabytes", { count: health.free_mb.toLocaleString("en-US") })),
      ...pair(text("table.memory_mb"), text("table.megabytes", { count: health.memory_mb })),
    ),
  );
}
