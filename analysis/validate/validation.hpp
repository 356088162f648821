// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/validate/tier.hpp"
#include "results/result.hpp"

namespace epochcast {

/// One configuration: its forecast, made before its runs, and its measured repetitions.
struct ValidationRow {
  std::string cluster;  ///< name: "4 nodes, 200 Mbit/s"
  std::string command;  ///< "emulate" or "train"
  std::string group;  ///< rows of one group answer one question and are ranked against each other:
                      ///< "resnet20 on 4 nodes, 200 Mbit/s, emulate"
  std::string point;  ///< differs within the group: "node-based, averaging-period 4"
  std::optional<RunResult> forecast;
  std::vector<RunResult> measured;  ///< one per repetition
  Tier tier = Tier::same_cluster;
  std::string calibrated;             ///< the name of the cluster that was calibrated
  std::vector<std::string> problems;  ///< reasons for a missing forecast or measurement
};

/// Comparison of a row's forecast with its measurements, in seconds per epoch.
struct RowFindings {
  double measured_s = 0;                     ///< median of the repetitions
  Interval measured_spread;                  ///< minimum and maximum
  std::vector<double> measured_runs_s = {};  ///< each of them
  double error = 0;                          ///< forecast / measured_s - 1
  PhaseTimes measured_phases;                ///< medians
  PhaseTimes phase_errors;        ///< (forecast - measured) / measured_s: shares of the whole epoch
  std::optional<bool> is_inside;  ///< measured_s within the forecast's interval; absent without one
  std::size_t runs_with_interval = 0;  ///< single runs whose forecast has an interval
  std::size_t runs_inside = 0;         ///< of these, inside it
  /// Their shares of the forecasts' distributions (share_below), in the order of the runs.
  std::vector<double> run_shares;
  std::optional<double> ks;  ///< ks_distance of run_shares

  /// The largest of the three, without its sign.
  [[nodiscard]] double worst_phase_error() const;
};
/// None if the forecast or the measurement is missing, or the measured median is 0 s.
[[nodiscard]] std::optional<RowFindings> findings_of(const ValidationRow& row);
/// Reasons for missing findings, as sentences; none if there are findings.
[[nodiscard]] std::vector<std::string> failures_of(const ValidationRow& row);

/// Whether the measured times of two rows are distinguishable: their ranges do not overlap, and
/// their means differ significantly (Welch's t-test, 95 %, if one has two runs or more). The test
/// is needed: ranges of two runs each do not overlap by chance in a third of all cases.
[[nodiscard]] bool are_distinguishable(const RowFindings& a, const RowFindings& b);

/// How well the rows of one group are ranked, of those that have findings.
struct GroupRanking {
  std::string group;
  std::size_t rows = 0;
  double tau = 0;         ///< Kendall's tau-b of forecasts and measured medians, -1 to 1
  std::size_t pairs = 0;  ///< distinguishable ones, which are ranked: see are_distinguishable()
  std::size_t wrong_pairs = 0;  ///< of these, forecast in the wrong order
  bool is_best_right = false;   ///< whether the fastest forecast is the fastest measured, or not
                                ///< distinguishable from it
};

/// Figures of a whole validation.
struct ValidationSummary {
  std::size_t configurations = 0;      ///< with both
  std::size_t failed = 0;              ///< without one of them, or a measured median of 0 s
  double median_error = 0;             ///< of absolute errors
  double p90_error = 0;                ///< bound of 90 % of the absolute errors
  double worst_error = 0;              ///< absolute
  std::string worst;                   ///< its group and point
  double p95_error = 0;                ///< bound of 95 % of the absolute errors
  double p90_phase_error = 0;          ///< bound of all phases' errors in 90 % of the rows
  std::vector<GroupRanking> rankings;  ///< in the order of the rows
  std::optional<double> tau;  ///< mean over groups, weighted by their pairs; absent without one
  std::optional<double> coverage;      ///< share inside their interval, of the rows that have one
  std::size_t runs = 0;                ///< single runs whose forecast has an interval
  std::size_t runs_inside = 0;         ///< of these, inside it
  std::optional<double> run_coverage;  ///< share of these inside it
  std::optional<double> ks;            ///< ks_distance of all run_shares

  [[nodiscard]] std::size_t pairs() const;  ///< of all groups
  [[nodiscard]] std::size_t wrong_pairs() const;
};
[[nodiscard]] ValidationSummary summarize(const std::vector<ValidationRow>& rows);

/// The summary of the rows of one tier.
struct TierSummary {
  Tier tier = Tier::same_cluster;
  ValidationSummary summary;
};
/// For each tier with rows.
[[nodiscard]] std::vector<TierSummary> summarize_tiers(const std::vector<ValidationRow>& rows);

/// The rows in blocks of equal groups, both in the order of their first appearance.
[[nodiscard]] std::vector<std::vector<const ValidationRow*>> by_group(
    const std::vector<ValidationRow>& rows);

/// Kendall's tau-b of two equally long lists (Kendall, Biometrika 33, 1945: corrected for ties); 1
/// for fewer than two. If one list is constant: 1 if the other one is, too, else 0.
[[nodiscard]] double kendall_tau(const std::vector<double>& a, const std::vector<double>& b);

/// Bounds of the command line; absent: none.
struct ValidationBounds {
  std::optional<double> median_error = {};
  std::optional<double> p95_error = {};
  std::optional<double> worst_error = {};
  std::optional<double> p90_phase_error = {};
  std::optional<double> tau = {};          ///< of every group
  std::optional<double> wrong_pairs = {};  ///< share of all distinguishable pairs
  std::optional<double> coverage = {};
  std::optional<double> run_coverage = {};
  std::optional<double> ks = {};

  bool operator==(const ValidationBounds&) const = default;
};
/// Exceeded bounds, as sentences. A failed row exceeds every bound, as does an absent figure (no
/// row, no interval, no pair to rank).
[[nodiscard]] std::vector<std::string> exceeded(const ValidationSummary& summary,
                                                const ValidationBounds& bounds);

/// `epochcast.validation/1`: rows with forecasts and every measured repetition, findings, summary.
/// `command` made it on `date` ("2026-11-21"; "": unknown).
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<ValidationRow>& rows,
                                             const std::string& command,
                                             const std::string& date = {});
/// Reads the output of to_json, except findings and summary, which follow from the rows. Throws a
/// UserError that names the file and the JSON path of every problem.
[[nodiscard]] std::vector<ValidationRow> validation_from_json(const nlohmann::ordered_json& json,
                                                              const std::string& file);

/// The content of a file that to_json wrote.
struct ValidationFile {
  std::vector<ValidationRow> rows;
  std::string command;
  std::string date;
};
/// Throws a UserError for a file that cannot be read, is no JSON, or has another schema.
[[nodiscard]] ValidationFile read_validation(const std::filesystem::path& file);
/// The rows of all files, in their order, with the different commands and dates. Throws a UserError
/// that lists the problems of all files; a configuration may occur in one of them only.
[[nodiscard]] ValidationFile read_validations(const std::vector<std::filesystem::path>& files);

/// A page of one file: the summary, a logarithmic plot of forecast against measured (with diagonal,
/// intervals, spreads, and names on hovering), the phases of both side by side, the table.
/// `command` may have several lines.
[[nodiscard]] std::string to_html(const std::vector<ValidationRow>& rows,
                                  const std::string& title,
                                  const std::string& command,
                                  const std::string& date = {});

}  // namespace epochcast
