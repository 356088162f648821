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

}  // namespace

void save_rehearsal_state(const std::filesystem::path& file,
                          const std::vector<SettingText>& settings,
                          const RehearsalState& state) {
  Json header = {{"settings", settings_json(settings)},
                 {"curve", to_json(state.curve)},
                 {"bytes", Json::array()}};
  std::string learners;
  for (const std::string& learner : state.learners) {
    header["bytes"].push_back(learner.size());
    learners += learner;
  }
  const Seal seal = epochcast::seal(kSchema, file, header, {learners});
  replace_file(file, [&](std::ostream& out) { out << seal.line << learners; });
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
  for (const JsonInput& each : sizes.elements()) {
    const auto size = static_cast<std::size_t>(each.integer(0));
    if (size > sealed.payload.size() - at) break;
    state.learners.push_back(sealed.payload.substr(at, size));
    at += size;
  }
  if (state.learners.size() != workers || at != sealed.payload.size())
    sizes.fail("the sizes of " + std::to_string(workers) + " workers' states, which follow");
  if (state.curve.empty()) curve.fail("the epochs that are over");
  problems.throw_if_any();
  return state;
}

}  // namespace epochcast
