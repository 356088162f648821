// SPDX-License-Identifier: Apache-2.0
#include "cli/help/show_help.hpp"

#include <algorithm>
#include <iostream>
#include <sstream>
#include <utility>

#include "cli/show/table_look.hpp"

namespace epochcast {
namespace {

constexpr std::size_t kPipeWidth = 80;

/// The column in which descriptions of options begin.
std::size_t help_column(std::size_t width) { return width < kPipeWidth ? 26 : 34; }

/// Words, at most `width` characters a line, each line but the first indented by `indent`.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::istringstream words(text);
  std::string all;
  std::size_t column = indent;
  for (std::string word; words >> word;) {
    if (column > indent && column + 1 + word.size() > width) {
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

void show_option(std::ostream& out, const OptionHelp& option, std::size_t width) {
  std::string flag = "  --" + option.name;
  if (option.is_optional) {
    flag += " [" + option.value + "]";
  } else if (!option.value.empty()) {
    flag += " " + option.value;
  }
  std::string help = option.help;
  if (!option.fallback.empty()) help += " (default: " + option.fallback + ")";
  const std::size_t column = help_column(width);
  // A flag that is too long gets its own line.
  const std::string gap = flag.size() + 2 > column ? "\n" + std::string(column, ' ')
                                                   : std::string(column - flag.size(), ' ');
  out << flag << gap << wrapped(help, column, width) << '\n';
}

/// The text with other blanks inside double quotes, where lines must not be broken.
std::string with_quoted(std::string text, char from, char to) {
  bool is_quoted = false;
  for (char& c : text) {
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted && c == from) c = to;
  }
  return text;
}

void show_examples(std::ostream& out, const std::vector<std::string>& examples, std::size_t width) {
  if (examples.empty()) return;
  out << (examples.size() == 1 ? "\nExample:\n" : "\nExamples:\n");
  for (const std::string& example : examples) {
    constexpr char kBlank = '\1';
    std::string text = "  " + wrapped(with_quoted(example, ' ', kBlank), 5, width - 2);
    text = with_quoted(std::move(text), kBlank, ' ');
    // A continued line ends in two more characters, as in a shell.
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end)) {
      text.insert(end, " \\");
      end += 3;
    }
    out << text << '\n';
  }
}

bool has_groups_of(const CommandHelp& help, const std::string& word) {
  return !word.empty() &&
         std::ranges::find(help.groups, word, &HelpGroup::word) != help.groups.end();
}

/// Without options that need another word after the command.
CommandHelp help_behind(const std::string& word, CommandHelp help) {
  help.usage = "[OPTIONS]";
  std::erase_if(help.groups,
                [&](const HelpGroup& group) { return !group.word.empty() && group.word != word; });
  std::erase_if(help.examples, [&](const std::string& example) {
    return example.find(" " + word + " ") == std::string::npos;
  });
  return help;
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

std::size_t help_width() {
  constexpr std::size_t kLeast = 60;
  constexpr std::size_t kMost = 100;
  const std::size_t width = stdout_look(false).width;
  return width == 0 ? kPipeWidth : std::clamp(width, kLeast, kMost);
}

void show_usage(std::ostream& out, std::span<const CommandInfo> commands, std::size_t width) {
  constexpr std::size_t kSummaryColumn = 23;
  out << wrapped(
             "epochcast: how long does an epoch take, under each training strategy, on which "
             "cluster?",
             0,
             width)
      << "\n\n";
  for (const CommandInfo& command : commands) {
    const std::string name(command.name);
    const std::string begin = "  epochcast " + name;
    out << begin << std::string(kSummaryColumn - begin.size(), ' ')
        << wrapped(std::string(command.summary), kSummaryColumn, width) << '\n';
  }
  out << '\n'
      << wrapped("`epochcast COMMAND --help` explains a command, `--help all` all of it.", 0, width)
      << '\n';
}

void show_help(std::ostream& out,
               const CommandInfo& command,
               HelpLength length,
               std::size_t width,
               const std::string& word) {
  CommandHelp help = command.help();
  std::string name = std::string(command.program) + " " + std::string(command.name);
  if (has_groups_of(help, word)) {
    name += " " + word;
    help = help_behind(word, std::move(help));
  }
  out << wrapped(name + ": " + std::string(command.summary), 0, width) << "\n\n"
      << "Usage: " << wrapped(name + " " + help.usage, 7, width) << '\n';
  if (!help.about.empty()) out << '\n' << wrapped(help.about, 0, width) << '\n';
  std::size_t options = 0;
  for (const HelpGroup& group : help.groups) options += group.options.size();
  const std::vector<const OptionHelp*> most_used = options_named(help, help.most_used);
  if (length == HelpLength::full || most_used.empty()) {
    for (const HelpGroup& group : help.groups) {
      out << '\n' << wrapped(group.title + ":", 0, width) << '\n';
      for (const OptionHelp& option : group.options) show_option(out, option, width);
    }
    show_examples(out, help.examples, width);
    return;
  }
  out << "\nMost used:\n";
  for (const OptionHelp* option : most_used) show_option(out, *option, width);
  show_examples(out, help.examples, width);
  if (options > most_used.size()) {
    const std::string more =
        "`" + name + " --help all` lists all " + std::to_string(options) + " options, by subject.";
    out << '\n' << wrapped(more, 0, width) << '\n';
  }
}

bool shows_help(int argc,
                const char* const* argv,
                const CommandInfo& command,
                const std::string& word) {
  const HelpLength length = help_wanted({argv + 1, argv + argc});
  if (length == HelpLength::none) return false;
  show_help(std::cout, command, length, help_width(), word);
  std::cout.flush();
  return true;
}

}  // namespace epochcast
