// SPDX-License-Identifier: Apache-2.0
// Synchronous data-parallel SGD: the baseline of every paper (TNNLS 2023, equations 6 and 7).
#include "strategies/sync.hpp"

#include "strategies/training.hpp"

namespace epochcast {

void run_sync(Worker& worker) {
  Fabric& fabric = worker.fabric;
  const std::int64_t batch = worker.config.step_batch();
  const int workers = trainer_count(fabric);
  const std::int64_t iterations = iterations_per_epoch(worker.train_samples, workers * batch);
  worker.report.batch = batch;
  worker.report.iterations_per_epoch = worker.report.rounds_per_epoch = iterations;
  worker.report.samples_per_epoch = batch * iterations;

  train_epochs(worker, [&](std::int64_t) {
    use_equal_share(worker, 1, iterations);
    train_iterations(worker, iterations, batch, 1.0 / workers, fabric.world());
  });
}

Strategy sync_strategy() {
  return {.name = "sync",
          .summary = "synchronous all-reduce of gradients, equal batches",
          .source = "baseline",
          .steps_together = true,
          .run = run_sync};
}

}  // namespace epochcast
