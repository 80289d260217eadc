// The round trip of a pair's empty path over time: a ring where another route begins, a gap while the pair is cut off, a line at the time shown.

import { element, short, ticks, time } from "./words.js";

const HIGH = 150;

/** An SVG of this width; `pair` has times, milliseconds (null: cut off) and turns, each with the time at which it begins. */
export function tripsChart({ trips: { t_s: at, ms }, turns }, { now, end, wide }) {
  const area = { left: 44, top: 10, wide: wide - 70, high: HIGH - 44 };
  const known = ms.filter((value) => value !== null);
  const [least, most] = known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
  const margin = Math.max(0.1 * (most - least), 0.01 * most);
  const [low, high] = [least - margin, most + margin];
  const x = (seconds) => area.left + (seconds / end) * area.wide;
  const y = (value) => area.top + ((high - value) / (high - low)) * area.high;
  const said = known.length ? `Round trip from ${short(least, 4)} to ${short(most, 4)} ms` : "Never connected";
  const svg = element("svg", { viewBox: `0 0 ${wide} ${HIGH}`, width: wide, height: HIGH, role: "img", "aria-label": said, class: "network trips" });
  const text = (label, attributes) => svg.append(element("text", { "font-size": 11, fill: "#555", ...attributes }, label));
  for (const mark of ticks(low, high, 4)) {
    svg.append(element("path", { d: `M${area.left},${y(mark)}h${area.wide}`, stroke: "#e6e8ea" }));
    text(short(mark, 5), { x: area.left - 6, y: y(mark) + 4, "text-anchor": "end" });
  }
  for (const mark of ticks(0, end, area.wide / 110)) text(time(mark, end), { x: x(mark), y: area.top + area.high + 16, "text-anchor": "middle" });
  text("round trip of the empty path (ms); ring: another route", { x: area.left + area.wide / 2, y: HIGH - 4, "text-anchor": "middle" });
  const point = (k) => `${x(at[k]).toFixed(1)},${y(ms[k]).toFixed(1)}`;
  const path = ms.map((value, k) => (value === null ? "" : `${k && ms[k - 1] !== null ? "L" : "M"}${point(k)}`)).join("");
  svg.append(element("path", { d: path, fill: "none", stroke: "#0072b2", "stroke-width": 1.6, class: "trip" }));
  for (const [begins, nodes] of turns.slice(1)) {
    const k = at.findIndex((seconds) => seconds >= begins - 1e-9);
    if (!nodes.length || k < 0 || ms[k] === null) continue;
    svg.append(element("circle", { cx: x(at[k]), cy: y(ms[k]), r: 4, fill: "#fff", stroke: "#0072b2", "stroke-width": 1.6, class: "turn" }, element("title", {}, `${time(begins, end, 6)}: ${nodes.length - 1} hops, ${short(ms[k], 6)} ms`)));
  }
  svg.append(element("path", { d: `M${x(now)},${area.top}v${area.high}`, stroke: "#000", "stroke-width": 1, class: "now" }));
  return svg;
}
