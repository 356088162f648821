// SPDX-License-Identifier: Apache-2.0
#include "rehearse/runs/learning_trace.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/files/file_draft.hpp"
#include "base/files/sealed_file.hpp"
#include "base/files/text_file.hpp"
#include "base/json/json_input.hpp"

namespace epochcast {
namespace {

constexpr const char* kTraceSchema = "epochcast.learning-trace/1";

}  // namespace

void write_learning_trace(const std::filesystem::path& file, const LearningTrace& trace) {
  nlohmann::ordered_json json = {{"settings", nlohmann::ordered_json::object()},
                                 {"platform", trace.platform},
                                 {"notes", trace.notes},
                                 {"curve", to_json(trace.curve)}};
  for (const SettingText& setting : trace.settings) json["settings"][setting.name] = setting.value;
  if (trace.diverged) json["diverged"] = *trace.diverged;
  replace_file(file, seal(kTraceSchema, file, json).line);
}

std::optional<LearningTrace> read_learning_trace(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  const SealedFile sealed = unseal(kTraceSchema, file, read_text_file(file, kSamplesFile));
  Problems problems(file.string());
  JsonInput top(sealed.header, "", problems);
  LearningTrace trace;
  for (const JsonInput& setting : top.at("settings").members())
    trace.settings.push_back({setting.name(), setting.string()});
  trace.platform = top.at("platform").string();
  for (const JsonInput& note : top.at("notes").elements()) trace.notes.push_back(note.string());
  trace.curve = read_curve(top.at("curve"));
  if (const auto diverged = top.maybe("diverged")) trace.diverged = diverged->string();
  if (trace.curve.empty() && !trace.diverged) top.at("curve").fail("an epoch at least");
  problems.throw_if_any();
  return trace;
}

std::optional<LearningTrace> readable_trace(const std::filesystem::path& file) {
  try {
    return read_learning_trace(file);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

}  // namespace epochcast
