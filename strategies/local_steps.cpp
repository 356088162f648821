// SPDX-License-Identifier: Apache-2.0
#include "strategies/local_steps.hpp"

#include <algorithm>
#include <limits>

#include "core/costs/batch_cost.hpp"
#include "core/job/setting_text.hpp"
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

constexpr StrategySettingOf kLocalSteps(
    "local-steps",
    "H|fast=H,slow=h",
    "local SGD: steps between averagings, by hand also per class",
    "32",
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
LocalSteps unbalanced_steps(const Fabric& fabric,
                            const JobConfig& config,
                            const std::vector<double>& all) {
  check_local_steps(config, DeviceNames(fabric.workers()));
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
        static_cast<std::int64_t>(static_cast<double>(given.fastest) * ratio * (1 + 1e-9));
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

}  // namespace

StepsGiven steps_given(const JobConfig& config) { return kLocalSteps.of(config); }

const StrategySetting& local_steps_setting() { return kLocalSteps; }

const Period kLocalStepsPeriod = {
    .setting = &kLocalSteps,
    .symbol = "H",
    .value = [](const JobConfig& config) -> std::optional<std::int64_t> {
      return steps_given(config).fastest;
    }};

void check_local_steps(const JobConfig& config, const DeviceNames& devices) {
  devices.check("--local-steps", steps_given(config).by_class, {"fast", "slow"});
}

std::shared_ptr<const LocalSteps> unbalanced_steps(Worker& worker) {
  return benchmark_all(worker, worker.config.step_batch())
      .follow([&](const std::vector<double>& all) {
        return unbalanced_steps(worker.fabric, worker.config, all);
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

void run_rounds(Worker& worker, std::int64_t rounds, std::int64_t steps, double weight) {
  Fabric& fabric = worker.fabric;
  repeat(worker, fabric.world(), rounds, [&](std::int64_t) {
    worker.learner.train(steps, worker.config.step_batch());
    average_parameters(worker, weight);
  });
}

void report_rounds(Worker& worker,
                   std::int64_t rounds,
                   std::int64_t steps,
                   std::int64_t most_steps) {
  worker.report.batch = worker.config.step_batch();
  worker.report.local_steps = steps;
  worker.report.iterations_per_epoch = rounds * most_steps;
  worker.report.rounds_per_epoch = rounds;
  worker.report.samples_per_epoch = rounds * steps * worker.config.step_batch();
}

}  // namespace epochcast
