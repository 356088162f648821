// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "cli/options/job_options.hpp"
#include "cli/show/table_style.hpp"
#include "results/forecast_outcome.hpp"

namespace epochcast {

/// Writes forecasts as they complete: a long sweep shows partial results and needs little memory.
/// Without any successful forecast, nothing is written.
class ForecastWriter {
 public:
  virtual ~ForecastWriter() = default;

  /// The next outcome, in the order of the tasks.
  virtual void add(const ForecastOutcome& outcome) = 0;
  /// After the last one.
  virtual void finish() = 0;
};

/// In one of the formats: table (the rows of each point of the sweep when it is complete), JSON
/// (`epochcast.result/1`, run by run; complete after finish()), CSV (a row for each task, units in
/// the columns' names). `command`: the command line; `world`: the command that ran them; `tasks`:
/// those of the outcomes, in their order; `style`: of a table.
[[nodiscard]] std::unique_ptr<ForecastWriter> make_forecast_writer(
    std::ostream& out,
    Format format,
    const std::string& command,
    Command world,
    const std::vector<ForecastTask>& tasks,
    TableStyle style = {});

}  // namespace epochcast
