// SPDX-License-Identifier: Apache-2.0
#include "cli/show/forecast_and_show.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "base/error.hpp"
#include "base/text/progress_bar.hpp"

namespace epochcast {

void Failures::add(const ForecastOutcome& outcome) {
  has_run_ = has_run_ || outcome.run.has_value();
  has_died_ = has_died_ || outcome.has_died;
  if (outcome.run) return;
  is_sweep_ = is_sweep_ || !outcome.task.point.empty();
  was_named_ = was_named_ || outcome.task.config.strategy != "all";
  for (const std::string& problem : outcome.problems) {
    if (std::find(problems_.begin(), problems_.end(), problem) == problems_.end())
      problems_.push_back(problem);
  }
}

void Failures::check() const {
  if (has_died_) throw RunError(problems_.front());
  const bool is_listed = has_run_ && (is_sweep_ || !was_named_);
  if (problems_.empty() || is_listed) return;
  // What does not fit has to change first, whatever the strategies object to.
  std::vector<std::string> of_memory;
  std::copy_if(
      problems_.begin(),
      problems_.end(),
      std::back_inserter(of_memory),
      [](const std::string& problem) { return problem.starts_with("--batch: a batch of "); });
  if (of_memory.empty() || of_memory.size() == problems_.size()) throw UserError(problems_);
  const std::size_t others = problems_.size() - of_memory.size();
  of_memory.push_back("and " + std::to_string(others) + " other problem" + (others > 1 ? "s" : "") +
                      " of strategies, shown with batches that fit");
  throw UserError(of_memory);
}

Failures forecast_and_show(const std::vector<ForecastTask>& tasks,
                           SharedJobs& jobs,
                           const RecordFiles& records,
                           ForecastWriter& writer,
                           const std::function<void(const ForecastOutcome&)>& each,
                           const ForecastPlace& place) {
  Failures failures;
  {
    ProgressBar progress(
        std::cerr, isatty(STDERR_FILENO) != 0, "forecasting", static_cast<double>(tasks.size()));
    forecast_each(
        tasks,
        jobs,
        records,
        [&](std::size_t done) { progress.update(static_cast<double>(done)); },
        [&](const ForecastOutcome& outcome) {
          if (isatty(STDOUT_FILENO) != 0) progress.wipe();
          writer.add(outcome);
          failures.add(outcome);
          each(outcome);
        },
        place);
  }
  writer.finish();
  return failures;
}

}  // namespace epochcast
