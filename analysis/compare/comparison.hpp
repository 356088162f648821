// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/platform.hpp"
#include "core/formats/result.hpp"

namespace epochcast {

/// One of two things that are compared: results, or what was forecast of a platform or experiment.
struct ComparedSide {
  std::string name;  ///< as the user calls it
  std::vector<RunResult> runs = {};
  std::optional<Platform> platform = {};       ///< of the forecasts
  std::vector<std::string> not_forecast = {};  ///< "byteps: no CPUs"
};

/// What a run takes for as many samples as the data set of A has: epochs need not have the same.
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

/// Times of B that differ from A's by less than this share of them are equal: what is computed in
/// another order is rounded otherwise.
inline constexpr double kRoundingOfTimes = 1e-9;

/// The same strategy in both.
struct ComparedPair {
  std::string name;  ///< "sync, nodes 4": what tells it from the others
  /// For people, with what it holds for: "node-based, K' 625 = an epoch"; both where A and B
  /// differ.
  std::string shown = {};
  std::string not_ranked = {};  ///< why_not_ranked() of A, else of B; empty: both are ranked
  ComparedRun a, b;

  /// Whether two values that are so much in a second, of A and B, differ by more than the intervals
  /// of their times allow; absent where neither has one.
  [[nodiscard]] std::optional<bool> is_significant(double of_a, double of_b) const;
  [[nodiscard]] std::optional<bool> is_significant() const {
    return is_significant(a.time_s, b.time_s);
  }
  /// B over A, less one: 0.1 is 10 % more.
  [[nodiscard]] double slower() const { return b.time_s / a.time_s - 1; }
  [[nodiscard]] std::optional<double> costlier() const;
  [[nodiscard]] std::optional<double> more_energy() const;
  [[nodiscard]] std::optional<double> more_bytes() const;
  /// The phase that most of the difference comes from: "compute", "exchange" or "blocked"; empty
  /// where there is none but that of rounding.
  [[nodiscard]] std::string largest_part() const;
};

/// A setting, or a figure of the platform, that the two sides differ in.
struct InputDifference {
  std::string name;
  std::string a, b;     ///< empty: not there
  std::string of = {};  ///< runs that it concerns; empty: all
};

struct Comparison {
  std::string a, b;                                ///< their names
  std::string a_holds_for = {}, b_holds_for = {};  ///< held_for() of their runs, lowest grade
  std::vector<ComparedPair> pairs = {};  ///< the biggest difference of time first; last those
                                         ///< that are not ranked
  std::vector<std::string> only_a = {}, only_b = {};
  std::vector<InputDifference> settings = {};
  std::vector<InputDifference> figures = {};  ///< of platforms
  std::vector<std::string> notes = {};
  std::string currency = {};  ///< empty: costs are not compared
};

/// Pairs runs of the same strategy and, where a side has several of it, of the same values of the
/// settings that these differ in. Throws a UserError when nothing is in both.
[[nodiscard]] Comparison compare(const ComparedSide& a, const ComparedSide& b);

/// Most that B may have more than A, as shares.
struct ComparisonBounds {
  std::optional<double> slower = {}, costlier = {}, more_energy = {}, more_bytes = {};

  bool operator==(const ComparisonBounds&) const = default;
};

/// Sentences about the bounds that B does not keep. A difference that is not significant exceeds
/// none. What is in A and not in B keeps none, nor does what cannot be told.
[[nodiscard]] std::vector<std::string> exceeded(const Comparison& comparison,
                                                const ComparisonBounds& bounds);

/// `epochcast.comparison/1`. `command`: what the user typed.
[[nodiscard]] nlohmann::ordered_json to_json(const Comparison& comparison,
                                             const std::string& command);

/// What differs between the figures of two platforms, names and sources aside.
[[nodiscard]] std::vector<InputDifference> figure_differences(const Platform& a, const Platform& b);

}  // namespace epochcast
