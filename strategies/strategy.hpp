// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fabric.hpp"
#include "core/job/job_config.hpp"
#include "core/job/placement.hpp"
#include "core/learner.hpp"
#include "strategies/progress.hpp"

namespace epochcast {

/// What a worker has to say about its training besides where its time went.
struct WorkerReport {
  std::int64_t batch = 0;                      ///< samples per batch, in the last epoch
  std::int64_t local_steps = 1;                ///< steps between averagings
  std::int64_t iterations_per_epoch = 0;       ///< of the fastest worker
  std::int64_t rounds_per_epoch = 0;           ///< exchanges among all workers
  std::int64_t samples_per_epoch = 0;          ///< that this worker trains on
  double startup_s = 0;                        ///< benchmark and first broadcast
  std::int64_t epochs = 0;                     ///< that training_s covers
  double training_s = 0;                       ///< all epochs
  PhaseTimes training;                         ///< where training_s went
  Traffic traffic;                             ///< bytes sent in training
  std::optional<double> constant_imbalance;    ///< hetgrad: of the batches by one speed per worker
  std::optional<double> functional_imbalance;  ///< hetgrad: of those by measured curves
};

/// One worker of a job, as a strategy sees it.
struct Worker {
  Fabric& fabric;
  Learner& learner;
  const JobConfig& config;
  std::int64_t train_samples = 0;  ///< N
  WorkerReport report = {};
  Progress progress = {};
  /// After each epoch, outside of the time that counts: tests the model, saves it, ... May be
  /// empty.
  std::function<void(std::int64_t epoch)> after_epoch = {};
};

/// A training strategy: a function that every worker runs, the same in every world.
struct Strategy {
  std::string_view name;
  std::string_view summary;  ///< one line for `epochcast list strategies`
  std::string_view source;
  Participants participants = Participants::workers;
  bool divides_by_speed = false;  ///< batches differ from --batch, by the workers' speed
  void (*run)(Worker&) = nullptr;
};

/// Every strategy, in the order in which `list` shows them.
[[nodiscard]] std::span<const Strategy> strategies();
/// The one of that name. Throws a UserError with the closest name.
[[nodiscard]] const Strategy& find_strategy(std::string_view name);

// One file each.
void run_sync(Worker& worker);
void run_hetgrad(Worker& worker);
void run_hetgrad_unweighted(Worker& worker);
void run_node_based(Worker& worker);
void run_local_sgd(Worker& worker);
void run_unbalanced_local_sgd(Worker& worker);
void run_biased_local_sgd(Worker& worker);
void run_byteps(Worker& worker);
void run_dlb(Worker& worker);

}  // namespace epochcast
