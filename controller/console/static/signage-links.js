// Meters that tables share. A sign of several tables shows each of them once, in a panel of the link, and not table by table.

const LINK = "link:"; // before the name of a link among the names of tables

/** The name of a link's panel, and back: empty for a table's. */
export const placeOf = (link) => LINK + link;
export const linkAt = (place) => (place.startsWith(LINK) ? place.slice(LINK.length) : "");

/** A hit is told by its own table and by the others, each in its own words: what it is called is the same then. */
function same(hit) {
  return [hit.table, hit.position, hit.at, hit.amount_cents].join(" ");
}

/** What stands on a sign: every link first, then every table that has meters of its own. `said` is what each table says. */
export function parted(said) {
  if (said.size < 2) return said;
  const links = new Map();
  const tables = new Map();
  for (const [table, told] of said) {
    const own = {};
    for (const [id, message] of Object.entries(told.meters)) {
      if (!message.link) own[id] = message;
      else if (!links.has(message.link)) links.set(message.link, [told]);
      else if (links.get(message.link).at(-1) !== told) links.get(message.link).push(told);
    }
    const shared = Object.keys(own).length < Object.keys(told.meters).length;
    if (Object.keys(own).length || !shared) tables.set(table, { ...told, meters: own });
  }
  return new Map([...Array.from(links, ([link, tellers]) => [placeOf(link), joined(link, tellers)]), ...tables]);
}

/** A link as its tables tell it together. It is live while one of them is, and takes no wager where none of them does. */
function joined(link, tellers) {
  const rank = { live: 0, faulted: 1, offline: 2, stale: 3 };
  const best = tellers.reduce((one, other) => (rank[other.state] < rank[one.state] ? other : one));
  const heard = tellers.filter((told) => told.state === best.state);
  const meters = {};
  for (const { meters: each } of heard) {
    for (const [id, message] of Object.entries(each)) {
      if (message.link === link) meters[id] = meters[id] ? newer(meters[id], message) : renamed(message);
    }
  }
  const mode = tellers.some((told) => told.mode === "demonstration") ? "demonstration" : best.mode;
  return { state: best.state, reason: best.reason, mode, meters };
}

/** Of two tables' words on one meter: who stands further in the link's ledger, and who can be bet at, is right. */
function newer(one, other) {
  const inPlay = (message) => (message.state === "faulted" ? 0 : 1);
  const ahead = inPlay(other) - inPlay(one) || (other.link_seq ?? 0) - (one.link_seq ?? 0);
  return ahead > 0 ? renamed(other) : one;
}

function renamed(message) {
  return { ...message, hits: (message.hits ?? []).map((hit) => ({ ...hit, award: same(hit) })) };
}
