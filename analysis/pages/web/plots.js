// SPDX-License-Identifier: Apache-2.0
// Plots of measured points and fitted lines: a list of {heading, text, x, y, series, has_diagonal};
// an axis is {title, unit}, a series {name, has_line, points: [{x, y, line}]}.
"use strict";

const kUnits = { seconds: secondsText, bytes: bytesText };

function measuredPlot(plot) {
  const [xText, yText] = [kUnits[plot.x.unit], kUnits[plot.y.unit]];
  const points = plot.series.flatMap((series) => series.points);
  const values = (key) => points.map((point) => point[key]).filter((value) => value > 0);
  const both = [...values("x"), ...values("y")];
  const range = plot.has_diagonal ? { min: Math.min(...both) / 1.2, max: Math.max(...both) * 1.2 } : {};
  const label = `${plot.heading}: ${plot.y.title} over ${plot.x.title}, ${points.length} points`;
  const logarithmic = (axis, text) => ({
    type: "logarithmic", title: { display: true, text: axis.title }, ...range,
    ticks: { callback: (value) => text(value), maxTicksLimit: 8 },
  });
  return chartOf(label, () => ({
    type: "scatter",
    data: {
      datasets: [
        ...plot.series.map((series, n) => ({ label: series.name, data: series.points, ...styleOf(n) })),
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
          labels: { usePointStyle: true, filter: (item) => !item.text.endsWith(": fit") && item.text !== "equal" },
        },
        tooltip: { callbacks: { label: (item) => `${item.dataset.label}, ${xText(item.raw.x)}: ${yText(item.raw.y)}` } },
      },
    },
  })).element;
}

views.plots = (section, plots) => {
  for (const plot of plots)
    section.append(make("h2", {}, plot.heading), make("p", {}, plot.text), measuredPlot(plot));
};
