// The events of a run, sorted into what pictures need: bars a row, points a flow, lines a link.

import { unpackTable } from "./data.js";

const PICO = 1e-12;

/** The trace of a page: columns, and the words that their numbers mean. */
export class Trace {
  static async read(held) {
    return new Trace(await unpackTable(held.columns), held.words);
  }

  constructor(columns, words) {
    this.columns = columns;
    this.words = words;
    this.count = columns.t.length;
    this.what = Object.fromEntries(words.event.map((name, number) => [name, number]));
  }

  /** When event `i` happens, its first bit leaves, its last bit leaves, and its last bit arrives, in seconds. */
  at(i) {
    return this.columns.t[i] * PICO;
  }

  begins(i) {
    return (this.columns.t[i] + this.columns.wait[i]) * PICO;
  }

  ends(i) {
    return (this.columns.t[i] + this.columns.wait[i] + this.columns.lasts[i]) * PICO;
  }

  arrives(i) {
    return this.ends(i) + this.columns.flight[i] * PICO;
  }

  placeOf(i) {
    return this.words.place[this.columns.place[i]];
  }

  classOf(i) {
    return this.words.class[this.columns.class[i]];
  }

  causeOf(i) {
    return this.words.cause[this.columns.cause[i]] ?? "";
  }

  flowOf(i) {
    const flow = this.columns.flow[i];
    return flow === 0xffffffff ? null : flow;
  }

  /** Places of events with one of these names. */
  *named(...names) {
    const wanted = new Set(names.map((name) => this.what[name]));
    const events = this.columns.event;
    for (let i = 0; i < this.count; i++) if (wanted.has(events[i])) yield i;
  }

  /** A sentence about an event. */
  sentence(i) {
    const flow = this.flowOf(i);
    const cause = this.causeOf(i);
    const parts = [this.words.event[this.columns.event[i]], this.classOf(i), flow === null ? "" : `flow ${flow}`];
    parts.push(`${this.columns.bytes[i]} B`, `number ${this.columns.unit[i]}`, cause ? `cause: ${cause}` : "");
    return parts.filter(Boolean).join(", ");
  }
}

/** Bars of rows: each row has its events sorted by their beginning, with the time that all before them take. */
export function barsByRow(trace, events, keyOf) {
  const lists = new Map();
  for (const i of events) {
    const key = keyOf(i);
    if (!lists.has(key)) lists.set(key, []);
    lists.get(key).push(i);
  }
  return new Map([...lists].map(([key, list]) => [key, new Bars(trace, list)]));
}

export class Bars {
  constructor(trace, list) {
    const begins = Float64Array.from(list, (i) => trace.begins(i));
    const order = Uint32Array.from(list.keys()).sort((a, b) => begins[a] - begins[b]);
    this.events = Uint32Array.from(order, (k) => list[k]);
    this.begins = Float64Array.from(order, (k) => begins[k]);
    this.ends = Float64Array.from(this.events, (i) => trace.ends(i));
    this.before = new Float64Array(this.events.length + 1);
    for (let k = 0; k < this.events.length; k++) this.before[k + 1] = this.before[k] + (this.ends[k] - this.begins[k]);
  }

  get count() {
    return this.events.length;
  }

  /** How much of the bars that begin from place `from` to `to` there is, in seconds. */
  taken(from, to) {
    return this.before[to] - this.before[from];
  }
}

/** Waiting packets at a link over time: a step at each change. */
export function queueOf(trace, place) {
  const changes = [];
  for (const i of trace.named("pass")) {
    if (trace.columns.place[i] !== place || trace.columns.wait[i] === 0) continue;
    changes.push([trace.at(i), 1], [trace.begins(i), -1]);
  }
  changes.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let waiting = 0;
  return { t: Float64Array.from(changes, ([t]) => t), v: Float64Array.from(changes, ([, step]) => (waiting += step)), steps: true };
}

/** The share of the time that a link, or a channel of it, sends, in `bins` parts of the trace. */
export function utilizations(trace, places, bins, [begin, end]) {
  const shares = Array.from({ length: places }, () => new Float32Array(bins));
  const width = (end - begin) / bins;
  const isBurst = new Set();
  for (const i of trace.named("reserve")) isBurst.add(trace.columns.place[i]);
  const channels = new Map();
  for (const i of trace.named("reserve")) {
    const place = trace.columns.place[i];
    channels.set(place, Math.max(channels.get(place) ?? 1, trace.columns.channel[i] + 1));
  }
  for (const i of trace.named("pass", "reserve")) {
    const place = trace.columns.place[i];
    const burst = trace.columns.event[i] === trace.what.burst;
    if (isBurst.has(place) !== burst) continue;
    spread(shares[place], trace.begins(i) - begin, trace.ends(i) - begin, width, 1 / (channels.get(place) ?? 1));
  }
  return shares;
}

function spread(bins, from, to, width, weight) {
  for (let bin = Math.max(0, Math.floor(from / width)); bin < bins.length && bin * width < to; bin++) {
    bins[bin] += ((Math.min(to, (bin + 1) * width) - Math.max(from, bin * width)) / width) * weight;
  }
}
