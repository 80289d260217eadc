// The page of a run or a campaign, from the JSON and the columns that it holds.

import { circuitsView, windowOf } from "./circuits.js";
import { readPage, readSeries } from "./data.js";
import { ganttView } from "./gantt.js";
import { globeSection } from "./globe.js";
import { sampled, seriesView, traced } from "./series.js";
import { sequenceView } from "./sequence.js";
import { spaceView } from "./space.js";
import { summarySection } from "./summary.js";
import { tableSection } from "./tables.js";
import { BINS, topologySection } from "./topology.js";
import { Trace } from "./trace.js";
import { Timeline } from "./view.js";
import { element } from "./words.js";

const BEHIND = 1.05;
const OF_WHOM = { paper: "Claims of the paper", ours: "Our own expectations" };
const VERDICTS = { agrees: "✓", "agrees in shape": "◐", "cannot be told": "?", disagrees: "✗" };

async function show() {
  const page = readPage(document.getElementById("page").textContent);
  const room = document.getElementById("room");
  document.title = `${page.name} – photocol`;
  room.append(header(page));
  const views = page.kind === "run" ? await runSections(page, room) : campaignSections(page, room);
  room.append(...parameters(page));
  contents(room);
  printable(views);
  window.photocol = { page, views };
  document.body.dataset.ready = "yes";
}

function header(page) {
  return element("header", {},
    element("h1", {}, element("bdi", {}, page.name)),
    element("p", { class: "hint" }, page.subtitle),
    page.note ? element("p", { class: "note", id: "trace-note" }, page.note) : null,
    element("nav", { "aria-label": "On this page", id: "contents" }));
}

async function runSections(page, room) {
  const trace = page.trace ? await Trace.read(page.trace) : null;
  const series = await readSeries(page.series);
  const timeline = new Timeline(0, page.duration_s, page.measured_from_s);
  room.append(summarySection(page.summary));
  const span = { begin: page.trace?.from_s ?? 0, end: page.duration_s };
  // Circuits are set for work, and the network is shown until that is done.
  const worked = page.circuits?.until_s > span.begin ? { ...span, end: page.circuits.until_s } : span;
  const shares = page.network && sharesOver(page, trace, series, worked);
  if (page.network) room.append(topologySection(page.network, worked, shares, page.circuits));
  const globe = globeSection(page.globe, page.duration_s);
  if (globe) room.append(globe);
  const views = [];
  const add = (view) => view && (views.push(view), room.append(view.figure));
  const sequence = trace && sequenceView(trace, timeline);
  const quantities = new Map([...sampled(series), ...(trace ? traced(trace, sequence?.flows, span) : [])]);
  add(seriesView(quantities, timeline));
  const cycles = windowOf(page.circuits, timeline);
  add(circuitsView(page.circuits, cycles, cycles !== timeline));
  if (trace) add(ganttView(trace, timeline));
  add(sequence);
  if (trace) add(spaceView(trace, new Map(page.network.links.map((link) => [link.name, link])), timeline));
  for (const table of page.tables) room.append(tableSection({ ...table, open: table.open ?? false }));
  timeline.all();
  if (page.circuits?.until_s) timeline.show(0, Math.min(page.duration_s, page.circuits.until_s * BEHIND));
  if (trace) timeline.show(span.begin, Math.min(page.duration_s, page.trace.until_s));
  return { timeline, trace, series, views, shares };
}

/** The utilization of every link in a part of a span of time: from the trace, else from samples. */
function sharesOver(page, trace, series, { begin, end }) {
  const names = page.network.links.map((link) => link.name);
  if (trace) {
    const rows = linksOf(trace, names);
    const width = (end - begin) / BINS;
    return (bin) => rows.map((numbers) => meanShare(trace.levels, numbers, begin + bin * width, begin + (bin + 1) * width));
  }
  const samples = new Map(series.filter((one) => one.quantity === "utilization").map((one) => [one.entity, one]));
  if (!samples.size) return null;
  const width = (end - begin) / BINS;
  return (bin) => names.map((name) => {
    const one = samples.get(name);
    if (!one) return 0;
    const k = one.t.findIndex((t) => t >= (bin + 0.5) * width);
    return one.v[k < 0 ? one.v.length - 1 : k];
  });
}

/** The rows of each link that say how busy it is: those of its wavelengths, or that of its packets. */
function linksOf({ levels, words }, names) {
  const found = new Map(names.map((name) => [name, { wavelength: [], packets: [] }]));
  levels.rows.forEach(({ kind, place, channel }, number) => {
    const kinds = found.get(words.place[place]);
    if (kind === "wavelength" && kinds) kinds.wavelength[channel] = number;
    if (kind === "packets" && kinds) kinds.packets[0] = number;
  });
  return names.map((name) => {
    const { wavelength, packets } = found.get(name);
    return wavelength.length ? wavelength : packets;
  });
}

/** Over all wavelengths, also those that nobody ever had. */
function meanShare(levels, numbers, from, to) {
  if (!numbers.length) return 0;
  return numbers.reduce((sum, number) => sum + levels.share(number, from, to), 0) / numbers.length;
}

function campaignSections(page, room) {
  for (const [whose, title] of Object.entries(OF_WHOM)) {
    const claims = page.claims.filter((claim) => (claim.whose ?? "paper") === whose);
    if (claims.length) room.append(claimsSection(claims, whose, title));
  }
  for (const { name, data } of page.pictures) {
    room.append(element("figure", { class: "picture" }, element("img", { src: data, alt: `Picture ${name}; its numbers stand in the table of points` }), element("figcaption", {}, name)));
  }
  for (const table of page.tables) room.append(tableSection({ ...table, open: table.table.rows.length <= 60 }));
  return { views: [] };
}

function claimsSection(claims, whose, title) {
  const heads = ["Verdict", "Claim", whose === "paper" ? "Expected (paper)" : "Expected", "Tolerance", "Measured", "Reason"];
  const row = (claim) => element("tr", { class: claim.verdict.replaceAll(" ", "-") },
    element("th", { scope: "row" }, `${VERDICTS[claim.verdict] ?? ""} ${claim.verdict}`),
    ...[`${claim.claim} (${claim.where})`, claim.expected, claim.tolerance, claim.measured, claim.reason].map((text, k) => element("td", { "data-head": heads[k + 1] }, element("bdi", {}, String(text ?? "")))));
  const id = `claims-${whose}`;
  return element("section", { id, "aria-labelledby": `${id}-title` }, element("h2", { id: `${id}-title` }, title),
    element("div", {}, element("table", { class: "claims" }, element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))), element("tbody", {}, ...claims.map(row)))));
}

function parameters(page) {
  const facts = page.facts.map(([name, value]) => [element("dt", {}, name), element("dd", {}, element("bdi", {}, String(value)))]).flat();
  return [
    element("section", { id: "repeat", "aria-labelledby": "repeat-title" }, element("h2", { id: "repeat-title" }, "Repeat it"), page.command_hint ? element("p", { class: "hint" }, page.command_hint) : null, element("pre", { tabindex: 0 }, page.command), element("dl", {}, ...facts)),
    page.scenario ? element("details", { id: "parameters" }, element("summary", {}, "Parameters: the scenario with every default"), element("pre", { tabindex: 0, class: "scenario" }, page.scenario)) : null,
  ].filter(Boolean);
}

function contents(room) {
  const heads = [...room.querySelectorAll("section[id] > h2, details.table > summary")];
  const opened = (part) => part.tagName === "DETAILS" && (part.open = true);
  const link = (head) => element("a", { href: `#${head.parentElement.id}`, onclick: () => opened(head.parentElement) }, head.textContent.replace(/ \(.* rows\)$/, ""));
  document.getElementById("contents").append(...heads.map(link));
}

/** Pictures are drawn once more for a printer, finer. */
function printable({ views }) {
  window.addEventListener("beforeprint", () => views.forEach((view) => view.paint(3)));
  window.addEventListener("afterprint", () => views.forEach((view) => view.paint()));
}

show().catch((error) => {
  document.getElementById("room").append(element("p", { class: "note", role: "alert" }, `This page cannot be shown: ${error.message}`));
  throw error;
});
