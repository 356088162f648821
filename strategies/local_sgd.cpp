// SPDX-License-Identifier: Apache-2.0
// Local SGD (Stich, ICLR 2019): every worker makes H local steps, then parameters are averaged.
#include <array>

#include "strategies/local_steps.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

void run_local_sgd(Worker& worker) {
  const int workers = trainer_count(worker.fabric);
  const std::int64_t steps = steps_given(worker.config).fastest;
  const std::int64_t rounds =
      rounds_per_epoch(worker.train_samples, workers, worker.config.step_batch(), steps);
  report_rounds(worker, rounds, steps, steps);

  worker.averages_parameters = true;
  train_epochs(worker, [&](std::int64_t) {
    use_equal_share(worker, steps, rounds);
    run_rounds(worker, rounds, steps, 1.0 / workers);
  });
}

}  // namespace

Strategy local_sgd_strategy() {
  static const std::array<const StrategySetting*, 1> own = {&local_steps_setting()};
  return {.name = "local-sgd",
          .summary = "average parameters every H local steps (--local-steps)",
          .source = "Stich, ICLR 2019",
          .exchanges_gradients = false,
          .compressed = "differences of parameters",
          .settings = own,
          .period = &kLocalStepsPeriod,
          .check = check_local_steps,
          .run = run_local_sgd};
}

}  // namespace epochcast
