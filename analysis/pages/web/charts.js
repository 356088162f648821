// SPDX-License-Identifier: Apache-2.0
// Charts, drawn by Chart.js (MIT licence) in the colours of page.css.
"use strict";

/**
 * One for each strategy; the first five are from Okabe and Ito's palette for the colour-blind. From
 * the 17th on, each has a contrast of 3 to the page (dark: 4.5) and the largest CIELAB distance to all before it.
 */
const kColours = {
  light: ["#0072b2", "#d55e00", "#00805e", "#b0508f", "#a06a00", "#555555", "#5b3fb8", "#0e8fa8", "#8c2222", "#6b7d00",
    "#e0407b", "#1f2a6b", "#2e7d32", "#9c27b0", "#7a4a2b", "#00424d", "#0000ff", "#ff00ff", "#ff0033", "#00aa00",
    "#330011", "#ff22bb", "#223300", "#3388ff", "#8844ff", "#bb8888", "#889977", "#000022", "#9988bb", "#0000aa",
    "#ee6655", "#bb77dd"],
  dark: ["#4db2ec", "#ff8b3d", "#2fd0a2", "#e7a0cb", "#f0b93a", "#cccccc", "#b7a2ff", "#58d8ea", "#ff7a7a", "#c3d64a",
    "#ff6fae", "#8fa3e8", "#7fd68a", "#d58cff", "#c9a27e", "#f5f0a1", "#00ff00", "#dd00ff", "#ff1100", "#11aa00",
    "#ee00bb", "#778833", "#bbff00", "#00ff88", "#ff0066", "#4477ff", "#668877", "#ffee00", "#aa7722", "#bbffdd",
    "#aa55ff", "#99ff66"],
};
const kShapes = ["circle", "rect", "triangle", "rectRot", "cross", "star", "crossRot", "rectRounded"];
const kDashes = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

const darkness = window.matchMedia("(prefers-color-scheme: dark)");
const drawn = new Set(); // functions that redraw for other colours or another width
const narrowness = window.matchMedia("(max-width: 40rem)"); // a phone
for (const query of [darkness, narrowness]) query.addEventListener("change", () => drawn.forEach((draw) => draw()));

function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Colour, marker and dash of the n-th series: 32 colours, 8 shapes and 4 dashes; the first 128 differ. */
function styleOf(n) {
  const colours = darkness.matches ? kColours.dark : kColours.light;
  const colour = colours[n % colours.length];
  return {
    borderColor: colour, backgroundColor: colour, pointStyle: kShapes[n % kShapes.length],
    borderDash: kDashes[Math.floor(n / colours.length) % kDashes.length], borderWidth: 2, pointRadius: 4,
  };
}

/** Stripes in two colours: phases differ without colours, too. */
function striped(colour, line, isUpward) {
  const tile = make("canvas", { width: 8, height: 8 });
  const context = tile.getContext("2d");
  context.fillStyle = colour;
  context.fillRect(0, 0, 8, 8);
  context.strokeStyle = line;
  context.beginPath();
  for (const shift of [-8, 0, 8]) {
    context.moveTo(shift - 1, isUpward ? 9 : -1);
    context.lineTo(shift + 9, isUpward ? -1 : 9);
  }
  context.stroke();
  return context.createPattern(tile, "repeat");
}

/** Lines over bars or points from `low` to `high` of a dataset's `intervals`; of `across`, along the other axis. */
const whiskers = {
  id: "whiskers",
  afterDatasetsDraw(chart) {
    const context = chart.ctx;
    const isBars = chart.options.indexAxis === "y";
    const drawAll = (dataset, index, intervals, isHorizontal) => {
      if (!intervals || !chart.isDatasetVisible(index)) return;
      const axis = isHorizontal ? chart.scales.x : chart.scales.y;
      context.save();
      context.strokeStyle = isBars ? css("--text") : dataset.borderColor;
      context.lineWidth = 1.5;
      context.beginPath();
      chart.getDatasetMeta(index).data.forEach((element, at) => {
        const interval = intervals[at];
        if (!interval) return;
        const [low, high] = interval.map((value) => axis.getPixelForValue(value));
        const across = isHorizontal ? element.y : element.x;
        const line = (x1, y1, x2, y2) => {
          context.moveTo(...(isHorizontal ? [x1, y1] : [y1, x1]));
          context.lineTo(...(isHorizontal ? [x2, y2] : [y2, x2]));
        };
        line(low, across, high, across);
        line(low, across - 4, low, across + 4);
        line(high, across - 4, high, across + 4);
      });
      context.stroke();
      context.restore();
    };
    chart.data.datasets.forEach((dataset, index) => {
      drawAll(dataset, index, dataset.intervals, isBars);
      drawAll(dataset, index, dataset.across, !isBars);
    });
  },
};

/** A dashed line at `value`, with its name. */
function marked(value, name) {
  return {
    id: "marked",
    afterDatasetsDraw(chart) {
      const y = chart.scales.y.getPixelForValue(value);
      const { left, right } = chart.chartArea;
      const context = chart.ctx;
      context.save();
      context.strokeStyle = context.fillStyle = css("--text");
      context.setLineDash([5, 3]);
      context.beginPath();
      context.moveTo(left, y);
      context.lineTo(right, y);
      context.stroke();
      context.textAlign = "right";
      context.fillText(name, right - 4, y - 5);
      context.restore();
    },
  };
}

/**
 * A chart in its own box. `configure()` gives Chart.js's configuration, again for other colours.
 * `label` describes it for screen readers; `height()` gives its height if that depends on the data. Returns
 * {element, update}: update() redraws it.
 */
function chartOf(label, configure, height) {
  const canvas = make("canvas", { role: "img", "aria-label": label });
  const element = make("div", { class: "chart" }, canvas);
  let chart = null;
  const draw = () => {
    if (height) element.style.height = height();
    Chart.defaults.color = css("--text");
    Chart.defaults.borderColor = css("--line");
    Chart.defaults.font.family = "system-ui, sans-serif";
    Chart.defaults.font.size = 13;
    Chart.defaults.animation = false;
    Chart.defaults.maintainAspectRatio = false;
    const configuration = configure();
    if (chart) {
      const hidden = new Set(chart.data.datasets.filter((_, i) => !chart.isDatasetVisible(i)).map((set) => set.label));
      chart.destroy();
      for (const set of configuration.data.datasets) if (hidden.has(set.label)) set.hidden = true;
    }
    chart = new Chart(canvas, configuration);
  };
  drawn.add(draw);
  if (height) element.style.height = height();
  // Its size is known after its insertion into the page.
  requestAnimationFrame(() => { if (!chart) draw(); });
  return { element, update: draw, forget: () => { drawn.delete(draw); if (chart) chart.destroy(); } };
}

/** Removes labels that would overlap the next one: the last label of an axis stays. */
function spaceLabels(scale) {
  const { size, family } = Chart.defaults.font;
  scale.ctx.font = `${size}px ${family}`;
  let next = null;
  for (let index = scale.ticks.length - 1; index >= 0; --index) {
    const tick = scale.ticks[index];
    const at = scale.getPixelForTick(index);
    const half = scale.isHorizontal() ? scale.ctx.measureText(tick.label).width / 2 + 3 : size / 2;
    if (next && Math.abs(next.at - at) < next.half + half) tick.label = "";
    else next = { at, half };
  }
}

/** Axis options: `text(value)` of ticks, logarithmic for a wide range of values. */
function axisOf(title, text, values, mayBeLogarithmic) {
  const positive = values.filter((value) => value > 0);
  const isLogarithmic = mayBeLogarithmic && positive.length === values.length && positive.length > 1 &&
    Math.max(...positive) / Math.min(...positive) >= 8;
  return {
    type: isLogarithmic ? "logarithmic" : "linear",
    title: { display: true, text: title },
    ticks: { callback: (value) => text(value), maxTicksLimit: 8, maxRotation: 0 },
    beforeFit: spaceLabels,
  };
}

/** The range of an axis: its least and largest values. */
function reachOf(axis, values) {
  const shown = values.filter((value) => Number.isFinite(value) && (axis.type === "linear" || value > 0));
  return shown.length === 0 ? {} : { suggestedMin: Math.min(...shown), suggestedMax: Math.max(...shown) };
}

/**
 * Lines: `series` are {name, points: [{x, y, low, high, more}]}; `x` and `y` are {title, text, isLogarithmic}.
 * `target`: {value, name} of a marked line.
 */
function lineChart(label, series, x, y, target) {
  return chartOf(label, () => {
    const all = series.flatMap((each) => each.points);
    const yAxis = axisOf(y.title, y.text, all.map((point) => point.y), y.isLogarithmic);
    Object.assign(yAxis, reachOf(yAxis, all.flatMap((point) => [point.y, point.low, point.high]).concat(target?.value ?? [])));
    yAxis.title.display = !narrowness.matches;
    if (y.isFromZero && yAxis.type === "linear") yAxis.beginAtZero = true;
    return {
      type: "line",
      data: {
        datasets: series.map((each, n) => ({
          label: each.name, data: each.points, ...styleOf(each.style ?? n), clip: 8, // markers at the edge are not cut
          intervals: each.points.map((point) => (point.high > point.low ? [point.low, point.high] : null)),
        })),
      },
      options: {
        scales: { x: { ...axisOf(x.title, x.text, all.map((point) => point.x), x.isLogarithmic), ...x.more }, y: yAxis },
        interaction: { mode: "nearest", axis: "xy", intersect: false },
        plugins: {
          legend: { position: "bottom", labels: { usePointStyle: true, boxWidth: 10 }, display: series.length > 1 },
          tooltip: {
            callbacks: {
              title: (items) => items[0]?.dataset.label ?? "",
              label: (item) => [`${y.text(item.raw.y)} at ${x.text(item.raw.x)}`,
                ...(item.raw.high > item.raw.low ? [`${y.text(item.raw.low)} to ${y.text(item.raw.high)}`] : []),
                ...(item.raw.more ? [item.raw.more] : [])],
            },
          },
        },
      },
      plugins: target ? [whiskers, marked(target.value, target.name)] : [whiskers],
    };
  });
}

/** The phases of an epoch: name, its key in results, fill. */
const kPhases = [
  ["compute", "compute_s", () => css("--compute")],
  ["exchange", "exposed_communication_s", () => striped(css("--exchange"), css("--exchange-line"), true)],
  ["blocked", "blocked_s", () => striped(css("--blocked"), css("--blocked-line"), false)],
];

/** The legend of the phases, with remarks. */
function phaseLegend(...remarks) {
  return make("ul", { class: "legend" },
    ...kPhases.map(([name]) => make("li", {}, make("span", { class: `swatch ${name}` }), name)),
    ...remarks.map((remark) => make("li", { class: "muted" }, remark)));
}

/**
 * Horizontal bars of the phases. `rows` are {name, bars: [{name, compute_s, exposed_communication_s, blocked_s,
 * interval}]}, each with bars of the same names, from the top; an interval may be null. `title`: of the axis.
 */
function phaseBars(label, title, rows) {
  const names = rows[0].bars.map((bar) => bar.name);
  const rowNames = () => rows.map((row) => folded(row.name, narrowness.matches ? 18 : 44));
  const mostLines = () => Math.max(...rowNames().map((lines) => lines.length));
  const rowHeight = () => Math.max((narrowness.matches ? 2.4 : 1.7) * (0.4 + 0.6 * names.length), 0.4 + mostLines());
  return chartOf(label, () => ({
    type: "bar",
    data: {
      labels: rowNames(),
      datasets: names.flatMap((name, at) => kPhases.map(([phase, key, fill], index) => ({
        label: name ? `${name}, ${phase}` : phase, stack: name, data: rows.map((row) => row.bars[at][key]),
        backgroundColor: fill(), barPercentage: 0.9, categoryPercentage: 0.85,
        intervals: index === kPhases.length - 1 ? rows.map((row) => row.bars[at].interval) : null,
      }))),
    },
    options: {
      indexAxis: "y",
      scales: {
        x: {
          stacked: true, ...axisOf(title, secondsText, [], false),
          suggestedMax: Math.max(...rows.flatMap((row) => row.bars.map((bar) => bar.interval?.[1] ?? 0))),
        },
        y: { stacked: true, grid: { display: false }, ticks: { autoSkip: false } },
      },
      interaction: { mode: "index", axis: "y", intersect: false },
      plugins: {
        legend: { display: false },
        tooltip: {
          callbacks: {
            title: (items) => items.slice(0, 1).flatMap((item) => folded(rows[item.dataIndex].name, 44)),
            label: (item) => `${item.dataset.label}: ${secondsText(item.raw)}`,
          },
        },
      },
    },
    plugins: [whiskers],
  }), () => `${Math.max(8, 4 + rowHeight() * rows.length)}rem`);
}
