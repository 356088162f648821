// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/setting.hpp"

namespace epochcast {

/// All settings, of every job and of strategies, in the order of the help text.
[[nodiscard]] const std::vector<Setting>& settings();
/// Those that count in a command.
[[nodiscard]] std::vector<Setting> settings_of(Command command);
/// The one of that name, a platform's figure (core/job/platform_figures.hpp) included; `name` must
/// outlive it then. Throws a UserError that begins with `origin`.
[[nodiscard]] Setting setting_named(std::string_view name, const std::string& origin);
/// The word of a command line that gives it: "--batch=64", "--set=network.bandwidth=3125MBps".
[[nodiscard]] std::string word_of(const SettingText& setting);
/// Throws a UserError when the setting is known but counts in other commands only.
void check_counts(std::string_view name, Command command, const std::string& origin);
/// Sets one by name. `origin` ("--batch", "exp.json: /batch") begins every message. Throws
/// UserError.
void set_setting(JobConfig& config,
                 std::string_view name,
                 const std::string& value,
                 const std::string& origin);
/// Every setting that counts in one of the commands and has a value.
[[nodiscard]] std::vector<SettingText> setting_texts(const JobConfig& config,
                                                     Commands commands = kEverywhere);

/// The settings for a command that runs the job: as setting_texts(), without settings that none of
/// the job's strategies has.
[[nodiscard]] std::vector<SettingText> command_texts(const JobConfig& config, Command command);

/// The command that runs the job, word by word: "epochcast", its name, and settings that differ
/// from defaults.
[[nodiscard]] std::vector<std::string> command_words(const JobConfig& config, Command command);

/// Reads `epochcast.experiment/1`: the same settings as the flags, values as texts, numbers,
/// booleans or lists of these; "validate" is left to analysis/validate/validation_plan.hpp. Throws
/// a UserError that lists every problem.
void apply_experiment(JobConfig& config, const nlohmann::json& document, const std::string& file);

/// Throws a UserError when a strategy's own setting is given, but none of the job's strategies has
/// it; it names those that have.
void check_strategies_have_settings(const JobConfig& config);
/// The job without the settings of strategies other than its own.
[[nodiscard]] JobConfig without_settings_of_others(JobConfig config);

}  // namespace epochcast
