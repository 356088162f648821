// SPDX-License-Identifier: Apache-2.0
#include "rehearse/runs/timed_job.hpp"

#include <nlohmann/json.hpp>
#include <system_error>

#include "base/json/json_file.hpp"
#include "rehearse/runs/learning_trace.hpp"
#include "rehearse/runs/rehearsal_folder.hpp"
#include "rehearse/runs/rehearsal_key.hpp"
#include "rehearse/time/rehearsed_time.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

/// Whether there is a trace with these learning settings, of whatever sequence.
bool has_other_trace(const fs::path& folder, const std::string& settings) {
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::end(entry);
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(settings) && name.ends_with(kLearningTraceEnding)) return true;
  }
  return false;
}

RehearsalEntry timed_entry(const LearningTrace& trace,
                           const RehearsedTime& time,
                           const sim::SimulatedJob& simulated) {
  RehearsalEntry entry = {.diverged = trace.diverged};
  for (const CurvePoint& point : trace.curve) entry.curve.push_back(time.timed(point));
  if (!trace.diverged)
    entry.run = rehearsed_result(
        simulated, time.reports(static_cast<std::int64_t>(trace.curve.size())), trace.notes);
  return entry;
}

}  // namespace

TimedJob time_job(const JobConfig& config,
                  const Job& job,
                  const Catalog& catalog,
                  const fs::path& program,
                  const fs::path& folder) {
  sim::SimulatedJob simulated(job, config.strategy, true);
  const std::string settings = learning_key(simulated, config, catalog, program);
  std::optional<RehearsedTime> time;
  simulated.run([&] { time.emplace(simulated); });
  TimedJob timed;
  const bool was_learned = has_other_trace(folder, settings);
  if (!time->reason_to_learn_anew().empty()) {
    timed.reason = time->reason_to_learn_anew();
    return timed;
  }
  timed.learning = {settings + "-" + time->sequence(), time->beginnings()};
  const auto trace = readable_trace(files_of(folder, timed.learning.name).learning);
  if (trace) {
    timed.entry = timed_entry(*trace, *time, simulated);
  } else if (was_learned) {
    timed.reason = "its workers' batches or exchanges are not those of a cluster where it was";
  }
  return timed;
}

std::string to_text(const TimedJob& timed) {
  nlohmann::ordered_json json = {{"learning", timed.learning.name},
                                 {"beginnings", timed.learning.beginnings},
                                 {"reason", timed.reason},
                                 {"entry", nullptr}};
  if (timed.entry) json["entry"] = to_json(*timed.entry);
  return json.dump();
}

TimedJob timed_job_from(const std::string& text, const fs::path& file) {
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(text);
  TimedJob timed = {.learning = {json.at("learning"), json.at("beginnings")},
                    .reason = json.at("reason")};
  if (!json.at("entry").is_null()) timed.entry = entry_from_line(file, json.at("entry").dump());
  return timed;
}

}  // namespace epochcast
