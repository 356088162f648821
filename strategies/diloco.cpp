// SPDX-License-Identifier: Apache-2.0
// DiLoCo (Douillard et al., arXiv 2311.08105): H local steps, then a step of SGD with Nesterov
// momentum on the outer gradient, which is the mean of what workers have moved.
//
// Streaming DiLoCo (arXiv 2501.18512): the parameters in F fragments, each of which is exchanged
// every H steps, in turn. An exchange overlaps `delay` steps of computing; then a worker continues
// with alpha times its own parameters plus (1 - alpha) times the common ones (algorithm 2, and
// torchft's DiLoCo).
//
// [reading] Every epoch ends with an exchange of all fragments without a delay, after which all
// workers have the common parameters.
#include <algorithm>
#include <array>
#include <string>

#include "base/error.hpp"
#include "core/job/setting_value.hpp"
#include "strategies/averaging.hpp"
#include "strategies/local_steps.hpp"
#include "strategies/outer_step.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

constexpr std::int64_t kMostFragments = 10'000;

constexpr StrategySettingOf kFragments(
    "fragments",
    "COUNT",
    "diloco: parts of the parameters that are exchanged in turn, each every --local-steps",
    "1",
    "4",
    value::Count{1, kMostFragments});
constexpr StrategySettingOf kFragmentDelay("fragment-delay",
                                           "STEPS",
                                           "diloco: steps that a fragment's exchange overlaps",
                                           "0",
                                           "2",
                                           value::Count{0});
constexpr StrategySettingOf kMergeWeight(
    "merge-weight",
    "SHARE",
    "diloco: share of a worker's own parameters when it continues with a fragment",
    "0",
    "0.5",
    value::Number{0, 1, "a share from 0 to 1"});

/// The fragments of a worker's parameters, and their exchanges.
class Fragments {
 public:
  explicit Fragments(Worker& worker)
      : worker_(worker),
        parameters_(worker.learner.parameters().count),
        count_(kFragments.of(worker.config)),
        delay_(kFragmentDelay.of(worker.config)),
        own_share_(kMergeWeight.of(worker.config)),
        weight_(1.0 / trainer_count(worker.fabric)) {}

  /// H steps, and an exchange of each fragment.
  void run_period(std::int64_t steps) {
    for (std::int64_t i = 0; i < count_; ++i) {
      const std::int64_t own = part_of(steps, count_, i);
      train(own - delay_);
      const Payload sent = part_to_send(i);
      if (delay_ == 0) {
        average_range(worker_, weight_, range(i), sent);
      } else {
        const Compression::Finish finish = start_average(worker_, weight_, range(i), sent);
        train(delay_);
        finish();
      }
      merge(i);
    }
  }

  /// Whether workers differ, or will after so many more steps.
  [[nodiscard]] bool has_end(std::int64_t steps) const {
    return steps > 0 || count_ > 1 || own_share_ > 0;
  }
  /// So many more steps, and an exchange of all fragments that have moved since their last one.
  void end_epoch(std::int64_t steps) {
    train(steps);
    const bool is_last_common = steps == 0 && own_share_ == 0;
    for (std::int64_t i = 0; i < (is_last_common ? count_ - 1 : count_); ++i)
      average_range(worker_, weight_, range(i), part_at(i));
  }

 private:
  [[nodiscard]] bool copies() const { return delay_ > 0 || own_share_ > 0; }

  [[nodiscard]] ParameterRange range(std::int64_t i) const {
    return {.begin = parameters_ * i / count_,
            .count = part_of(parameters_, count_, i),
            .index = static_cast<std::size_t>(i)};
  }
  /// The fragment's parameters, in place.
  [[nodiscard]] Payload part_at(std::int64_t i) {
    const ParameterRange own = range(i);
    return slice(worker_.learner.parameters(), own.begin, own.count);
  }

  void train(std::int64_t steps) {
    if (steps > 0) worker_.learner.train(steps, worker_.config.step_batch());
  }

  /// The fragment's parameters; a copy if the worker needs its own ones after sending.
  Payload part_to_send(std::int64_t i) {
    Payload sent = part_at(i);
    if (!copies()) return sent;
    const std::span<const float> own = values<float>(sent);
    copy_.assign(own.begin(), own.end());
    if (sent.has_numbers()) sent.data = std::as_writable_bytes(std::span(copy_));
    worker_.learner.kernel("copy", 2 * sent.bytes());
    return sent;
  }

  /// Continues with the fragment's common parameters, or between these and the worker's own.
  void merge(std::int64_t i) {
    if (!copies()) return;
    const Payload part = part_at(i);
    const std::span<float> own = values<float>(part);
    const auto share = static_cast<float>(own_share_);
    for (std::size_t k = 0; k < own.size(); ++k)
      own[k] = share == 0 ? copy_[k] : copy_[k] + share * (own[k] - copy_[k]);
    worker_.learner.kernel("mix", (own_share_ > 0 ? 3 : 2) * part.bytes());
  }

  Worker& worker_;
  std::int64_t parameters_;
  std::int64_t count_;
  std::int64_t delay_;
  double own_share_;
  double weight_;
  std::vector<float> copy_;  ///< of the fragment that travels
};

void run_diloco(Worker& worker) {
  const std::int64_t fragments = kFragments.of(worker.config);
  const std::int64_t least = fragments * (kFragmentDelay.of(worker.config) + 1);
  Periods::Limits limits = equal_steps(worker);
  limits.least = least;
  if (worker.learner.parameters().count < fragments)
    throw UserError("--fragments: got " + std::to_string(fragments) + "; the network has " +
                    std::to_string(worker.learner.parameters().count) + " parameters");
  const Periods periods(worker, limits);
  report_rounds(worker, periods);

  worker.averages_parameters = true;
  worker.outer_step = nesterov_step(worker.config);
  Fragments own(worker);
  train_epochs(
      worker,
      [&](std::int64_t epoch) {
        const Rounds rounds = periods.rounds(epoch);
        use_rounds(worker, rounds);
        repeat(worker, worker.fabric.world(), rounds.count, [&](std::int64_t) {
          own.run_period(rounds.steps);
        });
        if (own.has_end(rounds.rest)) {
          repeat(
              worker, worker.fabric.world(), 1, [&](std::int64_t) { own.end_epoch(rounds.rest); });
        }
        periods.end_epoch(epoch);
      },
      periods.changes());
  report_rounds(worker, periods);  // losses are known now
}

/// The common parameters and the momentum, and a copy of the fragment that travels.
StateShares state_shares(const JobConfig& config, std::span<const WorkerInfo>) {
  const bool copies = kFragmentDelay.of(config) > 0 || kMergeWeight.of(config) > 0;
  return {.vectors = copies ? 2 + 1.0 / static_cast<double>(kFragments.of(config)) : 2};
}

bool overlaps_averages(const JobConfig& config) { return kFragmentDelay.of(config) > 0; }

void check_diloco(const JobConfig& config, const DeviceNames& devices) {
  check_local_steps(config, devices);
  const std::int64_t steps = steps_given(config).fastest;
  const std::int64_t fragments = kFragments.of(config);
  if (fragments > steps)
    throw UserError("--fragments: got " + std::to_string(fragments) +
                    "; fragments are exchanged one after the other in the " +
                    std::to_string(steps) + " steps of --local-steps");
  if (kFragmentDelay.of(config) >= steps / fragments)
    throw UserError("--fragment-delay: got " + std::to_string(kFragmentDelay.of(config)) +
                    "; the next exchange begins after " + std::to_string(steps / fragments) +
                    " steps (--local-steps / --fragments); expected fewer");
}

}  // namespace

Strategy diloco_strategy() {
  static const std::array<const StrategySetting*, 8> own = {&local_steps_setting(),
                                                            &outer_rate_setting(),
                                                            &outer_momentum_setting(),
                                                            &kFragments,
                                                            &kFragmentDelay,
                                                            &kMergeWeight,
                                                            &period_rule_setting(),
                                                            &qsr_alpha_setting()};
  return {.name = "diloco",
          .summary = "local SGD with an outer optimizer, also streaming (--fragments)",
          .source = "arXiv 2311.08105, 2501.18512",
          .exchanges_gradients = false,
          .compressed = "differences of parameters (outer gradients)",
          .settings = own,
          .can_lose_workers = true,
          .overlaps_averages = overlaps_averages,
          .state_shares = state_shares,
          .period = &kLocalStepsPeriod,
          .check = check_diloco,
          .run = run_diloco};
}

}  // namespace epochcast
