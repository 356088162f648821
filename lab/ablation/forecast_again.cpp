// SPDX-License-Identifier: Apache-2.0
#include "lab/ablation/forecast_again.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "analysis/calibrate/all_reduce_checks.hpp"
#include "analysis/calibrate/calibrated_platform.hpp"
#include "analysis/calibrate/calibration.hpp"
#include "analysis/forecast/sweep.hpp"
#include "core/job/platform_figures.hpp"
#include "lab/kept/kept_inputs.hpp"

namespace epochcast {
namespace {

using LeftOut = std::vector<Mechanism>;

/// Reports each step, and the number of all.
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

/// A platform that a validation has calibrated, calibrated by this program.
class Recalibrated {
 public:
  Recalibrated(Platform kept, const MessageTrace& messages)
      : messages_(messages),
        fit_(calibrate(messages).fit),
        platform_(calibrated_platform(std::move(kept), fit_, messages.source)) {}

  /// Without some mechanisms, in the calibration as well: measured all-reduces are compared with
  /// forecasts from messages without them.
  [[nodiscard]] Platform without(const LeftOut& left_out) const {
    Platform platform = platform_;
    leave_out(left_out, platform);
    if (platform == platform_) return platform;
    const std::vector<std::string> models(messages_.node_of_rank.size(), "cpu");
    Platform measured =
        calibrated_platform(platform_of_trace(messages_, models), fit_, messages_.source);
    leave_out(left_out, measured);
    change_messages(measured, [](MessageCosts& costs) { costs.all_reduces.clear(); });
    std::vector<AllReduceCheck> checks = check_all_reduces(measured, messages_);
    std::ranges::copy(larger_all_reduces(measured, messages_), std::back_inserter(checks));
    const auto compare = [&](MessageCosts& costs, const std::string& scope) {
      for (MeasuredAllReduce& all_reduce : costs.all_reduces) {
        for (const AllReduceCheck& check : checks) {
          if (check.all_reduce.scope == scope && check.all_reduce.bytes == all_reduce.bytes &&
              check.all_reduce.algorithm == all_reduce.algorithm)
            all_reduce.forecast_s = check.forecast_s;
        }
      }
    };
    change_messages_between(platform, [&](MessageCosts& costs) { compare(costs, "all"); });
    change_messages_inside(
        platform, [&](MessageCosts& costs) { compare(costs, platform.network ? "node" : "all"); });
    return platform;
  }

 private:
  const MessageTrace& messages_;
  NetworkFit fit_;
  Platform platform_;
};

using Platforms = std::map<std::string, Recalibrated>;  // by JobConfig::platform

Platforms recalibrated(const KeptInputs& kept, Steps& steps) {
  Platforms platforms;
  for (const auto& [name, platform] : kept.platforms) {
    platforms.emplace(name, Recalibrated(platform, kept.messages.at(name)));
    steps.add(1);
  }
  return platforms;
}

std::string name_of(const LeftOut& left_out) {
  std::string names;
  for (const Mechanism& mechanism : left_out)
    names += (names.empty() ? "without " : ", ") + std::string(mechanism.name);
  return names.empty() ? "with everything" : names;
}

/// The forecasts, with their rows.
struct Pass {
  std::vector<Job> jobs;
  std::vector<ForecastOutcome> outcomes;
};

/// A job that does not differ from the `usual` one, if there is one, has its outcome.
Pass forecast_pass(const KeptInputs& kept,
                   const Platforms& platforms,
                   const LeftOut& left_out,
                   const Pass* usual,
                   Steps& steps) {
  std::map<std::string, Platform> without;
  for (const auto& [name, platform] : platforms) without[name] = platform.without(left_out);
  Pass pass = {.jobs = kept.jobs, .outcomes = std::vector<ForecastOutcome>(kept.jobs.size())};
  std::vector<Job> changed;
  std::vector<std::size_t> place;
  for (std::size_t i = 0; i < pass.jobs.size(); ++i) {
    Job& job = pass.jobs[i];
    job.platform = without.at(job.config.platform);
    apply_figures(job.platform, job.config);
    leave_out(left_out, job.traces);
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
  for (std::size_t i = 0; i < pass.outcomes.size(); ++i) {
    const ForecastOutcome& outcome = pass.outcomes[i];
    ValidationRow& row = rows[kept.row_of_job[i]];
    row.forecast.reset();
    if (outcome.run) row.forecast = *outcome.run;
    row.problems.insert(row.problems.end(), outcome.problems.begin(), outcome.problems.end());
  }
  return rows;
}

}  // namespace

std::vector<std::vector<ValidationRow>> forecast_again(const std::vector<ValidationRow>& rows,
                                                       const std::vector<LeftOut>& left_out,
                                                       const std::filesystem::path& folder,
                                                       const Catalog& catalog,
                                                       const ValidationProgress& progress) {
  const KeptInputs kept = kept_inputs(rows, folder, catalog);
  Steps steps(progress, kept.messages.size() + (1 + left_out.size()) * kept.jobs.size());
  steps.begin("calibrating");
  const Platforms platforms = recalibrated(kept, steps);
  steps.begin("with everything");
  const Pass usual = forecast_pass(kept, platforms, {}, nullptr, steps);
  std::vector<std::vector<ValidationRow>> again = {rows_of(rows, kept, usual)};
  for (const LeftOut& mechanisms : left_out) {
    steps.begin(name_of(mechanisms));
    again.push_back(rows_of(rows, kept, forecast_pass(kept, platforms, mechanisms, &usual, steps)));
  }
  return again;
}

}  // namespace epochcast
