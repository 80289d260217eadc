// The network: nodes at their places, roads in the colour of their utilization, what they dropped, at any part of the time.

import { csvText, saveButtons, standalone } from "./save.js";
import { circuitsAt, switchKeys } from "./light.js";
import { labelled, marked } from "./placing.js";
import { COLOURS, element, isolated, short, time } from "./words.js";

const BINS = 200;
const SCALE = ["#d5dde3", "#a6c8e4", "#6aaed6", "#e8b93c", "#e07b1f", "#b3201d"];
const STEPS = [0, 0.1, 0.3, 0.6, 0.8, 0.95];
const LOSSES = ["#f2a3a3", "#dd5a5a", "#b00000", "#5c0000"];
const QUEUE = "#5b3f8c";
const BAR = 60;
// Circuits between two nodes by several switches lie so far from each other.
const CHORD = 3;
const MOST_SAID = 12;
const NAMED = 400;

export { BINS };

/** A colour for a share of the time. */
export function heat(share) {
  return SCALE[STEPS.findLastIndex((step) => share >= step)] ?? SCALE[0];
}

/** The mark of so many drops: how large it is and its colour, a step for every hundred times as many. */
export function lossMark(dropped) {
  const tens = Math.log10(Math.max(1, dropped));
  return { radius: Math.min(9, 3 + tens), colour: LOSSES[Math.min(LOSSES.length - 1, Math.floor(tens / 2))] };
}

/** The section; `at` gives the shares of all links in a part of a span of time, or null; of `lit` the circuits of its middle are drawn. */
export function topologySection(network, { begin, end }, at, lit) {
  const reading = element("output", { id: "slider-reading", for: "slider" }, "the whole run");
  const keys = element("p", { class: "legend", id: "lit", hidden: true });
  const map = new NetworkMap(network);
  const width = (end - begin) / BINS;
  const paint = (bin) => {
    map.paint(bin < 0 || !at ? network.links.map((link) => link.utilization) : at(bin));
    reading.textContent = bin < 0 ? "the whole run" : `${time(begin + bin * width)} to ${time(begin + (bin + 1) * width)}`;
    if (lit) light(map, keys, lit, bin < 0 ? null : begin + (bin + 0.5) * width);
  };
  paint(-1);
  const slider = (at || lit) && element("label", { class: "control" }, "Time ", element("input", {
    type: "range", id: "slider", min: -1, max: BINS - 1, value: -1, oninput: (event) => paint(+event.target.value),
  }), " ", reading);
  const dropped = Math.max(0, ...map.lanes.map((lane) => lane.dropped));
  return element("section", { id: "topology", class: "view", "aria-labelledby": "topology-title" },
    element("h2", { id: "topology-title" }, "Network"),
    element("p", { class: "hint" }, `Two lanes a road, in the colour of their utilization${dropped ? "; a red mark is on a lane that dropped something, larger and darker for more" : ""}. Numbers show under the pointer, and stand in the table of links.${lit ? " At a time the circuits stand in the place of their switches." : ""}`),
    slider, map.holder, map.note, lit ? keys : null, networkLegend(dropped),
    saveButtons("network", { svg: () => standalone(map.svg, map.size), csv: () => numbers(network, map.shares) }));
}

/** The circuits of a moment in the place of the switches; null is the whole run, with switches. */
function light(map, keys, lit, moment) {
  map.leaveOut(moment === null ? [] : lit.switches);
  const up = moment === null ? [] : circuitsAt(lit, [], moment);
  map.light(up);
  keys.hidden = moment === null;
  if (moment !== null) keys.replaceChildren(`Circuits at ${time(moment)}, by switch: `, ...switchKeys(lit, up));
}

export function networkLegend(dropped) {
  const colour = (colour, text, round) => element("span", {}, element("i", { class: round ? "round" : null, style: `background:${colour}` }), text);
  const losses = LOSSES.filter((_, k) => dropped >= 100 ** k).map((shade, k) => colour(shade, `from ${short(100 ** k, 9)} dropped`, true));
  return element("p", { class: "legend" }, ...STEPS.map((step, k) => colour(SCALE[k], `from ${100 * step} %`)), ...losses);
}

function numbers({ links }, shares) {
  const rows = links.map((link, k) => [link.name, link.from, link.to, shares[k], link.offered, link.dropped]);
  return csvText(["link", "from", "to", "utilization", "offered_units", "dropped_units"], rows);
}

/** All fibres from one node to another are a lane. */
function lanesOf({ nodes, links }) {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const lanes = new Map();
  links.forEach((link, k) => {
    const key = JSON.stringify([link.from, link.to]);
    if (!lanes.has(key)) lanes.set(key, { from: byName.get(link.from), to: byName.get(link.to), fibres: [], dropped: 0 });
    const lane = lanes.get(key);
    lane.fibres.push(k);
    lane.dropped += link.dropped;
  });
  return [...lanes.values()];
}

/** The drawing, made anew for each width, so that letters keep their size. */
export class NetworkMap {
  /** With `hasQueues`, lanes have bars for those that wait. Of `switches` of light only the circuits are drawn, which `light` is given. */
  constructor(network, hasQueues = false, switches = []) {
    Object.assign(this, { hasQueues, network, switches, circuits: [], lanes: lanesOf(network), shares: network.links.map((link) => link.utilization), wide: 0, queues: null, most: 0 });
    this.holder = element("div", { class: "map" });
    this.note = element("p", { class: "hint" });
    new ResizeObserver(() => this.fit()).observe(this.holder);
    this.draw(720);
  }

  fit() {
    const wide = Math.round(this.holder.clientWidth);
    if (wide > 0 && wide !== this.wide) this.draw(wide);
  }

  /** What the links are now: offered and dropped units, and how busy they were. */
  renew(links) {
    this.network.links.forEach((link, k) => ([link.utilization, link.offered, link.dropped] = links[k]));
    this.lanes.forEach((lane) => (lane.dropped = lane.fibres.reduce((sum, k) => sum + links[k][2], 0)));
    this.draw(this.wide);
  }

  /** `queues` are lengths; the longest, or `most`, has the tallest bar. */
  paint(shares, queues = this.queues, most = this.most) {
    Object.assign(this, { shares, queues, most });
    for (const { shape, said, lane, bar } of this.drawn) {
      const mean = lane.fibres.reduce((sum, k) => sum + (shares[k] ?? 0), 0) / lane.fibres.length;
      shape.setAttribute("stroke", heat(mean));
      const waiting = queues ? lane.fibres.reduce((sum, k) => sum + (queues[k] ?? 0), 0) : 0;
      bar?.setAttribute("y2", Number(bar.getAttribute("y1")) - (BAR * Math.min(waiting, most)) / (most || 1));
      const text = sentence(this.network.links, lane, shares) + (queues ? `\n${short(waiting, 4)} waiting` : "");
      said.forEach((one) => (one.textContent = text));
    }
  }

  /** Switches that are not drawn from now on. */
  leaveOut(switches) {
    if (switches.length === this.switches.length) return;
    this.switches = switches;
    this.draw(this.wide);
  }

  /** The circuits that are up: names of both ends, and the number of the switch. */
  light(circuits) {
    this.circuits = circuits;
    const shown = circuits.filter(({ from, to }) => this.places.has(from) && this.places.has(to));
    const roads = new Map();
    for (const { from, to, number } of shown) roads.set(roadOf(from, to), (roads.get(roadOf(from, to)) ?? new Set()).add(number));
    const paths = shown.map(({ from, to, number }) => {
      const own = [...roads.get(roadOf(from, to))].sort((a, b) => a - b);
      const far = CHORD * (own.indexOf(number) - (own.length - 1) / 2);
      const [x0, y0, x1, y1] = beside(this.places.get(from), this.places.get(to), from < to ? far : -far);
      return element("path", { d: `M${x0},${y0}L${x1},${y1}`, fill: "none", stroke: COLOURS[number % COLOURS.length], "stroke-width": 2, "stroke-opacity": 0.8, class: "circuit" },
        element("title", {}, `${isolated(from)} to ${isolated(to)} by ${isolated(this.switches[number])}`));
    });
    this.chords.replaceChildren(...paths);
  }

  draw(wide) {
    this.wide = wide;
    const dark = new Set(this.switches);
    const { links } = this.network;
    const nodes = this.network.nodes.filter((node) => !dark.has(node.name));
    const small = wide < 500 || nodes.length > 60;
    const high = Math.round(Math.max(220, Math.min(520, wide * (wide < 500 ? 0.8 : nodes.length > 16 ? 0.55 : 0.36))));
    const edge = { across: Math.min(50, wide / 9), down: 34 };
    const at = new Map(this.network.nodes.map((node) => [node, [edge.across + node.x * (wide - 2 * edge.across), edge.down + node.y * (high - 2 * edge.down)]]));
    this.size = { width: wide, height: high };
    this.svg = element("svg", { viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "img", "aria-label": `${nodes.length} nodes and ${links.length} links; the numbers stand in the table of links`, class: "network" });
    const thick = small ? 3 : 5;
    const radius = nodes.length > 60 ? (wide < 500 ? 3 : 4) : small ? 5 : 8;
    this.places = new Map(nodes.map((node) => [node.name, at.get(node)]));
    this.chords = element("g", {});
    this.svg.append(this.chords);
    const isDark = ({ from, to }) => dark.has(from.name) || dark.has(to.name);
    const lines = this.lanes.map((lane) => (isDark(lane) ? stub(at.get(lane.from), at.get(lane.to), dark.has(lane.from.name)) : beside(at.get(lane.from), at.get(lane.to), thick / 2 + 0.75)));
    this.drawn = this.lanes.map((lane, k) => this.road(lane, lines[k], isDark(lane) ? 0 : thick));
    const taken = nodes.map((node) => box(at.get(node), radius + 1));
    this.marks(lines, taken);
    nodes.forEach((node) => this.svg.append(element("circle", { cx: at.get(node)[0], cy: at.get(node)[1], r: radius, fill: node.role === "core" ? COLOURS[0] : "#555" }, element("title", {}, `${isolated(node.name)} (${node.role})`))));
    this.names(at, { radius, lines, taken, size: small ? 11 : 13 });
    this.holder.replaceChildren(this.svg);
    this.paint(this.shares);
    this.light(this.circuits);
  }

  road(lane, [x0, y0, x1, y1], thick) {
    const title = element("title", {});
    const shape = element("path", { d: `M${x0},${y0}L${x1},${y1}`, fill: "none", "stroke-width": thick, class: "link" }, title);
    if (thick) this.svg.append(shape);
    return { shape, said: [title], lane, bar: this.hasQueues && !this.switches.includes(lane.from.name) ? this.bar([x0, y0, x1, y1]) : null };
  }

  /** Where a queue stands: at the port, beside the road. */
  bar([x0, y0, x1, y1]) {
    const long = Math.hypot(x1 - x0, y1 - y0) || 1;
    const from = Math.min(0.3, 26 / long);
    const [x, y] = [x0 + (x1 - x0) * from, y0 + (y1 - y0) * from];
    const bar = element("line", { x1: x, y1: y, x2: x, y2: y, stroke: QUEUE, "stroke-width": 8, class: "queue" });
    this.svg.append(bar);
    return bar;
  }

  /** The greatest losses have the first choice of a place. */
  marks(lines, taken) {
    const lossy = this.drawn.map((road, k) => ({ road, line: lines[k] })).filter(({ road }) => road.lane.dropped).sort((a, b) => b.road.lane.dropped - a.road.lane.dropped);
    for (const { road, line } of lossy) {
      const { radius, colour } = lossMark(road.lane.dropped);
      const [x, y, r] = marked(line, radius, taken);
      const title = element("title", {});
      road.said.push(title);
      taken.push(box([x, y], r));
      this.svg.append(element("circle", { cx: x, cy: y, r, fill: colour, stroke: "#fff", class: "loss" }, title));
    }
  }

  /** Names where there is room; those of core nodes first. */
  names(at, { radius, lines, taken, size }) {
    const nodes = [...at.keys()].filter((node) => this.places.has(node.name));
    const order = nodes.length > NAMED ? [] : [...nodes].sort((a, b) => (b.role === "core") - (a.role === "core"));
    let left = nodes.length - order.length;
    for (const node of order) {
      const place = labelled(node.name, at.get(node), { radius, size, taken, lines, within: this.size });
      if (!place) {
        left++;
        continue;
      }
      taken.push(place.box);
      this.svg.append(element("text", { x: place.x, y: place.y, "text-anchor": "middle", "font-size": size, fill: "#1c1f23", class: "node" }, isolated(node.name)));
    }
    this.note.textContent = left ? `${left} of ${nodes.length} names have no room; each shows under the pointer.` : "";
  }
}

function sentence(links, { fibres }, shares) {
  const said = fibres.slice(0, MOST_SAID).map((k) => `${isolated(links[k].name)}: ${short(100 * (shares[k] ?? 0), 3)} % busy, ${short(links[k].dropped, 9)} dropped of ${short(links[k].offered, 9)}`);
  return [...said, ...(fibres.length > MOST_SAID ? [`and ${fibres.length - MOST_SAID} fibres more`] : [])].join("\n");
}

function box([x, y], radius) {
  return [x - radius, y - radius, x + radius, y + radius];
}

/** Both directions between two nodes. */
function roadOf(from, to) {
  return JSON.stringify([from, to].sort());
}

/** Of a road between a node and a switch of light, the part at the node. */
function stub([x0, y0], [x1, y1], isFromSwitch) {
  const [from, to] = isFromSwitch ? [0.85, 1] : [0, 0.15];
  return [x0 + (x1 - x0) * from, y0 + (y1 - y0) * from, x0 + (x1 - x0) * to, y0 + (y1 - y0) * to];
}

/** A line moved `far` to the right of its direction: the lanes of a road lie beside each other. */
function beside([x0, y0], [x1, y1], far) {
  const long = Math.hypot(x1 - x0, y1 - y0) || 1;
  const [dx, dy] = [(-(y1 - y0) / long) * far, ((x1 - x0) / long) * far];
  return [x0 + dx, y0 + dy, x1 + dx, y1 + dy];
}
