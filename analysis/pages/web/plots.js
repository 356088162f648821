// SPDX-License-Identifier: Apache-2.0
// Plots of measured points and fitted lines: a list of {heading, text, x, y, series, has_diagonal};
// an axis is {title, unit}, a series {name, has_line, points: [{x, y, line}]}; a point may have "x_range", "y_range"
// ([low, high] or null), "name" and "more", a remark. Phases: see views.phases.
"use strict";

const kUnits = { seconds: secondsText, bytes: bytesText };

/** The ends of whiskers: none if the range is a point. */
function whiskerOf(range) {
  return range && range[1] > range[0] ? range : null;
}

/** Lines of text that describe a point. */
function pointLines(plot, series, point) {
  const [xText, yText] = [kUnits[plot.x.unit], kUnits[plot.y.unit]];
  if (!point.name) return `${series}, ${xText(point.x)}: ${yText(point.y)}`;
  const ranged = (text, value, range) => text(value) + (whiskerOf(range) ? ` (${text(range[0])} to ${text(range[1])})` : "");
  return [
    ...[series, point.name].flatMap((name) => folded(name, narrowness.matches ? 36 : 80)),
    `${plot.y.title}: ${ranged(yText, point.y, point.y_range)}`, `${plot.x.title}: ${ranged(xText, point.x, point.x_range)}`,
    ...(point.more ? [point.more] : []),
  ];
}

function measuredPlot(plot) {
  const [xText, yText] = [kUnits[plot.x.unit], kUnits[plot.y.unit]];
  const points = plot.series.flatMap((series) => series.points);
  const values = (key) => points.map((point) => point[key]).filter((value) => value > 0);
  const ends = points.flatMap((point) => [...(point.x_range ?? []), ...(point.y_range ?? [])]).filter((value) => value > 0);
  const both = [...values("x"), ...values("y"), ...ends];
  const range = plot.has_diagonal ? { min: Math.min(...both) / 1.2, max: Math.max(...both) * 1.2 } : {};
  const label = `${plot.heading}: ${plot.y.title} over ${plot.x.title}, ${points.length} points`;
  const logarithmic = (axis, text) => ({
    type: "logarithmic", title: { display: true, text: axis.title }, ...range,
    ticks: { callback: (value) => text(value), maxTicksLimit: 8 },
  });
  // The legend's lines are added to a plot's usual height.
  const legendLines = () => plot.series.length / (narrowness.matches ? 1 : 2);
  const usual = () => (narrowness.matches ? (plot.has_diagonal ? 24 : 20) : plot.has_diagonal ? 36 : 24);
  const height = () => `${usual() + 1.6 * Math.max(0, Math.ceil(legendLines()) - 2)}rem`;
  const chart = chartOf(label, () => ({
    type: "scatter",
    data: {
      datasets: [
        ...plot.series.map((series, n) => ({
          label: series.name, data: series.points, ...styleOf(n),
          intervals: series.points.map((point) => whiskerOf(point.y_range)),
          across: series.points.map((point) => whiskerOf(point.x_range)),
        })),
        ...plot.series.flatMap((series, n) => (series.has_line ? [{
          label: `${series.name}: fit`, data: series.points.map((point) => ({ x: point.x, y: point.line })),
          ...styleOf(n), type: "line", pointRadius: 0, borderDash: [],
        }] : [])),
        ...(plot.has_diagonal ? [{
          label: "equal", data: [{ x: range.min, y: range.min }, { x: range.max, y: range.max }], type: "line",
          pointRadius: 0, borderDash: [5, 3], borderWidth: 1, borderColor: css("--text"),
        }] : []),
      ],
    },
    options: {
      scales: { x: logarithmic(plot.x, xText), y: logarithmic(plot.y, yText) },
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
  if (plot.has_diagonal) chart.element.style.maxWidth = "52rem"; // nearly a square: equal scales on both axes
  return chart.element;
}

views.plots = (section, plots) => {
  for (const plot of plots)
    section.append(make("h2", {}, plot.heading), make("p", {}, plot.text), measuredPlot(plot));
};

/** {heading, text, remarks, axis, groups: [{name, rows}]}: "remarks" of the legend, the "axis"' title, rows of phaseBars(). */
views.phases = (section, data) => {
  section.append(make("h2", {}, data.heading), make("p", {}, data.text), phaseLegend(...data.remarks));
  for (const group of data.groups) {
    const label = `Bars: ${data.heading}, ${group.name}. The table has the figures.`;
    section.append(make("h3", {}, group.name), phaseBars(label, data.axis, group.rows).element);
  }
};
