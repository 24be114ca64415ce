// What a page asks of the server: who is signed in, signing in and out, and commands.
//
// A command keeps its id until it is answered. A reply that was lost is asked for again with the same id, and the
// controller does it once.

const TRIES = 3;
const PAUSE_MS = 1000; // between two of them: a broker or a console that restarts takes about that
const TIMEOUT_MS = 35_000; // the server itself gives up after thirty seconds
const LOST = new Set([502, 503, 504]); // the server or what stands before it did not get through

/** What was not done, and why: `error` for programs, `message` for people. */
export class Refused extends Error {
  constructor(error, message) {
    super(message);
    this.name = "Refused";
    this.error = error;
  }
}

let csrf = null;
const changed = new Set();

/** Be told whenever somebody has signed in or out, or was signed out. */
export function onSession(listener) {
  changed.add(listener);
}

function tell(session) {
  csrf = session.csrf;
  for (const listener of changed) listener(session);
  return session;
}

/** `{operator, name, role, seconds, expires, tables}` of who is signed in; without `operator` nobody is. */
export async function whoAmI() {
  const answer = await fetch("/api/session", { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Refused("no-reply", `${answer.status}`);
  return tell(await answer.json());
}

/** Sign in at a table. Returns the session, or throws `Refused`. */
export async function signIn(operator, pin, table) {
  const reply = await post("/api/sign-in", { operator, pin, table });
  if (!reply.ok) throw new Refused(reply.error, reply.message);
  return tell(reply);
}

export async function signOut() {
  return tell(await post("/api/sign-out", {}));
}

/**
 * Give a command at a table and return the controller's reply, or throw `Refused`.
 * `second` is a second person, `{operator, pin}`. Their PIN is kept no longer than this takes.
 */
export async function command(table, name, fields = {}, { second } = {}) {
  const body = { id: newId(), table, fields, ...(second ? { second } : {}) };
  const reply = await post(`/api/command/${encodeURIComponent(name)}`, body, TRIES);
  if (!reply.ok) throw new Refused(reply.error, reply.message);
  return reply;
}

/** A UUID. Browsers have one ready only over TLS or on the machine itself. */
function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

async function post(address, body, tries = 1) {
  let why = new Refused("no-reply", "");
  let renewed = false;
  for (let tried = 0; tried < tries; tried += 1) {
    if (tried) await new Promise((done) => setTimeout(done, PAUSE_MS));
    let answer;
    try {
      if (csrf === null) await whoAmI();
      answer = await send(address, body);
    } catch (error) {
      why = new Refused("no-reply", error.message);
      continue;
    }
    const told = await read(answer);
    if (answer.status === 403 && told.error === "forged" && !renewed) {
      // The server was started anew, or the cookie is another tab's: what it wants to see has changed. Nothing was done.
      renewed = true;
      csrf = null;
      tried -= 1;
      continue;
    }
    if (answer.ok) return told;
    why = new Refused(told.error, told.message);
    if (answer.status === 401) await whoAmI().catch(() => {});
    if (!LOST.has(answer.status)) break;
  }
  throw why;
}

function send(address, body) {
  return fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json", "x-jackpotd-csrf": csrf },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

async function read(answer) {
  try {
    return await answer.json();
  } catch {
    return { ok: false, error: "no-reply", message: `${answer.status}` };
  }
}
