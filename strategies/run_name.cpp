// SPDX-License-Identifier: Apache-2.0
#include "strategies/run_name.hpp"

#include <algorithm>
#include <vector>

#include "strategies/strategy.hpp"

namespace epochcast {

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
  const bool averages =
      !steps.empty() && (steps.front() > 1 || run.rounds_per_epoch < run.iterations_per_epoch);
  if (averages) {
    const Period* period = find_strategy(run.strategy).period;
    text += ", " + std::string(period == nullptr ? "steps" : period->symbol) + " ";
    for (std::size_t i = 0; i < steps.size(); ++i)
      text += (i == 0 ? "" : "/") + std::to_string(steps[i]);
    const bool is_default =
        period != nullptr && setting_of(run, std::string(period->setting->name)).empty();
    if (is_default && steps.front() == run.iterations_per_epoch) text += " = an epoch";
  }
  const bool may_overlap = find_strategy(run.strategy).exchanges_gradients;
  if (may_overlap && setting_of(run, "overlap") == "bucket") text += ", overlap";
  return text;
}

std::string held_for(const RunResult& run) {
  const std::string precision = setting_of(run, "precision");
  const std::string kernels = setting_of(run, "kernels");
  std::string text = "batch " + std::to_string(run.batch) + " per worker";
  if (!precision.empty() && precision != "auto") text += ", " + precision;
  if (!kernels.empty()) text += " with " + kernels + " kernels";
  return text;
}

}  // namespace epochcast
