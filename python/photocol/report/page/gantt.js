// Who has a wavelength, a slot or a line when: a row each, bars in the colour of their flow or class, crosses where something was lost.

import { lowerBound } from "./data.js";
import { barsByRow } from "./trace.js";
import { View, within } from "./view.js";
import { COLOURS, LOST, chooser, isolated, short, time } from "./words.js";

const ROW = 22;
const MOST_ROWS = 40;
// A picture draws at most as many bars one by one, so that a frame takes a few milliseconds.
const MOST_BARS = 6000;
const FEW_LOST = 60;
const GREY = "#9fb6c9";

/** The rows of a trace: wavelengths of bursts, granted slots, packets on lines. */
export function rowsOf(trace) {
  const columns = trace.columns;
  const bursts = new Set([...trace.named("reserve")].map((i) => columns.place[i]));
  const key = (kind) => (i) => `${kind}|${columns.place[i]}|${kind === "wavelength" ? columns.channel[i] : 0}`;
  const bars = new Map([
    ...barsByRow(trace, trace.named("reserve"), key("wavelength")),
    ...barsByRow(trace, trace.named("slot"), key("slots")),
    ...barsByRow(trace, trace.named("pass"), key("packets")),
  ]);
  const lost = barsByRow(trace, trace.named("drop", "vanish"), (i) => columns.place[i]);
  return [...bars].map(([name, bar]) => {
    const [kind, place, channel] = name.split("|");
    const said = { wavelength: `λ${channel}`, slots: "slots", packets: bursts.has(+place) ? "control" : "" }[kind];
    const label = `${trace.words.place[place]}${said ? ` ${said}` : ""}`;
    const first = kind !== "packets" || !bars.has(`slots|${place}|0`);
    return { kind, place: +place, channel: +channel, label, bars: bar, lost: first ? lost.get(+place) : undefined };
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
  return view;
}

/** The rows with most events, in their order. */
function busiest(rows) {
  if (rows.length <= MOST_ROWS) return rows;
  const kept = new Set([...rows].sort((a, b) => b.bars.count - a.bars.count).slice(0, MOST_ROWS));
  return rows.filter((row) => kept.has(row));
}

function draw(context, area, x, timeline, trace, state) {
  let seen = 0;
  const few = MOST_BARS / state.rows.length;
  const shares = state.rows.some((row) => lowerBound(row.bars.begins, timeline.high) - lowerBound(row.bars.begins, timeline.low) > few);
  const colour = colouring(trace, state.colour);
  state.rows.forEach((row, number) => {
    const top = area.top + number * ROW;
    drawLabel(context, area, row, top);
    within(context, area, () => {
      seen += drawBars(context, row.bars, { top: top + 3, x, timeline, colour, few });
      if (row.lost) drawLost(context, row.lost, top + ROW / 2, x, timeline);
    });
  });
  if (shares) return "Where bars cannot be told apart, a row shows the share of the time that they take.";
  return seen ? "" : "Nothing is sent in this window of time.";
}

function drawLabel(context, area, row, top) {
  context.textAlign = "right";
  context.fillStyle = "#222";
  context.fillText(isolated(row.label), area.left - 4, top + 15, area.left - 6);
  context.strokeStyle = "#eee";
  context.strokeRect(area.left, top + 1.5, area.wide, ROW - 3);
}

export function colouring(trace, by) {
  const columns = trace.columns;
  const value = { flow: (i) => (columns.flow[i] === 0xffffffff ? -1 : columns.flow[i]), class: (i) => columns.class[i], kind: (i) => columns.event[i] }[by];
  const missed = (i) => columns.cause[i] < trace.words.cause.length;
  return (i) => {
    if (columns.event[i] === trace.what.slot) return missed(i) ? LOST : GREY;
    return value(i) < 0 ? GREY : COLOURS[value(i) % COLOURS.length];
  };
}

/** One by one where they can be told apart; else the share of each column of pixels that they take. */
function drawBars(context, bars, how) {
  const { top, x, timeline, colour, few } = how;
  const from = Math.max(0, lowerBound(bars.begins, timeline.low) - 1);
  const to = lowerBound(bars.begins, timeline.high);
  if (to - from > few) return drawShares(context, bars, how);
  for (let k = from; k < to; k++) {
    const left = x(bars.begins[k]);
    context.fillStyle = colour(bars.events[k]);
    context.fillRect(left, top, Math.max(0.7, x(bars.ends[k]) - left), ROW - 6);
  }
  return to - from;
}

/** A column has the colour of its first bar. */
function drawShares(context, bars, { top, x, timeline, colour }) {
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
      const wanted = colour(bars.events[from]);
      if (wanted !== painted) painted = context.fillStyle = wanted;
      context.fillRect(pixel, top + ROW - 6 - high, 1, Math.max(0.5, high));
    }
    from = to;
  }
  return right - left;
}

function drawLost(context, lost, middle, x, timeline) {
  const from = lowerBound(lost.begins, timeline.low);
  const to = lowerBound(lost.begins, timeline.high);
  if (to - from > FEW_LOST) return drawManyLost(context, lost, [from, to], middle, x);
  context.strokeStyle = LOST;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let k = from; k < to; k++) {
    const at = x(lost.begins[k]);
    context.moveTo(at - 3, middle - 3);
    context.lineTo(at + 3, middle + 3);
    context.moveTo(at - 3, middle + 3);
    context.lineTo(at + 3, middle - 3);
  }
  context.stroke();
  context.lineWidth = 1;
}

/** A red stroke for each column of pixels with losses. */
function drawManyLost(context, lost, [from, to], middle, x) {
  context.fillStyle = LOST;
  let last = -1;
  for (let k = from; k < to; k++) {
    const at = Math.round(x(lost.begins[k]));
    if (at > last + 1) context.fillRect(at, middle - 4, 1, 8);
    last = Math.max(last, at);
  }
}

function describe(trace, state, { at, reach, y, area }) {
  const row = state.rows[Math.floor((y - area.top) / ROW)];
  if (!row) return "";
  const near = row.lost ? closest(row.lost.begins, at) : -1;
  const scale = Math.abs(at) || 1;
  if (near >= 0 && Math.abs(row.lost.begins[near] - at) < reach) {
    return `${isolated(row.label)}, ${time(row.lost.begins[near], scale, 8)}: ${trace.sentence(row.lost.events[near])}`;
  }
  const k = inside(row.bars, at);
  if (!k) return `${isolated(row.label)}, ${time(at, scale, 8)}: ${short(row.bars.count)} in all`;
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
