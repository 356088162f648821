// SPDX-License-Identifier: Apache-2.0
#include "cli/help/command_help.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <map>
#include <regex>
#include <sstream>

#include "strategies/settings.hpp"

namespace epochcast {
namespace po = boost::program_options;
namespace {

bool holds(const std::vector<Setting>& settings, std::string_view name) {
  return std::ranges::find(settings, name, &Setting::name) != settings.end();
}

/// The value of a job without the setting; empty if there is none, or the help text names it.
std::string fallback_of(const Setting& setting) {
  if (setting.help.find("default") != std::string_view::npos) return {};
  JobConfig usual;
  const std::string methods = compressions_with(setting.name);
  usual.compression = methods.substr(0, methods.find(','));  // others do not show its settings
  return setting.show(usual);
}

OptionHelp option_of(const Setting& setting) {
  return {.name = std::string(setting.name),
          .value = std::string(setting.value_name),
          .is_optional = setting.value_name == "on|off",
          .fallback = fallback_of(setting),
          .help = std::string(setting.help)};
}

/// The title of a setting's group; those of strategies begin with kOfStrategy.
std::string title_of(const Setting& setting) {
  if (holds(job_settings(), setting.name)) return "The job";
  if (holds(cost_settings(), setting.name)) return "Costs and the simulation";
  if (!holds(run_settings(), setting.name)) {
    if (const std::string methods = compressions_with(setting.name); !methods.empty())
      return "Compression " + methods;
    const std::string owners = owners_of(setting.name);
    return owners.empty() ? "Other settings" : "Strategy " + owners;
  }
  return setting.commands == kTrain ? "Machines" : "Data and learning";
}

}  // namespace

HelpGroup help_group(const std::string& title, const po::options_description& options) {
  // Boost describes a value as "VALUE", "VALUE (=DEFAULT)", "[=VALUE(=IMPLICIT)]" or both.
  static const std::regex kValue(R"(^(\[=)?(.*?)(\(=([^)]*)\)\])?( \(=(.*)\))?$)");
  HelpGroup group = {.title = title, .options = {}};
  for (const auto& option : options.options()) {
    OptionHelp help = {.name = option->long_name(), .value = {}, .help = option->description()};
    if (option->semantic()->max_tokens() > 0) {
      std::smatch match;
      const std::string text = option->format_parameter();
      if (std::regex_match(text, match, kValue)) {
        help.is_optional = match[1].matched;
        help.value = match[2];
        help.fallback = match[6];
      }
    }
    group.options.push_back(std::move(help));
  }
  return group;
}

std::vector<HelpGroup> setting_groups(Command command) {
  std::vector<HelpGroup> groups;
  for (const Setting& setting : all_settings().of(command)) {
    const std::string title = title_of(setting);
    auto group = std::ranges::find(groups, title, &HelpGroup::title);
    if (group == groups.end()) group = groups.insert(groups.end(), {.title = title, .options = {}});
    group->options.push_back(option_of(setting));
  }
  return groups;
}

std::vector<const OptionHelp*> options_named(const CommandHelp& help,
                                             const std::vector<std::string>& names) {
  std::vector<const OptionHelp*> found;
  for (const std::string& name : names) {
    for (const HelpGroup& group : help.groups) {
      const auto option = std::ranges::find(group.options, name, &OptionHelp::name);
      if (option == group.options.end()) continue;
      found.push_back(&*option);
      break;
    }
  }
  return found;
}

std::vector<const OptionHelp*> different_options(const CommandHelp& help) {
  std::vector<const OptionHelp*> options;
  for (const HelpGroup& group : help.groups) {
    for (const OptionHelp& option : group.options) {
      if (std::ranges::find(options, option.name, &OptionHelp::name) == options.end())
        options.push_back(&option);
    }
  }
  return options;
}

std::string catalogue_of(const OptionHelp& option) {
  static const std::regex kList("`list ([a-z]+)`");
  std::smatch match;
  return std::regex_search(option.help, match, kList) ? match[1].str() : std::string();
}

std::vector<std::string> choices_of(const OptionHelp& option) {
  static const std::regex kChoices("[a-z][a-z0-9-]*([|][a-z][a-z0-9-]*)+");
  std::vector<std::string> choices = option.words;
  if (!std::regex_match(option.value, kChoices)) return choices;
  std::istringstream words(option.value);
  for (std::string word; std::getline(words, word, '|');) choices.push_back(word);
  return choices;
}

}  // namespace epochcast
