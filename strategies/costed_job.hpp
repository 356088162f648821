// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/costs/cost_learner.hpp"
#include "core/costs/worker_costs.hpp"
#include "core/formats/result.hpp"
#include "core/job/job.hpp"
#include "core/job/setting.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {

/// Which of the measured costs a pass through a job draws; by default none: medians are taken.
struct CostDraw {
  std::optional<std::uint64_t>
      seed;  ///< of the BlockBootstrap; that of each group of workers is its own
  std::optional<std::size_t> session;  ///< of everybody; none: all sessions
};

/// A job whose batches take as long as was measured elsewhere: who works in it, and at what cost.
/// What simulated, rehearsed and emulated jobs have in common; it must outlive its workers.
class CostedJob {
 public:
  /// Throws a UserError for what only shows when a job is laid out (unknown device classes, too few
  /// nodes, unknown costs, ...). `strategy`: its name; the job's configuration may name several.
  CostedJob(Job job, const std::string& strategy);

  [[nodiscard]] const Job& job() const { return job_; }
  [[nodiscard]] const Strategy& strategy() const { return strategy_; }
  [[nodiscard]] const std::vector<WorkerInfo>& workers() const { return workers_; }
  [[nodiscard]] const WorkerCosts& costs() const { return costs_; }

  /// The draw of a job that is gone through once: from one session, unless it is deterministic or
  /// nothing differs.
  [[nodiscard]] CostDraw draw() const;
  /// What the worker of this rank computes with.
  [[nodiscard]] CostLearner learner(Fabric& fabric, const CostDraw& draw) const;
  /// The worker that a strategy is run with.
  [[nodiscard]] Worker worker(Fabric& fabric, SamplingLearner& learner) const;

  /// What is known of the result before anything has run: all but `nodes`, times and bytes. Records
  /// the settings that count in the command.
  [[nodiscard]] RunResult known_result(Command command) const;

 private:
  Job job_;
  const Strategy& strategy_;
  std::vector<WorkerInfo> workers_;
  WorkerCosts costs_;
};

}  // namespace epochcast
