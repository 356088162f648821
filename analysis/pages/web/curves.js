// SPDX-License-Identifier: Apache-2.0
// Learning curves: {curves: [{name, points: [...]}], target: {metric, value} or null,
// marked: [name, ...]}; points as in docs/formats.md, and "low" and "high" of each metric by seeds.
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

views.curves = (section, data) => {
  const metrics = Object.keys(kLearningMetrics).filter((name) =>
    data.curves.some((curve) => curve.points.some((point) => Number.isFinite(point[name]))));
  if (metrics.length === 0) return;
  const targetMetric = data.target ? `test_${data.target.metric}` : null;
  let metric = metrics.includes(targetMetric) ? targetMetric : metrics[0];
  let x = "training_s";
  const names = data.curves.map((curve) => curve.name);
  const chosen = new Set(data.curves.length <= kMostAtOnce ? names : (data.marked.length > 0 ? data.marked : names.slice(0, kMostAtOnce)));
  const box = make("div", {});
  let chart = null;
  const show = () => {
    const series = data.curves.map((curve, style) => ({
      name: curve.name, style,
      points: curve.points.filter((point) => Number.isFinite(point[metric]))
        .map((point) => ({
          x: point[x], y: point[metric], low: point.low?.[metric], high: point.high?.[metric],
          more: `epoch ${point.epoch}${point.seeds ? `, ${point.seeds} seeds` : ""}`,
        })),
    })).filter((each) => chosen.has(each.name) && each.points.length > 0);
    const target = data.target && metric === targetMetric
      ? { value: data.target.value, name: `target ${kLearningMetrics[metric].text(data.target.value)}` } : null;
    chart?.forget();
    chart = lineChart(`${kLearningMetrics[metric].title} over ${kLearningAxes[x].title}, of ${chosen.size} jobs`,
      series, kLearningAxes[x], kLearningMetrics[metric], target);
    box.replaceChildren(chart.element);
  };
  const titles = (table, all) => all.map((name) => [name, table[name].title]);
  section.append(make("h2", {}, "Learning curves"), make("div", { class: "controls" },
    chooser("show", titles(kLearningMetrics, metrics), (value) => { metric = value; show(); }, metric),
    chooser("over", titles(kLearningAxes, Object.keys(kLearningAxes)), (value) => { x = value; show(); }, x)), box);
  if (data.curves.length > kMostAtOnce) section.append(whichCurves(names, chosen, show));
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
