// SPDX-License-Identifier: Apache-2.0
#include "rehearse/runs/rehearsal_entry.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/files/file_draft.hpp"
#include "base/files/sealed_file.hpp"
#include "base/files/text_file.hpp"
#include "base/json/json_file.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "epochcast.rehearsal-entry/1";

/// The members of `document`, whose text this is: settings keep their order there.
RehearsalEntry read_members(const fs::path& file,
                            const nlohmann::json& document,
                            const std::string& text) {
  Problems problems(file.string());
  JsonInput top(document, "", problems);
  RehearsalEntry entry = {.curve = read_curve(top.at("curve"))};
  if (const auto diverged = top.maybe("diverged")) entry.diverged = diverged->string();
  const JsonInput run = top.at("run");
  if (!run.value().is_null()) {
    entry.run = read_run(Json::parse(text).at("run"), run.path(), problems);
  } else if (!entry.diverged) {
    run.fail("a run");
  }
  if (entry.curve.empty() && !entry.diverged) top.at("curve").fail("an epoch at least");
  problems.throw_if_any();
  return entry;
}

}  // namespace

RehearsalEntry entry_from_line(const fs::path& file, const std::string& line) {
  return read_members(file, parse_json(line, file.string()), line);
}

Json to_json(const RehearsalEntry& entry) {
  Json json = {{"run", nullptr}, {"curve", to_json(entry.curve)}};
  if (entry.run) json["run"] = to_json(*entry.run);
  if (entry.diverged) json["diverged"] = *entry.diverged;
  return json;
}

void take(RehearsalOutcome& outcome, RehearsalEntry entry) {
  outcome.run = std::move(entry.run);
  outcome.curve = std::move(entry.curve);
  outcome.ending = entry.diverged ? Ending::diverged : Ending::done;
  outcome.problems.clear();
  if (entry.diverged) outcome.problems = {*entry.diverged};
}

void write_entry(const fs::path& file, const RehearsalEntry& entry) {
  replace_file(file, seal(kSchema, file, to_json(entry)).line);
}

std::optional<RehearsalEntry> read_entry(const fs::path& file) {
  if (!fs::exists(file)) return std::nullopt;
  const SealedFile sealed = unseal(kSchema, file, read_text_file(file, kSamplesFile));
  return read_members(file, sealed.header, sealed.line);
}

}  // namespace epochcast
