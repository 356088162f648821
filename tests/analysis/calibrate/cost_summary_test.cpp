// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/cost_summary.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

using Values = std::vector<double>;

BatchSamples series(std::int64_t batch, std::int64_t session, std::int64_t rank, Values seconds) {
  return {.batch = batch,
          .session = session,
          .rank = rank,
          .total_s = std::move(seconds),
          .load_s = {},
          .forward_s = {},
          .backward_s = {},
          .step_s = {}};
}

CostTrace trace_of(std::vector<BatchSamples> batches) {
  CostTrace trace;
  trace.device = "some-cpu";
  trace.network = "resnet20";
  trace.input = {3, 32, 32};
  trace.batches = std::move(batches);
  return trace;
}

/// `count` samples, `warm` of them 2 s at first, then 0.9, 1.0, 1.1 s in turn.
Values warming(std::size_t warm, std::size_t count = 30) {
  Values values(warm, 2.0);
  while (values.size() < count)
    values.push_back(0.9 + 0.1 * static_cast<double>(values.size() % 3));
  return values;
}

TEST_CASE("a batch size has one row, with quantiles of all its samples") {
  const std::vector<CostRow> rows =
      cost_rows(trace_of({series(8, 0, 0, {1, 2, 3, 4, 5}), series(16, 0, 0, {7})}));

  REQUIRE(rows.size() == 2);
  CHECK(rows[0].device == "some-cpu");
  CHECK(rows[0].network == "resnet20");
  CHECK(rows[0].input == std::vector<std::int64_t>{3, 32, 32});
  CHECK(rows[0].batch == 8);
  CHECK(rows[0].samples == 5);
  CHECK(rows[0].sessions == 1);
  CHECK(rows[0].ranks == 1);
  CHECK(rows[0].trimmed == 0);
  CHECK(rows[0].median_s == 3);
  CHECK(rows[0].p5_s == Approx(1 + 0.05 * 4));
  CHECK(rows[0].p95_s == Approx(1 + 0.95 * 4));
  CHECK(rows[0].longest_s == 5);
  CHECK(rows[1].batch == 16);
  CHECK(rows[1].median_s == 7);
  CHECK(rows[1].drift == 1);
  CHECK(rows[1].session_spread == 1);
  CHECK(rows[1].rank_spread == 1);
  CHECK(rows[1].outliers == 0);
}

TEST_CASE("every series' warm-up is left out of the figures, and its samples are counted") {
  const std::vector<CostRow> rows =
      cost_rows(trace_of({series(8, 0, 0, warming(10)), series(8, 0, 1, warming(8))}));

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].samples == 60);
  CHECK(rows[0].trimmed == 18);
  CHECK(rows[0].unsteady == 0);
  CHECK(rows[0].longest_s == Approx(1.1));
  CHECK(rows[0].median_s == Approx(1.0));
}

TEST_CASE("a series that changes in its second half stays complete, and is counted as unsteady") {
  const CostRow row = cost_rows(trace_of({series(8, 0, 0, warming(40, 60))})).at(0);

  CHECK(row.unsteady == 1);
  CHECK(row.trimmed == 0);
  CHECK(row.median_s == 2);
}

TEST_CASE("outliers are beyond six deviations of their own series, and count in the figures") {
  // Median 10, MAD 1: the limit is 10 + 6 * 1.4826 = 18.8956.
  const Values values = {9, 11, 10, 9, 11, 9, 9, 18.89, 18.9, 30, 10};
  const Values slower = {90, 110, 100, 90, 110};

  const CostRow row = cost_rows(trace_of({series(8, 0, 0, values), series(8, 0, 1, slower)})).at(0);

  CHECK(row.outliers == 2);
  CHECK(row.samples == 16);
  CHECK(row.longest_s == 110);
}

TEST_CASE("rounding makes no outlier if most samples are equal") {
  const CostRow row = cost_rows(trace_of({series(8, 0, 0, {1, 1, 1, 1, 1.000001, 1.5})})).at(0);

  CHECK(row.outliers == 1);
}

TEST_CASE("drift is the last third over the first, of the series that drifts most") {
  const CostRow row = cost_rows(trace_of({series(8, 0, 0, {1.0, 1.1, 5, 9, 1.2, 1.2}),
                                          series(8, 0, 1, {2, 2, 1, 1, 1, 1}),
                                          series(8, 0, 2, {1, 2})}))
                          .at(0);

  CHECK(row.drift == Approx(0.5));
}

TEST_CASE("ranks are compared within sessions, and sessions with one another") {
  const CostRow row = cost_rows(trace_of({series(8, 0, 0, {1}),
                                          series(8, 0, 1, {1.5}),
                                          series(8, 2, 0, {4}),
                                          series(8, 2, 1, {5}),
                                          series(8, 3, 0, {6})}))
                          .at(0);

  CHECK(row.sessions == 3);
  CHECK(row.ranks == 2);
  CHECK(row.rank_spread == Approx(5.0 / 4));  // of 1.5, 1.25 and 1
  CHECK(row.session_spread == Approx(6 / 1.25));
}

}  // namespace
}  // namespace epochcast::tests
