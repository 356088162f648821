// SPDX-License-Identifier: Apache-2.0
#include "strategies/settings.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json/json_input.hpp"
#include "base/text/suggest.hpp"
#include "core/job/platform_figures.hpp"
#include "core/job/setting_text.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

/// The flag's text for a value of an experiment file; none if there is none.
std::optional<std::string> text_of(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null() || value.is_object()) return std::nullopt;
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const auto& element : value) {
    const auto text = element.is_array() ? std::nullopt : text_of(element);
    if (!text) return std::nullopt;
    list += (list.empty() ? "" : ",") + *text;
  }
  return list;
}

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

/// The setting of a platform's figure; `name` must outlive it. Throws a UserError if no platform
/// has such a figure.
Setting setting_of_figure(std::string_view name, const std::string& origin) {
  try {
    const FigureKind kind = kind_of_figure(name);
    return {.name = name,
            .commands = commands_of_figure(name),
            .value_name = "",
            .help = "",
            .set =
                [name, kind](JobConfig& config, const std::string& text) {
                  config.platform_figures[std::string(name)] =
                      figure_text(kind, figure_value(kind, text));
                },
            .show =
                [name](const JobConfig& config) {
                  const auto given = config.platform_figures.find(name);
                  return given == config.platform_figures.end() ? std::string() : given->second;
                }};
  } catch (const UserError& error) {
    throw UserError(origin + ": " + error.what());
  }
}

/// The strategies that a setting belongs to; none: it belongs to every job.
struct Owners {
  std::vector<std::string> all;

  [[nodiscard]] std::string text() const {
    std::string text;
    for (const std::string& name : all) text += (text.empty() ? "" : ", ") + name;
    return text;
  }
  [[nodiscard]] bool have_any(const std::vector<std::string>& names) const {
    return std::find_first_of(all.begin(), all.end(), names.begin(), names.end()) != all.end();
  }
};

Owners owners_of(std::string_view setting) {
  Owners owners;
  for (const Strategy& strategy : strategies()) {
    if (strategy.has(setting)) owners.all.emplace_back(strategy.name);
  }
  return owners;
}

}  // namespace

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all = [] {
    std::vector<Setting> composed = job_settings();
    for (const StrategySetting* own : strategy_settings()) composed.push_back(setting_of(*own));
    for (const auto& others : {cost_settings(), run_settings()})
      composed.insert(composed.end(), others.begin(), others.end());
    return composed;
  }();
  return all;
}

std::vector<Setting> settings_of(Command command) {
  std::vector<Setting> found;
  for (const Setting& setting : settings()) {
    if ((setting.commands & in(command)) != 0) found.push_back(setting);
  }
  return found;
}

Setting setting_named(std::string_view name, const std::string& origin) {
  if (is_figure(name)) return setting_of_figure(name, origin);
  std::vector<std::string> names;
  for (const Setting& setting : settings()) {
    if (setting.name == name) return setting;
    names.emplace_back(setting.name);
  }
  throw UserError(origin + ": " + unknown_name("setting", name, names));
}

std::string word_of(const SettingText& setting) {
  return (is_figure(setting.name) ? "--set=" : "--") + setting.name + "=" + setting.value;
}

void check_counts(std::string_view name, Command command, const std::string& origin) {
  Commands where = kEverywhere;
  if (is_figure(name)) {
    where = setting_of_figure(name, origin).commands;
  } else {
    for (const Setting& setting : settings()) {
      if (setting.name == name) where = setting.commands;
    }
  }
  if ((where & in(command)) != 0) return;
  std::string counts;
  for (const Command other :
       {Command::simulate, Command::emulate, Command::rehearse, Command::train}) {
    if ((where & in(other)) != 0)
      counts += (counts.empty() ? "" : " and ") + std::string(to_string(other));
  }
  throw UserError(origin + ": counts in " + counts + " only");
}

void set_setting(JobConfig& config,
                 std::string_view name,
                 const std::string& value,
                 const std::string& origin) {
  const Setting setting = setting_named(name, origin);
  check_plain_text(value, origin);
  try {
    setting.set(config, value);
  } catch (const UserError& error) {
    throw UserError(origin + ": " + error.what());
  }
}

std::vector<SettingText> setting_texts(const JobConfig& config, Commands commands) {
  std::vector<SettingText> texts;
  for (const Setting& setting : settings()) {
    if ((setting.commands & commands) == 0) continue;
    std::string value = setting.show(config);
    if (!value.empty()) texts.push_back({std::string(setting.name), std::move(value)});
  }
  for (const auto& [name, value] : config.platform_figures) {
    if ((commands_of_figure(name) & commands) != 0) texts.push_back({name, value});
  }
  return texts;
}

void apply_experiment(JobConfig& config, const nlohmann::json& document, const std::string& file) {
  Problems problems(file);
  JsonInput top = open_document(document, "epochcast.experiment/1", problems);
  std::vector<std::string> all;
  for (const JsonInput& member : top.members()) {
    if (member.name() == "schema" || member.name() == "validate") continue;
    const auto text = text_of(member.value());
    if (!text) {
      member.fail("a text, a number, true, false, or a list of these");
      continue;
    }
    try {
      set_setting(config, member.name(), *text, file + ": " + member.path());
    } catch (const UserError& error) {
      all.emplace_back(error.what());
    }
  }
  if (!problems.empty() || !all.empty()) {
    try {
      problems.throw_if_any();
    } catch (const UserError& error) {
      all.insert(all.end(), error.problems().begin(), error.problems().end());
    }
    throw UserError(all);
  }
}

std::vector<SettingText> command_texts(const JobConfig& config, Command command) {
  std::vector<SettingText> texts = setting_texts(config, in(command));
  std::erase_if(texts, [&](const SettingText& setting) {
    const Owners owners = owners_of(setting.name);
    return !owners.all.empty() && !owners.have_any(chosen_strategies(config.strategy));
  });
  return texts;
}

std::vector<std::string> command_words(const JobConfig& config, Command command) {
  std::vector<std::string> words = {"epochcast", std::string(to_string(command))};
  const std::vector<SettingText> usual = setting_texts({}, in(command));
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
    const Owners owners = owners_of(name);
    if (owners.have_any(chosen)) continue;
    const std::string whose = chosen.size() == 1
                                  ? "strategy " + config.strategy + " has no such setting"
                                  : "none of " + config.strategy + " has such a setting";
    problems.push_back("--" + name + ": " + whose + "; those that have: " + owners.text());
  }
  if (!problems.empty()) throw UserError(problems);
}

JobConfig without_settings_of_others(JobConfig config) {
  const Strategy& strategy = find_strategy(config.strategy);
  std::erase_if(config.of_strategies,
                [&](const auto& given) { return !strategy.has(given.first); });
  return config;
}

}  // namespace epochcast
