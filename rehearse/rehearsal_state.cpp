// SPDX-License-Identifier: Apache-2.0
#include "rehearse/rehearsal_state.hpp"

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/file_draft.hpp"
#include "core/text_file.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "epochcast.rehearsal-state/1";

Json settings_json(const std::vector<SettingText>& settings) {
  Json json = Json::object();
  for (const auto& [name, value] : settings) json[name] = value;
  return json;
}

}  // namespace

void save_rehearsal_state(const std::filesystem::path& file,
                          const std::vector<SettingText>& settings,
                          const RehearsalState& state) {
  Json header = {{"schema", kSchema},
                 {"settings", settings_json(settings)},
                 {"curve", Json::array()},
                 {"ranks", Json::array()}};
  for (const CurvePoint& point : state.curve) header["curve"].push_back(to_json(point));
  for (const real::RankState& rank : state.ranks) {
    header["ranks"].push_back(
        {{"position", rank.position}, {"memory", rank.memory}, {"bytes", rank.learner.size()}});
  }
  replace_file(file, [&](std::ostream& out) {
    out << header.dump() << '\n';
    for (const real::RankState& rank : state.ranks) out << rank.learner;
  });
}

RehearsalState load_rehearsal_state(const std::filesystem::path& file,
                                    const std::vector<SettingText>& settings) {
  RehearsalState state;
  if (!std::filesystem::exists(file)) return state;
  const std::string text = read_text_file(file, kStateFile);
  const std::size_t end = std::min(text.find('\n'), text.size());
  const Json header = Json::parse(text.substr(0, end), nullptr, /*allow_exceptions=*/false);
  const RunError damaged(file.string() + ": is damaged, or not the state of a rehearsal");
  if (!header.is_object() || header.value("schema", "") != kSchema) throw damaged;
  if (header.at("settings") != settings_json(settings))
    throw UserError(file.string() + ": is the state of a rehearsal with other settings");
  for (const Json& point : header.at("curve")) state.curve.push_back(curve_point_from_json(point));
  std::size_t at = end + 1;
  for (const Json& rank : header.at("ranks")) {
    const std::size_t bytes = rank.at("bytes");
    if (at + bytes > text.size()) throw damaged;
    state.ranks.push_back({.position = rank.at("position"),
                           .memory = rank.at("memory"),
                           .learner = text.substr(at, bytes)});
    at += bytes;
  }
  if (at != text.size()) throw damaged;
  return state;
}

}  // namespace epochcast
