// SPDX-License-Identifier: Apache-2.0
#include "core/job/job_config.hpp"

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/job/setting_text.hpp"
#include "core/json/json_input.hpp"
#include "core/suggest.hpp"

namespace epochcast {
namespace {

/// What a flag would say for a value of an experiment file; nothing when no flag could.
std::optional<std::string> text_of(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null() || value.is_object()) return std::nullopt;
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const auto& element : value) {
    const auto text = element.is_array() ? std::nullopt : text_of(element);
    if (!text) return std::nullopt;
    list += (list.empty() ? "" : ",") + *text;
  }
  return list;
}

}  // namespace

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all = [] {
    std::vector<Setting> both = job_settings();
    const std::vector<Setting> run = run_settings();
    both.insert(both.end(), run.begin(), run.end());
    return both;
  }();
  return all;
}

std::vector<Setting> settings_of(Command command) {
  std::vector<Setting> found;
  for (const Setting& setting : settings()) {
    if ((setting.commands & in(command)) != 0) found.push_back(setting);
  }
  return found;
}

void check_counts(std::string_view name, Command command, const std::string& origin) {
  for (const Setting& setting : settings()) {
    if (setting.name != name || (setting.commands & in(command)) != 0) continue;
    std::string counts;
    for (const auto& [other, text] : {std::pair(Command::simulate, "simulate"),
                                      std::pair(Command::emulate, "emulate"),
                                      std::pair(Command::rehearse, "rehearse"),
                                      std::pair(Command::train, "train")}) {
      if ((setting.commands & in(other)) != 0)
        counts += (counts.empty() ? "" : " and ") + std::string(text);
    }
    throw UserError(origin + ": counts in " + counts + " only");
  }
}

void set_setting(JobConfig& config,
                 std::string_view name,
                 const std::string& value,
                 const std::string& origin) {
  std::vector<std::string> names;
  for (const Setting& setting : settings()) {
    if (setting.name == name) {
      check_plain_text(value, origin);
      try {
        setting.set(config, value);
      } catch (const UserError& error) {
        throw UserError(origin + ": " + error.what());
      }
      return;
    }
    names.emplace_back(setting.name);
  }
  throw UserError(origin + ": " + unknown_name("setting", name, names));
}

std::vector<SettingText> setting_texts(const JobConfig& config, Commands commands) {
  std::vector<SettingText> texts;
  for (const Setting& setting : settings()) {
    if ((setting.commands & commands) == 0) continue;
    std::string value = setting.show(config);
    if (!value.empty()) texts.push_back({std::string(setting.name), std::move(value)});
  }
  return texts;
}

void apply_experiment(JobConfig& config, const nlohmann::json& document, const std::string& file) {
  Problems problems(file);
  JsonInput top = open_document(document, "epochcast.experiment/1", problems);
  std::vector<std::string> all;
  for (const JsonInput& member : top.members()) {
    if (member.name() == "schema" || member.name() == "validate") continue;
    const auto text = text_of(member.value());
    if (!text) {
      member.fail("a text, a number, true, false, or a list of these");
      continue;
    }
    try {
      set_setting(config, member.name(), *text, file + ": " + member.path());
    } catch (const UserError& error) {
      all.emplace_back(error.what());
    }
  }
  if (!problems.empty() || !all.empty()) {
    try {
      problems.throw_if_any();
    } catch (const UserError& error) {
      all.insert(all.end(), error.problems().begin(), error.problems().end());
    }
    throw UserError(all);
  }
}

}  // namespace epochcast
