// SPDX-License-Identifier: Apache-2.0
// One-shot averaging (Zinkevich et al., NIPS 2010): workers train independently, and parameters are
// averaged once, after the last epoch: the lower bound of communication.
#include "strategies/training.hpp"

namespace epochcast {
namespace {

void run_one_shot(Worker& worker) {
  Fabric& fabric = worker.fabric;
  const std::int64_t batch = worker.config.step_batch();
  const int workers = trainer_count(fabric);
  const std::int64_t iterations = iterations_per_epoch(worker.train_samples, workers * batch);
  const std::int64_t last = worker.config.epochs - 1;
  worker.report.batch = batch;
  worker.report.local_steps = iterations * worker.config.epochs;
  worker.report.iterations_per_epoch = iterations;
  worker.report.samples_per_epoch = batch * iterations;

  const auto epoch = [&](std::int64_t e) {
    worker.report.has_own_model = e != last;
    use_equal_share(worker, 1, iterations);
    worker.learner.train(iterations, batch);
    if (e == last) {
      fabric.all_reduce(worker.learner.parameters(), 1.0 / workers, fabric.world());
    } else {
      fabric.barrier(fabric.world());  // an epoch ends when all workers have finished it
    }
  };
  train_epochs(worker, epoch, {last});
}

}  // namespace

Strategy one_shot_strategy() {
  return {.name = "one-shot",
          .summary = "workers train independently; average once, after the last epoch",
          .source = "Zinkevich et al., NIPS 2010",
          .exchanges_gradients = false,
          .compressed = {},
          .rehearsed =
              "56.7 ± 6.8 points less accurate than sync, with small-cnn on computed images, 16 "
              "workers, 10 epochs (docs/rehearsals.md)",
          .run = run_one_shot};
}

}  // namespace epochcast
