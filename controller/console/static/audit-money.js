// Exact amounts. The controller tells them as text, dollars with eight decimals; here they are whole units of 1e-8 dollars
// in BigInt, because no other number of a browser holds them. Cents are whole numbers below 2^53.

export const UNITS_PER_CENT = 1_000_000n;

/** Units of an exact amount like "-450.80246000". */
export function units(exact) {
  return BigInt(exact.replace(".", ""));
}

/** Whole cents of units, rounded down as a meter's display is. */
export function cents(amount) {
  const down = amount / UNITS_PER_CENT;
  return Number(amount < 0n && amount % UNITS_PER_CENT ? down - 1n : down);
}

function grouped(whole) {
  return String(whole).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Dollars and cents: $1,234.50, and with a true minus sign where it is negative. */
export function dollars(wholeCents) {
  const size = BigInt(wholeCents) < 0n ? -BigInt(wholeCents) : BigInt(wholeCents);
  return `${BigInt(wholeCents) < 0n ? "\u2212" : ""}$${grouped(size / 100n)}.${String(size % 100n).padStart(2, "0")}`;
}

/** An exact amount in two parts: dollars and cents, and the six digits below a cent. */
export function exactParts(amount) {
  const size = amount < 0n ? -amount : amount;
  const shown = dollars(size / UNITS_PER_CENT);
  return [amount < 0n ? `\u2212${shown}` : shown, String(size % UNITS_PER_CENT).padStart(6, "0")];
}
