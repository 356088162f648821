// SPDX-License-Identifier: Apache-2.0
// The experiment of epochcast serve: its settings, kept in the page's address, and their fields.
"use strict";

/** The most used fields, in their order; others are under "All settings". */
const kSliders = {
  nodes: { label: "nodes", steps: (context) => counts(1, context.platform?.nodes ?? 1), usual: (context) => String(context.platform?.nodes ?? 1) },
  "network.bandwidth": {
    label: "bandwidth of a node's link", steps: () => kBandwidths, needs: (context) => context.platform?.bandwidth_bytes_per_s,
    usual: (context) => bandwidthText(context.platform?.bandwidth_bytes_per_s),
  },
  "network.latency": {
    label: "latency between nodes", steps: () => kLatencies, needs: (context) => context.platform?.latency_s !== undefined,
    usual: (context) => secondsText(context.platform?.latency_s ?? 0).replace(" ", ""),
  },
  batch: { label: "batch per worker", steps: () => powers(1, 4096), usual: () => "128" },
  "averaging-period": { label: "K', iterations between averagings (node-based)", steps: () => powers(1, 1024), usual: () => "epoch" },
  "local-steps": { label: "H, local steps (local SGD)", steps: () => powers(1, 1024), usual: () => "32" },
};
const kBandwidths = ["100Mbps", "200Mbps", "500Mbps", "1Gbps", "2Gbps", "5Gbps", "10Gbps", "20Gbps", "25Gbps", "40Gbps", "50Gbps",
  "100Gbps", "200Gbps", "400Gbps", "800Gbps"];
const kLatencies = ["500ns", "1us", "2us", "5us", "10us", "20us", "50us", "100us", "200us", "500us", "1ms", "10ms", "50ms"];

function powers(from, to) {
  const steps = [];
  for (let step = from; step <= to; step *= 2) steps.push(String(step));
  return steps;
}

/** 1, 2, 3, ... up to a few, then powers of two; always `most`. */
function counts(from, most) {
  if (most <= 32) return Array.from({ length: most - from + 1 }, (_, i) => String(from + i));
  const steps = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024].filter((step) => step < most);
  return [...steps, most].map(String);
}

function bandwidthText(bytesPerSecond) {
  if (!bytesPerSecond) return "";
  const bits = bytesPerSecond * 8;
  return bits >= 1e9 ? `${Number((bits / 1e9).toPrecision(4))}Gbps` : `${Number((bits / 1e6).toPrecision(4))}Mbps`;
}

/** Keys of the address's fragment that are not settings, but belong to "What would it take?". */
const kQuestion = ["find", "where", "largest"];

/** The page's experiment: settings as texts, in the address's fragment. */
class Experiment {
  constructor(about, changed) {
    this.about = about;
    this.changed = changed;
    this.known = new Map(about.settings.map((setting) => [setting.name, setting]));
    this.settings = this.start();
    this.question = null;
    this.takeAddress();
    window.addEventListener("hashchange", () => {
      const before = this.address();
      this.takeAddress();
      if (this.address() === before) return;
      this.show();
      this.changed();
    });
  }

  start() {
    return { platform: this.about.platforms[0]?.name, network: "resnet50", dataset: "imagenet", ...this.about.start };
  }

  /** Settings and question from the page's address; unchanged if it has none. */
  takeAddress() {
    const text = window.location.hash.slice(1);
    if (text === "") return;
    const all = Object.fromEntries(new URLSearchParams(text));
    this.question = all.find && all.where ? { find: all.find, where: all.where, largest: all.largest === "true" } : null;
    for (const name of kQuestion) delete all[name];
    this.settings = all.platform && all.network && all.dataset ? all : { ...this.start(), ...all };
  }

  /** The page's address, with all settings and the question. */
  address() {
    return `#${new URLSearchParams({ ...this.settings, ...this.question })}`;
  }

  /** The question becomes part of the link, to be answered again. */
  setQuestion(question) {
    this.question = question;
    window.history.replaceState(null, "", this.address());
  }

  get context() {
    return { platform: this.about.platforms.find((platform) => platform.name === this.settings.platform), settings: this.settings };
  }

  /** Settings, and figures of the platform, whose names have a dot. */
  hasSetting(name) {
    return this.known.has(name) || name.includes(".");
  }

  isChosen(strategy) {
    const chosen = (this.settings.strategy ?? "all").split(",");
    return chosen.includes("all") || chosen.includes(strategy.name);
  }

  /** Whether a setting belongs to every job, or to a chosen strategy. */
  applies(name) {
    const owners = this.about.strategies.filter((strategy) => strategy.settings.includes(name));
    return owners.length === 0 || owners.some((strategy) => this.isChosen(strategy));
  }

  set(name, value) {
    if (value === "" || value === null) delete this.settings[name];
    else this.settings[name] = value;
    for (const other of Object.keys(this.settings)) {
      const isOfPlatform = other === "nodes" || other.includes(".");
      if ((name === "platform" && isOfPlatform) || (name === "strategy" && !this.applies(other))) delete this.settings[other];
    }
    window.history.replaceState(null, "", this.address());
    if (name === "platform" || name === "strategy") this.show();
    this.changed();
  }

  show() {
    keepingFocus(() => this.showFields());
  }

  showFields() {
    const fields = document.getElementById("fields");
    const names = (list) => list.map((entry) => entry.name ?? entry);
    fields.replaceChildren(
      this.choice("platform", this.about.platforms.map((platform) => [platform.name, platform.name]), this.context.platform?.title),
      this.choice("network", names(this.about.networks).map((name) => [name, name])),
      this.choice("dataset", names(this.about.datasets).map((name) => [name, name])),
      ...Object.keys(kSliders).filter((name) => this.hasSetting(name) && this.applies(name) && (kSliders[name].needs?.(this.context) ?? true))
        .map((name) => this.slider(name, kSliders[name])),
      this.strategies(),
      ...["overlap", "precision"].filter((name) => this.known.has(name)).map((name) => this.choiceOf(name)));
    document.getElementById("all-settings").replaceChildren(...this.about.settings
      .filter((setting) => !["platform", "network", "dataset", "strategy", "overlap", "precision"].includes(setting.name) && !kSliders[setting.name] &&
        this.applies(setting.name))
      .map((setting) => this.text(setting)));
  }

  field(name, label, explain, ...inputs) {
    return make("div", { class: "field" }, make("label", { for: `field-${name}` }, label), ...inputs,
      explain ? make("small", { id: `explain-${name}` }, explain) : null);
  }

  choice(name, values, explain) {
    const select = make("select", { id: `field-${name}`, onchange: () => this.set(name, select.value) });
    const value = this.settings[name];
    if (value && !values.some(([each]) => each === value)) values = [[value, value], ...values];
    for (const [each, text] of values) select.append(make("option", { value: each }, text));
    select.value = value;
    return this.field(name, name, explain, select);
  }

  /** A setting whose value_name lists its values: "none|bucket". */
  choiceOf(name) {
    const setting = this.known.get(name);
    const values = setting.value.split("|").map((value) => [value, value]);
    const select = make("select", { id: `field-${name}`, onchange: () => this.set(name, select.value === setting.usual ? "" : select.value) });
    for (const [each, text] of values) select.append(make("option", { value: each }, text));
    select.value = this.settings[name] ?? setting.usual;
    return this.field(name, name, null, select);
  }

  /** A text field, and a slider over usual values beneath it. */
  slider(name, kind) {
    const steps = kind.steps(this.context);
    const usual = kind.usual(this.context);
    const value = () => this.settings[name] ?? usual;
    const nearest = () => {
      const number = numberIn(value());
      const distances = steps.map((step) => Math.abs(Math.log(numberIn(step) / number)));
      const least = Math.min(...distances);
      return Number.isFinite(least) ? distances.indexOf(least) : steps.length - 1;
    };
    const text = make("input", { type: "text", id: `field-${name}`, value: this.settings[name] ?? "", placeholder: usual, size: 8 });
    const range = make("input", {
      type: "range", min: 0, max: steps.length - 1, step: 1, value: nearest(), "aria-label": kind.label, "aria-valuetext": value(),
    });
    text.addEventListener("change", () => {
      this.set(name, text.value.trim());
      range.value = nearest();
      range.setAttribute("aria-valuetext", value());
    });
    range.addEventListener("input", () => {
      text.value = steps[Number(range.value)];
      range.setAttribute("aria-valuetext", text.value);
      this.set(name, text.value);
    });
    return this.field(name, kind.label, null, text, range);
  }

  text(setting) {
    const input = make("input", {
      type: "text", id: `field-${setting.name}`, value: this.settings[setting.name] ?? "", placeholder: setting.usual,
      "aria-describedby": `explain-${setting.name}`, onchange: () => this.set(setting.name, input.value.trim()),
    });
    return this.field(setting.name, setting.name, setting.help, input);
  }

  strategies() {
    const all = this.about.strategies;
    const boxes = this.about.strategies.map((strategy) => {
      const box = make("input", { type: "checkbox", id: `strategy-${strategy.name}` });
      box.checked = this.isChosen(strategy);
      box.addEventListener("change", () => {
        const names = all.filter((each) => (each === strategy ? box.checked : this.isChosen(each))).map((each) => each.name);
        this.set("strategy", names.length === all.length ? "" : names.join(",") || strategy.name);
      });
      return make("label", { title: strategy.summary }, box, strategy.name);
    });
    return make("fieldset", { class: "strategies" }, make("legend", {}, "strategies"), ...boxes);
  }
}
