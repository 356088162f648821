// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/forecast_again.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analysis/calibrate/calibrated_platform.hpp"
#include "analysis/forecast/kept_results.hpp"
#include "analysis/forecast/sweep.hpp"
#include "analysis/validate/cluster_calibration.hpp"
#include "core/error.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
using LeftOut = std::vector<Mechanism>;

/// Sessions of messages that were measured on one cluster by the same programs.
struct KeptMessages {
  std::vector<fs::path> files;  ///< by session
  Source source;                ///< of the first
};

std::vector<KeptMessages> messages_in(const fs::path& folder) {
  std::map<nlohmann::json, std::map<std::int64_t, fs::path>> sessions;
  for (KeptResult& kept : kept_results(folder, kMessagesPrefix)) {
    const auto session = kept.subject.value("session", std::int64_t{0});
    kept.subject.erase("session");
    sessions[kept.subject][session] = kept.folder / kMessagesFile;
  }
  std::vector<KeptMessages> messages;
  for (const auto& [subject, by_session] : sessions) {
    KeptMessages& one = messages.emplace_back();
    for (const auto& [session, file] : by_session) one.files.push_back(file);
    one.source = load_message_trace(one.files.front()).source;
  }
  return messages;
}

bool comes_from(const Platform& platform, const Source& source) {
  if (platform.network && platform.network->source == source) return true;
  return std::any_of(platform.nodes.begin(), platform.nodes.end(), [&](const NodeGroup& group) {
    return group.interconnect && group.interconnect->source == source;
  });
}

/// What forecasts were made of.
class KeptInputs {
 public:
  KeptInputs(const std::vector<ValidationRow>& rows, fs::path folder, const Catalog& catalog)
      : folder_(std::move(folder)), catalog_(catalog) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (!rows[row].forecast) continue;
      std::vector<RunResult> forecasts = rows[row].own_forecasts;
      if (forecasts.empty()) forecasts.push_back(*rows[row].forecast);
      for (const RunResult& forecast : forecasts) {
        try {
          jobs.push_back(job_of(forecast));
          row_of_job.push_back(row);
        } catch (const UserError& error) {
          for (const std::string& problem : error.problems()) add(problem);
        }
      }
    }
    if (!problems_.empty()) throw UserError(problems_);
  }

  std::vector<Job> jobs;
  std::vector<std::size_t> row_of_job;
  std::map<std::string, std::vector<fs::path>> messages_of;  ///< by JobConfig::platform

 private:
  void add(const std::string& problem) {
    if (std::find(problems_.begin(), problems_.end(), problem) == problems_.end())
      problems_.push_back(problem);
  }

  Job job_of(const RunResult& forecast) {
    JobConfig config;
    for (const SettingText& setting : forecast.config)
      set_setting(config, setting.name, setting.value, "config: " + setting.name);
    const fs::path then = fs::path(config.platform).parent_path();
    const fs::path now = folder_.empty() ? then : folder_;
    config.platform = (now / fs::path(config.platform).filename()).string();
    for (std::string& trace : config.traces) {
      const fs::path inside = fs::path(trace).lexically_relative(then);
      if (!inside.empty() && *inside.begin() != "..") trace = (now / inside).string();
    }
    if (!fs::is_regular_file(config.platform))
      throw UserError(config.platform +
                      ": no such file; forecasts are made again of what the validation's folder "
                      "keeps: say with --folder where it lies now");
    Job job = load_job(config, catalog_);
    if (messages_of.find(config.platform) == messages_of.end())
      messages_of[config.platform] = messages_behind(job.platform, now);
    return job;
  }

  std::vector<fs::path> messages_behind(const Platform& platform, const fs::path& folder) {
    auto [known, is_new] = messages_.try_emplace(folder);
    if (is_new) known->second = messages_in(folder);
    std::vector<const KeptMessages*> found;
    for (const KeptMessages& messages : known->second) {
      if (comes_from(platform, messages.source)) found.push_back(&messages);
    }
    if (found.size() != 1)
      throw UserError(platform.path + ": expected the messages that it comes from beside it, in " +
                      (folder / kMessagesPrefix).string() + "*; there are " +
                      (found.empty() ? "none" : "several"));
    return found.front()->files;
  }

  fs::path folder_;
  const Catalog& catalog_;
  std::map<fs::path, std::vector<KeptMessages>> messages_;  ///< by folder
  std::vector<std::string> problems_;
};

/// Tells of each step, of so many in all.
class Steps {
 public:
  Steps(const ValidationProgress& progress, std::size_t all) : progress_(progress), all_(all) {}
  void begin(const std::string& step) {
    step_ = step;
    progress_(step_, done_, all_);
  }
  void add(std::size_t count) { progress_(step_, done_ += count, all_); }

 private:
  const ValidationProgress& progress_;
  std::size_t all_;
  std::size_t done_ = 0;
  std::string step_;
};

/// Calibrates every platform by this program.
void calibrate_again(KeptInputs& kept, Steps& steps) {
  std::map<std::string, Platform> platforms;
  for (Job& job : kept.jobs) {
    const auto [known, is_new] = platforms.try_emplace(job.config.platform);
    if (is_new) {
      const MessageTrace messages = load_message_sessions(kept.messages_of.at(job.config.platform));
      known->second = calibrated_platform(job.platform, calibrate(messages).fit, messages.source);
      steps.add(1);
    }
    job.platform = known->second;
  }
}

std::string name_of(const LeftOut& left_out) {
  std::string names;
  for (const Mechanism& mechanism : left_out)
    names += (names.empty() ? "without " : ", ") + std::string(mechanism.name);
  return names.empty() ? "with everything" : names;
}

/// The forecasts of each row. What does not differ from `usual` jobs has their outcomes.
struct Pass {
  std::vector<Job> jobs;
  std::vector<ForecastOutcome> outcomes;
};

Pass forecast_pass(const KeptInputs& kept,
                   const LeftOut& left_out,
                   const Pass* usual,
                   Steps& steps) {
  Pass pass = {.jobs = kept.jobs, .outcomes = std::vector<ForecastOutcome>(kept.jobs.size())};
  std::vector<Job> changed;
  std::vector<std::size_t> place;
  for (std::size_t i = 0; i < pass.jobs.size(); ++i) {
    Job& job = pass.jobs[i];
    for (const Mechanism& mechanism : left_out) {
      if (mechanism.of_platform != nullptr) mechanism.of_platform(job.platform);
      if (mechanism.of_costs != nullptr) mechanism.of_costs(job.traces);
    }
    if (usual != nullptr && usual->jobs[i].platform == job.platform &&
        usual->jobs[i].traces == job.traces) {
      pass.outcomes[i] = usual->outcomes[i];
      continue;
    }
    changed.push_back(job);
    place.push_back(i);
  }
  steps.add(pass.jobs.size() - changed.size());
  std::vector<ForecastOutcome> outcomes =
      forecast_jobs(changed, [&](std::size_t) { steps.add(1); });
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    pass.outcomes[place[i]] = std::move(outcomes[i]);
  return pass;
}

std::vector<ValidationRow> rows_of(std::vector<ValidationRow> rows,
                                   const KeptInputs& kept,
                                   const Pass& pass) {
  std::vector<std::vector<RunResult>> forecasts(rows.size());
  for (std::size_t i = 0; i < pass.outcomes.size(); ++i) {
    const ForecastOutcome& outcome = pass.outcomes[i];
    const std::size_t row = kept.row_of_job[i];
    if (outcome.run) forecasts[row].push_back(*outcome.run);
    rows[row].problems.insert(
        rows[row].problems.end(), outcome.problems.begin(), outcome.problems.end());
  }
  for (std::size_t row = 0; row < rows.size(); ++row)
    set_forecasts(rows[row], forecasts[row], !rows[row].own_forecasts.empty());
  return rows;
}

}  // namespace

std::vector<std::vector<ValidationRow>> forecast_again(const std::vector<ValidationRow>& rows,
                                                       const std::vector<LeftOut>& left_out,
                                                       const fs::path& folder,
                                                       const Catalog& catalog,
                                                       const ValidationProgress& progress) {
  KeptInputs kept(rows, folder, catalog);
  Steps steps(progress, kept.messages_of.size() + (1 + left_out.size()) * kept.jobs.size());
  steps.begin("calibrating");
  calibrate_again(kept, steps);
  steps.begin("with everything");
  const Pass usual = forecast_pass(kept, {}, nullptr, steps);
  std::vector<std::vector<ValidationRow>> again = {rows_of(rows, kept, usual)};
  for (const LeftOut& mechanisms : left_out) {
    steps.begin(name_of(mechanisms));
    const Pass pass = forecast_pass(kept, mechanisms, &usual, steps);
    again.push_back(rows_of(rows, kept, pass));
  }
  return again;
}

}  // namespace epochcast
