// What is drawn of a run so far, with what report pages draw with: curves, the network at any time, figures, completion times.

import { circuitsView } from "./circuits.js";
import { lowerBound, readSeries } from "./data.js";
import { circuitsAt, switchKeys } from "./light.js";
import { tasksView } from "./lab-tasks.js";
import { sampled, seriesView } from "./series.js";
import { figureText, summarySection } from "./summary.js";
import { makeTable } from "./tables.js";
import { NetworkMap, networkLegend } from "./topology.js";
import { Timeline } from "./view.js";
import { chooser, element, quantity, time } from "./words.js";

const PARTS = 1000;
/** After so many of its last periods a network with days is drawn, if the run has many more. */
const PERIODS = 4;
const MANY_PERIODS = 12;
const BEHIND = 1.05;
const VIEWS = [
  { id: "windows", title: "Windows", hint: "Congestion windows of some flows.", quantities: ["cwnd"], height: 210 },
  { id: "queues", title: "Queues", hint: "Packets that wait; the longest queues.", quantities: ["queue", "mean_queue"], height: 190 },
  { id: "rates", title: "Rates", hint: "Bits that arrive a second; the load of links.", quantities: ["goodput", "utilization", "believed_capacity"], height: 190 },
  { id: "trips", title: "Round trips", hint: "Smoothed, as senders measure them.", quantities: ["srtt"], height: 170 },
  { id: "flows", title: "Flows under way", hint: "Of those with a size, by traffic.", quantities: ["flows_under_way"], height: 170 },
  { id: "losses", title: "Losses", hint: "Packets or bursts dropped so far, or their share of those offered.", quantities: ["dropped", "lost_share"], height: 170 },
];
const EVERY = { id: "any", title: "Anything sampled", hint: "Every quantity that was sampled.", height: 190 };
/** Of links: the picture has the greatest of them. */
const BY_SIZE = new Set(["queue", "dropped", "utilization", "mean_queue", "offered", "lost_share"]);
/** Less than that is next to nothing: a burst network's headers wait for no other one. */
const LEAST = { mean_queue: 0.01 };
/** From above to below. */
const ORDER = ["tasks", "windows", "queues", "rates", "circuits", "trips", "flows", "losses", EVERY.id];
/** The picture of circuits has so many periods, about the moment of the network. */
const CYCLES = 2;

export class Pictures {
  constructor({ right, figures, network, map, scrub, moment }) {
    Object.assign(this, { right, figures, network, map, scrub, moment, views: new Map(), pinned: null, run: null });
    this.timeline = new Timeline(0, 1, 0);
    this.timeline.listen(() => this.frame());
    this.wholeTime = element("button", { type: "button", id: "whole-time", hidden: true, onclick: () => this.timeline.all() }, "Whole time");
    this.tabs = chooser("Picture", [], (id) => this.choose(id));
    this.tabs.control.id = "tabs";
    this.nothing = element("p", { class: "hint", id: "nothing" });
    this.dayKey = element("span", { class: "legend", hidden: true }, element("span", {}, element("i", { class: "day" }), "a day: the link has a circuit"));
    right.append(element("div", { id: "frame", class: "controls" }, this.tabs.control, this.wholeTime, this.dayKey), this.nothing);
    scrub.addEventListener("input", () => this.look());
  }

  /** Another scenario: what is drawn is not of it. */
  clear() {
    Object.assign(this, { run: null, drawn: null, framed: null, chosen: null });
    this.timeline.isWhole = false;
    this.timeline.all();
    this.network.hidden = true;
    this.figures.replaceChildren();
    this.nothing.textContent = "";
    this.views.get("circuits")?.figure.remove();
    this.views.delete("circuits");
    this.views.forEach((view) => (view.figure.hidden = true));
    this.tabs.select.replaceChildren();
  }

  /** Draws a run so far; `isStale` says whether another has begun meanwhile. */
  async show(answer, isStale) {
    const series = await readSeries(answer.series);
    if (isStale()) return false;
    const quantities = ordered(sampled(series), answer.flows);
    const once = answer.network === undefined ? this.run : answer;
    this.run = { ...answer, network: once?.network, circuits: once?.circuits, days: once?.days, quantities };
    this.stretch(answer);
    this.showNetwork(answer);
    this.showTasks();
    this.showCircuits();
    this.showSeries();
    this.showFigures();
    if (answer.kind === "end") this.begin();
    this.look();
    return true;
  }

  /** The run that others are compared with from now on. */
  pin(label, values) {
    this.pinned = this.run ? { ...this.run, label, values } : null;
    this.redraw();
  }

  unpin() {
    this.pinned = null;
    this.redraw();
  }

  redraw() {
    if (!this.run) return;
    this.showSeries();
    this.showFigures();
  }

  stretch({ duration_s: end, measured_from_s: measuredFrom }) {
    const { timeline } = this;
    timeline.days = this.run.days ?? null;
    this.dayKey.hidden = !timeline.days;
    if (timeline.end === end && timeline.measuredFrom === measuredFrom) return;
    Object.assign(timeline, { end, measuredFrom });
    timeline.all();
  }

  /** At the end of a run: the part of the time in which something happens, if that is a small one, unless it was moved. */
  begin() {
    const { timeline, run, pinned } = this;
    const [low, high] = this.framed ?? [timeline.begin, timeline.end];
    if (timeline.low !== low || timeline.high !== high) return;
    if (!this.framed && run.circuits) this.scrub.value = this.firstLit();
    const period = run.days?.period_s;
    const until = run.active_until_s && Math.max(run.active_until_s, pinned?.active_until_s ?? 0);
    if (until) timeline.show(0, BEHIND * until);
    else if (period && period * MANY_PERIODS < run.duration_s) timeline.show(run.duration_s - PERIODS * period, run.duration_s);
    else timeline.all();
    this.framed = [timeline.low, timeline.high];
  }

  /** A moment near the middle at which there are circuits. */
  firstLit() {
    const until = this.run.active_until_s ?? this.run.duration_s;
    for (let part = PARTS / 2; part < PARTS; part++) {
      if (circuitsAt(this.run.circuits, this.run.turns, (part / PARTS) * until).length) return part;
    }
    return PARTS;
  }

  frame() {
    const { timeline } = this;
    this.wholeTime.hidden = timeline.low <= timeline.begin && timeline.high >= timeline.end;
  }

  showNetwork(answer) {
    const { network } = this.run;
    this.network.hidden = !network;
    if (!network) return;
    const switches = this.run.circuits?.switches ?? [];
    const shape = JSON.stringify([network.nodes, network.links.map((link) => link.name), switches]);
    if (shape !== this.drawn) {
      this.drawn = shape;
      this.plan = new NetworkMap(structuredClone(network), true, switches);
      this.legend = element("div", {});
      this.lit = element("p", { class: "legend", id: "lit" });
      this.map.replaceChildren(this.plan.holder, this.lit, this.plan.note, this.legend);
    }
    const names = network.links.map((link) => link.name);
    const of = (quantity) => names.map((name) => this.run.quantities.get(quantity)?.get(name));
    Object.assign(this.run, { loads: of("utilization"), queues: of("queue") });
    this.most = Math.max(1, ...this.run.queues.flatMap((points) => (points ? [highest(points)] : [])));
    this.plan.renew(answer.links);
    this.legend.replaceChildren(networkLegend(Math.max(0, ...this.plan.lanes.map((lane) => lane.dropped))),
      element("p", { class: "legend" }, element("span", {}, element("i", { class: "queue" }), `the tallest bar: ${quantity(this.most, "packets", 3)}`)));
    this.look();
  }

  /** The network at the time of the slider; at its right end, as it is now, or when the last flow was complete. */
  look() {
    const { run, timeline } = this;
    if (!run?.network) return;
    const part = Number(this.scrub.value) / PARTS;
    const at = part * (run.active_until_s ?? run.now_s);
    const isSampled = run.loads.some(Boolean);
    const shares = run.network.links.map((link, k) => valueAt(run.loads[k], at) ?? run.links[k][0]);
    this.plan.paint(shares, run.queues.map((points) => valueAt(points, at) ?? 0), this.most);
    this.light(at);
    this.moment.textContent = isSampled || run.circuits ? time(at, run.active_until_s ?? run.duration_s, 4) : "the whole run: too many links to sample each";
    this.scrub.setAttribute("aria-valuetext", this.moment.textContent);
    timeline.mark = part < 1 ? at : null;
    timeline.heard.forEach((told) => told());
  }

  /** The matching of this moment. */
  light(at) {
    const { circuits } = this.run;
    if (!circuits) return;
    const up = circuitsAt(circuits, this.run.turns, at);
    this.plan.light(up);
    if (circuits.holds && this.cycles) {
      this.cycles.mark = at;
      const first = Math.max(0, Math.floor(at / circuits.period_s - CYCLES / 2));
      this.cycles.show(first * circuits.period_s, (first + CYCLES) * circuits.period_s);
    }
    this.lit.replaceChildren("Circuits at this moment, by switch: ", ...switchKeys(circuits, up));
  }

  showTasks() {
    const { tasks, now_s: now } = this.run;
    if (!tasks) {
      if (this.views.has("tasks")) this.views.get("tasks").figure.hidden = true;
      return;
    }
    this.viewOf("tasks", () => tasksView(this.timeline)).renew(tasks, now);
  }

  showCircuits() {
    const held = this.run.circuits?.holds ? { ...this.run.circuits, holds: this.run.circuits.holds, flows: [] } : null;
    if (!held || this.views.has("circuits")) return;
    this.cycles = new Timeline(0, this.run.duration_s, 0);
    this.cycles.show(0, CYCLES * held.period_s);
    this.viewOf("circuits", () => circuitsView(held, this.cycles));
  }

  /** A picture at its place among the others. */
  viewOf(id, make) {
    if (!this.views.has(id)) {
      const view = make();
      const behind = ORDER.slice(ORDER.indexOf(id) + 1).find((other) => this.views.has(other));
      this.views.set(id, view);
      this.right.insertBefore(view.figure, behind ? this.views.get(behind).figure : this.nothing);
    }
    const view = this.views.get(id);
    view.figure.hidden = false;
    return view;
  }

  showSeries() {
    const { quantities } = this.run;
    const before = this.pinned?.quantities ?? new Map();
    const empty = VIEWS.filter((view) => !this.showView(view, pick(quantities, before, view.quantities), before)).filter((view) => pick(quantities, before, view.quantities, true).size);
    this.showView(EVERY, quantities, before);
    this.nothing.textContent = empty.length ? `Not drawn, for all samples are zero or next to it: ${empty.map((view) => view.title.toLowerCase()).join(", ")}.` : "";
    this.choose(this.chosen);
  }

  /** Says whether there is something to draw. */
  showView({ quantities: _, ...view }, chosen, before) {
    if (!chosen.size) {
      if (this.views.has(view.id)) this.views.get(view.id).figure.hidden = true;
      return false;
    }
    this.viewOf(view.id, () => seriesView(chosen, this.timeline, view)).renew(chosen, before);
    return true;
  }

  /** On a narrow page one picture is shown, above the sliders that change it. */
  choose(id) {
    const there = ORDER.filter((one) => this.views.has(one) && !this.views.get(one).figure.hidden);
    this.chosen = there.includes(id) ? id : there[0];
    const name = (one) => this.views.get(one).figure.querySelector("h2").textContent;
    this.tabs.select.replaceChildren(...there.map((one) => element("option", { value: one, selected: one === this.chosen }, name(one))));
    this.views.forEach((view, one) => view.figure.classList.toggle("chosen", one === this.chosen));
  }

  showFigures() {
    const { summary, measured_from_s: from, completions } = this.run;
    const parts = [];
    if (!summary) parts.push(element("section", {}, element("p", { class: "hint" }, `Figures count from ${time(from)} on; the run is not there yet.`)));
    else if (this.pinned?.summary && this.pinned.fingerprint !== this.run.fingerprint) parts.push(comparison(this.pinned, summary, this.label));
    else parts.push(summarySection(summary));
    if (completions.table.rows.length) {
      parts.push(element("section", { id: "completions" }, element("h2", {}, completions.title), element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": completions.title }, makeTable(completions.table, completions.title))));
    }
    this.figures.replaceChildren(...parts);
  }
}

/** The figures of two runs beside each other. */
function comparison(pinned, summary, label) {
  const before = new Map(pinned.summary.map((figure) => [figure.name, figure]));
  const first = summary.filter((figure) => figure.first !== null).sort((a, b) => a.first - b.first);
  const names = new Set(first.map((figure) => figure.name));
  const gone = pinned.summary.filter((figure) => figure.first !== null && !names.has(figure.name));
  const now = new Map(summary.map((figure) => [figure.name, figure]));
  const text = (figure) => (figure ? figureText(figure, 4) : "–");
  const row = ({ name, meaning }) => element("tr", {}, element("th", { scope: "row", title: meaning }, name.replaceAll("_", " ")),
    element("td", { class: "number" }, text(before.get(name))), element("td", { class: "number", "data-name": name, "data-value": now.get(name)?.value }, text(now.get(name))));
  const heads = ["Figure", `Pinned: ${pinned.label}`, `Now: ${label}`].map(breakable);
  return element("section", { id: "summary", "aria-labelledby": "summary-title" }, element("h2", { id: "summary-title" }, "Two runs, the same seed"),
    element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, ...head)))), element("tbody", {}, ...[...first, ...gone].map(row)))));
}

/** A text that may be broken behind each `_` of a key. */
function breakable(text) {
  return text.split(/(?<=_)/).flatMap((part, k) => (k ? [element("wbr"), part] : [part]));
}

/** Quantities of these names; without `hasZeros` those of which this run or the pinned one has something to show. */
function pick(quantities, before, names, hasZeros = false) {
  const isSome = (all, least) => [...(all?.values() ?? [])].some((points) => highest(points) > least);
  const isShown = (name) => [quantities, before].some((those) => isSome(those.get(name), LEAST[name] ?? 0));
  const found = names.filter((name) => quantities.has(name) && (hasZeros || isShown(name)));
  return new Map(found.map((name) => [name, name === "dropped" ? lossy(quantities.get(name)) : quantities.get(name)]));
}

/** Links that lost something. */
function lossy(all) {
  const some = [...all].filter(([, points]) => points.v.at(-1) > 0);
  return some.length ? new Map(some) : all;
}

/** The greatest links first; flows by number, with what they are. */
function ordered(quantities, classes) {
  const named = (all) => new Map([...all].map(([name, points]) => [classes[name] ? `${name}: ${classes[name]}` : name, points]));
  const bySize = (a, b) => highest(b[1]) - highest(a[1]);
  const byNumber = (a, b) => a[0].localeCompare(b[0], "en", { numeric: true });
  return new Map([...quantities].map(([name, all]) => [name, named(new Map([...all].sort(BY_SIZE.has(name) ? bySize : byNumber)))]));
}

function highest({ v }) {
  let most = 0;
  for (const value of v) if (value > most) most = value;
  return most;
}

/** The sample at a time, or the last before it. */
function valueAt(points, at) {
  if (!points?.t.length) return null;
  const k = Math.min(lowerBound(points.t, at * (1 + 1e-12)), points.t.length - 1);
  return points.v[points.t[k] > at && k > 0 ? k - 1 : k];
}
