// SPDX-License-Identifier: Apache-2.0
// Batches that a TorchLearner computes for their time only, without effect on training.
#include <algorithm>

#include "base/error.hpp"
#include "base/statistics/random.hpp"
#include "core/costs/batch_cost.hpp"
#include "core/costs/benchmark_rule.hpp"
#include "real/torch/torch_learner.hpp"

namespace epochcast::real {
namespace {

constexpr int kWarmUp = 2;  // uncounted batches

bool is_benchmarked(std::int64_t batches, double seconds) {
  return is_benchmark_over(batches - kWarmUp, seconds);
}

}  // namespace

void TorchLearner::warm_up(std::int64_t batch) {
  constexpr std::int64_t kSmaller = 4;
  const std::int64_t most = std::min(batch, samples_);
  is_warming_up_ = true;
  show_examples(most);
  if (most >= kSmaller) show_examples(most / kSmaller);
  const std::string before = save();
  order_ = shuffled_samples(samples_, settings_.seed);
  for (int i = 0; i < kWarmUp; ++i) {
    next_ = 0;
    forward_backward(most);
  }
  load(before);
  is_warming_up_ = false;
}

void TorchLearner::show_examples(std::int64_t batch) {
  if (!pace_ || !shown_.insert(batch).second) return;
  shows_examples_ = true;
  run_without_effect(batch, is_benchmarked, [&] {
    forward_backward(batch, [](const Payload&) {});
    step();
  });
  shows_examples_ = false;
}

std::vector<double> TorchLearner::run_without_effect(
    std::int64_t batch,
    const std::function<bool(std::int64_t, double)>& is_over,
    const std::function<void()>& work) {
  if (batch > samples_) {
    throw UserError("--batch: got " + std::to_string(batch) +
                    " samples for one worker; the data has " + std::to_string(samples_));
  }
  const std::string before = save();
  order_ = shuffled_samples(samples_, settings_.seed);
  next_ = 0;
  is_on_trial_ = true;
  std::vector<double> seconds;
  double all_s = 0;
  while (!is_over(std::ssize(seconds), all_s)) {
    if (next_ + batch > samples_) next_ = 0;
    const double start_s = fabric_.phases().compute_s;
    work();
    seconds.push_back(fabric_.phases().compute_s - start_s);
    all_s += seconds.back();
  }
  is_on_trial_ = false;
  load(before);
  return seconds;
}

std::vector<double> TorchLearner::timed_batches(std::int64_t batch) {
  show_examples(batch);
  return run_without_effect(batch, is_benchmarked, [&] {
    forward_backward(batch);
    step();
  });
}

double TorchLearner::benchmark(std::int64_t batch) {
  const std::vector<double> seconds = timed_batches(batch);
  return median_of({seconds.begin() + kWarmUp, seconds.end()});
}

}  // namespace epochcast::real
