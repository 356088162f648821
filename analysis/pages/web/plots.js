// SPDX-License-Identifier: Apache-2.0
// Plots of measured points and fitted lines: {heading, text, x, y, series, hasDiagonal}; an axis is {title, text(value)},
// a series {name, hasLine, points: [{x, y, line}]}; a point may have "xRange", "yRange" ([low, high] or null), "name" and
// "more", a remark.
"use strict";

/** The ends of whiskers: none if the range is a point. */
function whiskerOf(range) {
  return range && range[1] > range[0] ? range : null;
}

/** Lines of text that describe a point. */
function pointLines(plot, series, point) {
  const [xText, yText] = [plot.x.text, plot.y.text];
  if (!point.name) return `${series}, ${xText(point.x)}: ${yText(point.y)}`;
  const ranged = (text, value, range) => text(value) + (whiskerOf(range) ? ` (${text(range[0])} to ${text(range[1])})` : "");
  return [
    ...[series, point.name].flatMap((name) => folded(name, narrowness.matches ? 36 : 80)),
    `${plot.y.title}: ${ranged(yText, point.y, point.yRange)}`, `${plot.x.title}: ${ranged(xText, point.x, point.xRange)}`,
    ...(point.more ? [point.more] : []),
  ];
}

function measuredPlot(plot) {
  const points = plot.series.flatMap((series) => series.points);
  const values = (key) => points.map((point) => point[key]).filter((value) => value > 0);
  const ends = points.flatMap((point) => [...(point.xRange ?? []), ...(point.yRange ?? [])]).filter((value) => value > 0);
  const both = [...values("x"), ...values("y"), ...ends];
  const range = plot.hasDiagonal ? { min: Math.min(...both) / 1.2, max: Math.max(...both) * 1.2 } : {};
  const label = `${plot.heading}: ${plot.y.title} over ${plot.x.title}, ${points.length} points`;
  const logarithmic = (axis) => ({ ...axisOf(axis.title, axis.text, [], false), type: "logarithmic", ...range });
  // The legend's lines are added to a plot's usual height.
  const legendLines = () => plot.series.length / (narrowness.matches ? 1 : 2);
  const usual = () => (narrowness.matches ? (plot.hasDiagonal ? 24 : 20) : plot.hasDiagonal ? 36 : 24);
  const height = () => `${usual() + 1.6 * Math.max(0, Math.ceil(legendLines()) - 2)}rem`;
  const chart = chartOf(label, () => ({
    type: "scatter",
    data: {
      datasets: [
        ...plot.series.map((series, n) => ({
          label: series.name, data: series.points, ...styleOf(n),
          intervals: series.points.map((point) => whiskerOf(point.yRange)),
          across: series.points.map((point) => whiskerOf(point.xRange)),
        })),
        ...plot.series.flatMap((series, n) => (series.hasLine ? [{
          label: `${series.name}: fit`, data: series.points.map((point) => ({ x: point.x, y: point.line })),
          ...styleOf(n), type: "line", pointRadius: 0, borderDash: [],
        }] : [])),
        ...(plot.hasDiagonal ? [{
          label: "equal", data: [{ x: range.min, y: range.min }, { x: range.max, y: range.max }], type: "line",
          pointRadius: 0, borderDash: [5, 3], borderWidth: 1, borderColor: css("--text"),
        }] : []),
      ],
    },
    options: {
      scales: { x: logarithmic(plot.x), y: logarithmic(plot.y) },
      plugins: {
        legend: {
          position: "bottom",
          labels: {
            usePointStyle: true, boxWidth: 10,
            filter: (item) => !item.text.endsWith(": fit") && item.text !== "equal",
            generateLabels: (shown) => Chart.defaults.plugins.legend.labels.generateLabels(shown)
              .map((item) => ({ ...item, text: shortened(item.text, narrowness.matches ? 38 : 80) })),
          },
        },
        tooltip: { callbacks: { label: (item) => pointLines(plot, item.dataset.label, item.raw) } },
      },
    },
    plugins: [whiskers],
  }), height);
  if (plot.hasDiagonal) chart.element.style.maxWidth = "52rem"; // nearly a square: equal scales on both axes
  return chart.element;
}

/** A plot below its heading and its text. */
function plotSection(plot) {
  return [make("h2", {}, plot.heading), make("p", {}, plot.text), measuredPlot(plot)];
}
