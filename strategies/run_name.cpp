// SPDX-License-Identifier: Apache-2.0
#include "strategies/run_name.hpp"

#include <algorithm>
#include <vector>

#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

/// "float16 with tuned kernels"; empty if --batch-seconds gives the cost of batches.
std::string arithmetic_of(const RunResult& run) {
  const std::string precision = setting_of(run, "precision");
  const std::string kernels = setting_of(run, "kernels");
  if (precision.empty() || precision == "auto") return {};
  return precision + (kernels.empty() ? "" : " with " + kernels + " kernels");
}

}  // namespace

std::string setting_of(const RunResult& run, const std::string& name) {
  const auto found = std::find_if(run.config.begin(),
                                  run.config.end(),
                                  [&](const SettingText& each) { return each.name == name; });
  return found == run.config.end() ? std::string() : found->value;
}

std::string run_name(const RunResult& run) {
  std::string text = run.strategy;
  std::vector<std::int64_t> steps;  // of the devices that train, the most first
  for (const DeviceResult& device : run.by_device) {
    if (device.role == "trains") steps.push_back(device.local_steps);
  }
  std::sort(steps.rbegin(), steps.rend());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  const Period* const period = find_strategy(run.strategy).period;
  const bool has_seldom = period != nullptr && run.rounds_per_epoch < run.iterations_per_epoch;
  if (!steps.empty() && (steps.front() > 1 || has_seldom)) {
    text += ", " + std::string(period == nullptr ? "steps" : period->symbol) + " ";
    for (std::size_t i = 0; i < steps.size(); ++i)
      text += (i == 0 ? "" : "/") + std::to_string(steps[i]);
    const bool is_default =
        period != nullptr && setting_of(run, std::string(period->setting->name)).empty();
    if (is_default && steps.front() == run.iterations_per_epoch) text += " = an epoch";
    const std::string rule = setting_of(run, "period-rule");
    if (!rule.empty() && rule != "constant") text += " by " + rule;
  }
  const bool may_overlap = find_strategy(run.strategy).exchanges_gradients;
  if (may_overlap && setting_of(run, "overlap") == "bucket") text += ", overlap";
  return text;
}

std::string held_for(const RunResult& run) { return held_for(std::vector{&run}); }

std::string held_for(const std::vector<const RunResult*>& runs) {
  if (runs.empty()) return {};
  const auto [least, most] = std::ranges::minmax(runs, {}, &RunResult::batch);
  std::string text = "batch " + std::to_string(least->batch);
  if (most->batch != least->batch) text += " to " + std::to_string(most->batch);
  text += " per worker";
  std::vector<std::string> arithmetics;
  for (const RunResult* run : runs) {
    const std::string each = arithmetic_of(*run);
    if (each.empty() || std::ranges::count(arithmetics, each) > 0) continue;
    text += (arithmetics.empty() ? ", " : " or ") + each;
    arithmetics.push_back(each);
  }
  return text;
}

}  // namespace epochcast
