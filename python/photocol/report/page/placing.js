// Places for names and marks in a picture, so that none covers another. Boxes are [left, top, right, bottom].

const ALONG = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.2, 0.8, 0.15, 0.85];
const AROUND = [[0, -1], [0, 1], [1, 0], [-1, 0], [0.8, -0.8], [-0.8, -0.8], [0.8, 0.8], [-0.8, 0.8]];
const LEAST_MARK = 3;
/** Beside a name, in letters' heights: names of a line would read as one. */
const BESIDE = 0.25;

const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

/** Whether a box meets none of the others. */
function isFree(box, taken) {
  return !taken.some((one) => meet(box, one));
}

/** Where on a line a mark meets nothing: its middle and its radius, which shrinks where there is no room. */
export function marked([x0, y0, x1, y1], radius, taken) {
  for (let r = radius; r >= LEAST_MARK; r -= 1.5) {
    for (const part of ALONG) {
      const [x, y] = [x0 + (x1 - x0) * part, y0 + (y1 - y0) * part];
      if (isFree([x - r, y - r, x + r, y + r], taken)) return [x, y, r];
    }
  }
  return [(x0 + x1) / 2, (y0 + y1) / 2, LEAST_MARK];
}

/** Where a name stands beside its node: over no road if that can be, over nothing else ever; null without room. */
export function labelled(text, [x, y], { radius, size, taken, lines, within }) {
  const [wide, high] = [widthOf(text, size) + 2 * BESIDE * size, size * 1.2];
  let crossing = null;
  for (const far of [3, 12]) {
    for (const [across, down] of AROUND) {
      const middle = [x + across * (radius + far + wide / 2 * (across ? 1 : 0)), y + down * (radius + far + high / 2)];
      const box = [middle[0] - wide / 2, middle[1] - high / 2, middle[0] + wide / 2, middle[1] + high / 2];
      const inside = box[0] >= 0 && box[1] >= 0 && box[2] <= within.width && box[3] <= within.height;
      if (!inside || !isFree(box, taken)) continue;
      const place = { x: middle[0], y: middle[1] + size * 0.36, box };
      if (!lines.some((line) => crosses(line, box))) return place;
      crossing ??= place;
    }
  }
  return crossing;
}

let ruler = null;

function widthOf(text, size) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = `${size}px system-ui, "Segoe UI", sans-serif`;
  return ruler.measureText(text).width;
}

/** Whether a line passes through a box (Liang and Barsky 1984). */
function crosses([x0, y0, x1, y1], [left, top, right, bottom]) {
  let [from, to] = [0, 1];
  const [dx, dy] = [x1 - x0, y1 - y0];
  for (const [p, q] of [[-dx, x0 - left], [dx, right - x0], [-dy, y0 - top], [dy, bottom - y0]]) {
    if (p === 0) {
      if (q < 0) return false;
    } else if (p < 0) from = Math.max(from, q / p);
    else to = Math.min(to, q / p);
  }
  return from <= to;
}
