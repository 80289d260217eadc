// Packets in time and space: a line from each node of a path to the next, for the packets of a flow.

import { lowerBound } from "./data.js";
import { eventNumbers } from "./trace.js";
import { View, line, within } from "./view.js";
import { LOST, chooser, isolated, time } from "./words.js";

const MOST_LINES = 3000;
const COLOUR = { data: "#0072b2", datagram: "#0072b2", ack: "#009e73" };

/** The flows of which data pass a link. */
function flowsOf(trace, links) {
  const found = new Set();
  const isLink = trace.words.place.map((name) => links.has(name));
  for (const i of trace.named("pass")) if (isLink[trace.columns.place[i]] && trace.classOf(i) !== "ack") found.add(trace.columns.flow[i]);
  found.delete(0xffffffff);
  return [...found].sort((a, b) => a - b);
}

/** The hops of a flow, sorted by beginning, and the nodes that they join with how far they are, in seconds. */
function pathOf(trace, links, flow) {
  const hops = [];
  for (const i of trace.named("pass", "drop", "vanish")) {
    const link = trace.columns.flow[i] === flow && links.get(trace.placeOf(i));
    if (link) hops.push({ i, link });
  }
  return laidOut(trace, hops);
}

/** Nodes lie at their distance along the way of the first data packet. */
function laidOut(trace, hops) {
  const next = new Map();
  for (const { i, link } of hops) {
    if (trace.columns.event[i] === trace.what.pass && trace.classOf(i) !== "ack" && !next.has(link.from)) {
      next.set(link.from, { to: link.to, delay: (trace.columns.flight[i] + trace.columns.lasts[i]) * 1e-12 });
    }
  }
  const targets = new Set([...next.values()].map((hop) => hop.to));
  const nodes = new Map();
  let node = [...next.keys()].find((name) => !targets.has(name)) ?? next.keys().next().value;
  for (let far = 0; node !== undefined && !nodes.has(node); ) {
    nodes.set(node, far);
    const hop = next.get(node);
    far += hop ? hop.delay : 0;
    node = hop?.to;
  }
  hops.sort((a, b) => trace.begins(a.i) - trace.begins(b.i));
  return { nodes, hops, begins: Float64Array.from(hops, ({ i }) => trace.begins(i)) };
}

export function spaceView(trace, links, timeline) {
  const flows = flowsOf(trace, links);
  if (!flows.length) return null;
  const state = { flow: flows[0], path: pathOf(trace, links, flows[0]) };
  const view = new View({
    id: "space",
    title: "Packets in time and space",
    hint: "Data (blue) go down the path, ACKs (green) back up; a red cross is where a packet was lost. Zoom in until packets can be told apart.",
    timeline,
    height: 320,
    draw: (context, area, x, window) => draw(context, area, x, window, trace, state.path),
    describe: ({ at }) => `flow ${state.flow}, ${time(at, Math.abs(at) || 1, 8)}: ${[...state.path.nodes.keys()].map(isolated).join(" → ")}`,
    numbers: (line) => eventNumbers(trace, line, keptBy(trace, state.path)),
  });
  view.controls.append(chooser("Flow", flows.map((flow) => [flow, flow]), (value) => {
    Object.assign(state, { flow: +value, path: pathOf(trace, links, +value) });
    view.refresh();
  }).control);
  return view;
}

function keptBy(trace, { hops }) {
  const shown = new Set(hops.map(({ i }) => i));
  return (i) => shown.has(i);
}

function draw(context, area, x, timeline, trace, path) {
  const names = [...path.nodes.keys()];
  const last = Math.max(...path.nodes.values()) || 1;
  // Nodes close together are moved apart, so that each has a line of its own.
  const even = area.high / Math.max(1, names.length - 1);
  const height = new Map(names.map((name, k) => [name, area.top + 0.5 * k * even + 0.5 * (path.nodes.get(name) / last) * area.high]));
  drawNodes(context, area, height);
  const slowest = last * 2;
  const from = Math.max(0, lowerBound(path.begins, timeline.low - slowest));
  const to = lowerBound(path.begins, timeline.high);
  const step = Math.max(1, Math.ceil((to - from) / MOST_LINES));
  const pens = new Pens();
  for (let k = from; k < to; k += step) drawHop(pens, trace, path.hops[k], height, x);
  within(context, area, () => pens.draw(context));
  return step > 1 ? `One of ${step} hops is drawn; zoom in to see all.` : "";
}

function drawNodes(context, area, height) {
  context.textAlign = "right";
  for (const [name, y] of height) {
    context.strokeStyle = "#bbb";
    line(context, area.left, y, area.left + area.wide, y);
    context.fillStyle = "#222";
    context.fillText(isolated(name), area.left - 4, Math.min(y + 4, area.top + area.high), area.left - 6);
  }
}

/** Lines by colour, so that all of one are drawn at once. */
class Pens {
  constructor() {
    this.paths = new Map();
  }

  line(colour, x0, y0, x1, y1) {
    if (!this.paths.has(colour)) this.paths.set(colour, []);
    this.paths.get(colour).push(x0, y0, x1, y1);
  }

  /** What was lost above all others. */
  draw(context) {
    for (const [colour, path] of [...this.paths].sort(([a], [b]) => (a === LOST) - (b === LOST))) {
      context.strokeStyle = colour;
      context.lineWidth = colour === LOST ? 2 : 1;
      context.beginPath();
      for (let k = 0; k < path.length; k += 4) {
        context.moveTo(path[k], path[k + 1]);
        context.lineTo(path[k + 2], path[k + 3]);
      }
      context.stroke();
    }
    context.lineWidth = 1;
  }
}

function drawHop(pens, trace, { i, link }, height, x) {
  const [from, to] = [height.get(link.from), height.get(link.to)];
  if (from === undefined || to === undefined) return;
  if (trace.columns.event[i] !== trace.what.pass) return drawCross(pens, x(trace.at(i)), from);
  pens.line(COLOUR[trace.classOf(i)] ?? "#777", x(trace.ends(i)), from, x(trace.arrives(i)), to);
  if (trace.columns.wait[i] > 0) pens.line("#e69f00", x(trace.at(i)), from, x(trace.begins(i)), from);
}

function drawCross(pens, at, y) {
  pens.line(LOST, at - 4, y - 4, at + 4, y + 4);
  pens.line(LOST, at - 4, y + 4, at + 4, y - 4);
}
