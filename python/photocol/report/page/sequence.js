// The time–sequence graph of a flow, as tcptrace draws it: segments at their first bytes, what is acknowledged below, the window above.

import { lowerBound } from "./data.js";
import { eventNumbers } from "./trace.js";
import { View, drawCourse, drawValueAxis, within } from "./view.js";
import { LOST, chooser, quantity, time } from "./words.js";

const COLOUR = { send: "#0072b2", resend: "#d55e00", ack: "#009e73", window: "#8a7500", sack: "#b0489a", lost: LOST };
const SAID = { send: "sent", resend: "sent again", ack: "ACKs", sack: "SACK blocks", lost: "lost" };
// More segments than this are drawn as one stroke where they fall into one column of pixels.
const CROWD = 1000;
const KINDS = ["send", "resend", "ack", "sack", "drop", "vanish"];

/** The flows of a trace; what happened to one of them is sorted when it is asked for. */
export class Flows {
  constructor(trace) {
    const counts = new Map();
    const { flow, event } = trace.columns;
    for (const i of trace.named("send", "ack")) {
      if (flow[i] === 0xffffffff) continue;
      const count = counts.get(flow[i]) ?? { send: 0, ack: 0 };
      count[trace.words.event[event[i]]]++;
      counts.set(flow[i], count);
    }
    this.counts = new Map([...counts].sort(([a], [b]) => a - b));
    this.trace = trace;
    this.made = new Map();
  }

  get(number) {
    if (!this.made.has(number)) this.made.set(number, sequenceOf(this.trace, number));
    return this.made.get(number);
  }
}

/** The events of a flow by kind, each with times, first and last bytes. */
function sequenceOf(trace, number) {
  const { flow, unit, bytes, value, event } = trace.columns;
  const kinds = Object.fromEntries(["send", "resend", "ack", "sack", "lost"].map((kind) => [kind, []]));
  for (const i of trace.named(...KINDS)) {
    if (flow[i] !== number) continue;
    const name = trace.words.event[event[i]];
    const ends = name === "drop" || name === "vanish";
    if (ends && trace.classOf(i) !== "data") continue;
    kinds[ends ? "lost" : name].push([trace.at(i), unit[i], name === "sack" ? value[i] : unit[i] + bytes[i], value[i]]);
  }
  const packed = (rows) => ["t", "low", "high", "value"].reduce((all, name, k) => ({ ...all, [name]: Float64Array.from(rows, (row) => row[k]) }), {});
  return Object.fromEntries(Object.entries(kinds).map(([kind, rows]) => [kind, packed(rows)]));
}

export function sequenceView(trace, timeline) {
  const flows = new Flows(trace);
  if (!flows.counts.size) return null;
  const sent = (number) => flows.counts.get(number).send;
  const state = { flow: [...flows.counts.keys()].reduce((most, number) => (sent(number) > sent(most) ? number : most)) };
  const view = new View({
    id: "sequence",
    title: "Time–sequence graph",
    hint: "Sent (blue), sent again (orange), reported by SACK (purple), lost (red crosses); acknowledged (green line), congestion window above it (ochre line).",
    timeline,
    height: 380,
    draw: (context, area, x, line) => draw(context, area, x, line, flows.get(state.flow)),
    describe: ({ at }) => describe(flows.get(state.flow), state.flow, at),
    numbers: (line) => eventNumbers(trace, line, keptBy(trace, state.flow)),
  });
  const options = [...flows.counts.keys()].map((number) => [number, `${number} (${sent(number)} sent)`]);
  const flow = chooser("Flow", options, (value) => {
    state.flow = +value;
    view.refresh();
  });
  flow.select.value = state.flow;
  view.controls.append(flow.control);
  view.flows = flows;
  return view;
}

/** Whether an event is one of those that the graph of a flow shows. */
function keptBy(trace, number) {
  const wanted = new Set(KINDS.map((name) => trace.what[name]));
  return (i) => trace.columns.flow[i] === number && wanted.has(trace.columns.event[i]);
}

function part(points, timeline) {
  return [Math.max(0, lowerBound(points.t, timeline.low) - 1), Math.min(points.t.length, lowerBound(points.t, timeline.high) + 1)];
}

/** The least and the greatest byte that is seen. */
function range(kinds, timeline) {
  let low = Infinity;
  let high = -Infinity;
  for (const [kind, points] of Object.entries(kinds)) {
    const first = lowerBound(points.t, timeline.low);
    const to = lowerBound(points.t, timeline.high);
    for (let k = kind === "ack" ? Math.max(0, first - 1) : first; k < to; k++) {
      low = Math.min(low, points.low[k]);
      high = Math.max(high, kind === "ack" ? points.low[k] + points.value[k] : points.high[k]);
    }
  }
  return low < high ? [low, high] : [0, 1];
}

function draw(context, area, x, timeline, kinds) {
  const y = drawValueAxis(context, area, range(kinds, timeline), (value) => quantity(value, "B"));
  within(context, area, () => {
    drawSteps(context, kinds.ack, x, timeline, COLOUR.ack, (k) => y(kinds.ack.low[k]));
    drawSteps(context, kinds.ack, x, timeline, COLOUR.window, (k) => y(kinds.ack.low[k] + kinds.ack.value[k]));
    for (const kind of ["sack", "send", "resend"]) drawSpans(context, kinds[kind], x, y, timeline, COLOUR[kind], kind === "resend" ? 3 : 2);
    drawCrosses(context, kinds.lost, x, y, timeline);
  });
  return `In the whole trace: ${Object.entries(kinds).map(([kind, points]) => `${points.t.length} ${SAID[kind]}`).join(", ")}.`;
}

function drawSteps(context, points, x, timeline, colour, height) {
  context.strokeStyle = colour;
  context.lineWidth = 1.2;
  drawCourse(context, part(points, timeline), { at: (k) => x(points.t[k]), up: height, steps: true });
}

/** Segments as upright strokes. Where a column of pixels has many, their whole span is one stroke. */
function drawSpans(context, points, x, y, timeline, colour, thick) {
  const [from, to] = part(points, timeline);
  context.fillStyle = colour;
  let column = null;
  let [low, high] = [0, 0];
  const flush = () => column !== null && context.fillRect(column - thick / 2, y(high), thick, Math.max(1.5, y(low) - y(high)));
  const crowded = to - from > CROWD;
  for (let k = from; k < to; k++) {
    const at = crowded ? Math.round(x(points.t[k])) : x(points.t[k]);
    if (crowded && at === column) {
      low = Math.min(low, points.low[k]);
      high = Math.max(high, points.high[k]);
      continue;
    }
    flush();
    [column, low, high] = [at, points.low[k], points.high[k]];
  }
  flush();
}

function drawCrosses(context, points, x, y, timeline) {
  const [from, to] = part(points, timeline);
  context.strokeStyle = COLOUR.lost;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let k = from; k < to; k++) {
    const [at, up] = [x(points.t[k]), y((points.low[k] + points.high[k]) / 2)];
    context.moveTo(at - 4, up - 4);
    context.lineTo(at + 4, up + 4);
    context.moveTo(at - 4, up + 4);
    context.lineTo(at + 4, up - 4);
  }
  context.stroke();
  context.lineWidth = 1;
}

function describe(kinds, flow, at) {
  const before = (points) => lowerBound(points.t, at) - 1;
  const [sent, acked] = [before(kinds.send), before(kinds.ack)];
  const parts = [`flow ${flow}, ${time(at, Math.abs(at) || 1, 8)}`];
  if (sent >= 0) parts.push(`sent up to byte ${kinds.send.high[sent]}`);
  if (acked >= 0) parts.push(`acknowledged ${kinds.ack.low[acked]}`, `window ${quantity(kinds.ack.value[acked], "B")}`);
  return parts.join("; ");
}
