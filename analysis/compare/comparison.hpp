// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/platform.hpp"
#include "results/result.hpp"

namespace epochcast {

/// One side of a comparison: results, or the forecasts of a platform or experiment.
struct ComparedSide {
  std::string name;  ///< as given by the user
  std::vector<RunResult> runs = {};
  std::optional<Platform> platform = {};       ///< of the forecasts
  std::vector<std::string> not_forecast = {};  ///< "byteps: no CPUs"
};

/// The time and cost of a run for the number of samples in A's data set, as epochs may differ; to
/// the target, if both runs have samples to one.
struct ComparedRun {
  double time_s = 0;
  PhaseTimes phases;
  std::optional<Interval> interval;
  double intra_node_bytes = 0;
  double inter_node_bytes = 0;
  std::optional<double> cost;
  std::optional<double> energy_j;

  [[nodiscard]] double bytes() const { return intra_node_bytes + inter_node_bytes; }
};

/// Relative difference up to which times of A and B are equal: rounding depends on the order of
/// operations.
inline constexpr double kRoundingOfTimes = 1e-9;

/// The same strategy in both.
struct ComparedPair {
  std::string name;  ///< "sync, nodes 4": distinguishes it from the others
  /// For display, with its settings: "node-based, K' 625 = an epoch"; both if A and B
  /// differ.
  std::string shown = {};
  std::string not_ranked = {};  ///< why_not_ranked() of A, else of B; empty: both are ranked
  ComparedRun a, b;
  bool is_to_target = false;  ///< times are those to the job's target, not for A's data

  /// Whether two rates, of A and B, differ by more than the intervals of their times allow; absent
  /// without intervals.
  [[nodiscard]] std::optional<bool> is_significant(double of_a, double of_b) const;
  [[nodiscard]] std::optional<bool> is_significant() const {
    return is_significant(a.time_s, b.time_s);
  }
  /// B over A, less one: 0.1 is 10 % more.
  [[nodiscard]] double slower() const { return b.time_s / a.time_s - 1; }
  [[nodiscard]] std::optional<double> costlier() const;
  [[nodiscard]] std::optional<double> more_energy() const;
  [[nodiscard]] std::optional<double> more_bytes() const;
  /// The phase with most of the difference: "compute", "exchange" or "blocked"; empty if there is
  /// only a rounding difference.
  [[nodiscard]] std::string largest_part() const;
};

/// A setting, or a figure of the platform, in which the two sides differ.
struct InputDifference {
  std::string name;
  std::string a, b;     ///< empty: absent
  std::string of = {};  ///< runs to which it applies; empty: all
};

struct Comparison {
  std::string a, b;                                ///< their names
  std::string a_holds_for = {}, b_holds_for = {};  ///< held_for() of their runs, lowest grade
  std::vector<ComparedPair> pairs = {};  ///< the largest difference of time first; unranked ones
                                         ///< last
  std::vector<std::string> only_a = {}, only_b = {};
  std::vector<InputDifference> settings = {};
  std::vector<InputDifference> figures = {};  ///< of platforms
  std::vector<std::string> notes = {};
  std::string currency = {};  ///< empty: costs are not compared
};

/// Pairs runs of the same strategy and, if a side has several of it, of the same values of the
/// settings in which these differ. Throws a UserError when no run is in both.
[[nodiscard]] Comparison compare(const ComparedSide& a, const ComparedSide& b);

/// Upper bounds of the increase of B over A, as shares.
struct ComparisonBounds {
  std::optional<double> slower = {}, costlier = {}, more_energy = {}, more_bytes = {};

  bool operator==(const ComparisonBounds&) const = default;
};

/// Sentences about the bounds that B exceeds. A difference that is not significant exceeds none.
/// Runs of A without a counterpart in B and unknown values exceed theirs.
[[nodiscard]] std::vector<std::string> exceeded(const Comparison& comparison,
                                                const ComparisonBounds& bounds);

/// `epochcast.comparison/1`. `command`: the command line.
[[nodiscard]] nlohmann::ordered_json to_json(const Comparison& comparison,
                                             const std::string& command);

/// The differences between the figures of two platforms, names and sources excepted.
[[nodiscard]] std::vector<InputDifference> figure_differences(const Platform& a, const Platform& b);

}  // namespace epochcast
