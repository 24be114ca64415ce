// Who draws a third card (§ 627a.10). The controller decides; this only asks for no card that the rule does not call for.
// tests/console/test_hand.py holds every combination against controller/rules/drawing.py.

const NATURAL = 8;
const PLAYER_DRAWS_BELOW = 6;
const BANKER_DRAWS_BELOW = 6; // the Player has stayed, (c)(1)
const INITIAL = 2;
const MOST = 3;

// Table 1: by the Banker's two-card count, whether it draws (D) or stays (S) on the value 0 to 9 of the Player's third card.
const TABLE_1 = [
  "DDDDDDDDDD",
  "DDDDDDDDDD",
  "DDDDDDDDDD",
  "DDDDDDDDSD",
  "SSDDDDDDSS",
  "SSSSDDDDSS",
  "SSSSSSDDSS",
  "SSSSSSSSSS",
];

export const RANKS = [..."A23456789TJQK"];
export const SUITS = [..."SHDC"];

/** The value of a card, § 627a.6(a): an ace is one, tens and face cards are nothing. */
export function value(card) {
  const place = RANKS.indexOf(card[0]) + 1;
  return place < 10 ? place : 0;
}

/** The right digit of the total, § 627a.6(b). */
export function points(cards) {
  return cards.reduce((sum, card) => sum + value(card), 0) % 10;
}

/** Which hand is owed the next card (null: none), and why: a name, and the counts that a sentence about it needs. */
export function nextDraw(player, banker) {
  if (player.length < INITIAL) return { to: "player", why: "first_two" };
  if (banker.length < INITIAL) return { to: "banker", why: "first_two" };
  const players = points(player.slice(0, INITIAL));
  const bankers = points(banker.slice(0, INITIAL));
  if (players >= NATURAL) return { to: null, why: "natural_player", count: players };
  if (bankers >= NATURAL) return { to: null, why: "natural_banker", count: bankers };
  if (player.length === INITIAL && players < PLAYER_DRAWS_BELOW) return { to: "player", why: "player_draws", count: players };
  if (banker.length === MOST) return { to: null, why: "last_card" };
  if (player.length === INITIAL) {
    const draws = bankers < BANKER_DRAWS_BELOW;
    return { to: draws ? "banker" : null, why: draws ? "stayed_draws" : "stayed_stays", count: bankers };
  }
  const third = value(player[INITIAL]);
  const draws = TABLE_1[bankers][third] === "D";
  return { to: draws ? "banker" : null, why: draws ? "third_draws" : "third_stays", count: bankers, third };
}

/** Whether two hands are "complete", the beginning of a round ("incomplete"), or none at all ("impossible"). */
export function judge(player, banker) {
  if (player.length > MOST || banker.length > MOST) return "impossible";
  const sofar = { player: player.slice(0, INITIAL), banker: banker.slice(0, INITIAL) };
  const thirds = { player: player.slice(INITIAL), banker: banker.slice(INITIAL) };
  let draw = nextDraw(sofar.player, sofar.banker);
  while (draw.to !== null && thirds[draw.to].length) {
    sofar[draw.to].push(thirds[draw.to].pop());
    draw = nextDraw(sofar.player, sofar.banker);
  }
  if (thirds.player.length || thirds.banker.length) return "impossible";
  return draw.to === null ? "complete" : "incomplete";
}
