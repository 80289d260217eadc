// A picture as SVG and its numbers as CSV, for a paper or another program.

import { element } from "./words.js";

/** Buttons that save what a picture shows now; `svg` and `csv` give the texts. */
export function saveButtons(name, { svg, csv }) {
  const button = (label, ending, type, text, what) => element("button", { type: "button", "data-saves": ending, "aria-label": `Save ${what} of ${name}`, onclick: () => save(`${name}.${ending}`, type, text()) }, label);
  return element("p", { class: "save" }, "Save ", button("SVG", "svg", "image/svg+xml", svg, "the picture"), " ", button("CSV", "csv", "text/csv", csv, "the numbers"));
}

function save(name, type, text) {
  const place = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: place, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(place), 1000);
}

/** Rows as RFC 4180 has them; what no number can be is empty. */
export function csvText(heads, rows) {
  const cell = (value) => {
    if (value === null || value === undefined || Number.isNaN(value)) return "";
    const text = String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [heads, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

/** An SVG element of the page as a file of its own. */
export function standalone(svg, { width, height }) {
  const copy = svg.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.setAttribute("font-family", "system-ui, sans-serif");
  return new XMLSerializer().serializeToString(copy);
}

const escaped = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;").replace(/[\u2068\u2069]/g, "");
const ANCHORS = { left: "start", center: "middle", right: "end" };
const near = (value) => Math.round(value * 100) / 100;

/** What stands in for a canvas: the same calls, and an SVG of them. */
export class SvgContext {
  constructor(width, height) {
    Object.assign(this, { width, height, parts: [], path: [], dash: [], clips: 0, open: 0, lineWidth: 1, fillStyle: "#000", strokeStyle: "#000", textAlign: "left" });
  }

  beginPath() {
    this.path = [];
  }

  moveTo(x, y) {
    this.path.push(`M${near(x)} ${near(y)}`);
  }

  lineTo(x, y) {
    this.path.push(`L${near(x)} ${near(y)}`);
  }

  rect(x, y, wide, high) {
    this.path.push(`M${near(x)} ${near(y)}h${near(wide)}v${near(high)}h${near(-wide)}z`);
  }

  stroke() {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    if (this.path.length) this.parts.push(`<path d="${this.path.join("")}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"${dash}/>`);
  }

  /** A colour with two digits more is as opaque as they say. */
  fill() {
    const opacity = this.fillStyle.length === 9 ? ` fill-opacity="${near(parseInt(this.fillStyle.slice(7), 16) / 255)}"` : "";
    if (this.path.length) this.parts.push(`<path d="${this.path.join("")}" fill="${this.fillStyle.slice(0, 7)}"${opacity}/>`);
  }

  fillRect(x, y, wide, high) {
    this.parts.push(`<rect x="${near(x)}" y="${near(y)}" width="${near(wide)}" height="${near(high)}" fill="${this.fillStyle}"/>`);
  }

  strokeRect(x, y, wide, high) {
    this.parts.push(`<rect x="${near(x)}" y="${near(y)}" width="${near(wide)}" height="${near(high)}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"/>`);
  }

  fillText(text, x, y) {
    this.parts.push(`<text x="${near(x)}" y="${near(y)}" fill="${this.fillStyle}" text-anchor="${ANCHORS[this.textAlign] ?? "start"}">${escaped(text)}</text>`);
  }

  setLineDash(dash) {
    this.dash = dash;
  }

  save() {
    this.open++;
    this.parts.push("<g>");
  }

  clip() {
    const name = `clip${this.clips++}`;
    this.parts.push(`<clipPath id="${name}"><path d="${this.path.join("")}"/></clipPath><g clip-path="url(#${name})">`);
    this.open++;
  }

  restore() {
    for (; this.open > 0; this.open--) this.parts.push("</g>");
  }

  text() {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}" font-family="system-ui, sans-serif" font-size="12">${this.parts.join("")}</svg>\n`;
  }
}
