// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/setting.hpp"

namespace epochcast {

/// An option as help, completion and manual tell it.
struct OptionHelp {
  std::string name;           ///< without dashes
  std::string value;          ///< "FILE"; empty: it takes none
  bool is_optional = false;   ///< the value
  std::string fallback = {};  ///< the value when the option is not given; empty: none
  std::string help;
  std::vector<std::string> words = {};  ///< that it takes, where `value` does not say so
};

/// Options of one subject.
struct HelpGroup {
  std::string title;
  std::vector<OptionHelp> options;
  std::string word = {};  ///< behind the command's name, without which they do not count
};

/// What there is to know about a command, but for what it does. Help, shell completion and manual
/// pages are made of it.
struct CommandHelp {
  std::string usage;  ///< behind the command's name: "FILE... [OPTIONS]"
  std::string about;  ///< a paragraph, where the summary does not say it; may be empty
  std::vector<HelpGroup> groups;
  std::vector<std::string> most_used;  ///< the options of the short help, by name
  std::vector<std::string> examples;   ///< whole commands
  OptionHelp positional = {};          ///< what words without an option are; may be empty
};

/// A command of the program.
struct CommandInfo {
  std::string_view name;
  std::string_view summary;  ///< one line
  int (*run)(const std::vector<std::string>& arguments) = nullptr;
  /// Without: it has help of its own, which completion and manual know nothing of.
  CommandHelp (*help)() = nullptr;
  /// That come right behind its name, such as what to list, with blanks between.
  std::string_view words = {};
};

/// The options of a description, as they are parsed.
[[nodiscard]] HelpGroup help_group(const std::string& title,
                                   const boost::program_options::options_description& options);
/// The settings that count in a command, by subject: those that strategies bring along by the
/// strategies that have them.
[[nodiscard]] std::vector<HelpGroup> setting_groups(Command command);

/// The options of all groups that are called so, in that order; those that the command lacks are
/// left out.
[[nodiscard]] std::vector<const OptionHelp*> options_named(const CommandHelp& help,
                                                           const std::vector<std::string>& names);

/// The options of all groups, of several with one name the first.
[[nodiscard]] std::vector<const OptionHelp*> different_options(const CommandHelp& help);

/// The list that an option's values are from: its help names it, such as `list platforms`; empty:
/// none.
[[nodiscard]] std::string catalogue_of(const OptionHelp& option);
/// The words that an option takes, where they are known: those of "none|bucket"; else none.
[[nodiscard]] std::vector<std::string> choices_of(const OptionHelp& option);

}  // namespace epochcast
