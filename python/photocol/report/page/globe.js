// Satellites on a plain map of longitude and latitude: links in the colour of their load over the run, and a pair's route at any time.

import { csvText, saveButtons, standalone } from "./save.js";
import { heat, networkLegend } from "./topology.js";
import { tripsChart } from "./trips.js";
import { chooser, element, isolated, short, ticks, time } from "./words.js";

const STEPS = 200;
const HINT = "Links have the colour of their utilization over the whole run, and stand where their satellites are at the time shown. The route of a pair is black. Grey dots are cities.";

export function globeSection(globe, end) {
  if (!globe) return null;
  const map = new Globe(globe, end);
  const reading = element("output", { id: "globe-reading", for: "globe-time" });
  const say = () => (reading.textContent = `${time(map.now, end)}; ${map.said()}`);
  const slider = element("input", { type: "range", id: "globe-time", min: 0, max: STEPS, value: 0, oninput: (event) => { map.at((event.target.value * end) / STEPS); say(); } });
  const pair = chooser("Route", globe.pairs.map(({ name }, k) => [k, isolated(name)]), (value) => { map.follow(Number(value)); say(); });
  say();
  return element("section", { id: "globe", class: "view", "aria-labelledby": "globe-title" },
    element("h2", { id: "globe-title" }, "Satellites"),
    element("p", { class: "hint" }, HINT),
    element("div", { class: "controls" }, globe.pairs.length ? pair.control : null, element("label", { class: "control" }, "Time ", slider, " ", reading)),
    map.holder, networkLegend(0), map.below,
    saveButtons("satellites", { svg: () => standalone(map.svg, map.size), csv: () => map.numbers() }));
}

/** The drawing at one time, made anew for each width and each time. */
class Globe {
  constructor(globe, end) {
    Object.assign(this, { globe, end, now: 0, pair: 0, wide: 0 });
    this.holder = element("div", { class: "map" });
    this.below = element("div", {});
    new ResizeObserver(() => this.fit()).observe(this.holder);
    this.draw(720);
  }

  fit() {
    const wide = Math.round(this.holder.clientWidth);
    if (wide > 0 && wide !== this.wide) this.draw(wide);
  }

  at(now) {
    this.now = now;
    this.draw(this.wide);
  }

  follow(pair) {
    this.pair = pair;
    this.draw(this.wide);
  }

  /** The route of the pair now: numbers of nodes, none while it is cut off. */
  get route() {
    return this.globe.pairs[this.pair]?.turns.findLast(([begins]) => begins <= this.now)?.[1] ?? [];
  }

  said() {
    const { pairs } = this.globe;
    if (!pairs.length) return "no flow has a route";
    const number = pairs[this.pair].turns.filter(([begins]) => begins <= this.now).length;
    const hops = this.route.length - 1;
    return hops < 0 ? `cut off (change ${number - 1})` : `${hops} hops, route ${number} of ${pairs[this.pair].turns.length}`;
  }

  /** Degrees north and east of a node; between two times in a straight line. */
  place(node) {
    const { times_s: times, north, east, stations } = this.globe;
    if (node >= north.length) return stations[node - north.length].slice(1);
    const part = (this.now / times.at(-1)) * (times.length - 1) || 0;
    const k = Math.min(Math.floor(part), times.length - 2);
    const between = (values, turn) => {
      const step = values[k + 1] - values[k];
      return (values[k] + (part - k) * (step - (turn ? turn * Math.round(step / turn) : 0))) / 10;
    };
    return [between(north[node]), between(east[node], 3600)];
  }

  draw(wide) {
    this.wide = wide;
    const { window, lasers, links, stations, cities, north } = this.globe;
    const { middle, east: [low, high], north: [south, top] } = window;
    const tall = Math.round(Math.max(200, Math.min(0.6 * wide, (1.25 * wide * (top - south)) / (high - low))));
    const area = { left: 44, top: 8, wide: wide - 52, high: tall };
    const across = (degrees) => ((((degrees - middle + 180) % 360) + 360) % 360) - 180;
    const x = (degrees) => area.left + ((degrees - low) / (high - low)) * area.wide;
    const y = (degrees) => area.top + ((top - degrees) / (top - south)) * area.high;
    this.size = { width: wide, height: tall + 40 };
    this.svg = element("svg", { viewBox: `0 0 ${wide} ${tall + 40}`, width: wide, height: tall + 40, role: "img", "aria-label": `${north.length} satellites and ${links.length} links that carried something, ${this.said()}`, class: "network globe" });
    const at = (node) => { const [up, far] = this.place(node); return [across(far), up]; };
    const piece = ([x0, y0], [x1, y1]) => `M${x(x0).toFixed(1)},${y(y0).toFixed(1)}L${x(x1).toFixed(1)},${y(y1).toFixed(1)}`;
    // What crosses the edge of the map is drawn at both edges.
    const line = (from, to) => {
      const turn = Math.abs(to[0] - from[0]) > 180 ? 360 * Math.sign(to[0] - from[0]) : 0;
      return piece(from, [to[0] - turn, to[1]]) + (turn ? piece([from[0] + turn, from[1]], to) : "");
    };
    const dots = (places) => places.map(([east, north]) => `M${x(east).toFixed(1)},${y(north).toFixed(1)}h0`).join("");
    const clip = element("svg", { x: area.left, y: area.top, width: area.wide, height: area.high, viewBox: `${area.left} ${area.top} ${area.wide} ${area.high}` });
    const add = (path, attributes, ...children) => clip.append(element("path", { d: path, fill: "none", "stroke-linecap": "round", ...attributes }, ...children));
    const places = north.map((_, node) => at(node));
    add(lasers.map(([one, other]) => line(places[one], places[other])).join(""), { stroke: "#e3e6ea", "stroke-width": 0.7 });
    add(dots(cities.map(([north, east]) => [across(east), north])), { stroke: "#999", "stroke-width": 3 });
    add(dots(places), { stroke: "#0072b2", "stroke-width": north.length > 400 ? 2.5 : 4, class: "satellites" });
    for (const link of [...links].sort((a, b) => a.load - b.load)) {
      add(line(at(link.from), at(link.to)), { stroke: heat(link.load), "stroke-width": 4, class: "link" }, element("title", {}, `${isolated(link.name)}: ${short(100 * link.load, 3)} % busy`));
    }
    const { route } = this;
    add(route.slice(1).map((node, k) => line(at(route[k]), at(node))).join(""), { stroke: "#000", "stroke-width": 1.6, class: "route" });
    add(dots(stations.map((_, k) => at(north.length + k))), { stroke: "#000", "stroke-width": 7, "stroke-linecap": "square" });
    this.svg.append(clip);
    this.frame(area, { x, y, across, window });
    this.names(area, stations.map(([name], k) => ({ name, at: at(north.length + k) })), { x, y });
    this.holder.replaceChildren(this.svg);
    const pair = this.globe.pairs[this.pair];
    if (pair) this.below.replaceChildren(tripsChart(pair, this));
  }

  /** Degrees at the edges. */
  frame(area, { x, y, across, window }) {
    const text = (label, attributes) => this.svg.append(element("text", { "font-size": 11, fill: "#555", ...attributes }, label));
    const { middle, east: [low, high], north: [south, top] } = window;
    for (const mark of ticks(middle + low, middle + high, area.wide / 90)) {
      const degrees = Math.round(((((mark + 180) % 360) + 360) % 360) - 180);
      text(`${degrees}°`, { x: x(across(mark)), y: area.top + area.high + 16, "text-anchor": "middle" });
    }
    for (const mark of ticks(south, top, area.high / 60)) text(`${mark}°`, { x: area.left - 6, y: y(mark) + 4, "text-anchor": "end" });
    text("longitude and latitude", { x: area.left + area.wide / 2, y: area.top + area.high + 30, "text-anchor": "middle" });
    this.svg.append(element("path", { d: `M${area.left},${area.top}h${area.wide}v${area.high}h${-area.wide}z`, fill: "none", stroke: "#bbb" }));
  }

  /** Names of stations below or above them, where no other name is. */
  names(area, stations, { x, y }) {
    const taken = [];
    for (const { name, at: [east, north] } of stations) {
      const half = 3.4 * name.length;
      const left = Math.min(Math.max(x(east), area.left + half), area.left + area.wide - half);
      const tops = [y(north) + 17, y(north) - 8, y(north) + 30].filter((top) => top > area.top + 8 && top < area.top + area.high);
      const top = tops.find((top) => !taken.some(([x0, y0, wide]) => Math.abs(x0 - left) < wide + half && Math.abs(y0 - top) < 13));
      if (top === undefined) continue;
      taken.push([left, top, half]);
      this.svg.append(element("text", { x: left, y: top, "text-anchor": "middle", "font-size": 12, fill: "#1c1f23", class: "node" }, isolated(name)));
    }
  }

  /** The links now, with both ends. */
  numbers() {
    const rows = this.globe.links.map(({ name, from, to, load }) => [name, load, ...this.place(from), ...this.place(to)]);
    return csvText(["link", "utilization", "from_north", "from_east", "to_north", "to_east"], rows);
  }
}
