// SPDX-License-Identifier: Apache-2.0
// Learning curves: {jobs: [{name, curves}], target: {metric, value} or null, findings, marked: [name, ...]}: a curve for
// each seed, of points as in docs/formats.md; "findings" are lines of text, "marked" the jobs that are shown first.
"use strict";

const kLearningAxes = {
  training_s: { title: "time on the simulated cluster", text: secondsText },
  epoch: { title: "epochs", text: digits },
  bytes_sent: { title: "bytes sent by all workers", text: bytesText },
};
const kLearningMetrics = {
  test_accuracy: { title: "test accuracy", text: percentText },
  test_perplexity: { title: "test perplexity", text: digits },
  test_loss: { title: "test loss", text: digits },
  train_loss: { title: "training loss", text: digits },
  discriminator_loss: { title: "discriminator loss", text: digits },
  generator_loss: { title: "generator loss", text: digits },
};
const kMostAtOnce = 12;

/** Of an epoch of all seeds: means, and "low" and "high" of each metric. Stopped seeds keep their last value. */
function meanPoint(curves, epoch) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const running = curves.filter((curve) => curve.length > epoch);
  const point = { epoch: epoch + 1, low: {}, high: {} };
  for (const name of ["training_s", "bytes_sent"]) point[name] = mean(running.map((curve) => curve[epoch][name]));
  for (const name of Object.keys(kLearningMetrics)) {
    const values = curves.map((curve) => curve[Math.min(epoch, curve.length - 1)][name]).filter(Number.isFinite);
    if (values.length < curves.length) continue;
    [point.low[name], point.high[name], point[name]] = [Math.min(...values), Math.max(...values), mean(values)];
  }
  return point;
}

/** The mean over the seeds of a job: {name, points, seeds}. A seed that diverged in the first epoch has no points. */
function meanCurve({ name, curves }) {
  const some = curves.filter((curve) => curve.length > 0);
  const epochs = Math.max(0, ...some.map((curve) => curve.length));
  return { name, seeds: some.length, points: Array.from({ length: epochs }, (_, epoch) => meanPoint(some, epoch)) };
}

views.curves = (section, data) => {
  if (data.findings) section.append(make("pre", {}, data.findings));
  section.append(make("p", {}, "Training was real: every worker's batches, gradients and parameters. Time is that of the " +
    "simulated cluster."));
  const all = data.jobs.map(meanCurve);
  const metrics = Object.keys(kLearningMetrics).filter((name) =>
    all.some((curve) => curve.points.some((point) => Number.isFinite(point[name]))));
  if (metrics.length === 0) return;
  const targetMetric = data.target ? `test_${data.target.metric}` : null;
  let metric = metrics.includes(targetMetric) ? targetMetric : metrics[0];
  let x = "training_s";
  const names = all.map((curve) => curve.name);
  const chosen = new Set(all.length <= kMostAtOnce ? names : (data.marked.length > 0 ? data.marked : names.slice(0, kMostAtOnce)));
  const box = make("div", {});
  let chart = null;
  const show = () => {
    const series = all.map((curve, style) => ({
      name: curve.name, style,
      points: curve.points.filter((point) => Number.isFinite(point[metric]))
        .map((point) => ({
          x: point[x], y: point[metric], low: point.low[metric], high: point.high[metric],
          more: `epoch ${point.epoch}, ${counted(curve.seeds, "seed")}`,
        })),
    })).filter((each) => chosen.has(each.name) && each.points.length > 0);
    const target = data.target && metric === targetMetric
      ? { value: data.target.value, name: `target ${kLearningMetrics[metric].text(data.target.value)}` } : null;
    chart?.forget();
    chart = lineChart(`${kLearningMetrics[metric].title} over ${kLearningAxes[x].title}, of ${chosen.size} jobs`,
      series, kLearningAxes[x], kLearningMetrics[metric], target);
    box.replaceChildren(chart.element);
  };
  const titles = (table, names) => names.map((name) => [name, table[name].title]);
  section.append(make("h2", {}, "Learning curves"), make("div", { class: "controls" },
    chooser("show", titles(kLearningMetrics, metrics), (value) => { metric = value; show(); }, metric),
    chooser("over", titles(kLearningAxes, Object.keys(kLearningAxes)), (value) => { x = value; show(); }, x)), box);
  if (all.length > kMostAtOnce) section.append(whichCurves(names, chosen, show));
  show();
};

/** Checkboxes that choose curves: a limited number is shown at once. */
function whichCurves(names, chosen, show) {
  return make("details", {}, make("summary", {}, `Which of ${names.length} curves`),
    make("div", { class: "controls" }, ...names.map((name) => {
      const tick = make("input", { type: "checkbox" });
      tick.checked = chosen.has(name);
      tick.addEventListener("change", () => {
        if (tick.checked) chosen.add(name);
        else chosen.delete(name);
        show();
      });
      return make("label", {}, tick, name);
    })));
}
