// SPDX-License-Identifier: Apache-2.0
// epochcast serve: requests forecasts from the server when the experiment changes, and shows them.
"use strict";

const byId = (id) => document.getElementById(id);
const answers = new Map(); // cached answers, by question
const kKept = 200;
const kPause_ms = 350; // delay of slow requests after the last change
const kFirstPart_ms = 90; // a part of an answer is shown after so long, and again

/** Reads the answer to a question, lines of JSON; `line` gets each. Throws the server's errors. */
async function ask(path, question, signal, line) {
  const response = await fetch(path, {
    method: "POST", signal, headers: { "Content-Type": "application/json" }, body: JSON.stringify(question),
  });
  if (!response.ok) throw new Refused((await response.json()).problems);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const text of lines) line(JSON.parse(text));
  }
  if (rest !== "") line(JSON.parse(rest));
}

/** The server's error for a question. */
class Refused extends Error {
  constructor(problems) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/**
 * All forecasts of a question: {runs, not_forecast, command}; cached from earlier requests. `some(result, tasks)` gets
 * what has come so far, now and then.
 */
async function forecasts(question, signal, some = () => {}) {
  const key = JSON.stringify(question);
  if (answers.has(key)) return answers.get(key);
  const byTask = [];
  let command = "";
  let tasks = 0;
  let isDone = false;
  let last = performance.now();
  const result = () => {
    const come = byTask.filter((line) => line);
    return { runs: come.flatMap((line) => line.runs), not_forecast: come.flatMap((line) => line.not_forecast), command };
  };
  await ask("/api/forecast", question, signal, (line) => {
    if (line.problems) throw new Refused(line.problems);
    if (line.command) ({ command, tasks } = line);
    if (line.runs) byTask[line.task] = line;
    isDone = isDone || line.is_done === true;
    if (isDone || performance.now() - last < kFirstPart_ms) return;
    some(result(), tasks);
    last = performance.now();
  });
  if (!isDone) throw new Refused(["the server ended before it had answered"]);
  remember(key, result());
  return result();
}

/** Caches an answer; the oldest ones are dropped. */
function remember(key, answer) {
  if (answers.size >= kKept) answers.delete(answers.keys().next().value);
  answers.set(key, answer);
}

/** The page's answer to one experiment, section by section. */
class Answer {
  constructor(experiment) {
    this.experiment = experiment;
    this.shown = []; // charts to be released
    this.controller = null;
    this.scalingOver = "nodes";
    this.measure = "efficiency";
    this.order = { id: "ranking" }; // order of the table
    this.timeline = {}; // the selected one
  }

  /** The experiment has changed: requests medians at once, and slow forecasts after a pause. */
  async renew() {
    this.controller?.abort();
    const controller = new AbortController();
    this.controller = controller;
    const begun = performance.now();
    const settings = { ...this.experiment.settings };
    byId("answer").classList.add("is-stale");
    try {
      const result = await forecasts({ settings, intervals: false }, controller.signal, (some, tasks) => {
        if (some.runs.length > 0) this.show(some, `${some.runs.length} of ${tasks} forecasts so far.`);
      });
      this.show(result, `${result.runs.length} forecasts in ${Math.round(performance.now() - begun)} ms, of median costs.`);
      await pause(kPause_ms, controller.signal);
      await this.showScaling(settings, controller.signal);
      const drawn = await forecasts({ settings, intervals: true }, controller.signal);
      if (drawn.runs.some((run) => run.epoch_s_interval)) this.show(drawn, "Means and 5 to 95 % of repetitions with drawn costs.");
      byId("command").textContent = drawn.command;
      await this.showTimeline(settings, result, controller.signal);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.showProblems(error.problems ?? [`the server does not answer: ${error.message}`]);
    }
  }

  show(result, state) {
    byId("answer").classList.remove("is-stale");
    byId("state").textContent = state;
    byId("command").textContent = result.command;
    byId("problems").replaceChildren();
    this.shown.forEach((chart) => chart.forget());
    if (result.runs.length === 0) {
      const reasons = result.not_forecast.flatMap((each) => each.problems.map((reason) => ({ name: each.strategy, reason })));
      this.showProblemList(reasonList(reasons, new Set(reasons.map(({ name }) => name)).size));
      return;
    }
    const bars = phaseChart(result.runs);
    this.shown = [bars];
    byId("headline").replaceChildren(...headline(result.runs));
    keepingFocus(() => byId("ranking").replaceChildren(make("h2", {}, "Where the time goes"), bars.element,
      make("h2", {}, "All forecasts"), rankingTable(result.runs, [], this.order),
      make("p", { class: "muted" }, kAccuracyIsElsewhere), ...[problemList(result)].filter((part) => part)));
    byId("trust").replaceChildren(...trust(result.runs, this.experiment.about));
  }

  showProblems(problems) {
    this.showProblemList(make("ul", {}, ...[...new Set(problems)].map((problem) => make("li", {}, problem))));
  }

  showProblemList(list) {
    byId("answer").classList.remove("is-stale");
    byId("state").textContent = "No forecast.";
    byId("problems").replaceChildren(list);
    for (const id of ["headline", "ranking", "scaling", "timeline", "trust"]) byId(id).replaceChildren();
    byId("command").textContent = "";
  }

  axes() {
    const { platform } = this.experiment.context;
    const all = [];
    if ((platform?.nodes ?? 1) > 1) all.push({ name: "nodes", values: counts(1, platform.nodes).filter((_, i, list) => list.length <= 12 || i % Math.ceil(list.length / 10) === 0 || i === list.length - 1) });
    if (this.experiment.hasSetting("network.bandwidth") && platform?.bandwidth_bytes_per_s)
      all.push({ name: "network.bandwidth", values: kBandwidths.filter((_, i) => i % 2 === 0) });
    all.push({ name: "batch", values: powers(8, 1024) });
    return all;
  }

  async showScaling(settings, signal) {
    const axes = this.axes();
    const axis = axes.find((each) => each.name === this.scalingOver) ?? axes[0];
    const fixed = { ...settings };
    delete fixed[axis.name];
    const result = await forecasts({ settings: fixed, sweep: { [axis.name]: axis.values }, intervals: false }, signal);
    if (result.runs.length === 0) {
      byId("scaling").replaceChildren();
      return;
    }
    const measures = axis.name === "nodes" ? { ...kScalingMeasures(result.runs), ...kMeasures } : kMeasures;
    const measure = measures[this.measure] ?? Object.values(measures)[0];
    const axisWithTicks = { ...axis, isNumeric: true, values: [...new Set(result.runs.map((run) => run.point[axis.name]))] };
    const chart = curveChart(result.runs, [axisWithTicks], axisWithTicks, measure);
    this.scaling?.forget();
    this.scaling = chart;
    const again = () => this.showScaling({ ...this.experiment.settings }, this.controller.signal).catch(() => {});
    keepingFocus(() => byId("scaling").replaceChildren(make("h2", {}, `Over ${axis.name}`), make("div", { class: "controls" },
      chooser("over", axes.map((each) => [each.name, each.name]), (name) => { this.scalingOver = name; again(); }, axis.name, "scaling-over"),
      chooser("show", Object.entries(measures).map(([name, each]) => [name, each.title]), (name) => { this.measure = name; again(); },
        Object.keys(measures).find((name) => measures[name] === measure), "scaling-show")),
    chart.element, ...[problemList(result)].filter((part) => part)));
  }

  async showTimeline(settings, result, signal) {
    const key = `timeline ${JSON.stringify(settings)}`;
    const all = answers.get(key) ?? [];
    if (all.length === 0) await ask("/api/timeline", { settings, intervals: false }, signal, (line) => all.push(...line));
    remember(key, all);
    keepingFocus(() => {
      byId("timeline").replaceChildren();
      if (all.length > 0) views.timelines(byId("timeline"), all, this.timeline);
    });
  }
}

/** Efficiency and speed-up over nodes, by strategy against its own smallest number of nodes. */
function kScalingMeasures(runs) {
  const trainers = (run) => run.by_device.filter((device) => device.role === "trains").reduce((sum, device) => sum + device.workers, 0);
  const first = (run) => runs.filter((each) => each.name.split(",")[0] === run.name.split(",")[0] && each.config.overlap === run.config.overlap)
    .reduce((least, each) => (trainers(each) < trainers(least) ? each : least));
  const speedup = (run) => datasetSeconds(first(run)) / datasetSeconds(run);
  return {
    efficiency: { title: "efficiency: speed-up by workers", text: percentText, isFromZero: true, value: (run) => speedup(run) * trainers(first(run)) / trainers(run) },
    speedup: { title: "speed-up against the fewest nodes", text: (value) => `${digits(value)}x`, isLogarithmic: true, value: speedup },
  };
}

function card(term, value, detail) {
  return make("div", {}, make("dt", {}, term), make("dd", {}, value, detail ? make("small", {}, detail) : null));
}

function headline(runs) {
  const best = byTime(runs)[0];
  const sync = baselineOf(best, runs);
  const cards = [best.is_ranked
    ? card("fastest for as many samples", best.name, `${secondsText(datasetSeconds(best))} for all data`)
    : card("not ranked", best.name, best.not_ranked)];
  if (sync && sync !== best)
    cards.push(card(sync.config.overlap === "bucket" ? "against sync" : "against sync without overlap", `${digits(datasetSeconds(sync) / datasetSeconds(best))}x`, `sync takes ${secondsText(datasetSeconds(sync))}`));
  cards.push(card("exchange, of sync", sync ? percentText(sync.exposed_communication_s / sync.epoch_s) : "-", "communication that nothing hides"));
  cards.push(card("workers", String(best.workers), `${best.nodes} ${best.nodes === 1 ? "node" : "nodes"}`));
  cards.push(best.target_s === undefined
    ? card("time to an accuracy", "not known", best.config.target ? "no curve is of such a job" : "give --curves and --target, or ask epochcast choose")
    : card(`to ${best.config.target}`, secondsText(best.target_s), `${best.name}, by curves measured elsewhere`));
  for (const column of spendingColumns(runs)) cards.push(card(column.title, column.cell(best).text ?? "-", `of ${best.name}, for all data`));
  cards.push(card("inputs", best.input_grade, "the lowest grade that forecasts rest on"));
  return cards;
}

/** Grade, error, notes and formulas. */
function trust(runs, about) {
  const grades = {
    measured: "Every input was measured on such machines.",
    published: "Some inputs are figures that others have published.",
    extrapolated: "Every input was measured, some of them on another cluster or with other batches (see notes).",
    estimated: "Some inputs are estimates: seconds and the order of strategies may both be wrong. Measure your own (epochcast measure, calibrate).",
  };
  const lowest = Object.keys(grades).findLast((grade) => runs.some((run) => run.input_grade === grade));
  return [
    make("h2", {}, "How far to trust it"),
    make("p", {}, `Inputs: ${lowest}. ${grades[lowest]}`),
    make("p", {}, "How far off forecasts were (docs/fidelity.md):"),
    make("ul", { class: "notes" }, ...about.fidelity.map((line) => make("li", {}, line))),
    ...[noteList(runs)].filter((part) => part),
    make("details", {}, make("summary", {}, "Formulas behind it"),
      make("p", {}, "An epoch is compute + exchange + blocked, means over workers, of a simulation of messages (SimGrid) in which " +
        "each worker runs the strategy's own code; iterations that repeat are simulated once. To compare: without contention and " +
        "without the time of adding, an all-reduce of n bytes among P workers (a power of two but for the ring) with latency \u03b1 " +
        "and bandwidth B takes"),
      make("ul", { class: "notes" },
        make("li", {}, "ring: 2 (P - 1) (\u03b1 + n / (P B))"),
        make("li", {}, "recursive doubling: log2 P (\u03b1 + n / B)"),
        make("li", {}, "Rabenseifner: 2 log2 P \u03b1 + 2 (P - 1) / P n / B"),
        make("li", {}, "all data = epoch times samples of the data set / samples of an epoch"),
        make("li", {}, "efficiency over nodes = speed-up / (workers that train / fewest such workers)"))),
  ];
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("changed", "AbortError"));
    });
  });
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    byId("copied").textContent = `Copied ${what}.`;
  } catch {
    byId("copied").textContent = `Copy it from here: ${text}`;
  }
}

async function begin() {
  const about = await (await fetch("/api/about")).json();
  let [answer, inverse] = [null, null];
  const experiment = new Experiment(about, () => {
    answer.renew();
    inverse.renew();
  });
  answer = new Answer(experiment);
  experiment.show();
  inverse = new Inverse(experiment);
  byId("copy-link").addEventListener("click", () => {
    window.history.replaceState(null, "", experiment.address());
    copy(window.location.href, "the link: it holds the whole experiment");
  });
  byId("copy-command").addEventListener("click", () => copy(byId("command").textContent, "the command"));
  byId("start-again").addEventListener("click", () => {
    experiment.settings = experiment.start();
    experiment.question = null;
    window.history.replaceState(null, "", window.location.pathname);
    experiment.show();
    experiment.changed();
  });
  experiment.changed();
}

begin();
