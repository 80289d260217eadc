// What is drawn of a run so far, with what report pages draw with: curves, the network at any time, figures, completion times.

import { lowerBound, readSeries } from "./data.js";
import { sampled, seriesView } from "./series.js";
import { figureText, summarySection } from "./summary.js";
import { makeTable } from "./tables.js";
import { NetworkMap, networkLegend } from "./topology.js";
import { Timeline } from "./view.js";
import { element, quantity, time } from "./words.js";

const PARTS = 1000;
const VIEWS = [
  { id: "windows", title: "Windows", hint: "Congestion windows of the first flows.", quantities: ["cwnd"], height: 210 },
  { id: "queues", title: "Queues", hint: "Packets that wait; the longest queues.", quantities: ["queue"], height: 190 },
  { id: "rates", title: "Rates", hint: "Acknowledged bits a second; the load of links.", quantities: ["goodput", "utilization", "believed_capacity"], height: 190 },
  { id: "losses", title: "Losses", hint: "Packets or bursts dropped so far.", quantities: ["dropped"], height: 170 },
];
const EVERY = { id: "any", title: "Anything sampled", hint: "Every quantity that was sampled.", height: 190 };
/** Of links: the picture has the greatest of them. */
const BY_SIZE = new Set(["queue", "dropped", "utilization", "mean_queue", "offered"]);
const NO_LOSS = "No losses so far.";

export class Pictures {
  constructor({ right, figures, network, map, scrub, moment }) {
    Object.assign(this, { right, figures, network, map, scrub, moment, views: new Map(), pinned: null, run: null });
    this.timeline = new Timeline(0, 1, 0);
    scrub.addEventListener("input", () => this.look());
  }

  /** Another scenario: what is drawn is not of it. */
  clear() {
    this.run = null;
    this.drawn = null;
    this.network.hidden = true;
    this.figures.replaceChildren();
    this.views.forEach((view) => (view.figure.hidden = true));
  }

  /** Draws a run so far; `isStale` says whether another has begun meanwhile. */
  async show(answer, isStale) {
    const series = await readSeries(answer.series);
    if (isStale()) return false;
    const quantities = ordered(sampled(series), answer.flows);
    const network = answer.network ?? this.run?.network;
    this.run = { ...answer, network, quantities };
    this.stretch(answer);
    this.showNetwork(answer);
    this.showSeries();
    this.showFigures();
    return true;
  }

  /** The run that others are compared with from now on. */
  pin(label) {
    this.pinned = this.run ? { ...this.run, label } : null;
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
    if (timeline.end === end && timeline.measuredFrom === measuredFrom) return;
    Object.assign(timeline, { end, measuredFrom });
    timeline.all();
  }

  showNetwork(answer) {
    const { network } = this.run;
    this.network.hidden = !network;
    if (!network) return;
    const shape = JSON.stringify([network.nodes, network.links.map((link) => link.name)]);
    if (shape !== this.drawn) {
      this.drawn = shape;
      this.plan = new NetworkMap(structuredClone(network), true);
      this.legend = element("div", {});
      this.map.replaceChildren(this.plan.holder, this.plan.note, this.legend);
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

  /** The network at the time of the slider; at its right end, as it is now. */
  look() {
    const { run, timeline } = this;
    if (!run?.network) return;
    const part = Number(this.scrub.value) / PARTS;
    const at = part * run.now_s;
    const isSampled = run.loads.some(Boolean);
    const shares = run.network.links.map((link, k) => valueAt(run.loads[k], at) ?? run.links[k][0]);
    this.plan.paint(shares, run.queues.map((points) => valueAt(points, at) ?? 0), this.most);
    this.moment.textContent = isSampled ? time(at, run.duration_s, 4) : "the whole run: too many links to sample each";
    this.scrub.setAttribute("aria-valuetext", this.moment.textContent);
    timeline.mark = part < 1 ? at : null;
    timeline.heard.forEach((told) => told());
  }

  showSeries() {
    const { quantities } = this.run;
    const before = this.pinned?.quantities ?? new Map();
    for (const view of VIEWS) this.showView(view, pick(quantities, view.quantities), before);
    this.showView(EVERY, quantities, before);
  }

  showView({ quantities: _, ...view }, chosen, before) {
    if (view.id === "losses") chosen = new Map([...chosen].map(([name, all]) => [name, new Map([...all].filter(([, points]) => points.v.at(-1) > 0))]));
    if (!chosen.size) {
      if (this.views.has(view.id)) this.views.get(view.id).figure.hidden = true;
      return;
    }
    if (!this.views.has(view.id)) {
      this.views.set(view.id, seriesView(chosen, this.timeline, view));
      this.right.append(this.views.get(view.id).figure);
    }
    const drawn = this.views.get(view.id);
    drawn.figure.hidden = false;
    drawn.renew(chosen, before);
    if (view.id === "losses") drawn.reading.textContent = chosen.get("dropped")?.size ? drawn.reading.textContent.replace(NO_LOSS, "") : NO_LOSS;
  }

  showFigures() {
    const { summary, measured_from_s: from, completions } = this.run;
    const parts = [];
    if (!summary) parts.push(element("section", {}, element("p", { class: "hint" }, `Figures count from ${time(from)} on; the run is not there yet.`)));
    else if (this.pinned?.summary) parts.push(comparison(this.pinned, summary, this.label));
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
  const heads = ["Figure", `Pinned: ${pinned.label}`, `Now: ${label}`];
  return element("section", { id: "summary", "aria-labelledby": "summary-title" }, element("h2", { id: "summary-title" }, "Two runs, the same seed"),
    element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))), element("tbody", {}, ...[...first, ...gone].map(row)))));
}

function pick(quantities, names) {
  return new Map(names.filter((name) => quantities.has(name)).map((name) => [name, quantities.get(name)]));
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
