// The circuits that are up at a time: of a schedule that comes again, or as a policy has set them.

import { COLOURS, element, isolated } from "./words.js";

/** The circuits at `at`, each with the names of its ends and the number of its switch. */
export function circuitsAt(lit, turns, at) {
  if (!lit) return [];
  return lit.holds ? ofSchedule(lit, at) : ofPolicy(lit, turns, at);
}

function ofSchedule({ period_s: period, racks, holds }, at) {
  const within = at % period;
  const isUp = ([, begins, lasts]) => (within >= begins && within < begins + lasts) || within + period < begins + lasts;
  return holds.filter(isUp).flatMap(([number, , , to]) => to.flatMap((far, near) => (far >= 0 && far !== near && far < racks.length ? [{ from: racks[near], to: racks[far], number }] : [])));
}

function ofPolicy({ switches }, turns, at) {
  const up = turns.filter(([, , , begin, end]) => begin <= at && (end === null || end > at));
  return up.map(([name, from, to]) => ({ from, to, number: switches.indexOf(name) }));
}

/** The colours of the switches, and which of them has none of these circuits. */
export function switchKeys({ switches }, up) {
  const own = new Set(up.map((one) => one.number));
  return switches.map((name, k) => element("span", {}, element("i", { style: `background:${COLOURS[k % COLOURS.length]}` }), `${isolated(name)}${own.has(k) ? "" : " (dark)"}`));
}
