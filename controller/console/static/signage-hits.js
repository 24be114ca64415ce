// Hits on a sign: which of them fill the screen, in which order and for how long; and how those that stand are told.

const MOST_WAITING = 8; // hits that wait for the screen; more than a table has in a busy hour, and all stand beside their amounts
const SHARED_SECONDS = 10; // with others waiting, a hit gives way after this long
const LEAST_SECONDS = 2; // what is left of a hit that a sign learns of late is not worth a flash of the screen

/** Hits of one instant, table and amount are one hit that is shared: [{at, table, amount_cents, positions, awards}], the newest first. */
export function shared(hits) {
  const found = new Map();
  for (const hit of hits) {
    const key = `${hit.at} ${hit.table ?? ""} ${hit.amount_cents}`;
    const group = found.get(key) ?? { at: hit.at, table: hit.table, amount_cents: hit.amount_cents, positions: [], awards: [] };
    group.positions.push(hit.position);
    group.awards.push(hit.award);
    found.set(key, group);
  }
  for (const group of found.values()) group.positions.sort((one, other) => one - other);
  return [...found.values()].sort((one, other) => (one.at < other.at ? 1 : -1));
}

/** The hits that are to fill the screen. Times are in seconds of any one clock; ages are by the controller's. */
export class Queue {
  #seen = new Map(); // meters, and the awards of each that stand: each fills the screen once
  #waiting = [];

  /** `seconds`: how long one hit may fill the screen. */
  constructor(seconds) {
    this.seconds = seconds;
    this.current = null;
  }

  /** What stands at a meter now; `age(hit)` is how many seconds ago it was hit. Awards that are gone leave the screen. */
  stand(table, meter, hits, age) {
    const place = `${table} ${meter}`;
    const before = this.#seen.get(place) ?? new Set();
    const now = new Set(hits.map((hit) => hit.award));
    this.#seen.set(place, now);
    for (const entry of [this.current, ...this.#waiting]) {
      if (entry?.place === place) entry.hits = entry.hits.filter((hit) => now.has(hit.award));
    }
    this.#waiting = this.#waiting.filter((entry) => entry.hits.length);
    if (this.current && !this.current.hits.length) this.current = null;
    const fresh = hits.filter((hit) => !before.has(hit.award));
    for (const group of shared(fresh).reverse()) {
      const left = Math.min(this.seconds, this.seconds - age(group));
      if (left < LEAST_SECONDS || this.#waiting.length >= MOST_WAITING) continue;
      const hits = fresh.filter((hit) => group.awards.includes(hit.award));
      this.#waiting.push({ place, table, meter, hits, left });
    }
  }

  /** A table that is not heard: what it said last may no longer be so. */
  drop(table) {
    this.#waiting = this.#waiting.filter((entry) => entry.table !== table);
    if (this.current?.table === table) this.current = null;
  }

  /** Whose turn it is at this time; null: nobody's. */
  turn(time) {
    if (this.current) {
      const on = time - this.current.since;
      const most = this.#waiting.length ? Math.min(this.current.left, SHARED_SECONDS) : this.current.left;
      if (on >= most) this.current = null;
    }
    if (!this.current && this.#waiting.length) {
      this.current = this.#waiting.shift();
      this.current.since = time;
    }
    return this.current;
  }
}
