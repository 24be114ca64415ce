// What tables say, live: one socket, which comes back for ever. What is shown as live must be live: each table has a state.
//
//   live       the controller is there and takes wagers
//   faulted    it is there and takes none; the reason is its own
//   offline    it said that it is gone; the reason is its own
//   stale      nothing is known for certain: "socket" (the console is lost), "broker" (it lost the broker), or
//              "silence" (the table says nothing)

import { text } from "/static/text.js";

// A page says within five seconds of a fault that it knows nothing. The last sign of life may have come right before it, so
// a silence, the look that finds it and the way of the message must fit in them together: 4.5 s, 0.25 s, and what is left.
const STATUS_MS = 4500; // a controller says every two seconds that it is there: two of its messages may be lost or late
const SOCKET_MS = 3000; // the console ticks every second
const FIRST_BACK_OFF_MS = 250;
const MOST_BACK_OFF_MS = 2000;
const LOOK_MS = 250; // how often silence is looked for
const OPEN_MS = 4000; // a socket that has not said a word by then is given up

/** Call a listener. One that fails is told of, and keeps nobody else from hearing the truth. */
function safely(listener, ...told) {
  try {
    listener(...told);
  } catch (error) {
    reportError(error);
  }
}

class Table {
  constructor() {
    this.topics = new Map();
    this.places = new Map(); // the last (epoch, seq) of each topic
    this.aliveAt = -Infinity; // by this browser's own clock
    this.state = { state: "stale", reason: "socket" };
  }

  /** Whether a message is newer than, or the same as, what is known of its topic. */
  takes(topic, message) {
    const place = [Number(message.epoch) || 0, topic === "status" ? 0 : Number(message.seq) || 0];
    const last = this.places.get(topic);
    if (last && (place[0] < last[0] || (place[0] === last[0] && place[1] < last[1]))) return false;
    this.places.set(topic, place);
    return true;
  }
}

class Live {
  constructor(names) {
    this.names = [...names];
    this.tables = new Map(this.names.map((name) => [name, new Table()]));
    this.listeners = [];
    this.stateListeners = [];
    this.heardAt = -Infinity; // when the socket last said anything
    this.broker = false;
    this.backOff = FIRST_BACK_OFF_MS;
    this.open();
    setInterval(() => this.look(), LOOK_MS);
    // A page that was asleep knows nothing until it has heard again.
    document.addEventListener("visibilitychange", () => this.look());
    window.addEventListener("online", () => this.look());
  }

  // -- for pages --

  /** `listener(table, topic, message)` for every change; a message of null says that the topic is gone. */
  on(listener) {
    this.listeners.push(listener);
    for (const [name, table] of this.tables) {
      for (const [topic, message] of table.topics) listener(name, topic, message);
    }
  }

  /** `listener(table, state, reason)` for every change of a table's state, and once now. */
  onState(listener) {
    this.stateListeners.push(listener);
    for (const [name, table] of this.tables) listener(name, table.state.state, table.state.reason);
  }

  /** `{state, reason}` of a table. */
  state(name) {
    return this.tables.get(name)?.state ?? { state: "stale", reason: "silence" };
  }

  /** What a table said last of a topic. */
  get(name, topic) {
    return this.tables.get(name)?.topics.get(topic);
  }

  /** Everything a table said: pairs of topic and message. */
  all(name) {
    return [...(this.tables.get(name)?.topics ?? [])];
  }

  // -- the socket --

  open() {
    clearTimeout(this.opening);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const tables = this.names.map(encodeURIComponent).join(",");
    const socket = new WebSocket(`${scheme}//${location.host}/live?tables=${tables}`);
    this.socket = socket;
    this.openedAt = performance.now();
    socket.addEventListener("message", (event) => {
      if (socket !== this.socket) return;
      this.heardAt = performance.now();
      this.take(JSON.parse(event.data));
    });
    socket.addEventListener("close", () => this.lost(socket));
    socket.addEventListener("error", () => this.lost(socket));
  }

  lost(socket) {
    if (socket !== this.socket) return;
    this.socket = null;
    this.heardAt = -Infinity;
    socket.close();
    this.look();
    this.opening = setTimeout(() => this.open(), this.backOff);
    this.backOff = Math.min(this.backOff * 2, MOST_BACK_OFF_MS);
  }

  take(said) {
    if (said.type === "snapshot") this.begin(said);
    else if (said.type === "broker") this.broker = said.connected;
    else if (said.type === "said") this.say(said);
    this.look();
  }

  /** How everything stands: what is not in it is gone. */
  begin(said) {
    this.backOff = FIRST_BACK_OFF_MS;
    this.broker = said.broker;
    for (const [name, topics] of Object.entries(said.tables)) {
      const table = this.tables.get(name);
      if (!table) continue;
      const heard = said.heard?.[name];
      table.aliveAt = typeof heard === "number" ? performance.now() - heard : -Infinity;
      table.places.clear();
      for (const topic of [...table.topics.keys()]) {
        if (!Object.hasOwn(topics, topic)) this.change(name, table, topic, null);
      }
      for (const [topic, message] of Object.entries(topics)) {
        table.takes(topic, message);
        this.change(name, table, topic, message);
      }
    }
  }

  say({ table: name, topic, message, retained }) {
    const table = this.tables.get(name);
    if (!table) return;
    if (message !== null && !table.takes(topic, message)) return;
    // A retained status says how it was, not that it is.
    if (topic === "status" && message !== null && !retained) table.aliveAt = performance.now();
    this.change(name, table, topic, message);
  }

  change(name, table, topic, message) {
    if (message === null) table.topics.delete(topic);
    else table.topics.set(topic, message);
    for (const listener of this.listeners) safely(listener, name, topic, message);
  }

  // -- what is to be believed --

  look() {
    const now = performance.now();
    if (this.socket && now - Math.max(this.heardAt, this.openedAt) > OPEN_MS) this.lost(this.socket);
    for (const [name, table] of this.tables) {
      const found = this.judge(table, now);
      if (found.state !== table.state.state || found.reason !== table.state.reason) {
        table.state = found;
        for (const listener of this.stateListeners) safely(listener, name, found.state, found.reason);
      }
    }
  }

  judge(table, now) {
    if (now - this.heardAt > SOCKET_MS) return { state: "stale", reason: "socket" };
    if (!this.broker) return { state: "stale", reason: "broker" };
    const status = table.topics.get("status");
    if (!status) return { state: "stale", reason: "silence" };
    const reason = typeof status.reason === "string" ? status.reason : "";
    if (status.state === "offline") return { state: "offline", reason };
    if (now - table.aliveAt > STATUS_MS) return { state: "stale", reason: "silence" };
    if (status.state !== "online") return { state: "faulted", reason };
    return { state: "live", reason: "" };
  }
}

const followed = new Map();

/** Follow tables: `connect(["valley-forge/mb-07"])`. Who follows the same ones shares the socket. */
export function connect(tables) {
  const key = [...tables].join(",");
  if (!followed.has(key)) followed.set(key, new Live(tables));
  return followed.get(key);
}

/** A state in words for people. */
export function inWords(state, reason) {
  if (state === "stale") return text(`base.stale_${reason}`);
  return reason ? text("base.state_because", { state: text(`base.state_${state}`), reason }) : text(`base.state_${state}`);
}
