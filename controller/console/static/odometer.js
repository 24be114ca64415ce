// An amount whose digits roll like the wheels of a meter: never above what is true, never a second behind it.

const BEHIND_MS = 700; // an amount is shown whole this long after it was told: well within the second that is allowed
const ROLL_MS = 140; // in this time a wheel covers two thirds of the way that is left
const MOST_STEP_MS = 100; // a browser that was busy does not leap: what it missed, BEHIND_MS makes up for

/** Where the wheels stand: `target` is true, `behind` is what is left to roll. Times are of any one clock, in ms. */
export class Rolling {
  #told = []; // [time, cents] of amounts not yet reached, the oldest first
  #time = 0;

  constructor() {
    this.target = null;
    this.behind = 0;
  }

  /** A new true amount. One that is lower, and the first, is shown at once. */
  aim(cents, time) {
    if (this.target === null || cents < this.whole) {
      this.jump(cents);
    } else if (cents < this.target) { // it fell, and the wheels had not even come so far
      this.behind = cents - this.whole;
      this.target = cents;
      this.#told = [[time, cents]];
    } else if (cents > this.target) {
      if (this.behind === 0) this.#time = time; // wheels at rest start now
      this.behind += cents - this.target;
      this.target = cents;
      this.#told.push([time, cents]);
    }
  }

  /** Show an amount without rolling. */
  jump(cents) {
    this.target = cents;
    this.behind = 0;
    this.#told = [];
  }

  /** Roll on to this time; whether anything is left to roll. */
  roll(time) {
    const passed = Math.min(Math.max(time - this.#time, 0), MOST_STEP_MS);
    this.#time = time;
    this.behind *= Math.exp(-passed / ROLL_MS);
    while (this.#told.length && time - this.#told[0][0] >= BEHIND_MS) {
      const [, cents] = this.#told.shift();
      this.behind = Math.min(this.behind, this.target - cents);
    }
    if (!this.#told.length) this.behind = 0;
    return this.behind > 0;
  }

  /** Whole cents that the wheels have reached. */
  get whole() {
    return this.target - Math.ceil(this.behind);
  }

  /** How far the lowest wheel is on its way to the next cent, from 0 up to, but not, 1. */
  get part() {
    return Math.ceil(this.behind) - this.behind;
  }
}

/** What each wheel shows, the highest first: its digit, the next one, and how far it has turned to that. */
export function wheels(whole, part, count) {
  const found = [];
  let below = true; // do all lower wheels stand at nine, so that this one turns with them?
  let left = whole;
  for (let wheel = 0; wheel < count; wheel += 1) {
    const digit = left % 10;
    const blank = left === 0 && wheel > 2; // no zeros before the first digit; "0.05" keeps its three
    const turned = below ? part : 0;
    found.unshift({ now: blank ? "" : String(digit), next: turned ? String((digit + 1) % 10) : "", turned });
    below = below && digit === 9;
    left = (left - digit) / 10; // exact: whole numbers below 2 ** 53
  }
  return found;
}

/** "$1,234.56", in whole numbers. */
export function dollars(cents) {
  const text = String(cents).padStart(3, "0");
  return `$${text.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ",")}.${text.slice(-2)}`;
}

const rolling = new Set();
let frame = 0;

function turn(time) {
  frame = 0;
  for (const each of rolling) {
    if (!each.turn(time)) rolling.delete(each);
  }
  if (rolling.size && !frame) frame = requestAnimationFrame(turn);
}

/** Draws an amount into an element, which is to be a flex row of line height 1. */
export class Odometer {
  #rolling = new Rolling();
  #drawn = []; // a wheel's two faces, and what they show
  #shape = "";
  #still;

  /** `still`: a function that says whether motion is unwanted. */
  constructor(element, still) {
    this.element = element;
    this.#still = still;
    element.setAttribute("role", "img"); // one amount for who hears the page, not a heap of digits
  }

  /** Show that amount, from now on. */
  show(cents) {
    const moves = !this.#still() && this.#rolling.target !== null && !document.hidden;
    if (moves) this.#rolling.aim(cents, performance.now());
    else this.#rolling.jump(cents);
    this.element.setAttribute("aria-label", dollars(cents));
    this.#build(dollars(cents));
    this.#draw();
    if (this.#rolling.behind > 0) {
      rolling.add(this);
      if (!frame) frame = requestAnimationFrame(turn);
    }
  }

  /** No amount is known: the next one is shown at once, whatever stood here before. */
  forget() {
    this.#rolling = new Rolling();
    rolling.delete(this);
  }

  /** The amount with zeros for digits: how wide it is does not depend on them. Empty before the first. */
  get shape() {
    return this.#shape;
  }

  /** The next frame; whether there is one after it. */
  turn() {
    const more = this.#rolling.roll(performance.now()); // not the frame's time, which lies before what was just told
    this.#draw();
    return more;
  }

  #build(text) {
    const shape = text.replace(/\d/g, "0");
    if (shape === this.#shape) return;
    this.#shape = shape;
    this.#drawn = [];
    this.element.replaceChildren(
      ...Array.from(shape, (sign) => {
        const part = document.createElement("span");
        if (sign !== "0") {
          part.className = "sign";
          part.textContent = sign;
          return part;
        }
        part.className = "wheel";
        const now = part.appendChild(document.createElement("span"));
        const next = part.appendChild(document.createElement("span"));
        next.className = "next";
        this.#drawn.push({ part, now, next, turned: 0 });
        return part;
      }),
    );
  }

  #draw() {
    const { whole, part } = this.#rolling;
    this.element.dataset.cents = whole;
    wheels(whole, part, this.#drawn.length).forEach((told, place) => {
      const drawn = this.#drawn[place];
      if (drawn.now.textContent !== told.now) drawn.now.textContent = told.now;
      if (drawn.next.textContent !== told.next) drawn.next.textContent = told.next;
      if (drawn.turned !== told.turned) {
        drawn.turned = told.turned;
        const shift = told.turned ? `translateY(${-100 * told.turned}%)` : "";
        drawn.now.style.transform = shift;
        drawn.next.style.transform = shift;
      }
    });
    // The comma of a thousand that is still on its way waits with it.
    let blank = true;
    for (const child of this.element.children) {
      if (child.className === "wheel") blank = blank && child.textContent === "";
      else if (child.textContent === ",") child.classList.toggle("waiting", blank);
    }
  }
}
