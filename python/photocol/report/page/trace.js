// The events of a run, sorted into what pictures need: bars a row, points a flow, lines a link.

import { unpackTable } from "./data.js";
import { Levels } from "./levels.js";

const PICO = 1e-12;

/** The trace of a page: columns, and the words that their numbers mean. */
export class Trace {
  static async read(held) {
    const [columns, levels] = await Promise.all([unpackTable(held.columns), Levels.read(held.levels)]);
    return new Trace(columns, held.words, { levels, whole: held.cut_s ?? Infinity });
  }

  /** `levels` are of the whole trace; all events before `whole` are here. */
  constructor(columns, words, { levels, whole }) {
    Object.assign(this, { columns, words, levels, whole });
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

const HEADS = ["t_s", "event", "place", "class", "flow", "unit", "bytes", "begins_s", "ends_s", "cause"];

/** Heads and rows of the events that happen in a window of time and that `keep` keeps, as numbers to save. */
export function eventNumbers(trace, { low, high }, keep) {
  const rows = [];
  for (let i = 0; i < trace.count; i++) {
    if (trace.ends(i) < low || trace.at(i) > high || !keep(i)) continue;
    const event = trace.words.event[trace.columns.event[i]];
    rows.push([trace.at(i), event, trace.placeOf(i), trace.classOf(i), trace.flowOf(i), trace.columns.unit[i], trace.columns.bytes[i], trace.begins(i), trace.ends(i), trace.causeOf(i)]);
  }
  return [HEADS, rows];
}

/** The events of rows: places in the trace by `keyOf`, a number, in their order. */
export function eventsBy(trace, names, keyOf) {
  const lists = new Map();
  for (const i of trace.named(...names)) {
    const key = keyOf(i);
    const list = lists.get(key);
    if (list) list.push(i);
    else lists.set(key, [i]);
  }
  return lists;
}

/** Bars sorted by their beginning, with the time that all before them take. */
export class Bars {
  constructor(trace, list) {
    const count = list.length;
    this.events = Uint32Array.from(list);
    let isSorted = true;
    for (let k = 1; k < count && isSorted; k++) isSorted = trace.begins(list[k - 1]) <= trace.begins(list[k]);
    if (!isSorted) this.events.sort((a, b) => trace.begins(a) - trace.begins(b) || a - b);
    Object.assign(this, { begins: new Float64Array(count), ends: new Float64Array(count), before: new Float64Array(count + 1) });
    for (let k = 0; k < count; k++) {
      this.begins[k] = trace.begins(this.events[k]);
      this.ends[k] = trace.ends(this.events[k]);
      this.before[k + 1] = this.before[k] + (this.ends[k] - this.begins[k]);
    }
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
  const { columns } = trace;
  const waited = [...trace.named("pass")].filter((i) => columns.place[i] === place && columns.wait[i] > 0);
  const came = Float64Array.from(waited, (i) => trace.at(i)).sort();
  const went = Float64Array.from(waited, (i) => trace.begins(i)).sort();
  const [t, v] = [new Float64Array(2 * came.length), new Float64Array(2 * came.length)];
  for (let k = 0, c = 0, w = 0; k < t.length; k++) {
    // One that goes makes room before the next comes.
    t[k] = w < went.length && (c === came.length || went[w] <= came[c]) ? went[w++] : came[c++];
    v[k] = c - w;
  }
  return { t, v };
}
