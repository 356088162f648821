// SPDX-License-Identifier: Apache-2.0
// Measured messages with their fits, and all-reduces that the fit has not seen: {between, node, all_reduces, judgement}.
// A scope is null or {ping_pong, ring_step}, lists of {bytes, measured_s, fitted_s}.
"use strict";

const kMessageSize = { title: "size of a message", text: bytesText };

function fitPlot(heading, scope) {
  const series = [["one message, and its fit", scope.ping_pong], ["all ranks send and receive, fit", scope.ring_step]];
  return {
    heading, x: kMessageSize, y: { title: "time", text: secondsText },
    text: "Markers are measured means (stalls left out), lines the fit. Rounds of collectives are forecast with the costs of " +
      "messages while all ranks send and receive.",
    series: series.filter(([, points]) => points.length > 0).map(([name, points]) => ({
      name, hasLine: true, points: points.map((point) => ({ x: point.bytes, y: point.measured_s, line: point.fitted_s })),
    })),
  };
}

function allReducePlot(allReduces) {
  const series = groupedBy(allReduces, (each) => `${each.algorithm} among ${each.scope}`);
  return {
    heading: "All-reduces that the fit has not seen", text: "On the line, the forecast is right; above, it is too slow.",
    x: { title: "measured", text: secondsText }, y: { title: "forecast", text: secondsText }, hasDiagonal: true,
    series: series.map(([name, all]) => ({
      name, points: all.map((each) => ({ name: bytesText(each.bytes), x: each.measured_s, y: each.forecast_s })),
    })),
  };
}

views.calibration = (section, data) => {
  const plots = [["Between nodes", data.between], ["Inside nodes", data.node]].filter(([, scope]) => scope !== null)
    .map(([heading, scope]) => fitPlot(heading, scope));
  if (data.all_reduces.length > 0) {
    section.append(make("p", {}, `All-reduces that the fit has not seen: ${data.judgement}.`));
    plots.push(allReducePlot(data.all_reduces));
  }
  for (const plot of plots) section.append(...plotSection(plot));
};
