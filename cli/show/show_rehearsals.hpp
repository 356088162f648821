// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/show/table_look.hpp"
#include "core/curve_comparison.hpp"
#include "rehearse/runs/rehearsal_task.hpp"

namespace epochcast {

/// "51200" or "1.23 million".
[[nodiscard]] std::string samples_text(double samples);

/// "sync, batch 32", without the seed.
[[nodiscard]] std::string name_of(const RehearsalOutcome& outcome);

/// Where a job's curves come from: "learned now", "learned earlier, timed now", ... Of its seeds,
/// one that was learned now decides.
[[nodiscard]] std::string origin_text(const std::vector<RehearsalOutcome>& seeds);
/// Jobs that were timed only, and those that had to be learned on this cluster, on standard output.
void show_origins(const std::vector<RehearsalOutcome>& outcomes, std::size_t seeds);

/// The curves of each job, of all seeds with one; the `seeds` outcomes of a job are consecutive.
[[nodiscard]] std::vector<SeededCurves> curves_by_job(const std::vector<RehearsalOutcome>& outcomes,
                                                      std::size_t seeds);

/// A table of the jobs' last, best and comparable figures, on standard output.
void show_rehearsal_table(const std::vector<SeededCurves>& jobs,
                          const std::optional<LearningTarget>& target,
                          const TableLook& look);
/// `epochcast.rehearsals/1`.
void show_rehearsal_json(const std::vector<RehearsalOutcome>& outcomes,
                         const std::vector<SeededCurves>& jobs,
                         const std::optional<LearningTarget>& target,
                         const std::string& command);
/// A line for each epoch of each job and seed.
void show_rehearsal_csv(const std::vector<RehearsalOutcome>& outcomes);

}  // namespace epochcast
