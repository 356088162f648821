// SPDX-License-Identifier: Apache-2.0
#include "real/run/batch_timer.hpp"

#include <algorithm>

#include "core/costs/batch_cost.hpp"
#include "core/costs/cold_start.hpp"
#include "strategies/training.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kFewestRounds = 5;
constexpr std::int64_t kMostRounds = 200;
constexpr double kLongEnough_s = 1;
constexpr double kTooLong_s = 3;
/// Longer rounds are timed as if they were of so many: an exchange is long forgotten then.
constexpr std::int64_t kMostSteps = 64;

/// How many batches the strategy computes from one exchange to the next, if not very many.
std::int64_t steps_between_exchanges(const Strategy& strategy,
                                     const JobConfig& config,
                                     const Fabric& fabric) {
  if (strategy.period == nullptr) return 1;
  const bool is_alone_in_node = fabric.node().size() == 1;
  if (strategy.keeps_gradients_in_nodes && !is_alone_in_node) return 1;
  return std::min(kMostSteps, strategy.period->value(config).value_or(kMostSteps));
}

}  // namespace

BatchTimer::BatchTimer(Fabric& fabric,
                       TrainingLearner& learner,
                       const JobConfig& config,
                       const Strategy& strategy)
    : fabric_(fabric),
      learner_(learner),
      config_(config),
      steps_(steps_between_exchanges(strategy, config, fabric)) {}

BatchTimings BatchTimer::now() {
  const std::vector<double> seconds = learner_.timed_batches(config_.step_batch());
  return {.batch_s = median_of(seconds),
          .cold_start_s = cold_start_s(seconds),
          .after_exchange_s = after_exchange()};
}

std::vector<double> BatchTimer::exchanging(const Communicator& among, std::int64_t rounds) {
  return learner_.timed_batches(config_.step_batch(), rounds * steps_, [&](std::int64_t batch) {
    if ((batch + 1) % steps_ == 0)
      fabric_.all_reduce(learner_.gradients(), 1.0 / among.size(), among);
  });
}

double BatchTimer::round_s(const Communicator& among) {
  const double began_s = fabric_.now_s();
  static_cast<void>(exchanging(among, 1));
  const double own_s = fabric_.now_s() - began_s;
  const std::vector<double> all_s = fabric_.all_gather({&own_s, 1}, among);
  return *std::max_element(all_s.begin(), all_s.end());
}

std::vector<double> BatchTimer::after_exchange() {
  const Communicator& among = trainers(fabric_, config_.all_reduce);
  static_cast<void>(round_s(among));  // the first exchange makes connections
  const double one_s = round_s(among);
  if (static_cast<double>(kFewestRounds) * one_s > kTooLong_s) return {};
  const auto rounds =
      std::clamp(static_cast<std::int64_t>(kLongEnough_s / one_s), kFewestRounds, kMostRounds);
  const std::vector<double> seconds = exchanging(among, rounds + 1);
  // The first round begins cold, not after an exchange.
  std::vector<double> medians;
  for (std::int64_t step = 0; step < steps_; ++step) {
    std::vector<double> of_step;
    for (std::int64_t round = 1; round <= rounds; ++round)
      of_step.push_back(seconds[static_cast<std::size_t>(round * steps_ + step)]);
    medians.push_back(median_of(std::move(of_step)));
  }
  return medians;
}

}  // namespace epochcast::real
