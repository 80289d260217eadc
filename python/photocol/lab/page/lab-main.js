// The laboratory: a scenario as controls and as text, its run drawn as it goes, and a run to compare it with.

import { ask, follow, giveUp } from "./lab-ask.js";
import { Controls, written } from "./lab-controls.js";
import { showLesson } from "./lab-lesson.js";
import { Pictures } from "./lab-pictures.js";
import { chooser, element, time } from "./words.js";

const KEPT = "photocol-lab";
const TYPING_MS = 350;
const STILL_MS = 1000;
const MOST_NAMED = 3;
const at = (id) => document.getElementById(id);
const isReady = () => (document.body.dataset.ready = "yes");
const isStill = window.matchMedia("(prefers-reduced-motion: reduce)");

class Lab {
  constructor() {
    this.pictures = new Pictures({ right: at("right"), figures: at("figures"), network: at("network"), map: at("map"), scrub: at("scrub"), moment: at("moment") });
    this.controls = new Controls({ given: at("given"), rest: at("rest"), search: at("search"), change: (path, value) => this.change([[path, value]]) });
    Object.assign(this, { pending: new Map(), allowed: {}, answers: 0, isLocked: false });
    at("toml").addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.write(at("toml").value), TYPING_MS);
    });
    at("original").addEventListener("click", () => this.write(this.original));
    this.buttons();
  }

  async start() {
    const known = await ask("/api/start");
    at("limits").textContent = `A run of the laboratory may take ${known.limits}.`;
    const names = known.first.of.kind === "scenario" ? known.scenarios : [known.first.of.name, ...known.scenarios];
    const open = (kind) => (name) => name && this.open({ kind, name });
    this.scenarios = chooser("Scenario", [["", "–"], ...names.map((name) => [name, name])], (name) => name && this.open(name === known.first.of.name ? known.first.of : { kind: "scenario", name }));
    this.lessons = chooser("Lesson", [["", "none"], ...known.lessons.map(({ name, title }) => [name, title])], (name) => name ? open("lesson")(name) : this.open(known.first.of));
    at("choosers").replaceChildren(this.scenarios.control, this.lessons.control);
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
    try {
      await this.open(kept?.of ?? known.first.of, kept?.text, kept);
    } catch {
      await this.open(known.first.of);
    }
  }

  /** Shows a scenario from its beginning, or with the text that a reloaded page had. */
  async open(of, text = null, kept = null) {
    giveUp("run");
    const said = await ask("/api/open", { of });
    const isLesson = Boolean(said.lesson);
    Object.assign(this, { of, name: said.name, original: said.text, pending: new Map(), first: null, isLocked: isLesson && !kept?.isPredicted, hasToPin: isLesson, next: null });
    this.scenarios.select.value = of.kind === "lesson" ? "" : of.name;
    this.lessons.select.value = of.kind === "lesson" ? of.name : "";
    this.controls.forget();
    this.unpin();
    this.pictures.clear();
    this.tell("");
    at("bar").value = 0;
    at("scrub").value = 1000;
    showLesson(at("lesson"), said.lesson, { isPredicted: !this.isLocked, begin: () => this.unlock(), change: (set) => this.tryOut(set) });
    if (this.isLocked) this.say("Make your prediction, then the run begins.");
    if (isLesson && !this.isLocked && text !== null && text !== said.text) {
      // A page that is loaded again: what the lesson compares with first, then the run that it had.
      this.next = () => this.write(text);
    }
    await this.write(this.next ? said.text : (text ?? said.text));
    isReady();
  }

  unlock() {
    this.isLocked = false;
    this.keep();
    this.run();
  }

  /** A text from the field, a file or a lesson. */
  async write(text) {
    this.text = text;
    this.pending.clear();
    if (at("toml").value !== text) at("toml").value = text;
    await (this.isLocked ? this.check() : this.run(true));
  }

  /** What a lesson proposes: its scenario with these values, beside the prepared one, which is run first. */
  tryOut(set) {
    const act = () => {
      this.text = this.original;
      this.pending.clear();
      return set.length ? this.change(set, true) : this.write(this.original);
    };
    if (!this.hasToPin || !set.length) return act();
    this.next = act;
    return this.isPreparing ? undefined : this.write(this.original);
  }

  /** Values of controls; the text follows. Of another text than theirs, all of them are asked for. */
  change(set, hasControls = false) {
    for (const [path, value] of set) this.pending.set(path, value);
    return this.run(hasControls);
  }

  async check() {
    await follow({ do: "check", of: this.of, text: this.text }, (message) => {
      if (message.kind === "known") this.renew(message);
    });
  }

  renew({ controls, text }) {
    this.controls.renew(controls);
    if (text === this.original) this.first = new Map(controls.map(({ path, value }) => [path, value]));
  }

  /** Runs the scenario, from a text with controls for it. */
  async run(hasControls = false) {
    const asked = [...this.pending];
    const number = ++this.answers;
    if (this.isLocked) {
      if (asked.length) this.say("Make your prediction first, then the run begins.");
      return;
    }
    this.isPreparing = this.hasToPin && this.text === this.original && !asked.length;
    if (!this.isPreparing) this.next = null;
    at("progress").dataset.state = "asked";
    at("bar").value = 0;
    at("shared").textContent = "";
    const began = performance.now();
    let [first, drawn] = [null, -Infinity];
    await follow({ do: "run", of: this.of, text: this.text, set: asked, allowed: this.allowed, controls: hasControls }, async (message, isGivenUp) => {
      const isStale = () => isGivenUp() || number !== this.answers;
      if (isStale()) return;
      if (message.kind === "known") return this.know(message, asked);
      if (message.kind !== "so far" && message.kind !== "end") return this.hear(message);
      const now = performance.now();
      if (message.kind === "so far" && first !== null && isStill.matches && now - drawn < STILL_MS) return;
      this.pictures.label = this.label();
      if (!await this.pictures.show(message, isStale)) return;
      [first, drawn] = [first ?? performance.now() - began, performance.now()];
      this.progress(message, first);
      if (message.kind === "end" && this.isPreparing) this.prepared();
    });
  }

  /** The run of a lesson as it is prepared is the one that others stand beside. */
  prepared() {
    Object.assign(this, { hasToPin: false, isPreparing: false });
    this.pin();
    const next = this.next;
    this.next = null;
    next?.();
  }

  /** The scenario is right: the text is that of the controls. */
  know(message, asked) {
    const grown = asked.some(([path]) => !this.controls.all.find((one) => one.path === path && one.value !== null));
    for (const [path, value] of asked) if (this.pending.get(path) === value) this.pending.delete(path);
    const isTyped = this.text === message.text && document.activeElement === at("toml");
    this.text = message.text;
    if (!isTyped && at("toml").value !== message.text) at("toml").value = message.text;
    if (message.controls) this.renew(message);
    for (const [path, value] of asked) {
      const one = this.controls.all.find((each) => each.path === path);
      if (one) one.value = value;
      this.controls.set(path, value);
    }
    this.controls.forgive();
    this.sayAtText("");
    this.tell(warned(message.warnings));
    this.keep();
    if (message.controls) return;
    if (grown || asked.some(([, value]) => value === null)) this.check();
  }

  hear(message) {
    if (message.kind === "done") return undefined;
    isReady();
    at("progress").dataset.state = message.kind;
    if (message.kind === "wrong") return this.complain(message.error);
    if (message.kind === "laws") return this.askForLaws(message.files);
    if (message.kind === "failed") this.tell([element("p", { class: "note" }, message.sentence)]);
  }

  complain({ line, column, key, message }) {
    const hasControl = this.controls.complain(key, message);
    const isOfText = line && !this.pending.size;
    const place = isOfText ? ` (line ${line}, column ${column})` : "";
    const sentence = `${key ? `${key}: ` : ""}${message}${place}`;
    // Who types looks at the text.
    const isTyped = isOfText && document.activeElement === at("toml");
    this.sayAtText(isOfText ? sentence : "", this.text.split("\n")[line - 1]);
    this.tell(isTyped ? "" : [element("p", { class: "note" }, sentence)]);
    this.say(hasControl ? "The scenario is wrong: see the key that is marked." : "The scenario is wrong; what is drawn is of the one before.");
  }

  /** A complaint below the text, with the line that it is about. */
  sayAtText(sentence, line) {
    at("toml").setAttribute("aria-invalid", sentence ? "true" : "false");
    at("toml-wrong").hidden = !sentence;
    at("toml-wrong").replaceChildren(...(sentence ? [sentence, ...(line?.trim() ? [element("br"), element("code", {}, line.trim())] : [])] : []));
  }

  /** A law in Python is code: a person sees it before it is executed. */
  askForLaws(files) {
    const allow = () => {
      for (const { file, sha256 } of files) this.allowed[file] = sha256;
      this.tell("");
      this.run();
    };
    this.tell([element("div", { class: "note" }, element("p", {}, "This scenario has a window law in Python. Running it executes this file on your machine:"),
      ...files.flatMap(({ file, text }) => [element("p", {}, element("code", {}, file)), element("pre", { tabindex: 0 }, text)]),
      element("button", { type: "button", id: "allow", onclick: allow }, "I have looked at it: execute it"))]);
    this.say("Waiting for your leave to execute a file.");
  }

  progress({ kind, now_s: now, duration_s: duration, fingerprint, hops }, first) {
    // With something to do next this is not yet the end that is waited for.
    const isEnd = kind === "end";
    const isLast = isEnd && !(this.isPreparing && this.next);
    isReady();
    at("bar").value = now / duration;
    at("progress").dataset.state = isLast ? "end" : "so far";
    Object.assign(at("progress").dataset, { first: Math.round(first), number: this.answers });
    at("status").replaceChildren(...(isEnd
      ? ["The whole run, ", time(duration), ". Fingerprint ", element("span", { class: "fingerprint", id: "fingerprint" }, fingerprint), `, ${hops.toLocaleString("en").replaceAll(",", " ")} packet-hops.`]
      : [element("span", { class: "mark" }, `to ${time(now, duration, 3)}`), ` of ${time(duration)}: the beginning of this run.`]));
  }

  say(sentence) {
    at("status").textContent = sentence;
  }

  tell(parts) {
    at("note").replaceChildren(...(parts || []));
  }

  /** For a page that is loaded again. */
  keep() {
    sessionStorage.setItem(KEPT, JSON.stringify({ of: this.of, text: this.text, isPredicted: !this.isLocked }));
  }

  buttons() {
    const button = (id, text, act) => element("button", { type: "button", id, onclick: act }, text);
    this.pinButton = button("pin", "Pin this run", () => (this.pictures.pinned ? this.unpin() : this.pin()));
    at("acts").replaceChildren(this.pinButton, button("again", "Run again", () => this.run()), button("stop", "Stop", () => {
      giveUp("run");
      this.answers++;
      this.say("Stopped; what is drawn is the beginning of the run.");
    }));
    at("sharing").replaceChildren(button("save", "Save as…", () => this.save()), button("copy", "Copy the command", () => this.copy()), element("output", { id: "shared" }));
  }

  /** The value of each key of the run. */
  values() {
    return new Map(this.controls.all.map(({ path, value }) => [path, value]));
  }

  /** What the keys of this run are that another one has otherwise: the pinned one, or the original. */
  label(base = this.pictures.pinned?.values ?? this.first) {
    if (this.text === this.original) return this.of.kind === "lesson" ? "as prepared" : "the original";
    const now = this.values();
    const changed = [...new Set([...now.keys(), ...(base?.keys() ?? [])])].filter((path) => written(now.get(path)) !== written(base?.get(path)));
    const say = (key, value) => (value === null || value === undefined ? `no ${key}` : `${key} = ${written(value)}`);
    const said = changed.slice(0, MOST_NAMED).map((path) => say(path.split(".").at(-1), now.get(path)));
    return said.join(", ") + (changed.length > MOST_NAMED ? ", …" : "") || "the same";
  }

  pin() {
    this.pictures.pin(this.label(this.first), this.values());
    this.pinButton.textContent = "Unpin";
    this.pinButton.setAttribute("aria-pressed", "true");
  }

  unpin() {
    this.pictures.unpin();
    this.pinButton.textContent = "Pin this run";
    this.pinButton.setAttribute("aria-pressed", "false");
  }

  async save() {
    at("shared").textContent = "Running it for the file…";
    await follow({ do: "share", of: this.of, text: this.text, allowed: this.allowed }, (message) => {
      if (message.kind === "file") {
        element("a", { href: `data:application/zip;base64,${message.data}`, download: message.name }).click();
        at("shared").textContent = `Saved: ${message.name}`;
      } else if (message.kind === "busy") {
        at("shared").textContent = `Running it for the file: ${time(message.now_s)}…`;
      } else if (message.kind !== "done") {
        at("shared").textContent = "";
        this.hear(message);
      }
    });
  }

  async copy() {
    await follow({ do: "command", of: this.of, text: this.text }, async (message) => {
      if (message.kind === "command") {
        this.command = message.command;
        await navigator.clipboard.writeText(message.command).then(() => (at("shared").textContent = "Copied."), () => this.tell([element("pre", { tabindex: 0, class: "note" }, message.command)]));
      } else if (message.kind !== "done") this.hear(message);
    });
  }
}

/** One warning as it is, several behind the first. */
function warned(warnings) {
  const notes = warnings.map((one) => element("p", { class: "note" }, one));
  if (notes.length < 2) return notes;
  return [element("details", { class: "note" }, element("summary", {}, `${warnings.length} warnings: ${warnings[0]}`), ...warnings.slice(1).map((one) => element("p", {}, one)))];
}

const lab = new Lab();
window.photocol = lab;
lab.start().catch((error) => {
  at("note").replaceChildren(element("p", { class: "note" }, `This page cannot be shown: ${error.message}`));
  isReady();
  throw error;
});
