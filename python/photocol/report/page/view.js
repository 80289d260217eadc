// A picture on a canvas with a window of time that can be moved by mouse, touch and keys. All pictures share one window.

import { SvgContext, csvText, saveButtons } from "./save.js";
import { element, ticks, time } from "./words.js";

const MARGIN = { left: 74, right: 12, top: 8, bottom: 26 };
const NARROW = 60;
const LEAST = 1e-11;
const WARM_UP = "#f1f1ee";
const DAY = "#fdf0c8";
/** Days that are closer than so many pixels are a grey wash, so they are not drawn. */
const LEAST_PERIOD = 3;

/**
 * The window of time, in seconds, and who is told of its changes. With `isWhole` axes of values have room for the warm-up too. `days` are
 * times that come again, `[from, to]` each within a period, which are shaded.
 */
export class Timeline {
  constructor(begin, end, measuredFrom = begin) {
    Object.assign(this, { begin, end, measuredFrom, low: begin, high: end, heard: [], isWhole: false, days: null });
  }

  listen(told) {
    this.heard.push(told);
  }

  show(low, high) {
    const span = Math.min(Math.max(high - low, LEAST), this.end - this.begin);
    this.low = Math.min(Math.max(low, this.begin), this.end - span);
    this.high = this.low + span;
    this.heard.forEach((told) => told());
  }

  zoom(factor, at = (this.low + this.high) / 2) {
    this.show(at - (at - this.low) * factor, at + (this.high - at) * factor);
  }

  pan(part) {
    const shift = part * (this.high - this.low);
    this.show(this.low + shift, this.high + shift);
  }

  all() {
    this.show(this.begin, this.end);
  }
}

const KEYS = {
  ArrowLeft: (line) => line.pan(-0.2),
  ArrowRight: (line) => line.pan(0.2),
  "+": (line) => line.zoom(0.5),
  "=": (line) => line.zoom(0.5),
  "-": (line) => line.zoom(2),
  Home: (line) => line.all(),
  0: (line) => line.all(),
};

/** A figure: canvas, a line that says what is under the pointer, and room for controls. */
export class View {
  constructor({ id, title, hint, timeline, height, draw, describe, numbers }) {
    Object.assign(this, { timeline, draw, describe, height });
    this.canvas = element("canvas", { tabindex: 0, role: "img", "aria-label": `${title}. ${hint}`, id: `${id}-canvas` });
    this.reading = element("p", { class: "reading", role: "status", "aria-live": "polite" });
    this.note = element("p", { class: "hint drawn" });
    this.controls = element("div", { class: "controls" });
    this.saving = saveButtons(id, { svg: () => this.svg(), csv: () => csvText(...numbers(timeline)) });
    this.figure = element("section", { id, class: "view", "aria-labelledby": `${id}-title` },
      element("h2", { id: `${id}-title` }, title), element("p", { class: "hint" }, hint), this.controls, this.canvas, this.note, this.reading, this.saving);
    this.listen();
  }

  listen() {
    this.timeline.listen(() => this.refresh());
    new ResizeObserver(() => this.refresh()).observe(this.canvas);
    this.canvas.addEventListener("keydown", (event) => this.press(event));
    this.canvas.addEventListener("wheel", (event) => this.roll(event), { passive: false });
    this.canvas.addEventListener("dblclick", () => this.timeline.all());
    this.follow();
  }

  press(event) {
    const act = KEYS[event.key];
    if (!act || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act(this.timeline);
  }

  /** With a modifier or on a canvas that has the focus the wheel zooms; else the page scrolls. */
  roll(event) {
    if (!event.ctrlKey && document.activeElement !== this.canvas) return;
    event.preventDefault();
    this.timeline.zoom(2 ** (event.deltaY / 300), this.timeAt(event.offsetX));
  }

  /** Pointers: one moves the window, two change its length. */
  follow() {
    const down = new Map();
    const spread = () => {
      const [a, b] = [...down.values()];
      return { middle: (a + b) / 2, wide: Math.max(10, Math.abs(a - b)) };
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      down.set(event.pointerId, event.offsetX);
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!down.has(event.pointerId)) return this.point(event.offsetX, event.offsetY);
      const before = down.size === 2 ? spread() : null;
      const moved = event.offsetX - down.get(event.pointerId);
      down.set(event.pointerId, event.offsetX);
      if (before) this.timeline.zoom(before.wide / spread().wide, this.timeAt(spread().middle));
      else this.timeline.pan(-moved / this.area().wide);
    });
    const up = (event) => down.delete(event.pointerId);
    ["pointerup", "pointercancel"].forEach((name) => this.canvas.addEventListener(name, up));
  }

  point(x, y) {
    const area = this.area();
    const reach = (4 / area.wide) * (this.timeline.high - this.timeline.low);
    const text = this.describe?.({ at: this.timeAt(x), reach, y, area });
    if (text) this.reading.textContent = text;
  }

  /** Where the picture is within the canvas, in pixels of the page. */
  area() {
    const width = this.canvas.clientWidth || 600;
    const left = width < 500 ? NARROW : MARGIN.left;
    const height = typeof this.height === "function" ? this.height() : this.height;
    return { left, top: MARGIN.top, wide: width - left - MARGIN.right, high: height - MARGIN.top - MARGIN.bottom, width, height };
  }

  timeAt(x) {
    const { left, wide } = this.area();
    return this.timeline.low + ((x - left) / wide) * (this.timeline.high - this.timeline.low);
  }

  /** From time to pixels. */
  scale() {
    const { left, wide } = this.area();
    const { low, high } = this.timeline;
    return (seconds) => left + ((seconds - low) / (high - low)) * wide;
  }

  refresh() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  paint(density = window.devicePixelRatio || 1) {
    const area = this.area();
    this.canvas.style.height = `${area.height}px`;
    if (this.canvas.width !== Math.round(area.width * density)) this.canvas.width = Math.round(area.width * density);
    if (this.canvas.height !== Math.round(area.height * density)) this.canvas.height = Math.round(area.height * density);
    const context = this.canvas.getContext("2d");
    context.setTransform(density, 0, 0, density, 0, 0);
    context.font = "12px system-ui, sans-serif";
    const note = this.render(context, area);
    if (this.note.textContent !== note) this.note.textContent = note;
  }

  /** On a canvas, or on what stands in for one. */
  render(context, area) {
    context.fillStyle = "#fff";
    context.fillRect(0, 0, area.width, area.height);
    drawTimeAxis(context, area, this.timeline, this.scale());
    return this.draw(context, area, this.scale(), this.timeline) || "";
  }

  /** The picture as it is seen now. */
  svg() {
    const area = this.area();
    const context = new SvgContext(area.width, area.height);
    this.render(context, area);
    return context.text();
  }
}

function drawTimeAxis(context, area, { low, high, measuredFrom, mark, days }, x) {
  if (measuredFrom > low) {
    context.fillStyle = WARM_UP;
    context.fillRect(area.left, area.top, x(Math.min(measuredFrom, high)) - area.left, area.high);
  }
  drawDays(context, area, { low, high, days }, x);
  const marks = ticks(low, high, area.wide / 110);
  const step = marks.length > 1 ? marks[1] - marks[0] : high - low;
  const digits = Math.max(3, Math.min(12, Math.ceil(Math.log10(Math.max(Math.abs(high), step) / step)) + 2));
  context.strokeStyle = "#ddd";
  context.fillStyle = "#333";
  context.textAlign = "center";
  context.lineWidth = 1;
  for (const tick of marks) {
    const at = Math.round(x(tick)) + 0.5;
    line(context, at, area.top, at, area.top + area.high);
    context.fillText(time(tick, high, digits), Math.min(Math.max(at, area.left), area.width - 28), area.top + area.high + 16);
  }
  drawMark(context, area, mark, x);
  context.strokeStyle = "#888";
  line(context, area.left, area.top + area.high + 0.5, area.left + area.wide, area.top + area.high + 0.5);
}

function drawDays(context, area, { low, high, days }, x) {
  if (!days || x(low + days.period_s) - x(low) < LEAST_PERIOD) return;
  context.fillStyle = DAY;
  const first = Math.max(0, Math.floor((low - days.offset_s) / days.period_s));
  for (let begin = days.offset_s + first * days.period_s; begin < high; begin += days.period_s) {
    for (const [from, to] of days.days) {
      const [left, right] = [Math.max(x(begin + from), area.left), Math.min(x(begin + to), area.left + area.wide)];
      if (right > left) context.fillRect(left, area.top, Math.max(1, right - left), area.high);
    }
  }
}

/** The moment that is looked at elsewhere, if there is one. */
function drawMark(context, area, mark, x) {
  if (mark === undefined || mark === null) return;
  const at = Math.round(x(mark)) + 0.5;
  if (at < area.left || at > area.left + area.wide) return;
  context.strokeStyle = "#1c1f23";
  context.setLineDash([3, 3]);
  line(context, at, area.top, at, area.top + area.high);
  context.setLineDash([]);
}

export function line(context, x0, y0, x1, y1) {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

/** The axis of values: gives the scale from value to pixel. */
export function drawValueAxis(context, area, [low, high], format) {
  const span = high > low ? high - low : Math.abs(high) || 1;
  const y = (value) => area.top + area.high - ((value - low) / span) * area.high;
  context.fillStyle = "#333";
  context.strokeStyle = "#eee";
  context.textAlign = "right";
  for (const mark of ticks(low, low + span, area.high / 40)) {
    line(context, area.left, Math.round(y(mark)) + 0.5, area.left + area.wide, Math.round(y(mark)) + 0.5);
    context.fillText(format(mark), area.left - 4, y(mark) + 4);
  }
  return y;
}

/** Draws only within the picture. */
export function within(context, area, draw) {
  context.save();
  context.beginPath();
  context.rect(area.left, area.top, area.wide, area.high);
  context.clip();
  draw();
  context.restore();
}

/** A line through points: `at(k)` and `up(k)` in pixels. In a column of pixels with many it goes to the least and the greatest of them. */
export function drawCourse(context, [from, to], { at, up, steps }) {
  context.beginPath();
  let [column, low, high, last] = [null, 0, 0, null];
  const flush = () => {
    context.lineTo(column, low);
    if (high !== low) context.lineTo(column, high);
    if (last !== high) context.lineTo(column, last);
  };
  for (let k = from; k < to; k++) {
    const height = up(k);
    if (!Number.isFinite(height)) continue;
    const place = Math.round(at(k) * 2) / 2;
    if (place === column) {
      [low, high] = [Math.max(low, height), Math.min(high, height)];
    } else {
      if (column === null) context.moveTo(place, height);
      else flush();
      if (steps && column !== null) context.lineTo(place, last);
      [column, low, high] = [place, height, height];
    }
    last = height;
  }
  if (column !== null) flush();
  context.stroke();
}
