// SPDX-License-Identifier: Apache-2.0
#include "core/job/experiment.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/json/json_input.hpp"

namespace epochcast {
namespace {

/// The flag's text for a value of an experiment file; none if there is none.
std::optional<std::string> flag_text(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null() || value.is_object()) return std::nullopt;
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const auto& element : value) {
    const auto text = element.is_array() ? std::nullopt : flag_text(element);
    if (!text) return std::nullopt;
    list += (list.empty() ? "" : ",") + *text;
  }
  return list;
}

}  // namespace

void apply_experiment(JobConfig& config,
                      const SettingTable& settings,
                      const nlohmann::json& document,
                      const std::string& file) {
  Problems problems(file);
  JsonInput top = open_document(document, "epochcast.experiment/1", problems);
  std::vector<std::string> all;
  const auto apply = [&](const JsonInput& member) {
    const auto text = flag_text(member.value());
    if (!text) return member.fail("a text, a number, true, false, or a list of these");
    try {
      settings.set(config, member.name(), *text, file + ": " + member.path());
    } catch (const UserError& error) {
      all.emplace_back(error.what());
    }
  };
  // A preset first: settings that are given count more.
  if (const auto preset = top.maybe("like")) apply(*preset);
  for (const JsonInput& member : top.members()) {
    if (member.name() != "schema" && member.name() != "validate" && member.name() != "like")
      apply(member);
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
