// SPDX-License-Identifier: Apache-2.0
#include "rehearse/rehearsal_state.hpp"

#include <nlohmann/json.hpp>

#include "base/files/file_draft.hpp"
#include "base/files/sealed_file.hpp"
#include "base/files/text_file.hpp"
#include "base/json/json_input.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "epochcast.rehearsal-state/2";

Json settings_json(const std::vector<SettingText>& settings) {
  Json json = Json::object();
  for (const auto& [name, value] : settings) json[name] = value;
  return json;
}

/// Appends the parts to `all`; returns their sizes.
Json append_sizes(std::string& all, const std::vector<std::string>& parts) {
  Json sizes = Json::array();
  for (const std::string& part : parts) {
    sizes.push_back(part.size());
    all += part;
  }
  return sizes;
}

/// The parts of these sizes that begin at `at`, which moves to their end.
std::vector<std::string> cut_by_sizes(const JsonInput& sizes,
                                      const std::string& all,
                                      std::size_t& at) {
  std::vector<std::string> parts;
  for (const JsonInput& each : sizes.elements()) {
    const auto size = static_cast<std::size_t>(each.integer(0));
    if (size > all.size() - at) break;
    parts.push_back(all.substr(at, size));
    at += size;
  }
  return parts;
}

}  // namespace

void save_rehearsal_state(const std::filesystem::path& file,
                          const std::vector<SettingText>& settings,
                          const RehearsalState& state) {
  Json header = {{"settings", settings_json(settings)}, {"curve", to_json(state.curve)}};
  std::string parts;
  header["bytes"] = append_sizes(parts, state.learners);
  if (!state.compressions.empty())
    header["compression_bytes"] = append_sizes(parts, state.compressions);
  if (!state.kept.empty()) header["kept_bytes"] = append_sizes(parts, state.kept);
  const Seal seal = epochcast::seal(kSchema, file, header, {parts});
  replace_file(file, [&](std::ostream& out) { out << seal.line << parts; });
}

RehearsalState load_rehearsal_state(const std::filesystem::path& file,
                                    const std::vector<SettingText>& settings,
                                    std::size_t workers) {
  RehearsalState state;
  if (!std::filesystem::exists(file)) return state;
  const SealedFile sealed = unseal(kSchema, file, read_text_file(file, kStateFile));
  Problems problems(file.string());
  JsonInput header(sealed.header, "", problems);
  const JsonInput before = header.at("settings");
  if (before.value() != nlohmann::json(settings_json(settings)))
    before.problem("are those of another rehearsal");
  const JsonInput curve = header.at("curve");
  state.curve = read_curve(curve);
  const JsonInput sizes = header.at("bytes");
  std::size_t at = 0;
  state.learners = cut_by_sizes(sizes, sealed.payload, at);
  if (const auto more = header.maybe("compression_bytes"))
    state.compressions = cut_by_sizes(*more, sealed.payload, at);
  if (const auto more = header.maybe("kept_bytes"))
    state.kept = cut_by_sizes(*more, sealed.payload, at);
  const auto are_complete = [&](const std::vector<std::string>& parts) {
    return parts.empty() || parts.size() == workers;
  };
  if (state.learners.size() != workers || at != sealed.payload.size() ||
      !are_complete(state.compressions) || !are_complete(state.kept))
    sizes.fail("the sizes of " + std::to_string(workers) + " workers' states, which follow");
  if (state.curve.empty()) curve.fail("the epochs that are over");
  problems.throw_if_any();
  return state;
}

}  // namespace epochcast
