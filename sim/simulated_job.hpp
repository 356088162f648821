// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/exchange/runtime.hpp"
#include "sim/platform/cluster.hpp"
#include "strategies/costed_job.hpp"

namespace epochcast::sim {

/// A job on its simulated platform. One per process, which has one SimGrid engine.
class SimulatedJob : public CostedJob {
 public:
  /// Throws a UserError as CostedJob does, or for a platform that cannot be simulated.
  /// `runs_every_iteration`: no loop is extrapolated, for jobs that compute numbers.
  SimulatedJob(Job job, const std::string& strategy, bool runs_every_iteration);

  [[nodiscard]] Runtime& runtime() { return *runtime_; }

  /// The result before the run.
  [[nodiscard]] RunResult result(Command command) const;

  /// Runs `program` as the first actor of the simulation; rethrows its exceptions. Actors' stacks
  /// have so many KiB.
  void run(const std::function<void()>& program, int stack_kib = 256);

 private:
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<Runtime> runtime_;
};

/// Adds notes on extrapolated costs, uneven batches and a compression's warm-up to a result, and
/// lowers its grade if costs are extrapolated.
void add_notes(RunResult& result,
               const std::vector<WorkerInfo>& workers,
               const std::vector<WorkerReport>& reports,
               const WorkerCosts& costs,
               const JobConfig& config);

}  // namespace epochcast::sim
