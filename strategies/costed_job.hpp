// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/costs/cost_learner.hpp"
#include "core/costs/worker_costs.hpp"
#include "core/job/job.hpp"
#include "core/job/setting.hpp"
#include "results/result.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {

/// The measured costs that a pass through a job draws; by default medians.
struct CostDraw {
  std::optional<std::uint64_t>
      seed;  ///< of the BlockBootstrap; that of each group of workers is its own
  std::optional<std::size_t> session;  ///< of all workers; absent: all sessions
};

/// The default slowdowns by overlap that a worker is charged, as neither its trace nor its platform
/// has any and its batches are estimated from a data sheet or given by hand; null: none.
[[nodiscard]] const OverlapDefault* charged_overlap(const Job& job,
                                                    const WorkerCosts& costs,
                                                    const WorkerInfo& worker,
                                                    int rank);

/// The workers of a job and their batch costs, which were measured elsewhere. Base of simulated,
/// rehearsed and emulated jobs; it must outlive its workers.
class CostedJob {
 public:
  /// Throws a UserError for problems of the placement (unknown device classes, too few nodes,
  /// unknown costs, ...). `strategy`: its name; the job's configuration may name several.
  CostedJob(Job job, const std::string& strategy);

  [[nodiscard]] const Job& job() const { return job_; }
  [[nodiscard]] const Strategy& strategy() const { return strategy_; }
  [[nodiscard]] const std::vector<WorkerInfo>& workers() const { return workers_; }
  [[nodiscard]] const WorkerCosts& costs() const { return costs_; }

  /// The draw for a single pass: from one session, unless the job is deterministic or its samples
  /// do not differ.
  [[nodiscard]] CostDraw draw() const;
  /// The learner of this rank's worker.
  [[nodiscard]] CostLearner learner(Fabric& fabric, const CostDraw& draw) const;
  /// The part of the model's state that a worker keeps.
  [[nodiscard]] StateShares state_shares() const;
  /// The kernels of the job's compression on the worker's device.
  [[nodiscard]] KernelCost kernels(int rank) const;
  /// Of the worker's loader, an equal share of its node's (--loading-rate); 0: loading is free.
  [[nodiscard]] double loading_s_per_sample(int rank) const;
  /// The worker for a strategy.
  [[nodiscard]] Worker worker(Fabric& fabric, SamplingLearner& learner) const;

  /// The result before the run: all but `nodes`, times and bytes. Records the settings that count
  /// in the command.
  [[nodiscard]] RunResult known_result(Command command) const;
  /// Why the time to the job's target is unknown; empty: it is known, or there is no target.
  [[nodiscard]] std::string target_note(const RunResult& result) const;

 private:
  [[nodiscard]] CurveJob curve_job(const RunResult& result) const;

  Job job_;
  const Strategy& strategy_;
  std::vector<WorkerInfo> workers_;
  WorkerCosts costs_;
  /// The lowest of slowdowns that the platform states, and of compressing.
  Grade other_grade_ = Grade::measured;
};

}  // namespace epochcast
