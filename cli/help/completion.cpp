// SPDX-License-Identifier: Apache-2.0
#include "cli/help/completion.hpp"

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

#include "core/job/platform_figures.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace {

/// The possible values of an option.
struct Values {
  std::string catalogue = {};           ///< a list of the catalogue; empty: none
  std::vector<std::string> words = {};  ///< these, or unknown
  bool has_files = false;               ///< names of files, or of folders
  bool is_list = false;                 ///< several, separated by commas
  bool are_assignments = false;         ///< of settings: NAME=...

  auto operator<=>(const Values&) const = default;
};

bool has_word(const std::string& text, const std::string& word) {
  return std::regex_search(text, std::regex("\\b" + word + "\\b"));
}

Values values_of(const OptionHelp& option) {
  Values values = {.catalogue = catalogue_of(option),
                   .words = choices_of(option),
                   .has_files = has_word(option.value, "FILE") || has_word(option.value, "FOLDER"),
                   .is_list = option.value.find(',') != std::string::npos,
                   .are_assignments = option.value.starts_with("NAME=")};
  if (values.catalogue == "strategies") values.words = {"all"};
  return values;
}

std::string joined_words(const std::vector<std::string>& words, const std::string& between = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

/// Kinds of words that belong to no option.
Values positional_of(const CommandHelp& help) {
  if (!help.positional.value.empty()) return values_of(help.positional);
  return {.has_files = help.usage.find("FILE") != std::string::npos ||
                       help.usage.find("EXPERIMENT") != std::string::npos};
}

/// The settings of all commands, and figures of any platform.
std::string setting_names() {
  std::vector<std::string> names = general_figures();
  for (const Setting& setting : all_settings().rows()) names.emplace_back(setting.name);
  return joined_words(names);
}

constexpr const char* kBashFunctions = R"sh(# bash completion for epochcast
# Adds the completions of the word behind the last comma (of a list) or behind --flag=.
_epochcast_add() {  # is-list, words
  local before="" rest=$cur word
  if [[ $1 == 1 && $cur == *,* ]]; then before=${cur%,*},; rest=${cur##*,}; fi
  for word in $(compgen -W "$2" -- "$rest"); do COMPREPLY+=("$before$word"); done
}
_epochcast() {
  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} flags="" words=""
  COMPREPLY=()
  if [[ $cur == "=" ]]; then cur=""; elif [[ $previous == "=" ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi
)sh";

std::string bash_values(const Values& values) {
  std::string script;
  std::string words = joined_words(values.words);
  if (!values.catalogue.empty())
    words += (words.empty() ? "" : " ") +
             ("$(epochcast list " + values.catalogue + " --names 2>/dev/null)");
  if (!words.empty())
    script +=
        std::string("_epochcast_add ") + (values.is_list ? "1" : "0") + " \"" + words + "\"; ";
  if (values.are_assignments)
    script +=
        "compopt -o nospace 2>/dev/null; COMPREPLY+=($(compgen -S = -W \"$_epochcast_settings\" -- "
        "\"$cur\")); ";
  if (values.has_files)
    script += "compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- \"$cur\")); ";
  return script + "return";
}

/// Text in single quotes for a shell.
std::string in_quotes(const std::string& text) {
  return "'" + std::regex_replace(text, std::regex("'"), "'\\''") + "'";
}

/// Escaped for zsh's specifications, in which colons and brackets are special.
std::string zsh_text(const std::string& text) {
  return std::regex_replace(text, std::regex(R"([\[\]:\\])"), R"(\$&)");
}

std::string zsh_values(const Values& values) {
  if (values.are_assignments) return "_epochcast_settings";
  std::string action;
  if (!values.catalogue.empty()) {
    // The leading space keeps _arguments from inserting compadd options before ours.
    action = " _epochcast_names " + values.catalogue + (values.is_list ? " 1" : " 0") +
             (values.has_files ? " 1" : " 0");
    for (const std::string& word : values.words) action += " " + word;
  } else if (!values.words.empty() && values.is_list) {
    action = " _sequence compadd - " + joined_words(values.words);
  } else if (!values.words.empty()) {
    action = "(" + joined_words(values.words) + ")";
  } else if (values.has_files) {
    action = "_files";
  }
  return action;
}

constexpr const char* kZshFunctions = R"sh(#compdef epochcast
# zsh completion for epochcast
_epochcast_names() {  # list, are several, files too, more words
  local -a names
  names=(${(f)"$(epochcast list $1 --names 2>/dev/null)"} ${@:4})
  if (( $2 )); then _sequence compadd - -a names; else compadd -a names; fi
  (( $3 )) && _files
}
)sh";

}  // namespace

std::string bash_completion(std::span<const CommandInfo> commands) {
  std::ostringstream script;
  script << kBashFunctions;
  std::vector<std::string> names;
  for (const CommandInfo& command : commands) names.emplace_back(command.name);
  script << "  local _epochcast_settings=\"" << setting_names() << "\"\n"
         << "  if [[ $COMP_CWORD == 1 ]]; then _epochcast_add 0 \"" << joined_words(names)
         << " --help --version\"; return; fi\n"
         << "  local command=${COMP_WORDS[1]}\n";
  std::map<Values, std::vector<std::string>> patterns;
  std::ostringstream options;
  std::ostringstream positions;  // of words without an option
  for (const CommandInfo& command : commands) {
    const CommandHelp help = command.help == nullptr ? CommandHelp() : command.help();
    const std::string name(command.name);
    std::vector<std::string> flags;
    for (const OptionHelp* option : different_options(help)) {
      flags.push_back("--" + option->name);
      if (option->value.empty()) continue;
      // An option of unknown values completes nothing: the next word is its value.
      if (!option->is_optional || !choices_of(*option).empty())
        patterns[values_of(*option)].push_back("'" + name + " --" + option->name + "'");
    }
    options << "    " << name << ") flags=\"" << joined_words(flags) << "\"; words=\""
            << command.words << "\" ;;\n";
    positions << "    " << name << ") " << bash_values(positional_of(help)) << " ;;\n";
  }
  script << "  case \"$command $previous\" in\n";
  for (const auto& [values, options_with] : patterns)
    script << "    " << joined_words(options_with, "|") << ") " << bash_values(values) << " ;;\n";
  script << "  esac\n  case $command in\n"
         << options.str() << "  esac\n"
         << "  if [[ $cur == -* ]]; then _epochcast_add 0 \"$flags\"; return; fi\n"
         << "  [[ $COMP_CWORD == 2 ]] && _epochcast_add 0 \"$words\"\n"
         << "  case $command in\n"
         << positions.str() << "  esac\n"
         << "}\ncomplete -F _epochcast epochcast\n";
  return script.str();
}

std::string zsh_completion(std::span<const CommandInfo> commands) {
  std::ostringstream script;
  script << kZshFunctions << "_epochcast_settings() {\n  local -a names=(" << setting_names()
         << ")\n  compadd -S = -a names\n}\n_epochcast() {\n  if (( CURRENT == 2 )); then\n"
         << "    local -a known=(\n";
  for (const CommandInfo& command : commands) {
    script << "      "
           << in_quotes(std::string(command.name) + ":" + zsh_text(std::string(command.summary)))
           << '\n';
  }
  script << "    )\n    _describe command known\n    return\n  fi\n"
         << "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const CommandInfo& command : commands) {
    const CommandHelp help = command.help == nullptr ? CommandHelp() : command.help();
    script << "    " << command.name << ") _arguments";
    for (const OptionHelp* option : different_options(help)) {
      std::string spec = "*--" + option->name;
      if (!option->value.empty()) spec += option->is_optional ? "=-" : "=";
      spec += "[" + zsh_text(option->help) + "]";
      if (!option->value.empty()) {
        spec += std::string(option->is_optional ? "::" : ":") + zsh_text(option->value) + ":" +
                zsh_values(values_of(*option));
      }
      script << " \\\n      " << in_quotes(spec);
    }
    if (!command.words.empty()) script << " \\\n      '1:what:(" << command.words << ")'";
    const std::string positional = zsh_values(positional_of(help));
    if (!positional.empty()) {
      const std::string& what = help.positional.value;
      script << " \\\n      "
             << in_quotes("*:" + (what.empty() ? "file" : zsh_text(what)) + ":" + positional);
    }
    script << " ;;\n";
  }
  script << "  esac\n}\n"
         << "if [[ $funcstack[1] == _epochcast ]]; then _epochcast \"$@\"; else compdef _epochcast "
            "epochcast; fi\n";
  return script.str();
}

}  // namespace epochcast
