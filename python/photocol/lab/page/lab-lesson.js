// A lesson beside its scenario: an idea, a question, a prediction to be made first, what to see, and answers at the end.

import { element } from "./words.js";

/** Shows a lesson; `begin` is called when a prediction has been made (`isPredicted`: it was before), `change` with the settings of something to see. */
export function showLesson(place, lesson, { isPredicted, begin, change }) {
  place.hidden = !lesson;
  if (!lesson) return place.replaceChildren();
  const after = element("div", { hidden: !isPredicted }, element("h3", {}, "What to see"), element("ol", {}, ...lesson.sights.map((one) => sight(one, change))),
    element("details", {}, element("summary", {}, "Answers"), ...blocks(lesson.answers)));
  const predict = element("button", { type: "button", class: "first", disabled: true, onclick: () => {
    const chosen = place.querySelector("input[name=prediction]:checked").value;
    place.querySelectorAll("input[name=prediction]").forEach((one) => (one.disabled = true));
    predict.replaceWith(element("p", { class: "hint" }, "Predicted: ", ...inline(lesson.choices[chosen]), " Now see."));
    after.hidden = false;
    begin();
  } }, "This is my prediction: run it");
  const choices = lesson.choices.map((text, k) => element("label", {}, element("input", { type: "radio", name: "prediction", value: k, onchange: () => (predict.disabled = false) }), " ", ...inline(text)));
  const first = element("div", {}, element("h2", {}, lesson.title), ...blocks(lesson.idea), element("h3", {}, "Question"), ...blocks(lesson.question),
    isPredicted ? null : element("fieldset", {}, element("legend", {}, "First, your prediction"), ...choices, predict));
  place.replaceChildren(first, after);
}

function sight({ set, sentence }, change) {
  const settings = set.map(([path, value]) => `${path} = ${JSON.stringify(value)}`);
  const button = element("button", { type: "button", onclick: () => change(set) }, set.length ? "Try it" : "As prepared");
  return element("li", {}, ...inline(sentence), " ", ...settings.flatMap((text) => [element("code", {}, text), " "]), button);
}

function blocks(all) {
  return all.flatMap((one) => {
    if (one.kind === "text") return [element("p", {}, ...inline(one.pieces))];
    if (one.kind === "list") return [element("ul", {}, ...one.items.map((item) => element("li", {}, ...inline(item))))];
    if (one.kind === "code") return [element("pre", { tabindex: 0 }, one.text)];
    return [];
  });
}

function inline(pieces) {
  const tags = { code: "code", strong: "strong" };
  return pieces.map(([kind, text]) => (tags[kind] ? element(tags[kind], {}, text) : text));
}
