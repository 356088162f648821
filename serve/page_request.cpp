// SPDX-License-Identifier: Apache-2.0
#include "serve/page_request.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json/json_file.hpp"
#include "base/json/json_input.hpp"
#include "base/text/shell_text.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace {

constexpr std::size_t kMostTasks = 600;
constexpr std::array kFiles = {
    "platform", "network", "dataset", "trace", "calibrate-on", "data", "pretrained"};

bool is_file(const std::string& setting) {
  return std::find(kFiles.begin(), kFiles.end(), setting) != kFiles.end();
}

/// The catalogue's folder for a setting; empty if there is none.
std::string folder_of(const std::string& setting) {
  if (setting == "platform" || setting == "network" || setting == "dataset")
    return "models/" + setting + "s";
  return setting == "trace" || setting == "calibrate-on" ? "traces" : "";
}

/// Whether a value is the path of a file or folder outside of the catalogue, even one that has the
/// same name there.
bool is_path(const SettingText& setting, const Catalog& catalog) {
  if (setting.value.find_first_of("/.") != std::string::npos) return true;
  std::error_code unknown;
  if (!std::filesystem::is_directory(setting.value, unknown)) return false;
  const std::string folder = folder_of(setting.name);
  if (folder.empty()) return true;
  const std::vector<std::string> known = catalog.names(folder);
  return std::find(known.begin(), known.end(), setting.value) == known.end();
}

/// Throws if a value is a path that the user has not given.
void check_is_known(const SettingText& setting,
                    const Catalog& catalog,
                    const std::vector<SettingText>& given) {
  if (!is_file(setting.name) || !is_path(setting, catalog)) return;
  if (std::find(given.begin(), given.end(), setting) != given.end()) return;
  throw UserError(setting.name + ": got \"" + setting.value +
                  "\"; expected a name in the catalogue; give other files to epochcast serve "
                  "--" +
                  setting.name + ", or put them where EPOCHCAST_PATH leads");
}

/// A text, number or switch as the text that a setting is read from.
std::string text_of(const JsonInput& value) {
  const nlohmann::json& json = value.value();
  if (json.is_number() || json.is_boolean()) return json.dump();
  return value.string();
}

}  // namespace

std::vector<ForecastTask> PageRequest::tasks() const {
  // Checked first, since each point is a whole configuration.
  std::size_t points = 1;
  for (const SweepAxis& axis : axes) {
    points *= axis.values.size();
    if (points > kMostTasks) {
      throw UserError("sweep: at least " + std::to_string(points) +
                      " forecasts are more than the " + std::to_string(kMostTasks) +
                      " that a page asks for; run the command instead");
    }
  }
  std::vector<ForecastTask> tasks = with_overlapped_sync(expand(config, axes));
  if (tasks.size() > kMostTasks) {
    throw UserError("sweep: " + std::to_string(tasks.size()) + " forecasts are more than the " +
                    std::to_string(kMostTasks) + " that a page asks for; run the command instead");
  }
  if (!has_intervals) {
    for (ForecastTask& task : tasks) task.config.deterministic = true;
  }
  return tasks;
}

std::string PageRequest::command() const {
  std::vector<std::string> words = {"epochcast", "simulate"};
  if (find) {
    words = {"epochcast", "find", find->name};
    for (const Condition& condition : find->conditions)
      words.insert(words.end(), {"--where", condition.text});
    if (find->wants_largest) words.emplace_back("--largest");
  }
  for (const SettingText& setting : settings) words.push_back(word_of(setting));
  if (!has_intervals && !config.deterministic) words.emplace_back("--deterministic=true");
  for (const SweepAxis& axis : axes) {
    std::string values;
    const char* separator =
        std::any_of(axis.values.begin(),
                    axis.values.end(),
                    [](const auto& value) { return value.find(',') != std::string::npos; })
            ? ";"
            : ",";
    for (const std::string& value : axis.values)
      values += (values.empty() ? "" : separator) + value;
    words.insert(words.end(), {"--sweep", axis.name + "=" + values});
  }
  return shell_text(words);
}

PageRequest request_in(std::string_view body,
                       const Catalog& catalog,
                       const std::vector<SettingText>& given) {
  const nlohmann::json document = parse_json(body, "request");
  Problems problems("request");
  PageRequest page_request;
  JsonInput input(document, "", problems);
  std::vector<std::string> wrong;
  const auto read = [&](const std::string& name, const auto& act) {
    try {
      all_settings().check_counts(name, Command::simulate, name);
      act();
    } catch (const UserError& error) {
      wrong.insert(wrong.end(), error.problems().begin(), error.problems().end());
    }
  };
  for (const JsonInput& member : input.at("settings").members()) {
    const SettingText setting = {member.name(), text_of(member)};
    if (setting.value.empty()) continue;  // reported
    read(setting.name, [&] {
      check_is_known(setting, catalog, given);
      all_settings().set(page_request.config, setting.name, setting.value, setting.name);
      page_request.settings.push_back(setting);
    });
  }
  if (const auto sweep = input.maybe("sweep")) {
    for (const JsonInput& member : sweep->members()) {
      SweepAxis axis = {.name = member.name(), .values = {}, .flag = "sweep"};
      for (const JsonInput& value : member.elements(1)) axis.values.push_back(text_of(value));
      read(axis.name, [&] {
        JobConfig scratch;
        for (const std::string& value : axis.values) {
          check_is_known({axis.name, value}, catalog, given);
          all_settings().set(scratch, axis.name, value, "sweep " + axis.name);
        }
      });
      page_request.axes.push_back(std::move(axis));
    }
  }
  if (const auto intervals = input.maybe("intervals"))
    page_request.has_intervals = intervals->boolean();
  if (auto name = input.maybe("find")) {
    page_request.find =
        FindRequest{.config = {}, .name = name->string(), .over = {}, .conditions = {}};
    for (const JsonInput& text : input.at("where").elements(1)) {
      try {
        page_request.find->conditions.push_back(parse_condition(text.string()));
      } catch (const UserError& error) {
        wrong.insert(wrong.end(), error.problems().begin(), error.problems().end());
      }
    }
    if (const auto largest = input.maybe("largest"))
      page_request.find->wants_largest = largest->boolean();
  }
  if (page_request.find && !page_request.axes.empty())
    wrong.emplace_back("sweep: a find request is about one job; expected no sweep");
  input.finish();
  problems.throw_if_any();
  if (!wrong.empty()) throw UserError(wrong);
  check_strategies_have_settings(page_request.config);
  if (page_request.find) {
    page_request.find->config = page_request.config;
    page_request.find->adds_overlapped_sync = true;
    page_request.find->config.deterministic =
        !page_request.has_intervals || page_request.config.deterministic;
  }
  return page_request;
}

}  // namespace epochcast
