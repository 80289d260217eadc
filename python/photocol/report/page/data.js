// What the page holds: JSON, and columns of numbers as base64 of deflated arrays.

const ARRAYS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array };

/** The JSON of the page. */
export function readPage(text) {
  return JSON.parse(text);
}

/** A column as a typed array; `steps` hold differences of neighbours. */
export async function unpack(column) {
  const array = new ARRAYS[column.type](await inflate(fromBase64(column.data)));
  return column.steps ? summed(array) : array;
}

/** All columns of a table, by name. */
export async function unpackTable(columns) {
  const names = Object.keys(columns);
  const arrays = await Promise.all(names.map((name) => unpack(columns[name])));
  return Object.fromEntries(names.map((name, i) => [name, arrays[i]]));
}

/** Samples in pieces: each entity's quantity with its times and values. */
export async function readSeries(held) {
  if (!held) return [];
  const { t, v } = await unpackTable(held.columns);
  return held.parts.map(({ entity, quantity, from, to }) => ({ entity, quantity, t: t.subarray(from, to), v: v.subarray(from, to) }));
}

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

function summed(steps) {
  const sums = new Float64Array(steps.length);
  let sum = 0;
  for (let i = 0; i < steps.length; i++) sums[i] = sum += steps[i];
  return sums;
}

/** The first place in a sorted array whose value is not below `value`. */
export function lowerBound(array, value, from = 0, to = array.length) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (array[middle] < value) from = middle + 1;
    else to = middle;
  }
  return from;
}
