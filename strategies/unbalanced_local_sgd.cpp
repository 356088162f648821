// SPDX-License-Identifier: Apache-2.0
// Local SGD whose slower workers make fewer steps (arXiv 2508.08540).
#include <array>

#include "strategies/local_steps.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

void run_unbalanced_local_sgd(Worker& worker) {
  const int workers = trainer_count(worker.fabric);
  const std::shared_ptr<const LocalSteps> local = unbalanced_steps(worker);
  const std::int64_t steps = local->steps[static_cast<std::size_t>(worker.fabric.rank())];
  const std::int64_t rounds =
      rounds_per_epoch(worker.train_samples, workers, worker.config.step_batch(), local->most);
  const Share share = share_of(worker, *local, rounds);
  report_rounds(worker, rounds, steps, local->most);

  worker.averages_parameters = true;
  train_epochs(worker, [&](std::int64_t) {
    worker.learner.use_shuffled(share);
    run_rounds(worker, rounds, steps, 1.0 / workers);
  });
}

}  // namespace

Strategy unbalanced_local_sgd_strategy() {
  static const std::array<const StrategySetting*, 1> own = {&local_steps_setting()};
  return {.name = "unbalanced-local-sgd",
          .summary = "local SGD, slower workers make fewer steps (--local-steps)",
          .source = "arXiv 2508.08540",
          .exchanges_gradients = false,
          .compressed = "differences of parameters",
          .settings = own,
          .period = &kLocalStepsPeriod,
          .check = check_local_steps,
          .run = run_unbalanced_local_sgd};
}

}  // namespace epochcast
