// A meter's amount through one gaming day, from the rounds, hits and adjustments of that day.
//
// It is worked out backwards, because the end is known to the unit: the reading at the day's end, and at each hit the
// award. What was given back or returned to the meter is left out on both ends, as if it had never been. What then is
// left between the beginning so found and the day's own opening reading has no time of its own here, and is told as such.

import { UNITS_PER_CENT, cents, units } from "./audit-money.js";

const OPENED = "opening amount"; // the day a meter was installed begins with it

/** { points: [{ at, units, hit? }], missing: units } of a meter; `day` is the reply of query-readings. */
export function reckon(day, meter, rounds, hits, adjustments) {
  const reading = day.meters.find((each) => each.meter === meter);
  const gifts = contributions(day, meter, rounds);
  const events = [...gifts, ...drops(day, meter, hits, gifts), ...adjusted(day, meter, adjustments)];
  events.sort((one, other) => one.seq - other.seq || one.cycle - other.cycle || one.order - other.order);

  let now = units(reading.display.closing);
  const points = [{ at: day.ends, units: now }];
  for (const event of events.reverse()) {
    if (event.hit) {
      if (event.falls) {
        points.push({ at: event.at, units: now });
        // A reset is whole cents and so is an award: below a cent, the meter holds before a hit what it holds after.
        const fraction = (((now - event.since) % UNITS_PER_CENT) + UNITS_PER_CENT) % UNITS_PER_CENT;
        now = BigInt(event.hit.amount_cents) * UNITS_PER_CENT + fraction + event.since;
      }
      points.push({ at: event.at, units: now, hit: event.hit, falls: event.falls });
    } else {
      points.push({ at: event.at, units: now });
      now -= event.units;
    }
  }
  points.push({ at: day.begins, units: now });
  points.reverse();
  const opening = units(reading.display.opening) + units(reading.display.changes[OPENED] ?? "0.00000000");
  return { points, missing: refined(points, now - opening) };
}

/** A reserve that opens a cycle has fractions of a cent of its own: what is off by less than one is off before that hit. */
function refined(points, missing) {
  if (missing >= UNITS_PER_CENT || missing <= -UNITS_PER_CENT) return missing;
  const first = points.findIndex((point) => point.falls);
  for (const point of points.slice(0, first + 1)) point.units -= missing;
  return first < 0 ? missing : 0n;
}

const within = (day, seq) => seq !== undefined && seq >= day.first_seq && seq <= day.last_seq;

/** What wagers gave the meter, lock-out by lock-out; of one in which a mystery meter was hit, cycle by cycle. */
function contributions(day, meter, rounds) {
  const found = [];
  for (const round of rounds) {
    if (!within(day, round.locked_seq)) continue;
    const byCycle = new Map();
    for (const wager of round.wagers) {
      if (wager.given_back) continue;
      for (const share of wager.contributions) {
        if (share.meter === meter) byCycle.set(share.cycle, (byCycle.get(share.cycle) ?? 0n) + units(share.amount));
      }
    }
    const { locked_seq: seq, locked_at: at, round: number } = round;
    for (const [cycle, given] of byCycle) found.push({ seq, at, cycle, order: 0, units: given, round: number });
  }
  return found;
}

/** The hits of the day. One that went back to its meter, with no other in between, makes no fall in the end. */
function drops(day, meter, hits, gifts) {
  const own = hits.filter((hit) => hit.meter === meter && within(day, hit.seq));
  return own.map((hit) => {
    const ended = Math.max(0, ...hit.awards.map((award) => award.ended_seq ?? 0));
    const undone = hit.kind === "jackpot" && (hit.fate === "rejected" || hit.fate === "unwound");
    const again = own.some((other) => other.seq > hit.seq && other.seq < ended);
    const falls = hit.paid_from === `meter:${meter}` && (!undone || again);
    // A hand entered late wins what the meter held at its own lock-out; what was given since stays on the meter.
    const later = gifts.filter((gift) => hit.kind === "jackpot" && gift.round > hit.round && gift.seq < hit.seq);
    const since = later.reduce((sum, gift) => sum + gift.units, 0n);
    return { seq: hit.seq, at: hit.at, cycle: hit.reveal?.cycle ?? Infinity, order: 1, hit, falls, since };
  });
}

function adjusted(day, meter, adjustments) {
  const done = adjustments.filter((each) => each.action === "meter-adjusted" && !each.refusal && within(day, each.seq));
  const own = done.filter((each) => each.meter === meter);
  return own.map(({ seq, at, delta_cents: delta }) => ({ seq, at, cycle: 0, order: 0, units: BigInt(delta) * UNITS_PER_CENT }));
}

/** A meter's amount over several days: its readings, and the hits between them. `days` from the oldest. */
export function byDay(days, meter, hits) {
  const found = [];
  for (const day of days) {
    const reading = day.meters.find((each) => each.meter === meter);
    if (!reading) continue;
    const opened = reading.display.changes[OPENED];
    const opening = opened === undefined ? reading.opening_cents : cents(units(reading.display.opening) + units(opened));
    if (!found.length) found.push({ at: day.begins, cents: opening, day: day.day, opens: true });
    const own = hits.filter((hit) => hit.meter === meter && within(day, hit.seq));
    for (const hit of own.sort((one, other) => one.seq - other.seq)) {
      const falls = hit.paid_from === `meter:${meter}` && (hit.kind === "mystery" || hit.fate === "paid" || hit.fate === "pending");
      found.push({ at: hit.at, cents: hit.amount_cents, day: day.day, hit, falls });
    }
    found.push({ at: day.ends, cents: reading.closing_cents, day: day.day, ended: day.ended });
  }
  return found;
}
