// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/job/setting_table.hpp"

namespace epochcast {

struct Strategy;

/// The settings of every job, and those of strategies and compressions.
[[nodiscard]] const SettingTable& all_settings();

/// The strategies that have a setting, as text: "dlb, hetgrad"; empty: it belongs to every job.
[[nodiscard]] std::string owners_of(std::string_view setting);

/// The compressions that have a setting, as text; empty: it is none of theirs.
[[nodiscard]] std::string compressions_with(std::string_view setting);
/// Throws a UserError when the job compresses what this strategy exchanges, and cannot.
void check_compression(const JobConfig& config, const Strategy& strategy);

/// The settings for a command that runs the job: those that have a value, but for settings that
/// none of the job's strategies has.
[[nodiscard]] std::vector<SettingText> command_texts(const JobConfig& config, Command command);

/// The command that runs the job, word by word: "epochcast", its name, and settings that differ
/// from defaults.
[[nodiscard]] std::vector<std::string> command_words(const JobConfig& config, Command command);

/// Throws a UserError when a strategy's own setting is given, but none of the job's strategies has
/// it, or one of a compression other than the job's; it names those that have.
void check_strategies_have_settings(const JobConfig& config);
/// The job without the settings of strategies and compressions other than its own.
[[nodiscard]] JobConfig without_settings_of_others(JobConfig config);

}  // namespace epochcast
