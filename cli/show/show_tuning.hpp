// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/tune/tuning_space.hpp"
#include "cli/show/table_look.hpp"

namespace epochcast {

/// The size of the rehearsed cluster.
struct RehearsedCluster {
  int workers = 1;
  int nodes = 1;
};

/// The recommended setting, its confidence, the comparison with the default, and the command to
/// train with; or the reason for none (see Verdict), and advice. Lines of text.
[[nodiscard]] std::string recommendation_text(const TuningChoice& choice,
                                              const Tuning& tuning,
                                              const TuningPlan& plan,
                                              const RehearsedCluster& cluster);

/// The outcome of every setting, the Pareto front of time and accuracy, and the recommendation with
/// its confidence and the command to train with, on stdout.
void show_tuning(const TuningChoice& choice,
                 const Tuning& tuning,
                 const TuningPlan& plan,
                 const RehearsedCluster& cluster,
                 const TableLook& look);

/// `epochcast.tuning/1`.
[[nodiscard]] nlohmann::ordered_json tuning_json(const TuningChoice& choice,
                                                 const Tuning& tuning,
                                                 const TuningPlan& plan,
                                                 const std::string& command);

}  // namespace epochcast
