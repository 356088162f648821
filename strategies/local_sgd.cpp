// SPDX-License-Identifier: Apache-2.0
// Local SGD (Stich, ICLR 2019): every worker makes H local steps, then parameters are averaged.
#include <array>

#include "strategies/local_steps.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

void run_local_sgd(Worker& worker) {
  const Periods periods(worker, equal_steps(worker));
  report_rounds(worker, periods);

  worker.averages_parameters = true;
  train_epochs(
      worker,
      [&](std::int64_t epoch) {
        const Rounds rounds = periods.rounds(epoch);
        use_rounds(worker, rounds);
        run_rounds(worker, rounds);
        periods.end_epoch(epoch);
      },
      periods.changes());
  report_rounds(worker, periods);  // losses are known now
}

}  // namespace

Strategy local_sgd_strategy() {
  static const std::array<const StrategySetting*, 3> own = {
      &local_steps_setting(), &period_rule_setting(), &qsr_alpha_setting()};
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
