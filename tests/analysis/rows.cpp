// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/rows.hpp"

namespace epochcast::tests {

RunResult run_of(const std::string& strategy, double epoch_s) {
  RunResult run;
  run.strategy = strategy;
  run.platform = "box";
  run.network = "tiny";
  run.dataset = "dots";
  run.epoch_s = epoch_s;
  run.phases.compute_s = epoch_s;
  run.config = {{"platform", "box"}, {"batch", "32"}};
  return run;
}

ValidationRow row_of(const std::string& point,
                     double forecast_s,
                     const std::vector<double>& measured_s) {
  ValidationRow row;
  row.cluster = "2 nodes";
  row.command = "emulate";
  row.group = "g";
  row.point = point;
  row.forecast = run_of("sync", forecast_s);
  for (const double epoch_s : measured_s) row.measured.push_back(run_of("sync", epoch_s));
  return row;
}

ValidationRow row_of(const std::string& point,
                     double forecast_s,
                     Interval interval,
                     const std::vector<double>& measured_s) {
  ValidationRow row = row_of(point, forecast_s, measured_s);
  row.forecast->epoch_s_interval = interval;
  return row;
}

ValidationRow failed_row(const std::string& point, const std::string& problem) {
  ValidationRow row = row_of(point, 1, {});
  row.problems = {problem};
  return row;
}

}  // namespace epochcast::tests
