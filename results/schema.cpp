// SPDX-License-Identifier: Apache-2.0
#include "results/schema.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

struct Phase {
  const char* name;
  double PhaseTimes::*seconds;
};

constexpr Phase kPhases[] = {{"compute", &PhaseTimes::compute_s},
                             {"exposed_communication", &PhaseTimes::exposed_communication_s},
                             {"blocked", &PhaseTimes::blocked_s}};

/// A text that may be empty.
std::string text_in(const JsonInput& input) {
  if (input.value().is_string()) return input.value().get<std::string>();
  input.fail("a text");
  return {};
}

}  // namespace

std::string program_version() { return "epochcast " EPOCHCAST_VERSION; }

Json result_document(const char* schema, Json content, const Provenance& provenance) {
  Json document = {{"schema", schema}};
  for (auto member = content.begin(); member != content.end(); ++member)
    document[member.key()] = std::move(*member);
  Json& from =
      document["provenance"] = {{"program", program_version()}, {"command", provenance.command}};
  if (!provenance.world.empty()) from["world"] = provenance.world;
  if (!provenance.date.empty()) from["date"] = provenance.date;
  return document;
}

Provenance read_provenance(JsonInput input, bool has_world) {
  (void)text_in(input.at("program"));
  Provenance provenance = {.command = text_in(input.at("command"))};
  if (has_world) provenance.world = text_in(input.at("world"));
  if (const auto date = has_world ? std::nullopt : input.maybe("date"))
    provenance.date = text_in(*date);
  input.finish();
  return provenance;
}

void put_phases(Json& json, const PhaseTimes& phases, const char* unit) {
  for (const auto& [name, seconds] : kPhases) json[std::string(name) + unit] = phases.*seconds;
}

PhaseTimes phases_in(const Json& json) {
  PhaseTimes phases;
  for (const auto& [name, seconds] : kPhases)
    phases.*seconds = json.at(std::string(name) + "_s").get<double>();
  return phases;
}

Json interval_json(const std::optional<Interval>& interval) {
  return interval ? Json{interval->low_s, interval->high_s} : Json();
}

}  // namespace epochcast
