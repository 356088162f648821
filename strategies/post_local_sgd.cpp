// SPDX-License-Identifier: Apache-2.0
// Post-local SGD (Lin et al., ICLR 2020): synchronous SGD up to a given epoch, local SGD from there
// on.
#include <algorithm>
#include <array>

#include "core/job/setting_value.hpp"
#include "strategies/averaging.hpp"
#include "strategies/local_steps.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

constexpr StrategySettingOf kLocalFrom(
    "local-from",
    "EPOCH",
    "post-local SGD: epochs of sync before those of local SGD (default: half of them)",
    "",
    "0",
    value::Count{0});

/// The number of synchronous epochs.
std::int64_t synchronous_epochs(const JobConfig& config) {
  if (!kLocalFrom.is_set(config)) return config.epochs / 2;
  return std::min(config.epochs, kLocalFrom.of(config));
}

void run_post_local_sgd(Worker& worker) {
  Fabric& fabric = worker.fabric;
  const std::int64_t batch = worker.config.step_batch();
  const std::int64_t steps = steps_given(worker.config).fastest;
  const int workers = trainer_count(fabric);
  const std::int64_t iterations = iterations_per_epoch(worker.train_samples, workers * batch);
  const std::int64_t epochs = worker.config.epochs;
  const std::int64_t synchronous = synchronous_epochs(worker.config);
  const std::int64_t local = epochs - synchronous;
  if (local > 0) static_cast<void>(equal_steps(worker));
  const Periods periods(worker, {.base = steps, .steps = iterations});
  const auto report = [&] {
    const Periods::Mean rounds = local == 0 ? Periods::Mean() : periods.mean(synchronous);
    const auto mean = [&](std::int64_t of_synchronous, std::int64_t of_local) {
      return (synchronous * of_synchronous + local * of_local) / epochs;
    };
    worker.report.batch = batch;
    worker.report.local_steps = rounds.steps;
    worker.report.iterations_per_epoch = mean(iterations, rounds.iterations);
    worker.report.rounds_per_epoch = mean(iterations, rounds.averagings);
    worker.report.samples_per_epoch = mean(batch * iterations, batch * rounds.iterations);
  };
  report();

  worker.averages_parameters = true;
  // Compressed differences begin with the parameters after the synchronous epochs.
  const bool is_shared_anew = synchronous > 0 && worker.config.compression != "none";
  std::vector<std::int64_t> changes = {synchronous, is_shared_anew ? synchronous + 1 : synchronous};
  for (const std::int64_t change : periods.changes(synchronous)) changes.push_back(change);
  std::sort(changes.begin(), changes.end());
  train_epochs(
      worker,
      [&](std::int64_t epoch) {
        if (epoch < synchronous) {
          use_equal_share(worker, 1, iterations);
          repeat(worker, fabric.world(), iterations, [&](std::int64_t) {
            all_reduce_gradients(worker, batch, 1.0 / workers, fabric.world());
            worker.learner.step();
          });
        } else {
          if (epoch == synchronous) is_shared_anew ? share_parameters(worker) : keep_common(worker);
          const Rounds rounds = periods.rounds(epoch);
          use_rounds(worker, rounds);
          run_rounds(worker, rounds);
        }
        periods.end_epoch(epoch);
      },
      changes);
  report();  // losses are known now
}

}  // namespace

Strategy post_local_sgd_strategy() {
  static const std::array<const StrategySetting*, 4> own = {
      &local_steps_setting(), &kLocalFrom, &period_rule_setting(), &qsr_alpha_setting()};
  return {.name = "post-local-sgd",
          .summary = "sync up to an epoch, then local SGD (--local-from, --local-steps)",
          .source = "Lin et al., ICLR 2020",
          .compressed = "gradients, then differences of parameters",
          .settings = own,
          .period = &kLocalStepsPeriod,
          .check = check_local_steps,
          .run = run_post_local_sgd};
}

}  // namespace epochcast
