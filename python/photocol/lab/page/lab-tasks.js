// Work over time: a row each rank, bars from the beginning to the end of its transfers and computations, and the light of switches below.

import { View, within } from "./view.js";
import { element, isolated, time } from "./words.js";

const ROW = 22;
const LOW_ROW = 14;
const MANY_ROWS = 16;
const MOST_LANES = 4;
const [TRANSFER, COMPUTE, LIGHT] = [0, 1, 2];
const GREY = "#c9ced3";
const YELLOWS = ["#f0dc5a", "#d9b43a"];
const KINDS = ["transfer", "computes", "light"];

/** From dark to light, as steps go on. */
function shade(step, steps) {
  const part = steps > 1 ? step / (steps - 1) : 0;
  return `hsl(${Math.round(265 - 165 * part)}, ${Math.round(55 + 5 * part)}%, ${Math.round(30 + 25 * part)}%)`;
}

export function tasksView(timeline) {
  const state = { rows: [], bars: [], steps: 1 };
  const row = () => (state.rows.length > MANY_ROWS ? LOW_ROW : ROW);
  const legend = element("p", { class: "legend" });
  const note = element("p", { class: "hint" });
  const view = new View({
    id: "tasks",
    title: "Work",
    hint: "A row a rank; a bar is a transfer, in the colour of its step. Drag or zoom for single ones.",
    timeline,
    height: () => 34 + row() * Math.max(2, state.rows.length),
    draw: (context, area, x, window) => draw(context, area, x, { state, high: row(), window }),
    describe: ({ at, y, area }) => describe(state, at, (y - area.top) / row()),
    numbers: ({ low, high }) => [["row", "kind", "step", "begin_s", "end_s"],
      state.bars.filter((bar) => bar.begin < high && (bar.end ?? Infinity) > low).map((bar) => [state.rows[bar.row], KINDS[bar.kind], bar.step, bar.begin, bar.end])],
  });
  view.saving.before(legend, note);
  view.renew = ({ rows, bars, left, of }, now) => {
    const made = bars.map(([number, begin, end, kind, step]) => ({ row: number, begin, end, until: end ?? now, kind, step: step ?? 0 }));
    Object.assign(state, { rows, bars: inLanes(made), steps: 1 + Math.max(0, ...made.filter((bar) => bar.kind === TRANSFER).map((bar) => bar.step)) });
    legend.replaceChildren(...keysOf(state));
    note.textContent = left > 0 ? `The first ${bars.length} of ${bars.length + left} bars${of > rows.length ? `, of ${rows.length} of ${of} rows` : ""}.` : "";
    view.refresh();
  };
  return view;
}

function keysOf({ bars, steps }) {
  const kinds = new Set(bars.map((bar) => bar.kind));
  const key = (colour, text) => element("span", {}, element("i", { style: `background:${colour}` }), text);
  const last = steps > 1 ? [key(shade(steps - 1, steps), `step ${steps - 1}`)] : [];
  return [...(kinds.has(TRANSFER) ? [key(shade(0, steps), steps > 1 ? "step 0" : "transfer"), ...last] : []), ...(kinds.has(COMPUTE) ? [key(GREY, "computes")] : []),
    ...(kinds.has(LIGHT) ? [key(YELLOWS[0], "a switch has circuits, by matching")] : [])];
}

/** Bars of a row and a time lie side by side. */
function inLanes(bars) {
  const free = new Map();
  for (const bar of bars) {
    if (!free.has(bar.row)) free.set(bar.row, { ends: [], count: 1 });
    const own = free.get(bar.row);
    const found = own.ends.findIndex((end) => end <= bar.begin);
    bar.lane = found >= 0 ? found : Math.min(own.ends.length, MOST_LANES - 1);
    own.ends[bar.lane] = bar.until;
    own.count = Math.max(own.count, bar.lane + 1);
  }
  for (const bar of bars) bar.among = free.get(bar.row).count;
  return bars;
}

function draw(context, area, x, { state, high, window }) {
  within(context, area, () => {
    for (const bar of state.bars) {
      if (bar.begin > window.high || bar.until < window.low) continue;
      const [left, right] = [Math.max(x(bar.begin), area.left - 1), Math.min(x(bar.until), area.left + area.wide + 1)];
      const tall = (high - 3) / bar.among;
      context.fillStyle = bar.kind === TRANSFER ? shade(bar.step, state.steps) : bar.kind === COMPUTE ? GREY : YELLOWS[bar.step % 2];
      context.fillRect(left, area.top + bar.row * high + 1.5 + bar.lane * tall, Math.max(0.7, right - left - (right - left > 3 ? 0.6 : 0)), Math.max(1, tall - (bar.among > 1 ? 0.5 : 0)));
    }
  });
  context.fillStyle = "#222";
  context.textAlign = "right";
  state.rows.forEach((name, number) => context.fillText(isolated(name), area.left - 4, area.top + number * high + high / 2 + 4, area.left - 6));
}

function describe({ rows, bars }, at, place) {
  const number = Math.floor(place);
  if (rows[number] === undefined) return "";
  const here = bars.filter((bar) => bar.row === number && bar.begin <= at && bar.until >= at);
  const said = here.map((bar) => `${KINDS[bar.kind]}, step ${bar.step}, ${time(bar.begin, bar.begin || 1, 6)} to ${bar.end === null ? "not done" : time(bar.end, bar.end || 1, 6)}`);
  return `${isolated(rows[number])}, ${time(at, Math.abs(at) || 1, 6)}: ${said.length ? said.join("; ") : "nothing"}`;
}
