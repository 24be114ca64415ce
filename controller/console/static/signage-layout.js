// Where everything on a sign goes: the arrangement with the largest digits that fit. Pure: sizes in, sizes out.

// Heights of a meter's parts, in heights of its amount's type.
const AMOUNT = 1.0;
const LABEL = 0.42;
const FOOT = 0.43; // a line of a must-hit-by bar or of a hit
const AIR = 0.2;
const SIDES = 0.4; // air left and right of an amount
const HERO = 0.2; // how much larger digits of the first row count, beside the smallest ones of all
const MOST_SPREAD = 2.2; // the first row is at most so much larger than the last: the others are to be read too

/** Every way to set so many things in rows, in order: [[1, 1, 1], [1, 2], [2, 1], [3]] for three. */
export function rowings(count) {
  if (count === 0) return [[]];
  const found = [];
  for (let first = 1; first <= count; first += 1) {
    for (const rest of rowings(count - first)) found.push([first, ...rest]);
  }
  return found;
}

function fitted(cells, rowing, width, height) {
  let at = 0;
  let above = Infinity;
  const rows = rowing.map((count) => {
    const own = cells.slice(at, at + count);
    at += count;
    const size = Math.min(above, ...own.map((cell) => width / count / (cell.ems + SIDES)));
    above = size; // what comes later is never larger: the order is the order of importance
    return { count, size, tall: AMOUNT + LABEL + AIR + FOOT * Math.max(...own.map((cell) => cell.feet)) };
  });
  // Too tall: the largest give way first, down to one common size.
  const tall = (most) => rows.reduce((sum, row) => sum + row.tall * Math.min(row.size, most), 0);
  let most = Math.min(rows[0].size, rows.at(-1).size * MOST_SPREAD);
  if (tall(most) > height) {
    let low = 0;
    for (let step = 0; step < 40; step += 1) {
      const middle = (low + most) / 2;
      if (tall(middle) > height) most = middle;
      else low = middle;
    }
    most = low;
  }
  return rows.map((row) => ({ ...row, size: Math.min(row.size, most) }));
}

/** The best rows for the meters of one table. A cell is {ems: width of its amount, feet: lines below it}. */
export function arrange(cells, width, height) {
  let best = { score: -1, rows: [] };
  if (!cells.length) return best;
  for (const rowing of rowings(cells.length)) {
    const rows = fitted(cells, rowing, width, height);
    const score = rows.at(-1).size + HERO * rows[0].size;
    if (score > best.score + 1e-6) best = { score, rows };
  }
  return best;
}

/** The best grid for several tables; each is a list of cells. `room(width, height)` is what a panel of that size leaves them. */
export function panels(tables, width, height, room) {
  let best = { score: -1, columns: 1 };
  for (let columns = 1; columns <= tables.length; columns += 1) {
    const lines = Math.ceil(tables.length / columns);
    const inner = room(width / columns, height / lines);
    const score = Math.min(...tables.map((cells) => (cells.length ? arrange(cells, inner.width, inner.height).score : Infinity)));
    if (score > best.score) best = { score, columns };
  }
  return best.columns;
}
