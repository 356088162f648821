// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/formats/curve_point.hpp"
#include "results/result.hpp"
#include "sim/simulated_job.hpp"

namespace epochcast {

/// The time of a rehearsal: a pass through all of its epochs without numbers. And the sequence of
/// what its workers do, by which a job that was learned elsewhere is recognised.
class RehearsedTime {
 public:
  /// Called within SimulatedJob::run(), of a job that runs every iteration. Also teaches the
  /// simulated cluster what its collectives cost. `known`: epochs whose losses are known.
  explicit RehearsedTime(sim::SimulatedJob& simulated, const Curve& known = {});

  /// The checksum of all workers' sequences, with the losses that are known: without any, it
  /// determines what the job learns.
  [[nodiscard]] const std::string& sequence() const { return sequence_; }
  /// The same of their beginnings, up to the end of each epoch that does not depend on unknown
  /// losses: jobs that begin alike learn the same until then.
  [[nodiscard]] const std::vector<std::string>& beginnings() const { return beginnings_; }
  /// Whether what the workers do depends on losses. Times are those of the job in epochs of
  /// beginnings().
  [[nodiscard]] bool follows_losses() const { return follows_losses_; }
  /// Why the job learns anew on every cluster; empty: its sequence alone determines what it
  /// learns.
  [[nodiscard]] const std::string& reason_to_learn_anew() const { return reason_; }

  /// The point with the times and bytes of this cluster.
  [[nodiscard]] CurvePoint timed(CurvePoint point) const;
  /// The workers' reports after so many epochs, by rank.
  [[nodiscard]] const std::vector<WorkerReport>& reports(std::int64_t epochs) const;

 private:
  void run(sim::SimulatedJob& simulated, const Curve& known);

  std::string sequence_;
  std::vector<std::string> beginnings_;
  bool follows_losses_ = false;
  std::string reason_;
  std::vector<std::vector<WorkerReport>> reports_;  ///< by epoch and rank
};

/// The result of a rehearsed job by its workers' reports. `about_learning`: notes on data and
/// numbers, which come last.
[[nodiscard]] RunResult rehearsed_result(const sim::SimulatedJob& simulated,
                                         const std::vector<WorkerReport>& reports,
                                         const std::vector<std::string>& about_learning);

}  // namespace epochcast
