// Who has a wavelength, a slot or a line when: a row each, bars in the colour of their flow or class, crosses where something was lost.

import { lowerBound } from "./data.js";
import { ownerOf } from "./levels.js";
import { Bars, eventNumbers, eventsBy } from "./trace.js";
import { View, within } from "./view.js";
import { COLOURS, LOST, chooser, isolated, short, time } from "./words.js";

const ROW = 22;
const MOST_ROWS = 40;
// A picture draws at most as many bars one by one, so that a frame takes a few milliseconds.
const MOST_BARS = 6000;
const FEW_LOST = 60;
const GREY = "#9fb6c9";

const EVENTS = { wavelength: "reserve", slots: "slot", packets: "pass" };
const SEVERAL = 65536;

/** The events of all rows, and of what was lost at each place; made when the first of them is asked for. */
class Lists {
  constructor(trace) {
    this.trace = trace;
  }

  of(kind, place, channel) {
    return this.rows(kind).get(place * SEVERAL + channel) ?? [];
  }

  rows(kind) {
    const { place, channel } = this.trace.columns;
    const keyOf = kind === "wavelength" ? (i) => place[i] * SEVERAL + channel[i] : (i) => place[i] * SEVERAL;
    return ((this.made ??= {})[kind] ??= eventsBy(this.trace, [EVENTS[kind]], keyOf));
  }

  lostAt(place) {
    return (this.lost ??= eventsBy(this.trace, ["drop", "vanish"], (i) => this.trace.columns.place[i])).get(place) ?? [];
  }
}

/** A wavelength of bursts, the granted slots of a queue, or the packets of a line. */
class Row {
  constructor(trace, lists, number, { hasLost, label }) {
    const { kind, place, channel, count } = trace.levels.rows[number];
    Object.assign(this, { trace, lists, number, kind, place, channel, count, hasLost, label });
  }

  /** Single events, made when they are first asked for. */
  get bars() {
    return (this.madeBars ??= new Bars(this.trace, this.lists.of(this.kind, this.place, this.channel)));
  }

  get lost() {
    return (this.madeLost ??= new Bars(this.trace, this.hasLost ? this.lists.lostAt(this.place) : []));
  }
}

/** The rows of a trace: wavelengths of bursts, granted slots, packets on lines. */
export function rowsOf(trace) {
  const rows = trace.levels.rows;
  const of = (kind) => new Set(rows.filter((row) => row.kind === kind).map(({ place }) => place));
  const [bursts, slotted] = [of("wavelength"), of("slots")];
  const lists = new Lists(trace);
  return rows.map(({ kind, place, channel }, number) => {
    const said = { wavelength: `λ${channel}`, slots: "slots", packets: bursts.has(place) ? "control" : "" }[kind];
    const label = `${trace.words.place[place]}${said ? ` ${said}` : ""}`;
    return new Row(trace, lists, number, { label, hasLost: kind !== "packets" || !slotted.has(place) });
  }).sort((a, b) => a.place - b.place || b.kind.localeCompare(a.kind) || a.channel - b.channel);
}

export function ganttView(trace, timeline) {
  const all = rowsOf(trace);
  if (!all.length) return null;
  const kinds = ["wavelength", "slots", "packets"].filter((kind) => all.some((row) => row.kind === kind));
  const state = { colour: "flow", place: "", rowKind: kinds[0], rows: [] };
  const choose = () => {
    const wanted = all.filter((row) => (state.place === "" ? row.kind === state.rowKind : row.place === +state.place));
    state.rows = busiest(wanted).slice(0, MOST_ROWS);
    state.hidden = wanted.length - state.rows.length;
  };
  choose();
  const view = new View({
    id: "gantt",
    title: "Wavelengths, slots and lines",
    hint: "A row each; a cross is something lost. Arrow keys move the window of time, + and − zoom, Home shows everything.",
    timeline,
    height: () => 34 + ROW * Math.max(2, state.rows.length),
    draw: (context, area, x, line) => draw(context, area, x, line, trace, state),
    describe: (pointed) => describe(trace, state, pointed),
    numbers: (line) => eventNumbers(trace, line, keptBy(trace, state.rows)),
  });
  const again = (key) => (value) => {
    state[key] = value;
    choose();
    view.refresh();
  };
  const places = [...new Set(all.map((row) => row.place))].map((place) => [place, isolated(trace.words.place[place])]);
  const whole = [["", all.length > MOST_ROWS ? `the ${MOST_ROWS} busiest` : "all"]];
  const shown = { wavelength: "wavelengths", slots: "granted slots", packets: "packets" };
  view.controls.append(
    kinds.length > 1 ? chooser("Rows", kinds.map((kind) => [kind, shown[kind]]), again("rowKind")).control : "",
    chooser("Link", [...whole, ...places], again("place")).control,
    chooser("Colour by", [["flow", "flow"], ["class", "class"], ["kind", "what it is"]], again("colour")).control,
  );
  view.rows = all;
  prepare(state.rows);
  return view;
}

/** Whether an event is one of these rows, or a loss at their places. */
function keptBy(trace, rows) {
  const { place, channel, event } = trace.columns;
  const kinds = new Map(rows.map((row) => [`${trace.what[EVENTS[row.kind]]} ${row.place} ${row.kind === "wavelength" ? row.channel : ""}`, row]));
  const places = new Set(rows.map((row) => row.place));
  const lost = new Set([trace.what.drop, trace.what.vanish]);
  return (i) => (lost.has(event[i]) ? places.has(place[i]) : kinds.has(`${event[i]} ${place[i]} ${event[i] === trace.what.reserve ? channel[i] : ""}`));
}

/** Makes the bars of rows that are shown, one row at a time, so that the first look at single events does not wait for them. */
function prepare(rows) {
  const [next, ...rest] = rows;
  if (!next) return;
  const later = window.requestIdleCallback ?? ((act) => setTimeout(act, 50));
  later(() => {
    if (next.bars.count + next.lost.count >= 0) prepare(rest);
  });
}

/** The rows with most events, in their order. */
function busiest(rows) {
  if (rows.length <= MOST_ROWS) return rows;
  const kept = new Set([...rows].sort((a, b) => b.count - a.count).slice(0, MOST_ROWS));
  return rows.filter((row) => kept.has(row));
}

function draw(context, area, x, timeline, trace, state) {
  const few = MOST_BARS / state.rows.length;
  const how = { x, timeline, few, colour: colouring(trace, state.colour), area, levels: trace.levels, trace };
  const drawn = { bars: 0, shares: false };
  state.rows.forEach((row, number) => {
    const top = area.top + number * ROW;
    drawLabel(context, area, row, top);
    within(context, area, () => drawRow(context, row, { ...how, top, level: levelFor(row, trace, how) }, drawn));
  });
  const beyond = timeline.high > trace.whole ? ` The page has single events up to ${time(trace.whole)}.` : "";
  if (drawn.shares) return `Where bars cannot be told apart, a row shows the share of the time that they take.${beyond}`;
  return (drawn.bars ? "" : "Nothing is sent in this window of time.") + beyond;
}

/** The level that a row is drawn from; null where its single events are, because there are few or because all levels are too coarse. */
function levelFor(row, trace, { timeline, area, few }) {
  const { levels, whole } = trace;
  const span = timeline.high - timeline.low;
  const fitting = levels.fitting(span / area.wide);
  if (timeline.high > whole) return fitting ?? levels.finest;
  return row.count * Math.min(1, span / levels.until) > few ? fitting : null;
}

function drawRow(context, row, how, drawn) {
  if (how.level) {
    drawn.shares = true;
    drawLevel(context, row, how);
    return;
  }
  const [from, to] = [Math.max(0, lowerBound(row.bars.begins, how.timeline.low) - 1), lowerBound(row.bars.begins, how.timeline.high)];
  drawn.shares ||= to - from > how.few;
  drawn.bars += to - from;
  if (to - from > how.few) drawShares(context, row.bars, how);
  else drawBars(context, row.bars, [from, to], how);
  drawLost(context, row.lost, how.top + ROW / 2, how);
}

function drawLabel(context, area, row, top) {
  context.textAlign = "right";
  context.fillStyle = "#222";
  context.fillText(isolated(row.label), area.left - 4, top + 15, area.left - 6);
  context.strokeStyle = "#eee";
  context.strokeRect(area.left, top + 1.5, area.wide, ROW - 3);
}

/** The colour of what is said of an event or of a part of a level: flow, class, and whether a slot misses its switch. */
export function colouring(trace, by) {
  const value = { flow: ({ flow }) => flow, class: ({ kind }) => kind, kind: ({ event }) => event }[by];
  return (said) => {
    if (said.event === trace.what.slot) return said.missed ? LOST : GREY;
    const number = value(said);
    return number < 0 ? GREY : COLOURS[number % COLOURS.length];
  };
}

function saidOf(trace, i) {
  const { flow, event, cause } = trace.columns;
  return { flow: flow[i] === 0xffffffff ? -1 : flow[i], kind: trace.columns.class[i], event: event[i], missed: cause[i] < trace.words.cause.length };
}

/** One by one, where they can be told apart. */
function drawBars(context, bars, [from, to], { top, x, colour, trace }) {
  for (let k = from; k < to; k++) {
    const left = x(bars.begins[k]);
    context.fillStyle = colour(saidOf(trace, bars.events[k]));
    context.fillRect(left, top + 3, Math.max(0.7, x(bars.ends[k]) - left), ROW - 6);
  }
}

/** From a level: the share of each column of pixels in the colour of what is first there, and where something was lost. */
function drawLevel(context, row, { level, levels, area, timeline, top, colour, trace }) {
  const { left, wide } = area;
  const { low, high } = timeline;
  const event = trace.what[EVENTS[row.kind]];
  const lost = [];
  let painted = (context.fillStyle = GREY);
  levels.eachPixel(level, row.number, [left, left + Math.ceil(wide)], (pixel) => low + ((pixel - left) / wide) * (high - low), (pixel, share, place, gone) => {
    if (gone > 0 && row.hasLost) lost.push(pixel + 0.5);
    if (place < 0) return;
    const wanted = colour({ ...ownerOf(level, place), event });
    if (wanted !== painted) painted = context.fillStyle = wanted;
    const tall = (ROW - 6) * Math.min(1, share);
    context.fillRect(pixel, top + ROW - 3 - tall, 1, Math.max(0.5, tall));
  });
  drawCrosses(context, lost, top + ROW / 2);
}

/** A column has the colour of its first bar. */
function drawShares(context, bars, { top, x, timeline, colour, trace }) {
  const span = timeline.high - timeline.low;
  const [left, right] = [Math.floor(x(timeline.low)), Math.ceil(x(timeline.high))];
  const width = span / Math.max(1, right - left);
  let from = lowerBound(bars.begins, timeline.low);
  let painted = (context.fillStyle = GREY);
  for (let pixel = left; pixel < right; pixel++) {
    const to = lowerBound(bars.begins, timeline.low + (pixel - left + 1) * width, from);
    const share = Math.min(1, bars.taken(from, to) / width);
    const high = (ROW - 6) * share;
    if (to > from) {
      const wanted = colour(saidOf(trace, bars.events[from]));
      if (wanted !== painted) painted = context.fillStyle = wanted;
      context.fillRect(pixel, top + ROW - 3 - high, 1, Math.max(0.5, high));
    }
    from = to;
  }
}

function drawLost(context, lost, middle, { x, timeline }) {
  const [from, to] = [lowerBound(lost.begins, timeline.low), lowerBound(lost.begins, timeline.high)];
  drawCrosses(context, Array.from(lost.begins.subarray(from, to), x), middle);
}

/** Crosses where there are few, else a stroke for each column of pixels. */
function drawCrosses(context, places, middle) {
  if (places.length > FEW_LOST) return drawStrokes(context, places, middle);
  context.strokeStyle = LOST;
  context.lineWidth = 1.5;
  context.beginPath();
  for (const at of places) {
    context.moveTo(at - 3, middle - 3);
    context.lineTo(at + 3, middle + 3);
    context.moveTo(at - 3, middle + 3);
    context.lineTo(at + 3, middle - 3);
  }
  context.stroke();
  context.lineWidth = 1;
}

function drawStrokes(context, places, middle) {
  context.fillStyle = LOST;
  let last = -1;
  for (const at of places.map(Math.round)) {
    if (at > last + 1) context.fillRect(at, middle - 4, 1, 8);
    last = Math.max(last, at);
  }
}

function describe(trace, state, { at, reach, y, area }) {
  const row = state.rows[Math.floor((y - area.top) / ROW)];
  if (!row) return "";
  const near = closest(row.lost.begins, at);
  const scale = Math.abs(at) || 1;
  if (near >= 0 && Math.abs(row.lost.begins[near] - at) < reach) {
    return `${isolated(row.label)}, ${time(row.lost.begins[near], scale, 8)}: ${trace.sentence(row.lost.events[near])}`;
  }
  const k = inside(row.bars, at);
  if (!k) return `${isolated(row.label)}, ${time(at, scale, 8)}: ${short(row.count, 9)} in all`;
  const lasts = row.bars.ends[k - 1] - row.bars.begins[k - 1];
  return `${isolated(row.label)}, ${time(row.bars.begins[k - 1], scale, 8)} for ${time(lasts)}: ${trace.sentence(row.bars.events[k - 1])}`;
}

/** One more than the place of the bar at a time, 0 without one. */
function inside(bars, at) {
  const k = lowerBound(bars.begins, at);
  return k > 0 && bars.ends[k - 1] >= at ? k : 0;
}

function closest(sorted, at) {
  const k = lowerBound(sorted, at);
  if (k === 0) return sorted.length ? 0 : -1;
  return k < sorted.length && sorted[k] - at < at - sorted[k - 1] ? k : k - 1;
}
