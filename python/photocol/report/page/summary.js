// The figures of a run: the first of them at once, all of them with a sentence each a click away.

import { element, quantity } from "./words.js";

/** The figures that are looked at first; all of them, with a sentence each, are a click away. */
export function summarySection(summary) {
  const first = summary.filter((figure) => figure.first !== null).sort((a, b) => a.first - b.first);
  const several = summary.find((figure) => figure.n);
  const tiles = first.map((figure) => element("div", { title: figure.meaning }, element("dt", {}, figure.name.replaceAll("_", " ")), element("dd", {}, figureText(figure, 3))));
  const rows = summary.map((figure) => element("tr", {}, element("th", { scope: "row", title: figure.meaning }, figure.name.replaceAll("_", " ")),
    element("td", { class: "number", "data-name": figure.name, "data-value": figure.value }, figureText(figure)), element("td", { class: "meaning" }, figure.meaning)));
  return element("section", { id: "summary", "aria-labelledby": "summary-title" }, element("h2", { id: "summary-title" }, "Summary"),
    several ? element("p", { class: "hint" }, `Means of ${several.n} replications with their 95 % intervals.`) : null,
    element("dl", { class: "tiles" }, ...tiles),
    element("details", { class: "figures" }, element("summary", {}, `All ${summary.length} figures`),
      element("div", { class: "scroll" }, element("table", {}, element("tbody", {}, ...rows)))));
}

export function figureText({ value, unit, half_width: half, of }, digits = 4) {
  const spread = half === null || half === undefined ? "" : ` ± ${quantity(half, unit, 3)}`;
  return `${quantity(value, unit, digits)}${spread}${of ? ` ${of}` : ""}`;
}
