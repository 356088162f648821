// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/curve_comparison.hpp"
#include "core/formats/learning_metric.hpp"

namespace epochcast {

/// The quantity to the target that a choice makes small.
enum class ChoiceGoal { time, cost, energy };
/// "time", "cost", "energy".
[[nodiscard]] std::string_view to_string(ChoiceGoal goal);

/// A job that may be chosen: a strategy with its settings, on a cluster.
struct ChoiceOption {
  std::string cluster;
  std::string job;            ///< "local-sgd, local-steps 8"
  SeededCurves learned = {};  ///< without curves if it failed
  std::string origin = {};    ///< of its curves: "learned now", "learned earlier, timed now"
};

/// A mean over seeds, with its 95 % interval by Student's t; of one seed, the interval is absent.
struct SeededMean {
  double mean = 0;
  std::optional<std::array<double, 2>> interval = {};
};
/// At least one value.
[[nodiscard]] SeededMean seeded_mean(const std::vector<double>& values);

/// The need of an option to reach the target: means over the seeds that reached it.
struct RankedOption {
  std::size_t option = 0;   ///< its place among the options
  std::size_t reached = 0;  ///< seeds
  std::optional<SeededMean> samples = {};
  std::optional<SeededMean> seconds = {};
  std::optional<SeededMean> cost = {};  ///< without start-up and tests, as is energy
  std::optional<SeededMean> joules = {};
  bool is_on_front = false;  ///< none is as fast and as cheap, and better in one of both
  /// The first one is not significantly better: a one-sided paired t test over seeds, 95 %,
  /// uncorrected. True of the first one.
  bool may_be_first = false;
};

/// Options in order: those that reached the target with every seed by the goal, then those that did
/// with some, then the others.
struct Choice {
  std::vector<RankedOption> ranked;
  /// Whether the first one has reached the target.
  [[nodiscard]] bool is_found() const { return !ranked.empty() && ranked.front().reached > 0; }
};

/// Throws a UserError if no option has the goal's quantity: platforms without prices or powers.
[[nodiscard]] Choice choose(const std::vector<ChoiceOption>& options,
                            const LearningTarget& target,
                            ChoiceGoal goal);

/// "sync on a, 8 nodes: accuracy 90.0 % after 12.3 s (95 % interval: 11.9 to 12.7 s) ...": lines of
/// text. A choice without an option at the target says how far the best ones came.
[[nodiscard]] std::string answer_text(const std::vector<ChoiceOption>& options,
                                      const Choice& choice,
                                      const LearningTarget& target,
                                      ChoiceGoal goal);

/// The members of `epochcast.choice/1` (docs/formats.md).
[[nodiscard]] nlohmann::ordered_json choice_json(const std::vector<ChoiceOption>& options,
                                                 const Choice& choice,
                                                 const LearningTarget& target,
                                                 ChoiceGoal goal);

}  // namespace epochcast
