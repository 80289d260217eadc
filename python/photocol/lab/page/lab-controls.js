// The keys of a scenario as controls: a slider where there is a number, a list where there are words, a field for anything.

import { element } from "./words.js";

const MOST_FOUND = 12;
const POSITIONS = 120;
const SPAN = 32;
const QUANTITY = /^\s*([-+]?[\d_]*\.?\d+(?:e[-+]?\d+)?)\s*(.*)$/i;
const NO_SLIDER = new Set(["run.seed", "run.runs", "run.name"]);

/** All controls; `change(path, value)` is called with a value of JSON, null for none. */
export class Controls {
  constructor({ given, rest, search, change }) {
    Object.assign(this, { given, rest, search, change, all: [], shown: new Map(), bases: new Map() });
    search.addEventListener("input", () => this.find());
  }

  /** Other controls, of a scenario that is right. The one that has the focus keeps it. */
  renew(all) {
    const focused = document.activeElement?.id;
    this.all = all;
    this.shown.clear();
    const groups = new Map();
    for (const one of all.filter((each) => each.value !== null)) {
      if (!groups.has(one.table)) groups.set(one.table, []);
      groups.get(one.table).push(one);
    }
    this.given.replaceChildren(...[...groups].flatMap(([table, keys]) => [element("h3", {}, table), ...keys.map((one) => this.row(one))]));
    this.find();
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  /** A scenario has been opened: sliders have its values in their middle. */
  forget() {
    this.bases.clear();
    this.search.value = "";
  }

  find() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const others = this.all.filter((one) => one.value === null);
    const found = words.length ? others.filter((one) => words.every((word) => `${one.path} ${one.sentence}`.toLowerCase().includes(word))) : [];
    const best = found.sort((a, b) => hits(b, words) - hits(a, words) || b.used - a.used);
    const left = found.length - MOST_FOUND;
    const said = words.length ? (left > 0 ? `${left} more; another word finds fewer.` : found.length ? "" : "No other key of these tables has that.") : `${others.length} other keys have their defaults.`;
    this.rest.replaceChildren(...best.slice(0, MOST_FOUND).map((one) => this.row(one, true)), element("p", { class: "hint" }, said));
  }

  /** A value that came from the text or from another control. */
  set(path, value) {
    this.shown.get(path)?.show(value);
  }

  /** The message of `check` at its key; says whether there is a control for it. */
  complain(key, message) {
    this.forgive();
    const row = this.shown.get(key) ?? this.shown.get([...this.shown.keys()].find((path) => key?.startsWith(`${path}.`)));
    row?.complain(message);
    return Boolean(row);
  }

  forgive() {
    for (const row of this.shown.values()) row.complain("");
  }

  row(one, isLong = false) {
    const id = `key-${one.path}`;
    const says = element("p", { class: "says", id: `${id}-says` }, isLong ? one.sentence.replaceAll("`", "") : brief(one));
    const wrong = element("p", { class: "wrong", id: `${id}-wrong`, hidden: true });
    const made = this.inputs(one, id);
    for (const input of made.inputs) input.setAttribute("aria-describedby", `${id}-says ${id}-wrong`);
    const row = element("div", { class: "key", "data-path": one.path, title: one.sentence },
      element("div", { class: "name" }, element("label", { for: id }, isLong ? one.path : one.key), made.box), made.slider, says, wrong);
    const complain = (message) => {
      wrong.hidden = !message;
      wrong.textContent = message;
      for (const input of made.inputs) input.setAttribute("aria-invalid", message ? "true" : "false");
    };
    this.shown.set(one.path, { show: made.show, complain });
    return row;
  }

  inputs(one, id) {
    const now = one.value ?? one.default;
    if (one.kind === "flag") return this.flag(one, id, now);
    if (one.kind === "word") return this.words(one, id, now);
    const field = element("input", { type: "text", id, class: one.kind === "list" ? "wide" : null, value: written(now), autocomplete: "off", spellcheck: "false" });
    const slider = this.slider(one, now, field);
    field.addEventListener("change", () => this.change(one.path, read(field.value, one)));
    const show = (value) => {
      if (document.activeElement !== field) field.value = written(value);
      slider?.place(value);
    };
    return { box: field, slider: slider?.input ?? null, inputs: [field, slider?.input].filter(Boolean), show };
  }

  flag(one, id, now) {
    const box = element("input", { type: "checkbox", id, onchange: () => this.change(one.path, box.checked) });
    box.checked = now === true;
    return { box, slider: null, inputs: [box], show: (value) => (box.checked = value === true) };
  }

  words(one, id, now) {
    const known = one.words.map(([word]) => word);
    const names = now === null || known.includes(now) ? known : [...known, now];
    const meaning = new Map(one.words);
    const select = element("select", { id, onchange: () => this.change(one.path, select.value) }, now === null ? element("option", { value: "" }, "–") : null,
      ...names.map((word) => element("option", { value: word, title: meaning.get(word) ?? "", selected: word === now }, word)));
    return { box: select, slider: null, inputs: [select], show: (value) => (select.value = value ?? "") };
  }

  /** A slider over a factor of 32 each way from the value that the scenario came with, or over the range if that is narrow. */
  slider(one, now, field) {
    const parsed = parse(now);
    if (!parsed || NO_SLIDER.has(one.path) || !["quantity", "number", "whole"].includes(one.kind)) return null;
    if (!this.bases.has(one.path)) this.bases.set(one.path, parsed);
    const scale = scaleOf(one, this.bases.get(one.path));
    if (!scale) return null;
    const input = element("input", { type: "range", min: 0, max: POSITIONS, step: 1, "aria-label": one.path });
    const place = (value) => {
      const here = parse(value);
      const fits = here && here.unit === scale.unit;
      input.disabled = !fits;
      if (fits) input.value = String(Math.round(scale.position(here.number)));
      input.setAttribute("aria-valuetext", written(value));
    };
    input.addEventListener("input", () => {
      const value = scale.value(Number(input.value));
      field.value = written(value);
      input.setAttribute("aria-valuetext", field.value);
      this.change(one.path, value);
    });
    place(now);
    return { input, place };
  }
}

const hits = (one, words) => words.filter((word) => one.key.toLowerCase().includes(word)).length;

/** The first sentence and the range. */
function brief({ sentence, allowed, kind, value, words }) {
  const meaning = kind === "word" ? words.find(([word]) => word === value)?.[1] : "";
  const first = sentence.split(/(?<=\.) /)[0];
  const range = allowed && !first.includes("Allowed") ? ` Allowed: ${allowed}.` : "";
  return `${first.startsWith("Allowed") ? "" : first}${range}${meaning ? ` ${meaning}` : ""}`.replaceAll("`", "").trim();
}

/** A number and its unit. */
export function parse(value) {
  if (typeof value === "number") return { number: value, unit: "", isText: false };
  const found = typeof value === "string" ? QUANTITY.exec(value) : null;
  return found ? { number: Number(found[1].replaceAll("_", "")), unit: found[2].trim(), isText: true } : null;
}

/** Between positions of a slider and values. */
function scaleOf({ kind, least, most }, { number: base, unit, isText }) {
  const isWhole = kind === "whole" || unit === "packets" || unit === "packet";
  const made = (number) => {
    const bounded = Math.min(Math.max(number, isText ? -Infinity : (least ?? -Infinity)), isText ? Infinity : (most ?? Infinity));
    const round = isWhole ? Math.max(Math.round(bounded), isText ? 1 : -Infinity) : Number(bounded.toPrecision(2));
    const kept = Math.abs(round / base - 1) < 0.01 ? base : round;
    return isText ? `${kept} ${unit}`.trim() : kept;
  };
  const isNarrow = !isText && least !== null && most !== null && (most - least <= SPAN || base <= 0);
  if (isNarrow) {
    return { unit, position: (number) => ((number - least) / (most - least)) * POSITIONS, value: (position) => made(least + (position / POSITIONS) * (most - least)) };
  }
  if (!(base > 0)) return null;
  const half = POSITIONS / 2;
  return { unit, position: (number) => half + (half * Math.log(number / base)) / Math.log(SPAN), value: (position) => made(base * SPAN ** ((position - half) / half)) };
}

/** A value as a field has it. */
export function written(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What a field says: a number where the key takes one, else a text; lists are written as such. */
function read(text, one) {
  const plain = text.trim();
  if (plain === "") return null;
  if (one.kind === "text") return plain;
  if (/^[-+]?[\d.]+(e[-+]?\d+)?$/i.test(plain) && typeof (one.value ?? one.default) !== "string") return Number(plain);
  if (one.kind === "whole" || one.kind === "number") return Number.isFinite(Number(plain)) ? Number(plain) : plain;
  try {
    return JSON.parse(plain);
  } catch {
    return plain;
  }
}
