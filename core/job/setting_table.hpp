// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/job/setting.hpp"

namespace epochcast {

/// Settings, in the order of the help text, and the figures of platforms, which are settings too
/// (core/job/platform_figures.hpp). `origin` ("--batch", "exp.json: /batch") begins every message
/// of a UserError.
class SettingTable {
 public:
  explicit SettingTable(std::vector<Setting> rows) : rows_(std::move(rows)) {}

  /// All but figures.
  [[nodiscard]] const std::vector<Setting>& rows() const { return rows_; }
  /// Those that count in a command, but figures.
  [[nodiscard]] std::vector<Setting> of(Command command) const;
  /// The one of that name; that of a figure refers to `name`. Throws a UserError.
  [[nodiscard]] Setting named(std::string_view name, const std::string& origin) const;
  /// Throws a UserError when the setting is known but counts in other commands only.
  void check_counts(std::string_view name, Command command, const std::string& origin) const;
  /// Throws a UserError when a setting that was given does not count in this job.
  void check_counts_in(const JobConfig& config,
                       std::string_view name,
                       Command command,
                       const std::string& origin) const;
  /// Sets one by name. Throws a UserError.
  void set(JobConfig& config,
           std::string_view name,
           const std::string& value,
           const std::string& origin) const;
  /// Every setting that counts in one of the commands and has a value.
  [[nodiscard]] std::vector<SettingText> texts(const JobConfig& config,
                                               Commands commands = kEverywhere) const;

 private:
  std::vector<Setting> rows_;
};

/// The word of a command line that gives a setting: "--batch=64",
/// "--set=network.bandwidth=3125MBps".
[[nodiscard]] std::string word_of(const SettingText& setting);

}  // namespace epochcast
