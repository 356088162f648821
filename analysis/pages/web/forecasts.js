// SPDX-License-Identifier: Apache-2.0
// Forecasts: the ranking, phases of epochs, curves over swept settings. A run is one of
// epochcast.result/1, with "name" and "point" ({setting: value}).
"use strict";

/** Seconds for the number of samples in the data set, by which strategies are compared. */
function datasetSeconds(run) {
  return run.epoch_s * run.train_samples / run.samples_per_epoch;
}

/** The interval of the same, or null. */
function datasetInterval(run) {
  return run.epoch_s_interval && run.epoch_s_interval.map((seconds) => seconds * run.train_samples / run.samples_per_epoch);
}

/** Samples per second of all workers together. */
function samplesPerSecond(run) {
  return run.samples_per_epoch / run.epoch_s;
}

/** The same for one device that trains, on average. */
function deviceSamplesPerSecond(run) {
  const trainers = run.by_device.filter((device) => device.role === "trains").reduce((sum, device) => sum + device.workers, 0);
  const sharers = Number(run.config["ranks-per-device"] ?? 1);
  return samplesPerSecond(run) * sharers / Math.max(1, trainers);
}

function pointText(point) {
  return Object.entries(point).map(([name, value]) => `${name} ${value}`).join(", ");
}

/** A run's point in a sweep, without its strategy. */
function placeOf(run) {
  return pointText(Object.fromEntries(Object.entries(run.point).filter(([name]) => name !== "strategy")));
}

/** Settings that differ between runs, without strategies: {name, values} in order of occurrence. */
function axesOf(runs) {
  const names = new Set(runs.flatMap((run) => Object.keys(run.point)));
  names.delete("strategy");
  return [...names]
    .map((name) => ({ name, values: [...new Set(runs.map((run) => run.point[name]))] }))
    .filter((axis) => axis.values.length > 1)
    .map((axis) => ({ ...axis, isNumeric: axis.values.every((value) => Number.isFinite(numberIn(value))) }));
}

/** The baseline of the same point: sync, if possible without overlap. */
function baselineOf(run, runs) {
  const all = runs.filter((each) => each.strategy === "sync" && placeOf(each) === placeOf(run));
  return all.find((each) => each.config.overlap !== "bucket") ?? all[0];
}

/** Cost and energy of a run for the number of samples in the data set: columns of some tables. */
function spendingColumns(runs) {
  const scale = (run) => run.train_samples / run.samples_per_epoch;
  const columns = [];
  if (runs.some((run) => run.cost)) {
    columns.push({
      title: "cost", explain: "for as many samples as the data set has",
      cell: (run) => (run.cost
        ? { text: `${digits(run.cost.epoch * scale(run))} ${run.cost.currency}`, value: run.cost.epoch * scale(run) } : "-"),
    });
  }
  if (runs.some((run) => run.energy)) {
    columns.push({
      title: "energy", explain: "for as many samples as the data set has",
      cell: (run) => (run.energy
        ? { text: energyText(run.energy.epoch_j * scale(run)), value: run.energy.epoch_j * scale(run) } : "-"),
    });
  }
  return columns;
}

/** Seconds to the job's target, if it has one (Infinity: unknown), else for all data. */
function rankedSeconds(run) {
  return run.config.target ? run.target_s ?? Infinity : datasetSeconds(run);
}

/** Fastest first, unranked runs last. */
function byTime(runs) {
  return [...runs].sort((a, b) => b.is_ranked - a.is_ranked || rankedSeconds(a) - rankedSeconds(b));
}

/** Which run is at its target first, and when; or that it is not known. */
function targetText(runs) {
  const first = byTime(runs)[0];
  if (!first) return "";
  if (!first.config.target)
    return "Which one learns first is not known here: give --curves and --target, or ask `epochcast choose`.";
  if (first.target_s === undefined) return `Time to ${first.config.target}: not known, as no curve is of such a job.`;
  return `First at ${first.config.target}: ${first.name}, after ${secondsText(first.target_s)}.`;
}

function rankingTable(runs, axes, kept) {
  const sorted = byTime(runs);
  const seconds = (value, range) => ({ text: secondsText(value), value, range });
  const range = (interval) => interval && interval[1] > interval[0]
    ? `${secondsText(interval[0])} to ${secondsText(interval[1])}` : null;
  const hasBaseline = runs.some((run) => run.strategy === "sync") && new Set(runs.map((run) => run.name)).size > 1;
  const columns = [
    ...axes.map((axis) => ({
      title: axis.name,
      cell: (run) => ({ text: run.point[axis.name], value: axis.isNumeric ? numberIn(run.point[axis.name]) : undefined }),
    })),
    { title: "strategy", isLeft: true, cell: (run) => run.name },
    ...(runs.some((run) => run.config.target) ? [{
      title: "to target", explain: "time of training to the target, by curves that were measured elsewhere",
      cell: (run) => (run.target_s === undefined ? "unknown" : seconds(run.target_s)),
    }] : []),
    {
      title: "all data", explain: "time for as many samples as the data set has: what strategies are compared by",
      cell: (run) => seconds(datasetSeconds(run), range(datasetInterval(run))),
    },
    ...(hasBaseline ? [{
      title: "vs sync", explain: "how many times as fast as sync, without overlap if there is such a row",
      cell: (run) => {
        const baseline = baselineOf(run, runs);
        if (!baseline) return "-";
        const factor = datasetSeconds(baseline) / datasetSeconds(run);
        return { text: `${digits(factor)}x`, value: factor };
      },
    }] : []),
    { title: "epoch", cell: (run) => seconds(run.epoch_s, range(run.epoch_s_interval)) },
    {
      title: "of data", explain: "samples that an epoch trains on, as a share of the data set",
      cell: (run) => ({ text: percentText(run.samples_per_epoch / run.train_samples), value: run.samples_per_epoch }),
    },
    {
      title: "samples/s", explain: "of all workers together",
      cell: (run) => ({ text: digits(samplesPerSecond(run)), value: samplesPerSecond(run) }),
    },
    {
      title: "per device", explain: "samples a second of one device that trains, on average",
      cell: (run) => ({ text: digits(deviceSamplesPerSecond(run)), value: deviceSamplesPerSecond(run) }),
    },
    { title: "compute", cell: (run) => seconds(run.compute_s) },
    { title: "exchange", explain: "communication that nothing hides", cell: (run) => seconds(run.exposed_communication_s) },
    { title: "blocked", explain: "waiting for other workers", cell: (run) => seconds(run.blocked_s) },
    ...spendingColumns(runs),
    { title: "rounds", cell: (run) => ({ text: String(run.rounds_per_epoch), value: run.rounds_per_epoch }) },
    { title: "in nodes", cell: (run) => ({ text: bytesText(run.intra_node_bytes), value: run.intra_node_bytes }) },
    { title: "between nodes", cell: (run) => ({ text: bytesText(run.inter_node_bytes), value: run.inter_node_bytes }) },
    {
      title: "precision", explain: "what batches are computed in; - where batch times were given",
      cell: (run) => (run.config.precision === "auto" ? "-" : run.config.precision ?? "-"),
    },
    { title: "inputs", explain: "the lowest grade that it rests on", cell: (run) => run.input_grade },
  ];
  return tableOf("Forecasts, fastest first. Press a heading to sort.", columns, sorted, kept, (run) => !run.is_ranked);
}

/** Horizontal bars of compute, exchange and blocked, for the number of samples in the data set. */
function phaseChart(runs) {
  const sorted = byTime(runs);
  const barOf = (run) => ({
    name: "", interval: datasetInterval(run),
    ...Object.fromEntries(kPhases.map(([, key]) => [key, run[key] * run.train_samples / run.samples_per_epoch])),
  });
  const chart = phaseBars("Bars: for each strategy, the time for all data, divided into compute, exchange and blocked. " +
    "The table of forecasts has the figures.", "time for all data", sorted.map((run) => ({ name: run.name + (run.is_ranked ? "" : " (not ranked)"), bars: [barOf(run)] })));
  const remarks = sorted.some((run) => run.epoch_s_interval) ? ["whiskers: 5 to 95 % of repetitions"] : [];
  return { element: make("div", {}, phaseLegend(...remarks), chart.element), forget: chart.forget };
}

const kMeasures = {
  "all data": { title: "time for all data", text: secondsText, isLogarithmic: true, value: datasetSeconds, interval: datasetInterval },
  throughput: {
    title: "samples per second", text: digits, isLogarithmic: true, value: (run) => run.samples_per_epoch / run.epoch_s,
    interval: (run) => run.epoch_s_interval && [run.epoch_s_interval[1], run.epoch_s_interval[0]].map((s) => run.samples_per_epoch / s),
  },
  exchange: { title: "share of exchange", text: percentText, isFromZero: true, value: (run) => run.exposed_communication_s / run.epoch_s },
  blocked: { title: "share of being blocked", text: percentText, isFromZero: true, value: (run) => run.blocked_s / run.epoch_s },
};

/** A line for each strategy, and each value of other axes, over one numeric axis. */
function curveChart(runs, axes, axis, measure) {
  const lines = new Map();
  for (const run of runs) {
    const others = Object.fromEntries(axes.filter((each) => each !== axis).map((each) => [each.name, run.point[each.name]]));
    const overlap = run.config.overlap === "bucket" ? ", overlap" : "";
    const name = [run.strategy + overlap, pointText(others)].filter((part) => part !== "").join(", ");
    if (!lines.has(name)) lines.set(name, []);
    const interval = measure.interval?.(run);
    lines.get(name).push({
      x: numberIn(run.point[axis.name]), y: measure.value(run), low: interval?.[0], high: interval?.[1],
      more: `${axis.name} ${run.point[axis.name]}`,
    });
  }
  const series = [...lines].map(([name, points]) => ({ name, points: points.sort((a, b) => a.x - b.x) }));
  const ticks = new Map(axis.values.map((value) => [numberIn(value), value]));
  const x = {
    title: axis.name, isLogarithmic: true, text: (value) => ticks.get(value) ?? digits(value),
    more: {
      min: Math.min(...ticks.keys()), max: Math.max(...ticks.keys()),
      afterBuildTicks: (scale) => { scale.ticks = [...ticks.keys()].sort((a, b) => a - b).map((value) => ({ value })); },
    },
  };
  return lineChart(`Curves: ${measure.title} over ${axis.name}, a line for each of ${series.length} series. ` +
    "The table of forecasts has the figures.", series, x, measure);
}

/** The distribution of staleness: a line for each run with parameter servers. */
function stalenessChart(runs) {
  const series = runs.map((run) => ({
    name: run.name, points: run.asynchrony.staleness_shares.map((share, staleness) => ({ x: staleness, y: share })),
  }));
  return lineChart(`Staleness: the share of updates over the staleness of their gradients, a line for each of ${series.length} ` +
    "runs. The notes have the mean, the 95 % point and the largest.", series,
  { title: "staleness: updates between a worker's pull and the update with its gradient", text: digits },
  { title: "share of updates", text: percentText, isFromZero: true });
}

function noteList(runs) {
  const byNote = new Map();
  for (const run of runs) {
    for (const note of run.is_ranked ? run.notes : [...run.notes, run.not_ranked]) byNote.set(note, (byNote.get(note) ?? new Set()).add(run.name));
  }
  if (byNote.size === 0) return null;
  const names = new Set(runs.map((run) => run.name)).size;
  const who = (set) => (set.size === names ? "" : `${[...set].slice(0, 4).join("; ")}${set.size > 4 ? ", ..." : ""}: `);
  return make("ul", { class: "notes" }, ...[...byNote].map(([note, set]) => make("li", {}, who(set) + note)));
}

/** Failed forecasts: each strategy's reasons, similar ones once, with their points. */
function problemList(result) {
  if (!result.not_forecast?.length) return null;
  const kinds = new Map();
  for (const each of result.not_forecast) {
    const reason = each.problems.join("; ");
    const kind = `${each.strategy}: ${reason.replace(/[0-9]+/g, "#")}`; // numbers differ between points
    if (!kinds.has(kind)) kinds.set(kind, { strategy: each.strategy, reason, points: [] });
    if (each.point) kinds.get(kind).points.push(each.point);
  }
  const placeText = (points) =>
    (points.length > 0 ? ` (${points.slice(0, 6).join("; ")}${points.length > 6 ? ", ..." : ""})` : "");
  const reasons = [...kinds.values()].map(({ strategy, reason, points }) => ({ name: strategy + placeText(points), reason }));
  return make("div", {}, make("h3", {}, "Not forecast"), reasonList(reasons));
}

views.forecasts = (section, result) => {
  const runs = result.runs;
  const axes = axesOf(runs);
  const points = [...new Set(runs.map((run) => placeOf(run)))];
  const bars = make("div", {});
  let bar = null;
  let lines = null;
  const showPoint = (point) => {
    bar?.forget();
    lines?.forget();
    const shown = runs.filter((run) => placeOf(run) === point);
    const served = shown.filter((run) => run.asynchrony);
    bar = phaseChart(shown);
    lines = served.length > 0 ? stalenessChart(served) : null;
    bars.replaceChildren(make("p", {}, targetText(shown)), bar.element, ...(lines ? [make("h2", {}, "Staleness of gradients"), lines.element] : []));
  };
  section.append(make("h2", {}, "Where the time goes"));
  if (axes.length > 0) {
    section.append(make("div", { class: "controls" },
      chooser("at", points.map((point) => [point, point]), showPoint)));
  }
  section.append(bars);
  showPoint(points[0]);
  const numeric = axes.filter((axis) => axis.isNumeric);
  if (numeric.length > 0) {
    const box = make("div", {});
    let axis = numeric[0];
    let measure = "all data";
    let curves = null;
    const show = () => {
      curves?.forget();
      curves = curveChart(runs, axes, axis, kMeasures[measure]);
      box.replaceChildren(curves.element);
    };
    section.append(make("h2", {}, "Curves"), make("div", { class: "controls" },
      chooser("show", Object.entries(kMeasures).map(([name, each]) => [name, each.title]), (chosen) => { measure = chosen; show(); }),
      numeric.length > 1
        ? chooser("over", numeric.map((each) => [each.name, each.name]),
          (chosen) => { axis = numeric.find((each) => each.name === chosen); show(); })
        : null), box);
    show();
  }
  section.append(make("h2", {}, "All forecasts"), rankingTable(runs, axes));
  section.append(...[noteList(runs), problemList(result)].filter((part) => part !== null));
  section.append(make("p", { class: "muted" },
    "Epoch, compute, exchange (communication that is not hidden) and blocked (waiting for other workers) are means over " +
    "workers and epochs; bytes are sums over workers. Strategies are compared by the time " +
    (runs.some((run) => run.config.target) ? "to the target, by curves that were measured elsewhere."
      : `for as many samples as the data set has. ${kAccuracyIsElsewhere}`)));
};
