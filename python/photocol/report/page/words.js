// Numbers and times as people read them, colours, and elements.

// Okabe and Ito, with violet for their yellow, which white swallows: told apart by people who see fewer colours, too.
export const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#5b3f8c", "#000000"];
export const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3]];
export const LOST = "#c00000";

const PREFIXES = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
const TIMES = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"], [1e-12, "ps"]];

/** At most `digits` significant digits, no zeros behind. */
export function short(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return "∞";
  if (value === 0) return "0";
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  if (exponent < -4 || exponent >= 15) return value.toExponential(digits - 1);
  const text = value.toFixed(Math.max(0, digits - 1 - exponent));
  const trimmed = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  return trimmed.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, " ");
}

/** With a unit: 97.3 Mb/s, 1.2 GB, 0.31. */
export function quantity(value, unit, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (unit === "s") return time(value, value, digits);
  if (unit === "1" || unit === "") return short(value, Number.isInteger(value) ? 15 : digits);
  const plain = { bps: "b/s", B: "B", bits: "bit" }[unit];
  if (!plain) return `${short(value, digits)} ${unit}`;
  const [factor, prefix] = PREFIXES.find(([factor]) => Math.abs(value) >= factor) ?? [1, ""];
  return `${short(value / factor, digits)} ${prefix}${plain}`;
}

/** A time in seconds with the unit that fits it, or one that fits `scale`. */
export function time(seconds, scale = seconds, digits = 4) {
  if (seconds === 0) return "0 s";
  const [factor, unit] = TIMES.find(([factor]) => Math.abs(scale) >= factor * 0.9999) ?? TIMES.at(-1);
  return `${short(seconds / factor, digits)} ${unit}`;
}

/** Steps of 1, 2 or 5 times a power of ten: about `count` of them between two numbers. */
export function ticks(low, high, count) {
  const rough = (high - low) / Math.max(1, count);
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => power * factor >= rough);
  const marks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) marks.push(k * step);
  return marks;
}

/** A name of the user's, kept apart from the direction of the text around it. */
export function isolated(name) {
  return `\u2068${name}\u2069`;
}

/** An element with attributes and children; text is only ever text. */
export function element(tag, attributes = {}, ...children) {
  const svg = ["svg", "g", "line", "circle", "text", "title", "path"].includes(tag);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** A list to choose from, with its label. */
export function chooser(label, options, change) {
  const select = element("select", { onchange: () => change(select.value) });
  for (const [value, text] of options) select.append(element("option", { value }, text));
  return { control: element("label", { class: "control" }, `${label} `, select), select };
}
