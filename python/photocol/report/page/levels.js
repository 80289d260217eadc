// Levels of detail of the rows of a trace: shares, owners and losses in equal parts of the time, as the page holds them.

import { unpackTable } from "./data.js";

const WHOLE = 65535;
const MISSED = 0x80;

export class Levels {
  static async read(held) {
    const levels = await Promise.all(held.levels.map(async ({ parts, columns }) => ({ parts, ...(await unpackTable(columns)) })));
    return new Levels(held, levels);
  }

  /** `levels`: the finest first. */
  constructor({ until_s: until, rows }, levels) {
    Object.assign(this, { until, rows, levels });
    this.finest = levels[0];
  }

  /** The coarsest level whose parts are no longer than this; null where all are longer. */
  fitting(seconds) {
    return this.levels.findLast(({ parts }) => this.until / parts <= seconds) ?? null;
  }

  /** The share of a span of time that is taken in a row. */
  share(row, from, to) {
    const { parts, share } = this.finest;
    const width = this.until / parts;
    let sum = 0;
    for (let part = Math.max(0, Math.floor(from / width)); part < parts && part * width < to; part++) {
      sum += share[row * parts + part] * (Math.min(to, (part + 1) * width) - Math.max(from, part * width));
    }
    return sum / (to - from) / WHOLE;
  }

  /**
   * What each column of pixels of a row shows: calls `draw(pixel, share, place, lost)`, where the place is that of the first part that is
   * taken, or -1. `time` gives the time at the left edge of a column.
   */
  eachPixel(level, row, [left, right], time, draw) {
    const { parts, share, lost } = level;
    const width = this.until / parts;
    let from = Math.floor(time(left) / width);
    for (let pixel = left; pixel < right; pixel++) {
      const next = Math.floor(time(pixel + 1) / width);
      const [low, high] = [row * parts + Math.max(0, from), row * parts + Math.min(parts, Math.max(from + 1, next))];
      from = next;
      let [sum, gone, place] = [0, 0, -1];
      for (let part = low; part < high; part++) {
        sum += share[part];
        gone += lost[part];
        if (place < 0 && share[part] > 0) place = part;
      }
      if (place >= 0 || gone > 0) draw(pixel, sum / (high - low) / WHOLE, place, gone);
    }
  }
}

/** Whose a part is: its flow or -1, its class, and whether it is a slot that misses its switch. */
export function ownerOf(level, place) {
  const said = level.class[place];
  return { flow: level.flow[place] - 1, kind: (said & ~MISSED) - 1, missed: (said & MISSED) !== 0 };
}
