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

}  // namespace

BatchTimer::BatchTimer(Fabric& fabric,
                       TrainingLearner& learner,
                       const JobConfig& config,
                       const Strategy& strategy)
    : fabric_(fabric), learner_(learner), config_(config), strategy_(strategy) {}

BatchTimings BatchTimer::now() {
  const std::vector<double> seconds = learner_.timed_batches(config_.step_batch());
  return {.batch_s = median_of(seconds), .cold_start_s = cold_start_s(seconds)};
}

BatchTimer::Round BatchTimer::round_of(const WorkerReport& trained) const {
  const bool exchanges_each = strategy_.keeps_gradients_in_nodes && fabric_.node().size() > 1;
  const std::int64_t steps = exchanges_each ? 1 : trained.local_steps;
  return {.batch = trained.batch, .steps = std::clamp<std::int64_t>(steps, 1, kMostSteps)};
}

std::vector<double> BatchTimer::rounds(const Round& round,
                                       std::int64_t count,
                                       const Communicator& among) {
  return learner_.timed_batches(round.batch, count * round.steps, [&](std::int64_t batch) {
    if ((batch + 1) % round.steps == 0)
      fabric_.all_reduce(learner_.gradients(), 1.0 / among.size(), among);
  });
}

double BatchTimer::round_s(const Round& round, const Communicator& among) {
  const double began_s = fabric_.now_s();
  static_cast<void>(rounds(round, 1, among));
  const double own_s = fabric_.now_s() - began_s;
  const std::vector<double> all_s = fabric_.all_gather({&own_s, 1}, among);
  return *std::max_element(all_s.begin(), all_s.end());
}

ExchangingTimings BatchTimer::exchanging(const WorkerReport& trained) {
  const Communicator& among = trainers(fabric_, config_.all_reduce);
  const Round round = round_of(trained);
  const auto own = static_cast<double>(round.batch);
  const std::vector<double> batches = fabric_.all_gather({&own, 1}, among);
  if (std::find(batches.begin(), batches.end(), 0) != batches.end()) return {};
  static_cast<void>(round_s(round, among));  // the first exchange makes connections
  const double one_s = round_s(round, among);
  if (static_cast<double>(kFewestRounds) * one_s > kTooLong_s) return {};
  ExchangingTimings timings = {.batch = round.batch,
                               .batch_s = median_of(learner_.timed_batches(round.batch))};
  const auto count =
      std::clamp(static_cast<std::int64_t>(kLongEnough_s / one_s), kFewestRounds, kMostRounds);
  const std::vector<double> seconds = rounds(round, count + 1, among);
  // The first round begins cold, not after an exchange.
  for (std::int64_t step = 0; step < round.steps; ++step) {
    std::vector<double> of_step;
    for (std::int64_t each = 1; each <= count; ++each)
      of_step.push_back(seconds[static_cast<std::size_t>(each * round.steps + step)]);
    timings.after_exchange_s.push_back(median_of(std::move(of_step)));
  }
  return timings;
}

}  // namespace epochcast::real
