// Packets in time and space: a line from each node of a path to the next, for the packets of a flow.

import { lowerBound } from "./data.js";
import { View, line, within } from "./view.js";
import { LOST, chooser, isolated, time } from "./words.js";

const MOST_LINES = 3000;
const COLOUR = { data: "#0072b2", datagram: "#0072b2", ack: "#009e73" };

/** For each flow: its hops (sorted by beginning), and the nodes that they join with how far they are, in seconds. */
export function pathsOf(trace, links) {
  const flows = new Map();
  for (const i of trace.named("pass", "drop", "vanish")) {
    const flow = trace.flowOf(i);
    const link = links.get(trace.placeOf(i));
    if (flow === null || !link) continue;
    if (!flows.has(flow)) flows.set(flow, []);
    flows.get(flow).push({ i, link });
  }
  return new Map([...flows].sort(([a], [b]) => a - b).map(([flow, hops]) => [flow, laidOut(trace, hops)]));
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
  const flows = pathsOf(trace, links);
  for (const [flow, path] of flows) if (path.nodes.size < 2) flows.delete(flow);
  if (!flows.size) return null;
  const state = { flow: [...flows.keys()][0] };
  const view = new View({
    id: "space",
    title: "Packets in time and space",
    hint: "Data (blue) go down the path, ACKs (green) back up; a red cross is where a packet was lost. Zoom in until packets can be told apart.",
    timeline,
    height: 320,
    draw: (context, area, x, window) => draw(context, area, x, window, trace, flows.get(state.flow)),
    describe: ({ at }) => `flow ${state.flow}, ${time(at, Math.abs(at) || 1, 8)}: ${[...flows.get(state.flow).nodes.keys()].map(isolated).join(" → ")}`,
  });
  view.controls.append(chooser("Flow", [...flows.keys()].map((flow) => [flow, flow]), (value) => {
    state.flow = +value;
    view.refresh();
  }).control);
  return view;
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
  within(context, area, () => {
    for (let k = from; k < to; k += step) drawHop(context, trace, path.hops[k], height, x);
  });
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

function drawHop(context, trace, { i, link }, height, x) {
  const [from, to] = [height.get(link.from), height.get(link.to)];
  if (from === undefined || to === undefined) return;
  if (trace.columns.event[i] !== trace.what.pass) return drawCross(context, x(trace.at(i)), from);
  context.strokeStyle = COLOUR[trace.classOf(i)] ?? "#777";
  line(context, x(trace.ends(i)), from, x(trace.arrives(i)), to);
  if (trace.columns.wait[i] > 0) {
    context.strokeStyle = "#e69f00";
    line(context, x(trace.at(i)), from, x(trace.begins(i)), from);
  }
}

function drawCross(context, at, y) {
  context.strokeStyle = LOST;
  context.lineWidth = 2;
  line(context, at - 4, y - 4, at + 4, y + 4);
  line(context, at - 4, y + 4, at + 4, y - 4);
  context.lineWidth = 1;
}
