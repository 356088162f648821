// SPDX-License-Identifier: Apache-2.0
#include "core/job/setting_table.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/text/suggest.hpp"
#include "core/job/platform_figures.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

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

/// Whether a setting counts in the job, in one of the commands that have it.
bool counts(const Setting& setting, const JobConfig& config, Commands commands) {
  return (commands & kLearning) != 0 || !setting.counts_if || setting.counts_if(config);
}

}  // namespace

std::vector<Setting> SettingTable::of(Command command) const {
  std::vector<Setting> found;
  for (const Setting& setting : rows_) {
    if ((setting.commands & in(command)) != 0) found.push_back(setting);
  }
  return found;
}

Setting SettingTable::named(std::string_view name, const std::string& origin) const {
  if (is_figure(name)) return setting_of_figure(name, origin);
  std::vector<std::string> names;
  for (const Setting& setting : rows_) {
    if (setting.name == name) return setting;
    names.emplace_back(setting.name);
  }
  throw UserError(origin + ": " + unknown_name("setting", name, names));
}

void SettingTable::check_counts(std::string_view name,
                                Command command,
                                const std::string& origin) const {
  Commands where = kEverywhere;
  if (is_figure(name)) {
    where = setting_of_figure(name, origin).commands;
  } else {
    for (const Setting& setting : rows_) {
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

void SettingTable::check_counts_in(const JobConfig& config,
                                   std::string_view name,
                                   Command command,
                                   const std::string& origin) const {
  for (const Setting& setting : rows_) {
    if (setting.name == name && !counts(setting, config, in(command)))
      throw UserError(origin + ": counts in " + std::string(to_string(command)) + " with " +
                      std::string(setting.counts_with) + " only");
  }
}

void SettingTable::set(JobConfig& config,
                       std::string_view name,
                       const std::string& value,
                       const std::string& origin) const {
  const Setting setting = named(name, origin);
  check_plain_text(value, origin);
  try {
    setting.set(config, value);
  } catch (const UserError& error) {
    throw UserError(origin + ": " + error.what());
  }
}

std::vector<SettingText> SettingTable::texts(const JobConfig& config, Commands commands) const {
  std::vector<SettingText> found;
  for (const Setting& setting : rows_) {
    if ((setting.commands & commands) == 0 || !counts(setting, config, commands)) continue;
    std::string value = setting.show(config);
    if (!value.empty()) found.push_back({std::string(setting.name), std::move(value)});
  }
  for (const auto& [name, value] : config.platform_figures) {
    if ((commands_of_figure(name) & commands) != 0) found.push_back({name, value});
  }
  return found;
}

std::string word_of(const SettingText& setting) {
  return (is_figure(setting.name) ? "--set=" : "--") + setting.name + "=" + setting.value;
}

}  // namespace epochcast
