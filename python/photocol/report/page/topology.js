// The network: nodes at their places, links in the colour of their utilization, what they dropped, at any part of the time.

import { COLOURS, LOST, element, isolated, short, time } from "./words.js";

const BINS = 200;
const SCALE = ["#d5dde3", "#a6c8e4", "#6aaed6", "#e8b93c", "#e07b1f", "#b3201d"];
const STEPS = [0, 0.1, 0.3, 0.6, 0.8, 0.95];

export { BINS };

/** A colour for a share of the time. */
export function heat(share) {
  return SCALE[STEPS.findLastIndex((step) => share >= step)] ?? SCALE[0];
}

/** The section; `at` gives the shares of all links in a part of the time, or null. */
export function topologySection(network, timeline, at) {
  const drawing = draw(network);
  const reading = element("output", { id: "slider-reading", for: "slider" }, "the whole run");
  const paint = (bin) => {
    const shares = bin < 0 || !at ? network.links.map((link) => link.utilization) : at(bin);
    drawing.links.forEach(({ shape, link, said }, k) => {
      shape.setAttribute("stroke", heat(shares[k] ?? 0));
      said.textContent = sentence(link, shares[k]);
    });
    const width = (timeline.end - timeline.begin) / BINS;
    reading.textContent = bin < 0 ? "the whole run" : `${time(timeline.begin + bin * width)} to ${time(timeline.begin + (bin + 1) * width)}`;
  };
  paint(-1);
  const slider = at && element("label", { class: "control" }, "Time ", element("input", {
    type: "range", id: "slider", min: -1, max: BINS - 1, value: -1, oninput: (event) => paint(+event.target.value),
  }), " ", reading);
  const legend = element("p", { class: "legend" }, ...STEPS.map((step, k) => element("span", {}, element("i", { style: `background:${SCALE[k]}` }), `from ${100 * step} %`)));
  return element("section", { id: "topology", class: "view", "aria-labelledby": "topology-title" },
    element("h2", { id: "topology-title" }, "Network"),
    element("p", { class: "hint" }, `Links in the colour of their utilization${network.links.some((link) => link.dropped) ? "; a red number is what a link dropped" : ""}. The same numbers stand in the table of links.`),
    slider, drawing.svg, legend);
}

function sentence(link, share) {
  return `${isolated(link.name)}: ${short(100 * (share ?? 0), 3)} % busy, ${short(link.dropped, 9)} dropped of ${short(link.offered, 9)}`;
}

function draw(network) {
  const { nodes, links } = network;
  const [wide, high] = [720, 420];
  const x = (node) => 50 + node.x * (wide - 100);
  const y = (node) => 34 + node.y * (high - 68);
  const svg = element("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": `${nodes.length} nodes and ${links.length} links; the numbers stand in the table of links`, class: "network" });
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const few = nodes.length <= 60;
  const drawn = links.map((link) => {
    const [from, to] = [byName.get(link.from), byName.get(link.to)];
    const said = element("title", {});
    const shape = element("path", { d: arc(x(from), y(from), x(to), y(to), link.lane ?? 0), fill: "none", "stroke-width": few ? 5 : 2, class: "link" }, said);
    svg.append(shape);
    return { shape, link, said };
  });
  links.filter((link) => link.dropped && few).forEach((link) => {
    const [from, to] = [byName.get(link.from), byName.get(link.to)];
    const [dx, dy] = beside(x(from), y(from), x(to), y(to), 15);
    svg.append(element("text", { x: x(from) + (x(to) - x(from)) * (0.3 + 0.12 * link.lane) + dx, y: y(from) + (y(to) - y(from)) * (0.3 + 0.12 * link.lane) + dy + 4, class: "dropped", fill: LOST }, short(link.dropped, 9)));
  });
  nodes.forEach((node) => {
    svg.append(element("circle", { cx: x(node), cy: y(node), r: few ? 8 : 3, fill: node.role === "core" ? COLOURS[0] : "#555" }, element("title", {}, `${isolated(node.name)} (${node.role})`)));
    if (few) svg.append(element("text", { x: x(node), y: y(node) - 12, class: "node" }, isolated(node.name)));
  });
  return { svg, links: drawn };
}

/** A point `far` to the right of a line's direction: the two directions of a link lie beside each other. */
function beside(x0, y0, x1, y1, far) {
  const long = Math.hypot(x1 - x0, y1 - y0) || 1;
  return [(-(y1 - y0) / long) * far, ((x1 - x0) / long) * far];
}

function arc(x0, y0, x1, y1, lane) {
  const [dx, dy] = beside(x0, y0, x1, y1, 3.5 + 6 * lane);
  return `M${x0 + dx},${y0 + dy}L${x1 + dx},${y1 + dy}`;
}
