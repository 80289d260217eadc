// Values over time: what [probe] sampled, and what follows from the trace (windows, queues, rates).

import { areFlows, bandsOf, drawBand } from "./bands.js";
import { lowerBound } from "./data.js";
import { queueOf } from "./trace.js";
import { View, drawCourse, drawValueAxis, within } from "./view.js";
import { COLOURS, DASHES, chooser, element, isolated, quantity, time } from "./words.js";

const MOST_LINES = 8;
const BINS = 400;
/** In the list of whom to draw: not all flows together, but the first. */
const SOME = "\0some";
// Looked at first.
const FIRST = ["cwnd", "cwnd (trace)", "queue", "queue (trace)", "goodput", "goodput (trace)", "mean_queue", "utilization", "rtt"];
const UNITS = { cwnd: "B", ssthresh: "B", pipe: "B", acked: "B", bytes_arrived: "B", rtt: "s", srtt: "s", rto: "s", mean_rtt: "s", utilization: "1",
  believed_capacity: "bps", feedback: "bps", persistent_queue: "B", queue: "packets", mean_queue: "packets", goodput: "bps",
  throughput: "bps", class_throughput: "bps", flows_under_way: "1", lost_share: "1", link_throughput: "bps", fairness: "1" };

/** Quantity → entity → points, from samples. */
export function sampled(series) {
  const found = new Map();
  for (const { entity, quantity, t, v } of series) {
    if (!found.has(quantity)) found.set(quantity, new Map());
    found.get(quantity).set(entity, { t, v, steps: false });
  }
  const arrived = found.get("bytes_arrived");
  if (arrived && !found.has("goodput")) found.set("goodput", new Map([...arrived].map(([entity, points]) => [entity, later(() => slopeOf(points))])));
  addLost(found);
  return found;
}

/** The share of what links were offered that they lost, from each sample to the next, of those that lost something. */
function addLost(found) {
  const offered = found.get("offered");
  const lossy = offered ? [...(found.get("dropped") ?? [])].filter(([name, { v }]) => v.at(-1) > 0 && offered.has(name)) : [];
  if (lossy.length) found.set("lost_share", new Map(lossy.map(([name, points]) => [name, later(() => shareOf(points, offered.get(name)))])));
}

function shareOf({ t, v }, offered) {
  const share = (k) => (offered.v[k + 1] > offered.v[k] ? (v[k + 1] - v[k]) / (offered.v[k + 1] - offered.v[k]) : 0);
  return { t: t.subarray(1), v: Float64Array.from(t.subarray(1), (_, k) => share(k)) };
}

/** Arrived bits a second from each sample to the next; at a sample, those since the one before. */
function slopeOf({ t, v }) {
  return { t: t.subarray(1), v: Float64Array.from(t.subarray(1), (at, k) => (8 * (v[k + 1] - v[k])) / (at - t[k])) };
}

/** The same from a trace of a span of time: made when they are asked for. */
export function traced(trace, flows, span) {
  const found = new Map();
  const add = (name, entity, points) => {
    if (!found.has(name)) found.set(name, new Map());
    found.get(name).set(entity, points);
  };
  for (const [number, { ack }] of flows?.counts ?? []) {
    if (ack < 2) continue;
    add("cwnd (trace)", `flow ${number}`, later(() => ({ t: flows.get(number).ack.t, v: flows.get(number).ack.value })));
    add("goodput (trace)", `flow ${number}`, later(() => rateOf(flows.get(number).ack, span)));
  }
  for (const { kind, place } of trace.levels.rows) {
    if (kind === "packets") add("queue (trace)", trace.words.place[place], later(() => queueOf(trace, place)));
  }
  return found;
}

/** Points that are made when they are asked for. */
function later(make) {
  return { get made() { return (this.kept ??= make()); }, get t() { return this.made.t; }, get v() { return this.made.v; }, steps: true };
}

/** Acknowledged bits a second, in equal parts of a span of time. What had been acknowledged before it does not count. */
function rateOf(acks, { begin, end }) {
  const width = (end - begin) / BINS;
  const t = Float64Array.from({ length: BINS }, (_, k) => begin + k * width);
  let before = begin > 0 ? acks.low[0] : 0;
  const v = t.map((from) => {
    const k = lowerBound(acks.t, from + width) - 1;
    const acked = k < 0 ? before : Math.max(before, acks.low[k]);
    const rate = (8 * (acked - before)) / width;
    before = acked;
    return rate;
  });
  return { t, v };
}

const ALL = { id: "series", title: "Windows, queues, rates", hint: "Sampled values ([probe]), and those that follow from the trace.", height: 280 };

/**
 * A picture of quantities over time. `view.renew(quantities, pinned)` shows others; those of a pinned run are dashed, each in the colour of
 * its like.
 */
export function seriesView(quantities, timeline, { id, title, hint, height } = ALL) {
  if (!quantities.size) return null;
  let names = [...quantities.keys()].sort((a, b) => rank(a) - rank(b));
  let pinned = new Map();
  const state = { quantity: names[0], entity: "", isChosen: false };
  const lines = () => {
    const all = quantities.get(state.quantity) ?? new Map();
    const before = pinned.get(state.quantity);
    if (state.entity === "" && isMany(all)) return bandLines(all, before);
    const some = [...all].filter(([name]) => [name, "", SOME].includes(state.entity)).slice(0, MOST_LINES);
    return some.flatMap(([name, points], k) => [...(before?.has(name) ? [[`${name} (pinned)`, before.get(name), k, true]] : []), [name, points, k, false]]);
  };
  const legend = element("p", { class: "legend" });
  const view = new View({
    id,
    title,
    hint,
    timeline,
    height,
    draw: (context, area, x, window) => draw(context, area, x, window, lines(), unitOf(state.quantity)),
    describe: ({ at }) => describe(lines(), state.quantity, at),
    numbers: (line) => numbers(lines(), state.quantity, line),
  });
  const whom = chooser("Of", [], (value) => {
    state.entity = value;
    renew();
  });
  const renew = () => {
    const all = quantities.get(state.quantity) ?? new Map();
    const some = all.size > MOST_LINES ? `the first ${MOST_LINES} of ${all.size}` : "all";
    const whole = isMany(all) ? [["", `median of ${all.size}`], [SOME, some]] : [["", some]];
    whom.select.replaceChildren(...[...whole, ...[...all.keys()].map((name) => [name, isolated(name)])].map(([value, text]) => element("option", { value, selected: value === state.entity }, text)));
    const own = lines().filter(([, , , isPinned]) => !isPinned);
    const dashed = own.length < lines().length ? [element("span", {}, "dashed: the pinned run")] : [];
    const key = (colour, ...text) => element("span", {}, element("i", { style: `background:${colour}` }), ...text);
    legend.replaceChildren(...own.flatMap(([name, , k, , band]) => [key(colourOf(k), element("bdi", {}, name)), ...(band ? [key(`${colourOf(k)}33`, "10 to 90 %")] : [])]), ...dashed);
    view.refresh();
  };
  const what = chooser("Quantity", [], (value) => {
    Object.assign(state, { quantity: value, entity: "", isChosen: true });
    renew();
  });
  const offer = () => (what.control.hidden = names.length < 2) || what.select.replaceChildren(...names.map((name) => element("option", { value: name, selected: name === state.quantity }, name)));
  view.renew = (fresh, before = new Map()) => {
    [quantities, pinned, names] = [fresh, before, [...fresh.keys()].sort((a, b) => rank(a) - rank(b))];
    if (!state.isChosen || !quantities.has(state.quantity)) state.quantity = names[0];
    if (state.entity !== SOME && !quantities.get(state.quantity)?.has(state.entity)) state.entity = "";
    offer();
    renew();
  };
  const tall = wholeHeight(timeline);
  view.controls.append(what.control, whom.control, tall);
  view.saving.before(legend);
  offer();
  renew();
  return view;
}

const colourOf = (k) => COLOURS[k % COLOURS.length];

/** More flows than curves that can be told apart. */
const isMany = (all) => all.size > MOST_LINES && areFlows(all);

/** A median and a band a class of flows; of a pinned run the median. */
function bandLines(all, before) {
  const [own, pinned] = [bandsOf(all), before?.size ? bandsOf(before) : new Map()];
  return [...own].flatMap(([kind, { name, median, low, high }], k) => {
    const other = pinned.get(kind);
    return [...(other ? [[`${other.name} (pinned)`, other.median, k, true]] : []), [name, median, k, false, { low, high }]];
  });
}

/** The axis has room for the measured time; this button gives it room for the warm-up too. */
function wholeHeight(timeline) {
  const button = element("button", { type: "button", "aria-pressed": "false", class: "whole", title: "Room for the values of the warm-up too", onclick: () => {
    timeline.isWhole = !timeline.isWhole;
    timeline.heard.forEach((told) => told());
  } }, "Whole height");
  const follow = () => {
    button.setAttribute("aria-pressed", String(timeline.isWhole));
    button.hidden = timeline.measuredFrom <= timeline.low;
  };
  timeline.listen(follow);
  follow();
  return button;
}

const rank = (name) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);

/** Heads and rows of the points of a window, as numbers to save. */
function numbers(lines, name, { low, high }) {
  const named = lines.flatMap(([entity, points, , , band]) => [[entity, points], ...(band ? [[`10 % (${entity})`, band.low], [`90 % (${entity})`, band.high]] : [])]);
  const rows = named.flatMap(([entity, { t, v }]) => {
    const found = [];
    for (let k = lowerBound(t, low); k < t.length && t[k] <= high; k++) found.push([t[k], entity, name, v[k]]);
    return found;
  });
  return [["t_s", "entity", "quantity", "value"], rows];
}

const unitOf = (name) => UNITS[name.replace(" (trace)", "")] ?? "1";

function draw(context, area, x, timeline, lines, unit) {
  const y = drawValueAxis(context, area, room(lines, timeline), (value) => quantity(value, unit === "packets" ? "1" : unit));
  within(context, area, () => {
    lines.forEach(([, , k, , band]) => band && drawBand(context, band, { x, y, window: timeline, colour: colourOf(k) }));
    lines.forEach(([, points, k, isPinned]) => drawLine(context, points, x, y, timeline, k, isPinned));
  });
}

/** The values for which an axis has room: those of the measured time, for those of the warm-up are often far greater. */
function room(lines, timeline) {
  const { low, high, measuredFrom, isWhole } = timeline;
  const measured = isWhole || measuredFrom <= low || measuredFrom >= high ? null : range(lines, { low: measuredFrom, high, isFirm: true });
  return padded(measured ?? range(lines, { low, high }) ?? [0, 0]);
}

/** The least and the greatest of a window, zero among them; null where there is none. Not `isFirm`: with the point before it. */
function range(lines, window) {
  let [low, high] = [0, -Infinity];
  for (const points of lines.flatMap(([, one, , , band]) => (band ? [one, band.low, band.high] : [one]))) {
    const from = Math.max(0, lowerBound(points.t, window.low) - (window.isFirm ? 0 : 1));
    const to = lowerBound(points.t, window.high);
    for (let k = from; k < to; k++) {
      if (!Number.isFinite(points.v[k])) continue;
      low = Math.min(low, points.v[k]);
      high = Math.max(high, points.v[k]);
    }
  }
  return high > low ? [low, high] : null;
}

const padded = ([low, high]) => (high > low ? [low, high * 1.05] : [low, low + 1]);

function drawLine(context, points, x, y, timeline, number, isPinned) {
  context.strokeStyle = colourOf(number);
  context.setLineDash(DASHES[isPinned ? 1 : Math.floor(number / COLOURS.length) % DASHES.length]);
  context.lineWidth = 1.5;
  const seen = [Math.max(0, lowerBound(points.t, timeline.low) - 1), Math.min(points.t.length, lowerBound(points.t, timeline.high) + 1)];
  drawCourse(context, seen, { at: (k) => x(points.t[k]), up: (k) => y(points.v[k]), steps: points.steps });
  context.setLineDash([]);
  context.lineWidth = 1;
}

function describe(lines, name, at) {
  const said = lines.slice(0, 4).map(([entity, points, , , band]) => {
    const k = lowerBound(points.t, at) - 1;
    const text = (those) => quantity(those.v[k], unitOf(name));
    return k < 0 ? "" : `${isolated(entity)} ${text(points)}${band ? ` (10 to 90 %: ${text(band.low)} to ${text(band.high)})` : ""}`;
  });
  return `${name}, ${time(at, Math.abs(at) || 1, 8)}: ${said.filter(Boolean).join("; ")}`;
}
