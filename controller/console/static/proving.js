// The public promise of a mystery value, computed with the browser's own SHA-256: see docs/mystery.md.

const LABEL = "jackpotd/mystery/v1";
const NONCE = /^[0-9a-f]{64}$/; // 32 bytes
const MOST_NUMBER = 2n ** 63n - 1n; // as the controller has it
const MOST_TEXT_BYTES = 2 ** 16 - 1; // a length is written in two bytes

/** The example that is published, so that a browser can prove that it computes as everybody else does. */
export const EXAMPLE = {
  table: "valley-forge/mb-07",
  meter: "must-hit-by",
  cycle: "1",
  cents: "43210",
  nonce: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
  commitment: "457f5d051bae924e1ac4f98ae63697f97222b89c662068f3db67b63f509907b4",
};

/** Input that no promise can be made of; `field` names it. */
export class BadValue extends Error {
  constructor(field) {
    super(field);
    this.field = field;
  }
}

/** Whether this browser computes fingerprints here: it does so on pages that came safely, or from this machine. */
export function available() {
  return Boolean(globalThis.crypto?.subtle);
}

function text(field, value) {
  const written = new TextEncoder().encode(value);
  if (!written.length || written.length > MOST_TEXT_BYTES) throw new BadValue(field);
  return [written.length >> 8, written.length & 255, ...written];
}

function number(field, value) {
  if (!/^\d{1,19}$/.test(value) || BigInt(value) > MOST_NUMBER) throw new BadValue(field);
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setBigUint64(0, BigInt(value));
  return new Uint8Array(bytes.buffer);
}

function hex(field, value) {
  if (!NONCE.test(value)) throw new BadValue(field);
  return value.match(/../g).map((pair) => parseInt(pair, 16));
}

/** The bytes that are promised: strings after their lengths, then cycle, cents and nonce, the highest byte first. */
export function promised({ table, meter, cycle, cents, nonce }) {
  return new Uint8Array([
    ...text("label", LABEL),
    ...text("table", table),
    ...text("meter", meter),
    ...number("cycle", String(cycle)),
    ...number("value", String(cents)),
    ...hex("nonce", nonce),
  ]);
}

/** SHA-256 over them, in lowercase hex. */
export async function commitment(values) {
  const digest = await crypto.subtle.digest("SHA-256", promised(values));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Dollars as someone typed them ("$1,234.5" or "1234.50") in whole cents, as text; never through a fraction. */
export function cents(typed) {
  const found = /^\$?\s*(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?$/.exec(typed.trim());
  if (!found) throw new BadValue("value");
  return String(BigInt(found[1].replaceAll(",", "") + (found[2] ?? "").padEnd(2, "0")));
}
