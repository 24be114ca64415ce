// A line chart in SVG: amounts over time, with marks for hits. Hover or the arrow keys move a cursor from point to point,
// and the line under the chart says in words what is there. Nothing but what it is given is drawn: no curve is smoothed.

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 250;
const EDGE = { top: 16, right: 18, bottom: 30, left: 86 };
const TICK_PIXELS_Y = 44; // between two amounts on the axis: a line of text and air
const LABEL_PIXELS_X = 96; // between two times on the axis: the widest label and air

/** Whole steps of 1, 2 or 5 times a power of ten, so that the axis has round amounts. At least one cent. */
export function niceStep(span, most) {
  const rough = Math.max(1, span / Math.max(1, most));
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((each) => each * power >= rough);
  return Math.max(1, Math.round(step * power));
}

/** The round amounts between the lowest and the highest, both ends included. */
export function ticks(lowest, highest, most) {
  const step = lowest === highest ? niceStep(lowest / 10, most) : niceStep(highest - lowest, most);
  const first = Math.floor(lowest / step) * step;
  const found = [first];
  while (found[found.length - 1] < highest) found.push(found[found.length - 1] + step);
  if (found.length === 1) found.push(first + step);
  return found;
}

function node(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

/**
 * Draw into `host`, and again whenever its width changes.
 * points: [{ x: ms, cents, text, hit?: "stands" | "undone", unknown?: true }] in order of time. `text` is what the cursor
 *   says; `unknown`: what lies between this point and the next is not known, and is drawn dashed.
 * labels: [{ x, text }], the times that may stand on the axis. steps: amounts jump at points and hold between them.
 */
export function chart(host, { name, points, labels, money, hint, steps = false }) {
  const readout = document.createElement("p");
  readout.className = "chart-readout";
  readout.setAttribute("aria-live", "polite");
  readout.textContent = hint;
  const svg = node("svg", { class: "chart", role: "img", tabindex: "0", height: HEIGHT, "aria-label": `${name}. ${hint}` });
  host.replaceChildren(svg, readout);

  let at = -1; // the point under the cursor
  let placed = []; // every point in pixels
  let cursor = null;

  function say(index) {
    at = index;
    const point = points[at];
    readout.textContent = point.text;
    cursor.setAttribute("transform", `translate(${placed[at].x} 0)`);
    cursor.querySelector("circle").setAttribute("cy", placed[at].y);
    cursor.classList.remove("hidden");
  }

  function nearest(x) {
    let best = 0;
    for (let index = 1; index < placed.length; index += 1) {
      if (Math.abs(placed[index].x - x) <= Math.abs(placed[best].x - x)) best = index;
    }
    return best;
  }

  function draw() {
    const width = Math.max(280, Math.floor(host.clientWidth));
    const inner = { width: width - EDGE.left - EDGE.right, height: HEIGHT - EDGE.top - EDGE.bottom };
    const amounts = points.map((point) => point.cents);
    const marks = ticks(Math.min(...extremes(amounts)), Math.max(...extremes(amounts)), inner.height / TICK_PIXELS_Y);
    const [low, high] = [marks[0], marks[marks.length - 1]];
    const first = points[0].x;
    const span = Math.max(1, points[points.length - 1].x - first);
    const toX = (x) => EDGE.left + ((x - first) / span) * inner.width;
    const toY = (cents) => EDGE.top + (1 - (cents - low) / (high - low)) * inner.height;
    placed = points.map((point) => ({ x: toX(point.x), y: toY(point.cents) }));

    svg.setAttribute("width", width);
    svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    svg.replaceChildren();
    for (const cents of marks) {
      const y = toY(cents);
      svg.append(node("line", { class: "chart-grid", x1: EDGE.left, x2: width - EDGE.right, y1: y, y2: y }));
      svg.append(node("text", { class: "chart-label", x: EDGE.left - 10, y: y + 4, "text-anchor": "end" }, money(cents)));
    }
    let free = -Infinity;
    for (const label of labels) {
      const x = toX(label.x);
      if (x < EDGE.left - 1 || x > width - EDGE.right + 1 || x < free) continue;
      free = x + LABEL_PIXELS_X;
      svg.append(node("line", { class: "chart-tick", x1: x, x2: x, y1: HEIGHT - EDGE.bottom, y2: HEIGHT - EDGE.bottom + 5 }));
      const anchor = x > width - EDGE.right - LABEL_PIXELS_X / 2 ? "end" : x < EDGE.left + LABEL_PIXELS_X / 2 ? "start" : "middle";
      svg.append(node("text", { class: "chart-label", x, y: HEIGHT - 8, "text-anchor": anchor }, label.text));
    }
    for (const [kind, path] of Object.entries(lines(points, placed, steps))) {
      if (path) svg.append(node("path", { class: `chart-line ${kind}`, d: path }));
    }
    points.forEach((point, index) => {
      const { x, y } = placed[index];
      if (point.hit) svg.append(node("path", { class: `chart-hit ${point.hit}`, d: `M${x} ${y - 7}l7 7l-7 7l-7 -7z` }));
      else if (!steps) svg.append(node("circle", { class: "chart-point", cx: x, cy: y, r: 3.5 }));
    });
    cursor = node("g", { class: "chart-cursor hidden" });
    cursor.append(node("line", { y1: EDGE.top, y2: HEIGHT - EDGE.bottom }), node("circle", { r: 6 }));
    svg.append(cursor);
    if (at >= 0) say(at);
  }

  svg.addEventListener("pointermove", (event) => say(nearest(event.clientX - svg.getBoundingClientRect().left)));
  svg.addEventListener("pointerdown", (event) => say(nearest(event.clientX - svg.getBoundingClientRect().left)));
  svg.addEventListener("keydown", (event) => {
    const last = points.length - 1;
    const to = {
      ArrowLeft: at < 0 ? last : Math.max(0, at - 1),
      ArrowRight: Math.min(last, at + 1),
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    say(to);
  });
  let drawnWidth = 0;
  new ResizeObserver(() => {
    if (host.clientWidth === drawnWidth || !host.isConnected) return;
    drawnWidth = host.clientWidth;
    draw();
  }).observe(host);
  draw();
}

// Math.min(...) of some ten thousand numbers overflows the stack: the two that matter are found one by one.
function extremes(amounts) {
  return amounts.reduce(([low, high], each) => [Math.min(low, each), Math.max(high, each)], [amounts[0], amounts[0]]);
}

function lines(points, placed, steps) {
  const drawn = { known: "", unknown: "" };
  for (let index = 1; index < points.length; index += 1) {
    const [from, to] = [placed[index - 1], placed[index]];
    const kind = points[index - 1].unknown ? "unknown" : "known";
    drawn[kind] += `M${from.x.toFixed(1)} ${from.y.toFixed(1)}${steps ? `H${to.x.toFixed(1)}V` : `L${to.x.toFixed(1)} `}${to.y.toFixed(1)}`;
  }
  return drawn;
}
