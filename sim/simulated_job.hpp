// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/costs/worker_costs.hpp"
#include "core/formats/result.hpp"
#include "core/job/job.hpp"
#include "sim/exchange/runtime.hpp"
#include "sim/platform/cluster.hpp"
#include "strategies/strategy.hpp"

namespace epochcast::sim {

/// A job laid out on its simulated platform: who works where, at what cost. Uses up this process's
/// SimGrid engine: one per process.
class SimulatedJob {
 public:
  /// Throws a UserError for what only shows when a job is laid out (unknown device classes, too few
  /// nodes, ...). `runs_every_iteration`: numbers are wanted, so no loop may be extrapolated.
  SimulatedJob(Job job, const std::string& strategy, bool runs_every_iteration);

  [[nodiscard]] const Job& job() const { return job_; }
  [[nodiscard]] const Strategy& strategy() const { return strategy_; }
  [[nodiscard]] const std::vector<WorkerInfo>& workers() const { return workers_; }
  [[nodiscard]] const WorkerCosts& costs() const { return costs_; }
  [[nodiscard]] Runtime& runtime() { return *runtime_; }

  /// What is known of the result before anything has run.
  [[nodiscard]] RunResult result() const;

  /// Runs `program` as the first actor of the simulation; rethrows what it throws. Actors' stacks
  /// have so many KiB.
  void run(const std::function<void()>& program, int stack_kib = 256);

 private:
  Job job_;
  const Strategy& strategy_;
  std::vector<WorkerInfo> workers_;
  WorkerCosts costs_;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<Runtime> runtime_;
};

/// Adds notes on extrapolated costs and uneven batches to a result.
void add_notes(RunResult& result,
               const std::vector<WorkerInfo>& workers,
               const std::vector<WorkerReport>& reports,
               const WorkerCosts& costs);

}  // namespace epochcast::sim
