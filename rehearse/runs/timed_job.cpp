// SPDX-License-Identifier: Apache-2.0
#include "rehearse/runs/timed_job.hpp"

#include <algorithm>
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

/// Of the other jobs, the one with which a job that follows losses has the most learned epochs in
/// common, more than its `own` trace has: with the other's losses, its workers do the same.
TimedJob::Alike most_alike(sim::SimulatedJob& simulated,
                           const LearningJob& job,
                           const std::optional<LearningTrace>& own,
                           const std::vector<LearningJob>& others,
                           const fs::path& folder) {
  TimedJob::Alike best;
  std::size_t most = own ? own->curve.size() : 0;
  for (const LearningJob& other : others) {
    if (other.follows_losses || common_epochs(other, job) == 0) continue;
    const auto trace = readable_trace(files_of(folder, other.name).learning);
    if (!trace || trace->curve.size() <= most) continue;
    LearningJob followed = job;
    followed.beginnings = RehearsedTime(simulated, trace->curve).beginnings();
    const std::int64_t common = common_epochs(other, followed);
    const std::size_t learned = std::min(static_cast<std::size_t>(common), trace->curve.size());
    if (learned <= most) continue;
    most = learned;
    best = {.name = other.name, .epochs = common};
  }
  return best;
}

}  // namespace

TimedJob time_job(const JobConfig& config,
                  const Job& job,
                  const Catalog& catalog,
                  const fs::path& program,
                  const fs::path& folder,
                  const std::vector<LearningJob>& others) {
  sim::SimulatedJob simulated(job, config.strategy, true);
  const std::string settings = learning_key(simulated, config, catalog, program);
  const bool was_learned = has_other_trace(folder, settings);
  TimedJob timed;
  simulated.run([&] {
    std::optional<RehearsedTime> time(simulated);
    timed.reason = time->reason_to_learn_anew();
    if (!timed.reason.empty()) return;
    timed.learning.name = settings + "-" + time->sequence();
    std::optional<LearningTrace> trace =
        readable_trace(files_of(folder, timed.learning.name).learning);
    timed.learning.beginnings = time->beginnings();
    if (time->follows_losses()) {
      timed.learning.follows_losses = true;
      timed.alike = most_alike(simulated, timed.learning, trace, others, folder);
      if (!timed.alike.name.empty())
        trace = beginning_of(*readable_trace(files_of(folder, timed.alike.name).learning),
                             timed.alike.epochs);
      if (trace) time.emplace(simulated, trace->curve);
      timed.learning.beginnings = time->beginnings();
    }
    if (trace) timed.entry = timed_entry(*trace, *time, simulated);
  });
  if (timed.reason.empty() && !timed.entry && was_learned)
    timed.reason = "its workers' batches or exchanges are not those of a cluster where it was";
  return timed;
}

std::string to_text(const TimedJob& timed) {
  nlohmann::ordered_json json = {{"learning", timed.learning.name},
                                 {"beginnings", timed.learning.beginnings},
                                 {"follows_losses", timed.learning.follows_losses},
                                 {"alike", timed.alike.name},
                                 {"alike_epochs", timed.alike.epochs},
                                 {"reason", timed.reason},
                                 {"entry", nullptr}};
  if (timed.entry) json["entry"] = to_json(*timed.entry);
  return json.dump();
}

TimedJob timed_job_from(const std::string& text, const fs::path& file) {
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(text);
  TimedJob timed = {.learning = {.name = json.at("learning"),
                                 .beginnings = json.at("beginnings"),
                                 .follows_losses = json.at("follows_losses")},
                    .alike = {.name = json.at("alike"), .epochs = json.at("alike_epochs")},
                    .reason = json.at("reason")};
  if (!json.at("entry").is_null()) timed.entry = entry_from_line(file, json.at("entry").dump());
  return timed;
}

}  // namespace epochcast
