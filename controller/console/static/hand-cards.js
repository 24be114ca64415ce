// The cards on the pad: which hand the next one goes to, which is being changed, and every step back.

import { judge, nextDraw } from "/static/drawing.js";

export const SIDES = ["player", "banker"];
export const INITIAL = 2;
const MOST_UNDO = 32; // touches: many times what six cards take

export class Cards {
  /** Begin with cards that are known already, as from a shoe. Nothing was touched yet. */
  constructor({ player = [], banker = [] } = {}) {
    this.player = [...player];
    this.banker = [...banker];
    this.chosen = null;
    this.before = [];
    this.touched = false;
  }

  get empty() {
    return !this.player.length && !this.banker.length;
  }

  /** Whether both hands have their first two: these settle Royal 9, and can be sent. */
  get four() {
    return SIDES.every((side) => this[side].length >= INITIAL);
  }

  get possible() {
    return judge(this.player, this.banker) !== "impossible";
  }

  draw() {
    return nextDraw(this.player, this.banker);
  }

  /** Which hand the next touch goes to, or null. */
  next() {
    return this.chosen ? this.chosen.side : this.draw().to;
  }

  put(card) {
    const side = this.next();
    if (side === null) return;
    this.remember();
    if (this.chosen) this[side][this.chosen.index] = card;
    else this[side].push(card);
    this.chosen = null;
    // Another card among the first four may leave a third card that nobody draws.
    for (const other of ["banker", "player"]) {
      if (!this.possible) this[other].splice(INITIAL);
    }
  }

  /** Have a card changed by the next touch; once more, and it is not. */
  choose(side, index) {
    this.chosen = this.chosen?.side === side && this.chosen.index === index ? null : { side, index };
  }

  undo() {
    const last = this.before.pop();
    if (last) Object.assign(this, last, { chosen: null });
  }

  clear() {
    if (this.empty) return;
    this.remember();
    Object.assign(this, { player: [], banker: [], chosen: null });
  }

  remember() {
    this.touched = true;
    this.before.push({ player: [...this.player], banker: [...this.banker] });
    if (this.before.length > MOST_UNDO) this.before.shift();
  }
}
