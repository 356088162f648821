// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/run_distribution.hpp"

#include <cmath>

#include "analysis/validate/validation.hpp"
#include "tests/analysis/rows.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

// The normal distribution's quantiles are given to eight digits here.
Approx quantile_of(double value) { return Approx(value).epsilon(1e-7).margin(1e-7); }

RunResult forecast(double epoch_s, double low_s, double high_s) {
  RunResult run = run_of("sync", epoch_s);
  run.epoch_s_interval = {.low_s = low_s, .high_s = high_s};
  return run;
}

TEST_CASE("the quantiles of a forecast have their shares") {
  const RunResult run = forecast(10, 9, 12);

  CHECK(share_below(run, 10) == 0.5);
  CHECK(*share_below(run, 9) == quantile_of(0.05));
  CHECK(*share_below(run, 12) == quantile_of(0.95));
}

TEST_CASE("each side of a forecast is log-normal") {
  const RunResult run = forecast(10, 9, 12);

  // 5 % lie at the distance ln 10/9 of the median's logarithm; twice as far is 3.2897 standard
  // deviations: 0.00050.
  CHECK(*share_below(run, 10 * 0.9 * 0.9) ==
        quantile_of(0.5 * std::erfc(2 * 1.6448536269514722 / std::sqrt(2.0))));
  // Above the sides' widths differ: half as far as ln 1.2 is 0.8224 standard deviations.
  CHECK(*share_below(run, 10 * std::sqrt(1.2)) ==
        quantile_of(1 - 0.5 * std::erfc(0.5 * 1.6448536269514722 / std::sqrt(2.0))));
  CHECK(*share_below(run, 1e-9) < 1e-9);
  CHECK(*share_below(run, 1e9) == quantile_of(1));
}

TEST_CASE("a side without width has all its weight at the median") {
  CHECK(share_below(forecast(10, 10, 12), 9.99) == 0);
  CHECK(share_below(forecast(10, 9, 10), 10.01) == 1);
  CHECK(share_below(forecast(10, 10, 10), 10) == 0.5);
  CHECK(share_below(forecast(10, 10.5, 12), 9.99) == 0);  // a mean may be outside
  CHECK(share_below(forecast(10, 9, 12), 0) == 0);
  CHECK(share_below(forecast(0, 0, 0), 1) == 1);
  CHECK_FALSE(share_below(run_of("sync", 10), 10).has_value());
}

TEST_CASE("the distance of known samples from the uniform distribution") {
  CHECK(ks_distance({0.5}) == 0.5);
  CHECK(ks_distance({1}) == 1);
  CHECK(ks_distance({0}) == 1);
  // Steps of 1/3 at the middles of thirds: 1/6 everywhere, the least that three can have.
  CHECK(*ks_distance({1.0 / 6, 0.5, 5.0 / 6}) == quantile_of(1.0 / 6));
  // In any order: after 0.2 a half is below, before 0.9 only that half is.
  CHECK(*ks_distance({0.9, 0.2}) == quantile_of(0.4));
  // All of four in the upper half: none below 0.6.
  CHECK(*ks_distance({0.6, 0.7, 0.8, 0.9}) == quantile_of(0.6));
  CHECK_FALSE(ks_distance({}).has_value());
}

TEST_CASE("a share of the values is at most the least value that is enough") {
  CHECK(at_most({3, 1, 2, 4}, 0.5) == 2);
  CHECK(at_most({3, 1, 2, 4}, 0.51) == 3);
  CHECK(at_most({3, 1, 2, 4}, 1) == 4);
  CHECK(at_most({5}, 0.95) == 5);
  std::vector<double> twenty;
  for (int i = 1; i <= 20; ++i) twenty.push_back(i);
  CHECK(at_most(twenty, 0.95) == 19);
  CHECK(at_most({}, 0.95) == 0);
}

TEST_CASE("single runs are counted, not the median alone") {
  const RowFindings findings =
      *findings_of(row_of("p", 10, {.low_s = 9, .high_s = 12}, {8, 9, 10, 12, 13}));

  CHECK(findings.is_inside == true);
  CHECK(findings.runs_with_interval == 5);
  CHECK(findings.runs_inside == 3);
  REQUIRE(findings.run_shares.size() == 5);
  CHECK(findings.run_shares[2] == 0.5);
  CHECK(findings.ks == ks_distance(findings.run_shares));
}

TEST_CASE("a forecast without interval has no shares of single runs") {
  const RowFindings findings = *findings_of(row_of("p", 10, {10, 11}));

  CHECK(findings.runs_with_interval == 0);
  CHECK_FALSE(findings.ks.has_value());
}

TEST_CASE("the runs of all rows are pooled") {
  const std::vector<ValidationRow> rows = {row_of("a", 10, {.low_s = 9, .high_s = 12}, {9.5, 13}),
                                           row_of("b", 10, {.low_s = 9, .high_s = 12}, {10}),
                                           row_of("c", 10, {10})};
  const ValidationSummary summary = summarize(rows);

  CHECK(summary.runs == 3);
  CHECK(*summary.run_coverage == quantile_of(2.0 / 3));
  CHECK(summary.ks ==
        ks_distance(
            {*share_below(*rows[0].forecast, 9.5), *share_below(*rows[0].forecast, 13), 0.5}));
}

}  // namespace
}  // namespace epochcast::tests
