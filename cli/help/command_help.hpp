// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/setting.hpp"

namespace epochcast {

/// An option's data for help, completion and manual.
struct OptionHelp {
  std::string name;           ///< without dashes
  std::string value;          ///< "FILE"; empty: no value
  bool is_optional = false;   ///< the value
  std::string fallback = {};  ///< the value when the option is not given; empty: none
  std::string help;
  std::vector<std::string> words = {};  ///< possible values, if `value` does not list them
};

/// Options of one subject.
struct HelpGroup {
  std::string title;
  std::vector<OptionHelp> options;
  std::string word = {};  ///< after the command's name, which enables these options
};

/// The options and usage of a command, from which help, shell completion and manual pages are
/// made.
struct CommandHelp {
  std::string usage;  ///< after the command's name: "FILE... [OPTIONS]"
  std::string about;  ///< a paragraph in addition to the summary; may be empty
  std::vector<HelpGroup> groups;
  std::vector<std::string> most_used;  ///< the options of the short help, by name
  std::vector<std::string> examples;   ///< whole commands
  OptionHelp positional = {};          ///< the meaning of words without an option; may be empty
};

/// A command of the program.
struct CommandInfo {
  std::string_view name;
  std::string_view summary;  ///< one line
  int (*run)(const std::vector<std::string>& arguments) = nullptr;
  /// Null: it has help of its own, without completion and manual page.
  CommandHelp (*help)() = nullptr;
  /// Subjects that follow its name, such as those of `list`, separated by blanks.
  std::string_view words = {};
  std::string_view program = "epochcast";
};

/// The options of a description, in parsed form.
[[nodiscard]] HelpGroup help_group(const std::string& title,
                                   const boost::program_options::options_description& options);
/// The settings that count in a command, by subject; those of strategies by the strategies that
/// have them.
[[nodiscard]] std::vector<HelpGroup> setting_groups(Command command);

/// The options of these names from all groups, in this order, without missing
/// ones.
[[nodiscard]] std::vector<const OptionHelp*> options_named(const CommandHelp& help,
                                                           const std::vector<std::string>& names);

/// The options of all groups, the first of each name.
[[nodiscard]] std::vector<const OptionHelp*> different_options(const CommandHelp& help);

/// The catalogue list of an option's values: its help names it, such as `list platforms`; empty:
/// none.
[[nodiscard]] std::string catalogue_of(const OptionHelp& option);
/// The possible words of an option's value: those of "none|bucket"; empty if unknown.
[[nodiscard]] std::vector<std::string> choices_of(const OptionHelp& option);

}  // namespace epochcast
