// SPDX-License-Identifier: Apache-2.0
#include "strategies/local_steps.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "core/costs/batch_cost.hpp"
#include "core/job/setting_text.hpp"
#include "strategies/averaging.hpp"
#include "strategies/partition.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

struct Steps {
  [[nodiscard]] StepsGiven read(const std::string& text) const {
    StepsGiven steps;
    for_each_assignment(text,
                        "steps such as 32 or fast=32,slow=1",
                        [&](const std::string& key, const std::string& value) {
                          const std::int64_t count = parse_count(value, 1);
                          if (key.empty()) steps.fastest = count;
                          if (!key.empty()) steps.by_class[key] = count;
                        });
    const auto fast = steps.by_class.find("fast");
    if (fast != steps.by_class.end()) steps.fastest = fast->second;
    return steps;
  }
  [[nodiscard]] std::string show(const StepsGiven& steps) const {
    if (steps.by_class.empty()) return std::to_string(steps.fastest);
    const std::string rest =
        show_map(steps.by_class, [](std::int64_t count) { return std::to_string(count); });
    return steps.by_class.contains("fast") ? rest : std::to_string(steps.fastest) + "," + rest;
  }
};

constexpr StrategySettingOf kLocalSteps("local-steps",
                                        "H|fast=H,slow=h",
                                        "local SGD: steps between averagings, by hand also per "
                                        "class (default: 32, and half of an epoch "
                                        "that has fewer than 64)",
                                        "",
                                        "fast=16,slow=4",
                                        Steps{});

/// One figure per device model: equal devices must not get unequal steps because a benchmark is
/// noisy.
std::map<std::string, double> seconds_by_model(const Fabric& fabric,
                                               const std::vector<double>& seconds) {
  std::map<std::string, std::vector<double>> all;
  for (std::size_t rank = 0; rank < seconds.size(); ++rank) {
    all[fabric.workers()[rank].model].push_back(seconds[rank]);
  }
  std::map<std::string, double> medians;
  for (auto& [model, values] : all) medians[model] = median_of(std::move(values));
  return medians;
}

/// The steps that --local-steps sets for this worker; null if none.
const std::int64_t* steps_by_hand(const StepsGiven& given, const WorkerInfo& worker, bool is_fast) {
  for (const std::string& key :
       {worker.model, worker.device_class, std::string(is_fast ? "fast" : "slow")}) {
    const auto found = given.by_class.find(key);
    if (found != given.by_class.end()) return &found->second;
  }
  return nullptr;
}

/// `all`: seconds of all workers, by rank.
LocalSteps unequal_steps(const Fabric& fabric,
                         const JobConfig& config,
                         std::int64_t period,
                         const std::vector<double>& all) {
  const StepsGiven given = steps_given(config);
  const std::map<std::string, double> seconds = seconds_by_model(fabric, all);
  double fastest_s = std::numeric_limits<double>::infinity();
  for (const auto& [model, t] : seconds) fastest_s = std::min(fastest_s, t);
  LocalSteps local;
  for (const WorkerInfo& info : fabric.workers()) {
    const double ratio = fastest_s / seconds.at(info.model);
    const bool is_fast = ratio >= 1;
    const std::int64_t* by_hand = steps_by_hand(given, info, is_fast);
    // Times whose ratio is an integer must give exact steps despite rounding.
    const auto balanced =
        static_cast<std::int64_t>(static_cast<double>(period) * ratio * (1 + 1e-9));
    const std::int64_t steps = by_hand != nullptr ? *by_hand : std::max<std::int64_t>(1, balanced);
    std::int64_t& of_class = is_fast ? local.fast : local.slow;
    local.is_fast.push_back(is_fast);
    local.steps.push_back(steps);
    local.before.push_back(of_class);
    of_class += steps;
    local.most = std::max(local.most, steps);
  }
  local.begins = begins_of(local.steps);
  return local;
}

/// The steps of all workers, computed once for each period.
struct KnownSteps {
  mutable std::map<std::int64_t, std::shared_ptr<const LocalSteps>> by_period;
};

}  // namespace

StepsGiven steps_given(const JobConfig& config) {
  return kLocalSteps.is_set(config) ? kLocalSteps.of(config) : StepsGiven();
}

const StrategySetting& local_steps_setting() { return kLocalSteps; }

const Period kLocalStepsPeriod = {
    .setting = &kLocalSteps,
    .symbol = "H",
    .value = [](const JobConfig& config) -> std::optional<std::int64_t> {
      if (!kLocalSteps.is_set(config)) return std::nullopt;
      return steps_given(config).fastest;
    },
    .usual = StepsGiven().fastest};

void check_local_steps(const JobConfig& config, const DeviceNames& devices) {
  devices.check("--local-steps", steps_given(config).by_class, {"fast", "slow"});
  if (!has_constant_period(config) && !steps_given(config).by_class.empty())
    throw UserError(
        "--period-rule: changes one number of steps; expected --local-steps without "
        "names, whose steps are constant");
}

UnequalRounds::UnequalRounds(Worker& worker)
    : worker_(worker),
      seconds_(benchmark_all(worker, worker.config.step_batch())),
      steps_(worker.train_samples / (trainer_count(worker.fabric) * worker.config.step_batch())),
      periods_(worker,
               {.base = steps_given(worker.config).fastest, .steps = steps_, .rest = Rest::never}) {
  check_local_steps(worker.config, DeviceNames(worker.fabric.workers()));
  static_cast<void>(rounds_per_epoch(worker.train_samples,
                                     trainer_count(worker.fabric),
                                     worker.config.step_batch(),
                                     steps(0)->most));
}

std::shared_ptr<const LocalSteps> UnequalRounds::steps(std::int64_t epoch) const {
  const auto known = seconds_.follow([](const std::vector<double>&) { return KnownSteps(); });
  const std::int64_t period = periods_.of(epoch);
  std::shared_ptr<const LocalSteps>& steps = known->by_period[period];
  if (steps == nullptr)
    steps = std::make_shared<const LocalSteps>(
        unequal_steps(worker_.fabric, worker_.config, period, seconds_.values()));
  return steps;
}

std::int64_t UnequalRounds::count(std::int64_t epoch) const { return steps_ / steps(epoch)->most; }

void UnequalRounds::report() const {
  const auto rank = static_cast<std::size_t>(worker_.fabric.rank());
  const std::int64_t epochs = has_constant_period(worker_.config) ? 1 : worker_.config.epochs;
  std::int64_t rounds = 0;
  std::int64_t own_steps = 0;
  std::int64_t most_steps = 0;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    rounds += count(epoch);
    own_steps += count(epoch) * steps(epoch)->steps[rank];
    most_steps += count(epoch) * steps(epoch)->most;
  }
  worker_.report.batch = worker_.config.step_batch();
  worker_.report.local_steps = rounds > 0 ? own_steps / rounds : 0;
  worker_.report.iterations_per_epoch = most_steps / epochs;
  worker_.report.rounds_per_epoch = rounds / epochs;
  worker_.report.samples_per_epoch = own_steps * worker_.config.step_batch() / epochs;
}

void UnequalRounds::run(std::int64_t epoch, double weight) const {
  const auto rank = static_cast<std::size_t>(worker_.fabric.rank());
  const std::int64_t own = steps(epoch)->steps[rank];
  repeat(worker_, worker_.fabric.world(), count(epoch), [&](std::int64_t) {
    worker_.learner.train(own, worker_.config.step_batch());
    average_parameters(worker_, weight);
  });
}

Share share_of(const Worker& worker, const LocalSteps& local, std::int64_t rounds) {
  const auto rank = static_cast<std::size_t>(worker.fabric.rank());
  const std::int64_t batch = worker.config.step_batch();
  return {.offset = local.begins[rank] * batch,
          .length = local.steps[rank] * batch,
          .stride = local.total() * batch,
          .count = rounds};
}

Periods::Limits equal_steps(const Worker& worker) {
  const std::int64_t base = steps_given(worker.config).fastest;
  const int workers = trainer_count(worker.fabric);
  const std::int64_t batch = worker.config.step_batch();
  static_cast<void>(rounds_per_epoch(worker.train_samples, workers, batch, base));
  return {.base = base, .steps = worker.train_samples / (workers * batch)};
}

void use_rounds(Worker& worker, const Rounds& rounds) {
  if (rounds.rest == 0) {
    use_equal_share(worker, rounds.steps, rounds.count);
  } else {
    use_equal_share(worker, 1, rounds.iterations());
  }
}

void run_rounds(Worker& worker, const Rounds& rounds) {
  const double weight = 1.0 / trainer_count(worker.fabric);
  const auto round = [&](std::int64_t steps) {
    worker.learner.train(steps, worker.config.step_batch());
    average_parameters(worker, weight);
  };
  repeat(worker, worker.fabric.world(), rounds.count, [&](std::int64_t) { round(rounds.steps); });
  if (rounds.rest > 0)
    repeat(worker, worker.fabric.world(), 1, [&](std::int64_t) { round(rounds.rest); });
}

void report_rounds(Worker& worker, const Periods& periods) {
  const Periods::Mean mean = periods.mean();
  worker.report.batch = worker.config.step_batch();
  worker.report.local_steps = mean.steps;
  worker.report.iterations_per_epoch = mean.iterations;
  worker.report.rounds_per_epoch = mean.averagings;
  worker.report.samples_per_epoch = mean.iterations * worker.config.step_batch();
}

}  // namespace epochcast
