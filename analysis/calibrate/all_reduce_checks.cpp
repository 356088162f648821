// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/all_reduce_checks.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/calibrate/message_points.hpp"
#include "base/error.hpp"
#include "base/process/process_pool.hpp"

namespace epochcast {
namespace {

/// The checks with the times of a simulation on the platform, in a child process. Throws a
/// UserError that begins with `file` for all-reduces that cannot be simulated.
std::vector<AllReduceCheck> simulated(std::vector<AllReduceCheck> checks,
                                      const Platform& platform,
                                      const std::string& file) {
  if (checks.empty()) return checks;
  std::vector<sim::AllReduceCase> cases;
  cases.reserve(checks.size());
  for (const AllReduceCheck& check : checks) cases.push_back(check.all_reduce);
  run_in_processes(
      1,
      1,
      [&](std::size_t) { return nlohmann::json(sim::all_reduce_times(platform, cases)).dump(); },
      [&](std::size_t, const TaskAnswer& answer) {
        if (answer.ending == Ending::bad_input)
          throw UserError(file + ": " + answer.problems.front());
        if (answer.ending != Ending::done)
          throw RunError("the simulation of all-reduces " + answer.problems.front());
        const auto times_s = nlohmann::json::parse(answer.text).get<std::vector<double>>();
        for (std::size_t i = 0; i < checks.size(); ++i) checks[i].forecast_s = times_s[i];
      });
  return checks;
}

}  // namespace

std::vector<AllReduceCheck> check_all_reduces(const Platform& platform, const MessageTrace& trace) {
  std::vector<AllReduceCheck> checks;
  for (const MessageCost& cost : trace.costs) {
    if (cost.kind != "all-reduce") continue;
    checks.push_back({.all_reduce = {.scope = cost.scope,
                                     .algorithm = cost.algorithm,
                                     .bytes = static_cast<double>(cost.bytes)},
                      .measured_s = expected_s(cost.samples_s)});
  }
  return simulated(std::move(checks), platform, trace.file);
}

std::vector<AllReduceCheck> larger_all_reduces(const Platform& platform,
                                               const MessageTrace& trace) {
  std::vector<AllReduceCheck> largest;
  for (const MessageCost& cost : trace.costs) {
    if (cost.kind != "all-reduce" || static_cast<double>(cost.bytes) < kLargeAllReduce) continue;
    const AllReduceCheck check = {.all_reduce = {.scope = cost.scope,
                                                 .algorithm = cost.algorithm,
                                                 .bytes = static_cast<double>(cost.bytes)},
                                  .measured_s = expected_s(cost.samples_s)};
    const auto known = std::ranges::find_if(largest, [&](const AllReduceCheck& each) {
      return each.all_reduce.scope == cost.scope && each.all_reduce.algorithm == cost.algorithm;
    });
    if (known == largest.end()) {
      largest.push_back(check);
    } else if (check.all_reduce.bytes > known->all_reduce.bytes) {
      *known = check;
    }
  }
  std::vector<AllReduceCheck> larger;
  for (const AllReduceCheck& check : largest) {
    for (const double times : {4, 16, 64}) {
      larger.push_back(check);
      larger.back().all_reduce.bytes *= times;
      larger.back().measured_s *= times;
    }
  }
  return simulated(std::move(larger), platform, trace.file);
}

}  // namespace epochcast
