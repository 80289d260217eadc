// Tables beside the pictures: sorted by a click on a head, long ones in parts.

import { element, quantity, short } from "./words.js";

const AT_ONCE = 200;

/** A table in a section that opens; rows are made when it does. */
export function tableSection({ id, title, table, open, note }) {
  const holder = element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title });
  const section = element("details", { id, class: "table", open }, element("summary", {}, `${title} (${short(table.rows.length, 9)} rows)`), note ? element("p", { class: "hint" }, note) : null, holder);
  const fill = () => holder.childElementCount || holder.append(makeTable(table, title));
  section.addEventListener("toggle", () => section.open && fill());
  if (open) fill();
  window.addEventListener("beforeprint", () => section.open && fill());
  return section;
}

export function makeTable(table, title) {
  const state = { rows: table.rows, shown: AT_ONCE, by: null, down: false };
  const body = element("tbody");
  const heads = table.columns.map((name, k) => {
    const button = element("button", { type: "button", onclick: () => sortBy(k) }, name);
    return element("th", { scope: "col" }, button);
  });
  const more = element("button", { type: "button", class: "more", onclick: () => ((state.shown += AT_ONCE), fill()) });
  const fill = () => {
    body.replaceChildren(...state.rows.slice(0, state.shown).map((row) => element("tr", {}, ...row.map((value, k) => cell(value, table.units?.[k])))));
    more.hidden = state.shown >= state.rows.length;
    more.textContent = `Show more (${state.rows.length - state.shown} left)`;
  };
  const sortBy = (k) => {
    state.down = state.by === k && !state.down;
    state.by = k;
    state.rows = [...table.rows].sort((a, b) => (state.down ? -1 : 1) * compare(a[k], b[k]));
    heads.forEach((head, place) => place === k ? head.setAttribute("aria-sort", state.down ? "descending" : "ascending") : head.removeAttribute("aria-sort"));
    fill();
  };
  fill();
  return element("div", {}, element("table", {}, element("caption", { class: "hidden" }, title), element("thead", {}, element("tr", {}, ...heads)), body), more);
}

function compare(left, right) {
  const [a, b] = [left, right].map((value) => (Array.isArray(value) ? value[0] : value));
  if (a === null) return b === null ? 0 : 1;
  if (b === null) return -1;
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}

/** A mean has its half width beside it, and both in words. Numbers stand exactly in `data-value`, as people read them in the text. */
function cell(value, unit) {
  if (typeof value === "number") return element("td", { class: "number", "data-value": value }, unit ? quantity(value, unit) : short(value, Number.isInteger(value) ? 15 : 6));
  if (Array.isArray(value)) return element("td", { class: "number", "data-value": value[0] }, value[2]);
  if (value === null) return element("td", { class: "number" }, "–");
  return element("td", {}, element("bdi", {}, String(value)));
}
