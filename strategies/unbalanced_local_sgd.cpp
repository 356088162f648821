// SPDX-License-Identifier: Apache-2.0
// Local SGD whose slower workers make fewer steps (arXiv 2508.08540).
#include <array>

#include "strategies/local_steps.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

void run_unbalanced_local_sgd(Worker& worker) {
  const double weight = 1.0 / trainer_count(worker.fabric);
  const UnequalRounds rounds(worker);
  rounds.report();

  worker.averages_parameters = true;
  train_epochs(
      worker,
      [&](std::int64_t epoch) {
        worker.learner.use_shuffled(share_of(worker, *rounds.steps(epoch), rounds.count(epoch)));
        rounds.run(epoch, weight);
        rounds.end_epoch(epoch);
      },
      rounds.changes());
  rounds.report();  // losses are known now
}

}  // namespace

Strategy unbalanced_local_sgd_strategy() {
  static const std::array<const StrategySetting*, 3> own = {
      &local_steps_setting(), &period_rule_setting(), &qsr_alpha_setting()};
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
