// SPDX-License-Identifier: Apache-2.0
// Forecasts against real runs: a document of epochcast.validation/1.
"use strict";

/** "3.2 %": one decimal, from 1000 % on none. */
function errorText(share) {
  return `${(100 * share).toFixed(Math.abs(100 * share) < 999.95 ? 1 : 0)} %`;
}

/** "+3.2 %", "-0.4 %", "0.0 %". */
function signedErrorText(share) {
  return Math.abs(100 * share) < 0.05 ? "0.0 %" : (share > 0 ? "+" : "") + errorText(share);
}

const coefficientText = (value) => value.toFixed(2);
const textOr = (value, text, absent = "-") => (value === null ? absent : text(value));

/** "10.1 s to 10.5 s"; one time if both look the same. */
function spreadText(range) {
  return [...new Set(range.map(secondsText))].join(" to ");
}

/** "1 of 27 pairs is ranked wrongly". */
function wrongPairsText({ pairs, wrong_pairs: wrong }) {
  if (pairs === 0) return "no pair can be told apart";
  return `${wrong} of ${counted(pairs, "pair")} ${wrong === 1 ? "is" : "are"} ranked wrongly`;
}

/** The reasons why a row has no findings. */
function failureText(row) {
  if (row.problems.length > 0) return `failed: ${row.problems.join("; ")}`;
  const missing = [["forecast", row.forecast === null], ["measurement", row.measured.length === 0]].filter(([, is]) => is);
  return `failed: ${missing.map(([name]) => `there is no ${name}`).join("; ") || "the measured median is 0 s"}`;
}

/** The figures of a summary as cards. */
function headline(summary) {
  const card = (term, value, detail) => make("div", {}, make("dt", {}, term),
    make("dd", {}, value, detail ? make("small", {}, detail) : null));
  const ranked = summary.groups.filter((group) => group.rows > 1);
  const right = ranked.filter((group) => group.is_best_right).length;
  return make("dl", {},
    card("configurations", String(summary.configurations + summary.failed), `${summary.failed} of them failed`),
    card("median error", textOr(summary.median_error, errorText),
      textOr(summary.p95_error, (share) => `of the epoch; 95 % within ${errorText(share)}`, "")),
    card("error of a phase", textOr(summary.p90_phase_error, errorText), "of the epoch at most, in 90 % of the configurations"),
    card("worst error", textOr(summary.worst_error, errorText), summary.worst),
    card("ranking, Kendall's tau-b", textOr(summary.tau, coefficientText), ranked.length === 0 ? "no group has two rows"
      : `${wrongPairsText(summary)}; the fastest is right in ${right} of ${counted(ranked.length, "group")}`),
    card("inside the interval", textOr(summary.coverage, errorText), textOr(summary.run_coverage, (share) =>
      `of the measured medians; ${errorText(share)} of ${summary.runs} single runs`, "")),
    card("Kolmogorov-Smirnov distance", textOr(summary.ks, coefficientText), "of single runs from their forecasts"));
}

function tierTable(tiers) {
  const share = (title, value) => ({ title, cell: (tier) => ({ text: textOr(value(tier), errorText), value: value(tier) }) });
  const part = (title, few, all) => ({ title, cell: (tier) => (tier[all] === 0 ? "-" : `${tier[few]} of ${tier[all]}`) });
  return tableOf("tiers", [
    { title: "tier", isLeft: true, cell: (tier) => tier.tier },
    { title: "rows", cell: (tier) => ({ text: String(tier.configurations), value: tier.configurations }) },
    share("median error", (tier) => tier.median_error), share("90 % within", (tier) => tier.p90_error),
    share("worst", (tier) => tier.worst_error), part("wrong pairs", "wrong_pairs", "pairs"),
    part("runs inside", "runs_inside", "runs"),
  ], tiers);
}

/** Forecast over measured seconds of an epoch: a series for each group. */
function forecastPlot(groups) {
  return {
    heading: "Forecast against measured", hasDiagonal: true,
    text: "Seconds per epoch. Above the line, the forecast is too slow; below, too fast. Upright whiskers: 5 to 95 % of the " +
      "forecast; level ones: the least to the most of the runs.",
    x: { title: "measured (median of the runs)", text: secondsText }, y: { title: "forecast", text: secondsText },
    series: groups.map(([name, rows]) => ({
      name,
      points: rows.map(({ point, forecast, findings, measured }) => ({
        x: findings.measured_s, y: forecast.epoch_s, xRange: findings.measured_spread_s, yRange: forecast.epoch_s_interval,
        name: point, more: `error ${signedErrorText(findings.error)}, ${counted(measured.length, "run")}`,
      })),
    })),
  };
}

/** For each configuration a bar of the forecast, and one of the measurement. */
function phaseSection(groups) {
  const bars = ({ forecast, findings }) => [
    { ...forecast, name: "forecast", interval: forecast.epoch_s_interval },
    { ...findings.measured_phases, name: "measured", interval: findings.measured_spread_s }];
  return [
    make("h2", {}, "Where the time goes"),
    make("p", {}, "Of each pair of bars, the upper one is the forecast, the lower one was measured: computing, exchanging " +
      "(communication that nothing hides), and being blocked (waiting for other workers)."),
    phaseLegend("whiskers: 5 to 95 % of the forecast, least to most of the runs"),
    ...groups.flatMap(([name, rows]) => [
      make("h3", {}, name),
      phaseBars(`Bars: where the time goes, ${name}. The table has the figures.`, "time of an epoch",
        rows.map((row) => ({ name: row.point, bars: bars(row) }))).element]),
  ];
}

/** Every row, in the bodies of its groups; a failed one with its reasons. */
function rowTable(groups, rankings) {
  const seconds = (value, range) => ({ text: secondsText(value), value, range });
  const error = (title, value) => ({
    title, cell: ({ findings }) => ({ text: signedErrorText(value(findings)), value: value(findings) }),
  });
  const columns = [
    { title: "point", isLeft: true, cell: (row) => row.point },
    {
      title: "forecast",
      cell: ({ forecast }) => (forecast === null ? "-"
        : seconds(forecast.epoch_s, textOr(forecast.epoch_s_interval, spreadText, "no interval"))),
    },
    {
      title: "measured",
      cell: (row) => (row.findings === null ? { text: failureText(row), span: 6 }
        : seconds(row.findings.measured_s, `${spreadText(row.findings.measured_spread_s)}, ${counted(row.measured.length, "run")}`)),
    },
    error("error", (findings) => findings.error), error("compute", (findings) => findings.phase_errors.compute),
    error("exchange", (findings) => findings.phase_errors.exposed_communication),
    error("blocked", (findings) => findings.phase_errors.blocked),
    {
      title: "inside",
      cell: ({ findings }) => (findings.is_inside === null ? "-" : {
        text: findings.is_inside ? "yes" : "no", value: Number(findings.is_inside),
        range: `${findings.runs_inside} of ${counted(findings.runs_with_interval, "run")}, KS ${textOr(findings.ks, coefficientText)}`,
      }),
    },
  ];
  const rankingText = (name) => {
    const ranking = rankings.find((each) => each.group === name && each.rows > 1);
    return ranking ? [make("br"), make("span", {}, `tau ${coefficientText(ranking.tau)}; ${wrongPairsText(ranking)}; ` +
      `the fastest is ${ranking.is_best_right ? "right" : "wrong"}`)] : [];
  };
  return groupedTable("all configurations; press a heading to sort the rows of each group", columns,
    groups.map(([name, rows]) => ({ heading: [name, ...rankingText(name)], rows })));
}

views.validation = (section, data) => {
  const byGroup = (rows) => groupedBy(rows, (row) => row.group);
  const withFindings = byGroup(data.rows.filter((row) => row.findings !== null));
  section.append(headline(data.summary), tierTable(data.tiers));
  if (data.provenance.date) section.append(make("p", { class: "muted" }, `Measured on ${data.provenance.date}`));
  if (withFindings.length > 0) section.append(...plotSection(forecastPlot(withFindings)), ...phaseSection(withFindings));
  else section.append(make("p", {}, "No configuration has both a forecast and a measurement."));
  section.append(make("h2", {}, "All configurations"), make("p", {},
    "Forecasts with their 5 - 95 % interval, measured medians with the least and the most of the runs. Error: forecast / measured - 1; " +
    "the forecast was made before the runs. Phases: forecast less measured, in % of the measured epoch. Inside: whether the measured " +
    "median is in the interval, how many single runs are, and how far the runs are from the forecast's distribution " +
    "(Kolmogorov-Smirnov distance, at least 1 / (2 runs)). Pairs are distinguishable if their measured ranges do not overlap, and chance " +
    "does not explain the difference."), rowTable(byGroup(data.rows), data.summary.groups));
};
