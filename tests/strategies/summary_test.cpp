// SPDX-License-Identifier: Apache-2.0
#include "strategies/summary.hpp"

#include "tests/catch.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

/// Two workers and a server, which has updated with so many gradients of each staleness.
std::vector<WorkerReport> served_reports(std::vector<std::int64_t> updates) {
  std::vector<WorkerReport> reports(3);
  for (WorkerReport& report : reports) {
    report.epochs = 1;
    report.training_s = 10;
    report.training = {.compute_s = 4, .exposed_communication_s = 2, .blocked_s = 4};
  }
  reports[0].samples_per_epoch = 60;
  reports[1].samples_per_epoch = 40;
  reports[2].training = {.compute_s = 1, .exposed_communication_s = 2, .blocked_s = 7};
  reports[2].updates_by_staleness = std::move(updates);
  return reports;
}

RunResult summary_of(const std::vector<std::vector<std::int64_t>>& passes) {
  std::vector<WorkerInfo> workers = workers_on({0, 0, 0});
  workers[2].role = Role::sums;
  RunResult result;
  result.epochs = 1;
  for (const std::vector<std::int64_t>& updates : passes)
    add_reports(result, workers, served_reports(updates), 1.0 / static_cast<double>(passes.size()));
  return result;
}

TEST_CASE("a result has the distribution of staleness and the load of the first server") {
  // 100 updates: 50 with staleness 0, 45 with 1, 5 with 4.
  const RunResult result = summary_of({{50, 45, 0, 0, 5}});

  REQUIRE(result.asynchrony);
  CHECK(result.asynchrony->mean_staleness == Approx(0.45 + 0.2));
  CHECK(result.asynchrony->staleness_95 == 1);
  CHECK(result.asynchrony->most_staleness == 4);
  CHECK(result.asynchrony->staleness_shares == std::vector<double>{0.5, 0.45, 0, 0, 0.05});
  CHECK(result.asynchrony->samples_by_worker == std::vector<std::int64_t>{60, 40});
  CHECK(result.asynchrony->server_load.value() == Approx(0.3));
}

TEST_CASE("staleness is a mean over passes") {
  const RunResult result = summary_of({{1, 1}, {0, 0, 1}});

  REQUIRE(result.asynchrony);
  CHECK(result.asynchrony->mean_staleness == Approx((0.5 + 2) / 2));
  CHECK(result.asynchrony->staleness_shares == std::vector<double>{0.25, 0.25, 0.5});
  CHECK(result.asynchrony->most_staleness == 2);
  CHECK(result.asynchrony->server_load.value() == Approx(0.3));
}

TEST_CASE("the note on staleness has the server's load only if it is known") {
  RunResult result = summary_of({{50, 45, 0, 0, 5}});
  add_asynchrony_note(result);
  CHECK(result.notes.back() ==
        "staleness of gradients: mean 0.7, 95 % at most 1, largest 4; a worker trains on 40 to 60 "
        "samples an epoch; the first server works or receives data 30 % of the time");

  result.asynchrony->server_load.reset();
  add_asynchrony_note(result);
  CHECK(result.notes.back() ==
        "staleness of gradients: mean 0.7, 95 % at most 1, largest 4; a worker trains on 40 to 60 "
        "samples an epoch");

  RunResult none;
  add_asynchrony_note(none);
  CHECK(none.notes.empty());
}

}  // namespace
}  // namespace epochcast::tests
