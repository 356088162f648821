// SPDX-License-Identifier: Apache-2.0
#include "strategies/settings.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "compression/compression.hpp"
#include "strategies/period_rule.hpp"
#include "strategies/presets.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

Setting setting_of(const StrategySetting& own) {
  return {.name = own.name,
          .commands = kEverywhere,
          .value_name = own.value_name,
          .help = own.help,
          .set =
              [&own](JobConfig& config, const std::string& text) {
                const std::string value = own.checked(text);
                config.of_strategies.erase(std::string(own.name));
                if (value != own.fallback) config.of_strategies.emplace(own.name, value);
              },
          .show = [&own](const JobConfig& config) { return own.text_of(config); }};
}

/// In the order: division of batches among workers, frequency of exchanges, and their content.
std::vector<const StrategySetting*> strategy_settings() {
  std::vector<const StrategySetting*> all;
  for (const bool divides : {true, false}) {
    for (const Strategy& strategy : strategies()) {
      if (strategy.divides_by_speed != divides) continue;
      for (const StrategySetting* own : strategy.settings) {
        if (std::find(all.begin(), all.end(), own) == all.end()) all.push_back(own);
      }
    }
  }
  return all;
}

std::vector<const StrategySetting*> compression_settings() {
  std::vector<const StrategySetting*> all;
  for (const CompressionMethod& method : compressions()) {
    for (const StrategySetting* own : method.settings) {
      if (std::find(all.begin(), all.end(), own) == all.end()) all.push_back(own);
    }
  }
  return all;
}

/// Whether the job's compression has the setting.
bool compresses_with(const JobConfig& config, std::string_view setting) {
  const CompressionMethod* const method = find_compression(config.compression);
  return method != nullptr && method->has(setting);
}

/// A setting of compressions; jobs without one of them show it only if it is given.
Setting setting_of_compression(const StrategySetting& own) {
  Setting setting = setting_of(own);
  setting.show = [&own](const JobConfig& config) {
    const bool counts =
        config.of_strategies.contains(own.name) || compresses_with(config, own.name);
    return counts ? own.text_of(config) : std::string();
  };
  return setting;
}

bool is_of_rate(std::string_view name) {
  constexpr std::array kNames = {
      "learning-rate", "schedule", "milestones", "decay", "final-rate", "warmup"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// Settings of learning rates also count in forecasts whose periods depend on them.
void use_rates_in_forecasts(std::vector<Setting>& settings) {
  for (Setting& setting : settings) {
    if (!is_of_rate(setting.name)) continue;
    setting.commands = kEverywhere;
    setting.counts_if = period_follows_rate;
    setting.counts_with = "--period-rule qsr or stl-sgd";
  }
}

bool any_has(const std::vector<std::string>& names, std::string_view setting) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return find_strategy(name).has(setting);
  });
}

}  // namespace

const SettingTable& all_settings() {
  static const SettingTable table = [] {
    std::vector<Setting> all = job_settings();
    const auto strategy = std::ranges::find(all, "strategy", &Setting::name);
    all.insert(strategy + 1, preset_setting());
    for (const StrategySetting* own : strategy_settings()) all.push_back(setting_of(*own));
    for (const StrategySetting* own : compression_settings())
      all.push_back(setting_of_compression(*own));
    for (const auto& others : {cost_settings(), run_settings()})
      all.insert(all.end(), others.begin(), others.end());
    use_rates_in_forecasts(all);
    return SettingTable(std::move(all));
  }();
  return table;
}

std::string owners_of(std::string_view setting) {
  std::string owners;
  for (const Strategy& strategy : strategies()) {
    if (strategy.has(setting)) owners += (owners.empty() ? "" : ", ") + std::string(strategy.name);
  }
  return owners;
}

std::string compressions_with(std::string_view setting) {
  std::string names;
  for (const CompressionMethod& method : compressions()) {
    if (method.has(setting)) names += (names.empty() ? "" : ", ") + std::string(method.name);
  }
  return names;
}

void check_compression(const JobConfig& config, const Strategy& strategy) {
  if (find_compression(config.compression) == nullptr) return;
  std::string able;
  for (const Strategy& other : strategies()) {
    if (!other.compressed.empty()) able += (able.empty() ? "" : ", ") + std::string(other.name);
  }
  if (strategy.compressed.empty())
    throw UserError("--compression: strategy " + std::string(strategy.name) +
                    " compresses nothing; those that do: " + able);
  if (config.overlap == Overlap::dear)
    throw UserError("--compression: does not combine with --overlap dear; use none or bucket");
  if (config.gradient_bytes != sizeof(float))
    throw UserError("--compression: works on gradients of 4 bytes; got --gradient-bytes " +
                    std::to_string(config.gradient_bytes));
}

std::vector<SettingText> command_texts(const JobConfig& config, Command command) {
  std::vector<SettingText> texts = all_settings().texts(config, in(command));
  std::erase_if(texts, [&](const SettingText& setting) {
    const bool is_of_others = !owners_of(setting.name).empty() &&
                              !any_has(chosen_strategies(config.strategy), setting.name);
    return is_of_others ||
           (!compressions_with(setting.name).empty() && !compresses_with(config, setting.name));
  });
  return texts;
}

std::vector<std::string> command_words(const JobConfig& config, Command command) {
  std::vector<std::string> words = {"epochcast", std::string(to_string(command))};
  const std::vector<SettingText> usual = all_settings().texts({}, in(command));
  for (const SettingText& setting : command_texts(config, command)) {
    if (std::find(usual.begin(), usual.end(), setting) == usual.end())
      words.push_back(word_of(setting));
  }
  return words;
}

void check_strategies_have_settings(const JobConfig& config) {
  if (config.of_strategies.empty()) return;
  const std::vector<std::string> chosen = chosen_strategies(config.strategy);
  std::vector<std::string> problems;
  for (const auto& [name, value] : config.of_strategies) {
    if (any_has(chosen, name)) continue;
    if (const std::string methods = compressions_with(name); !methods.empty()) {
      if (!compresses_with(config, name))
        problems.push_back("--" + name + ": compression " + config.compression +
                           " has no such setting; those that have: " + methods);
      continue;
    }
    const std::string whose = chosen.size() == 1
                                  ? "strategy " + config.strategy + " has no such setting"
                                  : "none of " + config.strategy + " has such a setting";
    problems.push_back("--" + name + ": " + whose + "; those that have: " + owners_of(name));
  }
  if (!problems.empty()) throw UserError(problems);
}

JobConfig without_settings_of_others(JobConfig config) {
  const Strategy& strategy = find_strategy(config.strategy);
  std::erase_if(config.of_strategies, [&](const auto& given) {
    return !strategy.has(given.first) && !compresses_with(config, given.first);
  });
  return config;
}

}  // namespace epochcast
