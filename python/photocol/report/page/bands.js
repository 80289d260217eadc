// Of many curves what they have together at each time: the median, and between which values eight tenths of them lie.

import { lowerBound } from "./data.js";

const [LOW, MIDDLE, HIGH] = [0.1, 0.5, 0.9];
const MOST_CLASSES = 4;
const LEAST_TIMES = 200;
const MOST_VALUES = 400_000;
const FLOW = /^flow \d+(?:[:,] (.*))?$/;
const known = new WeakMap();

/** Whether all of these are flows, whose number says nothing of which of them matter; the first links are those with most. */
export function areFlows(all) {
  return [...all.keys()].every((name) => FLOW.test(name));
}

/** Entity → points as class → `{ name, median, low, high }`; made once. Of too many classes all are one. */
export function bandsOf(all) {
  if (!known.has(all)) known.set(all, made(all));
  return known.get(all);
}

function made(all) {
  const classes = new Map();
  for (const [name, points] of all) {
    const kind = FLOW.exec(name)?.[1] ?? "";
    if (!classes.has(kind)) classes.set(kind, []);
    classes.get(kind).push(points);
  }
  const parts = classes.size <= MOST_CLASSES ? [...classes] : [["", [...all.values()]]];
  return new Map(parts.map(([kind, points]) => [kind, { name: `${kind ? `${kind}: ` : ""}median of ${points.length}`, ...bandOf(points) }]));
}

/** At each time of those that have begun and not ended: their last sample by then. */
function bandOf(all) {
  const t = timesOf(all);
  const [low, median, high] = [0, 0, 0].map(() => new Float64Array(t.length));
  const places = all.map(() => 0);
  t.forEach((at, k) => {
    const values = [];
    all.forEach((points, number) => {
      const last = points.t.length - 1;
      while (places[number] < last && points.t[places[number] + 1] <= at) places[number]++;
      const value = points.v[places[number]];
      if (last >= 0 && points.t[0] <= at && at <= points.t[last] && Number.isFinite(value)) values.push(value);
    });
    values.sort((a, b) => a - b);
    [low[k], median[k], high[k]] = [LOW, MIDDLE, HIGH].map((share) => (values.length ? values[Math.ceil(values.length * share) - 1] : NaN));
  });
  return { median: { t, v: median }, low: { t, v: low }, high: { t, v: high } };
}

/** All times at which one of them has a sample, or of very many some. */
function timesOf(all) {
  const every = new Set();
  for (const { t } of all) for (const at of t) every.add(at);
  const times = Float64Array.from(every).sort();
  const most = Math.max(LEAST_TIMES, Math.floor(MOST_VALUES / all.length));
  if (times.length <= most) return times;
  return Float64Array.from({ length: most }, (_, k) => times[Math.round((k * (times.length - 1)) / (most - 1))]);
}

/** The area between the two, in a window of time. */
export function drawBand(context, { low, high }, { x, y, window, colour }) {
  const [from, to] = [Math.max(0, lowerBound(low.t, window.low) - 1), Math.min(low.t.length, lowerBound(low.t, window.high) + 1)];
  const there = [];
  for (let k = from; k < to; k++) if (Number.isFinite(low.v[k])) there.push(k);
  if (!there.length) return;
  context.beginPath();
  there.forEach((k, first) => (first ? context.lineTo(x(low.t[k]), y(high.v[k])) : context.moveTo(x(low.t[k]), y(high.v[k]))));
  there.reverse().forEach((k) => context.lineTo(x(low.t[k]), y(low.v[k])));
  context.fillStyle = `${colour}33`;
  context.fill();
}
