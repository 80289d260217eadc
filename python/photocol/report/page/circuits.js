// Which circuit is up when: a row for each rack, or for each switch that one rack has, and the flows above them. Slices are shaded.

import { Timeline, View, line, within } from "./view.js";
import { COLOURS, chooser, element, isolated, time } from "./words.js";

const ROW = 22;
const MOST_RACKS = 32;
const MOST_LANES = 8;
// A picture draws at most as many bars, and no slice that is narrower than so many pixels.
const MOST_BARS = 6000;
const LEAST_SLICE = 6;
const WIDEST = 1000;
const BESIDE = 120;
const LETTER = 6.5;
const BAND = "#f0f2f5";
const MOST_NUMBERS = 100_000;
const OF_ITS_OWN = " This picture has a window of time of its own, which begins with a cycle: slices are short.";
const HINT = "Bars have the colour of the far rack; between them no light passes. Slices are shaded. Flows stand above, from their start to their end.";
const HINT_ONCE = "Bars have the colour of the far node; between them no light passes.";

/** The circuits of a period, which come again; with `until_s` they do not, and work for which they were set is done then. */
class Circuits {
  constructor({ period_s, until_s, holds }) {
    Object.assign(this, { isOnce: until_s !== undefined, period: period_s, holds: holds.map(([number, begins, lasts, to]) => ({ switch: number, begins, lasts, to })) });
    this.edges = [...new Set(this.holds.map((hold) => hold.begins))].sort((a, b) => a - b);
  }

  /** How long a slice lasts on average. */
  get slice() {
    return this.period / this.edges.length;
  }

  /** About so many of them begin in a time. */
  count(span) {
    if (this.isOnce) return this.holds.length;
    return (span / this.period) * this.holds.length;
  }

  /** Each with its beginning and its end, of a window of time. */
  *between(low, high) {
    for (let base = this.before(low); base < high; base += this.period) {
      for (const hold of this.holds) {
        const [begins, ends] = [base + hold.begins, base + hold.begins + hold.lasts];
        if (ends > low && begins < high) yield { ...hold, begins, ends };
      }
    }
  }

  /** Every other slice of a window of time. */
  *bands(low, high) {
    if (this.isOnce) return;
    let number = Math.round(this.before(low) / this.period) * this.edges.length;
    for (let base = this.before(low); base < high; base += this.period) {
      for (const [k, edge] of this.edges.entries()) {
        if (number++ % 2) yield [base + edge, base + (this.edges[k + 1] ?? this.period + this.edges[0])];
      }
    }
  }

  before(low) {
    return Math.max(0, Math.floor(low / this.period)) * this.period;
  }
}

/** A window that begins with a cycle, or as much of it as can be told apart; the common one, if its whole time can be. */
export function windowOf(held, timeline) {
  if (!held) return timeline;
  const circuits = new Circuits(held);
  const { begin, end, measuredFrom } = timeline;
  if (circuits.isOnce || longest(circuits, held) >= end - begin) return timeline;
  const own = new Timeline(begin, end, measuredFrom);
  const first = circuits.before(Math.min(end, ...held.flows.map((flow) => flow.start_s)) % end);
  own.show(first, first + Math.min(circuits.period, longest(circuits, held)));
  return own;
}

/** The longest span of time in which slices can be told apart and bars are few enough, all racks together. */
function longest({ slice, period, holds }, { racks }) {
  const wide = Math.min(WIDEST, window.innerWidth) - BESIDE;
  return Math.min((slice * wide) / LEAST_SLICE, (period * MOST_BARS) / (holds.length * Math.min(racks.length, MOST_RACKS)));
}

/** `isOwn`: no other picture has this window of time. */
export function circuitsView(held, timeline, isOwn = false) {
  if (!held) return null;
  const circuits = new Circuits(held);
  const state = { rack: -1, rows: [], flows: [], lanes: 0 };
  const choose = () => {
    state.rows = rowsOf(held, state.rack);
    state.flows = held.flows.filter(({ from, to }) => state.rack < 0 || from === state.rack || to === state.rack);
    state.lanes = Math.min(MOST_LANES, state.flows.length);
  };
  choose();
  const view = new View({
    id: "circuits",
    title: "Circuits",
    hint: circuits.isOnce ? HINT_ONCE : isOwn ? HINT + OF_ITS_OWN : HINT,
    timeline,
    height: () => 34 + ROW * (state.lanes + state.rows.length),
    draw: (context, area, x, window) => draw(context, area, x, window, { held, circuits, state }),
    describe: (pointed) => describe({ held, circuits, state, timeline }, pointed),
    numbers: (window) => numbers(held, circuits, state, window),
  });
  const whole = held.racks.length > MOST_RACKS ? `the first ${MOST_RACKS} of ${held.racks.length}` : "all";
  const racks = held.racks.map((name, number) => [number, isolated(name)]);
  const choice = chooser(circuits.isOnce ? "Node" : "Rack", [[-1, whole], ...racks], (value) => {
    state.rack = +value;
    choose();
    view.refresh();
  });
  const shown = Math.min(circuits.period, longest(circuits, held));
  view.controls.append(choice.control, circuits.isOnce
    ? button(`Show the work (${time(held.until_s)})`, () => timeline.show(0, held.until_s))
    : button(`Show a ${shown < circuits.period ? "part of a " : ""}cycle (${time(shown)})`, () => timeline.show(timeline.low, timeline.low + shown)));
  return view;
}

function button(text, act) {
  return element("button", { type: "button", onclick: act }, text);
}

/** A rack with all its switches, or a switch of one rack. */
function rowsOf({ racks, switches }, rack) {
  const all = switches.map((_, number) => number);
  if (rack < 0) return racks.slice(0, MOST_RACKS).map((label, number) => ({ label, rack: number, switches: all }));
  return switches.map((label, number) => ({ label, rack, switches: [number] }));
}

function draw(context, area, x, window, shown) {
  const { circuits, state } = shown;
  const span = window.high - window.low;
  const isFine = circuits.slice * (area.wide / span) < LEAST_SLICE || circuits.count(span) * state.rows.length > MOST_BARS;
  within(context, area, () => {
    if (!isFine) drawBands(context, area, x, window, circuits);
    drawFlows(context, area, x, flowsIn(state, window), shown);
    if (!isFine) drawCircuits(context, area, x, window, shown);
  });
  drawLabels(context, area, window, state);
  return isFine ? `A slice lasts ${time(circuits.slice)}. Zoom in until slices can be told apart, or show a cycle.` : "";
}

function drawBands(context, area, x, { low, high }, circuits) {
  context.fillStyle = BAND;
  for (const [begins, ends] of circuits.bands(low, high)) context.fillRect(x(begins), area.top, x(ends) - x(begins), area.high);
}

function drawCircuits(context, area, x, { low, high }, { held, circuits, state }) {
  for (const hold of circuits.between(low, high)) {
    state.rows.forEach((row, number) => {
      const [place, to] = [row.switches.indexOf(hold.switch), hold.to[row.rack]];
      if (place < 0 || !(to >= 0)) return;
      const tall = (ROW - 4) / row.switches.length;
      const top = area.top + ROW * (state.lanes + number) + 2 + place * tall;
      const [left, right] = [Math.max(x(hold.begins), area.left), Math.min(x(hold.begins + hold.lasts), area.left + area.wide)];
      drawBar(context, { left, right, top, tall: tall - (row.switches.length > 1 ? 1 : 0) }, colourOf(to, held), held.racks[to]);
    });
  }
}

/** That of a rack: of many, neighbours are alike. */
function colourOf(rack, { racks }) {
  return racks.length <= COLOURS.length ? COLOURS[rack] : `hsl(${Math.round((360 * rack) / racks.length)}, 55%, 42%)`;
}

/** A bar with its text, if that fits. */
function drawBar(context, { left, right, top, tall }, colour, text) {
  context.fillStyle = colour;
  context.fillRect(left, top, Math.max(0.7, right - left), tall);
  if (tall < 12 || right - left < LETTER * (text.length + 1)) return;
  context.fillStyle = "#fff";
  context.textAlign = "center";
  context.fillText(isolated(text), (left + right) / 2, top + tall / 2 + 4);
}

function flowsIn({ flows, lanes }, { low, high }) {
  return flows.filter(({ start_s, end_s }) => start_s < high && (end_s ?? Infinity) > low).slice(0, lanes);
}

function drawFlows(context, area, x, flows, { held, state }) {
  flows.forEach(({ from, to, start_s, end_s }, number) => {
    const far = to === state.rack ? from : to;
    const [left, right] = [Math.max(x(start_s), area.left), Math.min(x(end_s ?? Infinity), area.left + area.wide)];
    drawBar(context, { left, right, top: area.top + ROW * number + 4, tall: ROW - 8 }, colourOf(far, held), `${held.racks[from]} → ${held.racks[to]}`);
  });
}

function drawLabels(context, area, window, state) {
  context.textAlign = "right";
  context.fillStyle = "#222";
  const label = (text, number) => context.fillText(isolated(text), area.left - 4, area.top + number * ROW + 15, area.left - 6);
  flowsIn(state, window).forEach(({ name }, number) => label(name, number));
  state.rows.forEach((row, number) => label(row.label, state.lanes + number));
  context.strokeStyle = "#888";
  const middle = Math.round(area.top + state.lanes * ROW) + 0.5;
  if (state.lanes) line(context, area.left, middle, area.left + area.wide, middle);
}

function describe({ held, circuits, state, timeline }, { at, y, area }) {
  const number = Math.floor((y - area.top) / ROW);
  const when = time(at, Math.abs(at) || 1, 8);
  if (number < state.lanes) {
    const flow = flowsIn(state, timeline)[number];
    if (!flow) return "";
    const ends = flow.end_s === null ? "not complete" : `complete at ${time(flow.end_s)}`;
    return `${isolated(flow.name)}, from ${isolated(held.racks[flow.from])} to ${isolated(held.racks[flow.to])}: from ${time(flow.start_s)}, ${ends}`;
  }
  const row = state.rows[number - state.lanes];
  if (!row) return "";
  const up = [...circuits.between(at, at * (1 + 1e-12))].filter((hold) => row.switches.includes(hold.switch) && hold.to[row.rack] >= 0);
  const said = up.map((hold) => `${isolated(held.racks[hold.to[row.rack]])} by ${isolated(held.switches[hold.switch])}`);
  return `${isolated(held.racks[row.rack])}, ${when}: ${said.length ? `circuits to ${said.join(", ")}` : "no circuit"}`;
}

/** Heads and rows of the circuits of a window, as numbers to save. */
function numbers({ racks, switches }, circuits, state, { low, high }) {
  const rows = [];
  for (const hold of circuits.between(low, high)) {
    for (const { rack, switches: own } of state.rows) {
      if (rows.length >= MOST_NUMBERS) break;
      const to = hold.to[rack];
      if (to >= 0 && own.includes(hold.switch)) rows.push([hold.begins, hold.ends, switches[hold.switch], racks[rack], racks[to]]);
    }
  }
  return [["begins_s", "ends_s", "switch", "from", "to"], rows];
}
