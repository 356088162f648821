// SPDX-License-Identifier: Apache-2.0
#include "cli/help/show_help.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>

namespace epochcast {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kHelpColumn = 34;

/// Words, so many characters a line at most, each line but the first behind `indent` blanks.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::istringstream words(text);
  std::string all;
  std::size_t column = indent;
  for (std::string word; words >> word;) {
    if (column > indent && column + 1 + word.size() > kWidth) {
      all += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      all += ' ';
      ++column;
    }
    all += word;
    column += word.size();
  }
  return all;
}

void show_option(std::ostream& out, const OptionHelp& option) {
  std::string flag = "  --" + option.name;
  if (option.is_optional) {
    flag += " [" + option.value + "]";
  } else if (!option.value.empty()) {
    flag += " " + option.value;
  }
  std::string help = option.help;
  if (!option.fallback.empty()) help += " (default: " + option.fallback + ")";
  // A flag that is too long has a line of its own.
  const std::string gap = flag.size() + 2 > kHelpColumn
                              ? "\n" + std::string(kHelpColumn, ' ')
                              : std::string(kHelpColumn - flag.size(), ' ');
  out << flag << gap << wrapped(help, kHelpColumn) << '\n';
}

void show_examples(std::ostream& out, const std::vector<std::string>& examples) {
  if (examples.empty()) return;
  out << (examples.size() == 1 ? "\nExample:\n" : "\nExamples:\n");
  for (const std::string& example : examples) {
    std::string text = "  " + wrapped(example, 5);
    // A line that goes on ends as a shell wants it.
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end)) {
      text.insert(end, " \\");
      end += 3;
    }
    out << text << '\n';
  }
}

}  // namespace

HelpLength help_wanted(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--help=all") return HelpLength::full;
    if (arguments[i] != "--help" && arguments[i] != "-h") continue;
    const bool is_all = i + 1 < arguments.size() && arguments[i + 1] == "all";
    return is_all ? HelpLength::full : HelpLength::brief;
  }
  return HelpLength::none;
}

void show_usage(std::ostream& out, std::span<const CommandInfo> commands) {
  out << "epochcast: how long does an epoch take, under each training strategy, on which "
         "cluster?\n\n";
  for (const CommandInfo& command : commands) {
    const std::string name(command.name);
    out << "  epochcast " << name << std::string(11 - name.size(), ' ') << command.summary << '\n';
  }
  out << "\n`epochcast COMMAND --help` explains a command, `--help all` all of it.\n";
}

void show_help(std::ostream& out, const CommandInfo& command, HelpLength length) {
  const CommandHelp help = command.help();
  out << "epochcast " << command.name << ": " << command.summary << "\n\nUsage: epochcast "
      << command.name << (help.usage.empty() ? "" : " ") << help.usage << '\n';
  if (!help.about.empty()) out << '\n' << wrapped(help.about, 0) << '\n';
  std::size_t options = 0;
  for (const HelpGroup& group : help.groups) options += group.options.size();
  const std::vector<const OptionHelp*> most_used = options_named(help, help.most_used);
  if (length == HelpLength::full || most_used.empty()) {
    for (const HelpGroup& group : help.groups) {
      out << '\n' << group.title << ":\n";
      for (const OptionHelp& option : group.options) show_option(out, option);
    }
    show_examples(out, help.examples);
    return;
  }
  out << "\nMost used:\n";
  for (const OptionHelp* option : most_used) show_option(out, *option);
  show_examples(out, help.examples);
  if (options > most_used.size()) {
    out << "\n`epochcast " << command.name << " --help all` tells all " << options
        << " options, by subject.\n";
  }
}

}  // namespace epochcast
