// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/validation.hpp"

#include <cmath>

#include "tests/analysis/rows.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

// Sums and quotients of a few doubles: equal to 1e-15.
Approx near(double value) { return Approx(value).epsilon(1e-12).margin(1e-12); }

ValidationRow in_group(const std::string& group, ValidationRow row) {
  row.group = group;
  return row;
}

TEST_CASE("tau is the share of agreeing less that of disagreeing pairs") {
  CHECK(kendall_tau({1, 2, 3, 4}, {10, 20, 30, 40}) == 1);
  CHECK(kendall_tau({1, 2, 3, 4}, {4, 3, 2, 1}) == -1);
  // Of 6 pairs, only (3, 4) disagrees: (5 - 1) / 6.
  CHECK(kendall_tau({1, 2, 3, 4}, {1, 2, 4, 3}) == near(4.0 / 6));
  // (1,2) (1,3) (1,4) agree, (2,3) (2,4) (3,4) do not.
  CHECK(kendall_tau({1, 2, 3, 4}, {1, 4, 3, 2}) == near(0));
}

TEST_CASE("tau does not depend on the order of the rows") {
  CHECK(kendall_tau({4, 1, 3, 2}, {3, 1, 4, 2}) == kendall_tau({1, 2, 3, 4}, {1, 2, 4, 3}));
}

TEST_CASE("tau-b takes ties out of the pairs of the list that has them") {
  // a ties 1 of 6 pairs, b none: 5 agree, none disagrees: 5 / sqrt(5 * 6).
  CHECK(kendall_tau({1, 2, 2, 3}, {1, 2, 3, 4}) == near(5 / std::sqrt(30.0)));
  // a ties (1, 2), b ties (3, 4): 4 agree: 4 / sqrt(5 * 5).
  CHECK(kendall_tau({1, 1, 2, 3}, {1, 2, 3, 3}) == near(4.0 / 5));
  // Both tie the same pair.
  CHECK(kendall_tau({1, 1, 2}, {5, 5, 6}) == near(1));
}

TEST_CASE("without an order there is nothing to disagree with") {
  CHECK(kendall_tau({}, {}) == 1);
  CHECK(kendall_tau({3}, {1}) == 1);
  CHECK(kendall_tau({2, 2}, {7, 7}) == 1);
  CHECK(kendall_tau({2, 2}, {7, 8}) == 0);
  CHECK(kendall_tau({2, 3}, {7, 7}) == 0);
}

TEST_CASE("a measurement is the median of its runs, with their least and most") {
  CHECK(findings_of(row_of("p", 1, {5, 3, 4}))->measured_s == 4);
  CHECK(findings_of(row_of("p", 1, {5, 3}))->measured_s == 4);
  CHECK(findings_of(row_of("p", 1, {6, 3, 5, 4}))->measured_s == 4.5);
  const RowFindings findings = *findings_of(row_of("p", 1, {5, 3, 4}));
  CHECK(findings.measured_spread.low_s == 3);
  CHECK(findings.measured_spread.high_s == 5);
}

TEST_CASE("an error is relative to the measurement") {
  CHECK(findings_of(row_of("p", 5, {4}))->error == 0.25);
  CHECK(findings_of(row_of("p", 3, {4}))->error == -0.25);
  CHECK(findings_of(row_of("p", 4, {4}))->error == 0);
}

TEST_CASE("phase errors are shares of the measured epoch and add up to its error") {
  ValidationRow row = row_of("p", 11, {8});
  row.forecast->phases = {.compute_s = 5, .exposed_communication_s = 4, .blocked_s = 2};
  row.measured[0].phases = {.compute_s = 4, .exposed_communication_s = 4, .blocked_s = 0};

  const RowFindings findings = *findings_of(row);

  CHECK(findings.phase_errors.compute_s == 1.0 / 8);
  CHECK(findings.phase_errors.exposed_communication_s == 0);
  CHECK(findings.phase_errors.blocked_s == 2.0 / 8);
  CHECK(findings.phase_errors.total_s() == findings.error);
}

TEST_CASE("measured phases are medians, each of its own") {
  ValidationRow row = row_of("p", 10, {9, 10, 11});
  row.measured[0].phases = {.compute_s = 7, .exposed_communication_s = 1, .blocked_s = 1};
  row.measured[1].phases = {.compute_s = 5, .exposed_communication_s = 5, .blocked_s = 0};
  row.measured[2].phases = {.compute_s = 6, .exposed_communication_s = 3, .blocked_s = 2};

  const RowFindings findings = *findings_of(row);

  CHECK(findings.measured_phases.compute_s == 6);
  CHECK(findings.measured_phases.exposed_communication_s == 3);
  CHECK(findings.measured_phases.blocked_s == 1);
}

TEST_CASE("a median on the interval's bound is inside") {
  const auto is_inside = [](double measured_s) {
    return findings_of(row_of("p", 2, {.low_s = 1, .high_s = 3}, {measured_s}))->is_inside;
  };

  CHECK(is_inside(1) == true);
  CHECK(is_inside(3) == true);
  CHECK(is_inside(0.999) == false);
  CHECK(is_inside(3.001) == false);
  CHECK_FALSE(findings_of(row_of("p", 2, {2}))->is_inside.has_value());
}

TEST_CASE("a row names its missing parts") {
  ValidationRow unforecast = row_of("p", 1, {1});
  unforecast.forecast.reset();
  ValidationRow empty = row_of("p", 1, {});
  empty.forecast.reset();

  CHECK(failures_of(row_of("p", 1, {1})).empty());
  CHECK(failures_of(failed_row("p", "killed")) == Texts{"killed"});
  CHECK(failures_of(unforecast) == Texts{"there is no forecast"});
  CHECK(failures_of(empty) == Texts{"there is no forecast", "there is no measurement"});
  CHECK(failures_of(row_of("p", 1, {0, 0})) == Texts{"the measured median is 0 s"});
  for (const ValidationRow& row :
       {failed_row("p", "killed"), unforecast, empty, row_of("p", 1, {0, 0})}) {
    CHECK_FALSE(findings_of(row));
  }
}

TEST_CASE("a forecast of 0 s is an error of -100 %, not a failure") {
  CHECK(findings_of(row_of("p", 0, {2}))->error == -1);
}

TEST_CASE("a summary has the median and the worst of the absolute errors") {
  const ValidationSummary summary = summarize({row_of("a", 1.1, {1}),
                                               row_of("b", 0.6, {1}),
                                               row_of("c", 1.2, {1}),
                                               failed_row("d", "killed")});

  CHECK(summary.configurations == 3);
  CHECK(summary.failed == 1);
  CHECK(summary.median_error == near(0.2));
  CHECK(summary.worst_error == near(0.4));
  CHECK(summary.worst == "g: b");
}

TEST_CASE("coverage counts only rows that have an interval") {
  const ValidationSummary summary = summarize({row_of("a", 1, {.low_s = 0.9, .high_s = 1.1}, {1}),
                                               row_of("b", 2, {.low_s = 1.9, .high_s = 2.1}, {2}),
                                               row_of("c", 3, {.low_s = 2.9, .high_s = 3.1}, {4}),
                                               row_of("d", 4, {4})});

  REQUIRE(summary.coverage);
  CHECK(*summary.coverage == near(2.0 / 3));
  CHECK_FALSE(summarize({row_of("d", 4, {4})}).coverage);
}

TEST_CASE("only pairs whose spreads do not overlap can be ranked wrongly") {
  // a and b overlap; c is slower than both; d is slower still, but forecast below c.
  const ValidationSummary summary = summarize({row_of("a", 2, {2.4, 2.6}),
                                               row_of("b", 1, {2.5, 2.7}),
                                               row_of("c", 9, {6.4, 6.5}),
                                               row_of("d", 8, {8.4, 8.5})});

  REQUIRE(summary.rankings.size() == 1);
  CHECK(summary.rankings[0].rows == 4);
  CHECK(summary.rankings[0].pairs == 5);
  CHECK(summary.rankings[0].wrong_pairs == 1);
  // tau takes medians as they are: (a, b) and (c, d) disagree, four pairs agree.
  CHECK(summary.rankings[0].tau == near(2.0 / 6));
}

TEST_CASE("spreads that touch are not distinguishable") {
  CHECK(summarize({row_of("a", 1, {1, 2}), row_of("b", 2, {2, 3})}).rankings[0].pairs == 0);
}

TEST_CASE("a difference of two runs each may be chance, the same of more runs is not") {
  const auto pairs = [](const std::vector<double>& a, const std::vector<double>& b) {
    return summarize({row_of("a", 2, a), row_of("b", 1, b)}).rankings[0].pairs;
  };

  // 0.03 apart. Of two runs each, means are known to 0.014, and 4.3 times as much (Student's t, two
  // degrees of freedom) may be chance; of four, to 0.0082 and 2.4 times.
  CHECK(pairs({1.00, 1.02}, {1.03, 1.05}) == 0);
  CHECK(pairs({1.00, 1.02, 1.00, 1.02}, {1.03, 1.05, 1.03, 1.05}) == 1);
  // How a single run scatters is not known.
  CHECK(pairs({1.00}, {1.01}) == 1);
  CHECK(pairs({1.00}, {1.03, 1.05}) == 0);
}

TEST_CASE("two equal forecasts are not the wrong way round") {
  const ValidationSummary summary = summarize({row_of("a", 5, {1}), row_of("b", 5, {2})});

  CHECK(summary.rankings[0].pairs == 1);
  CHECK(summary.rankings[0].wrong_pairs == 0);
}

TEST_CASE("the best is right if it is the fastest, or not distinguishable from it") {
  const auto is_best_right = [](const std::vector<ValidationRow>& rows) {
    return summarize(rows).rankings[0].is_best_right;
  };

  CHECK(is_best_right({row_of("a", 1, {1}), row_of("b", 2, {2})}));
  CHECK_FALSE(is_best_right({row_of("a", 2, {1}), row_of("b", 1, {2})}));
  CHECK(is_best_right({row_of("a", 2, {1, 2.5}), row_of("b", 1, {2, 3})}));
  // Forecast to be equally fast, but one is not.
  CHECK_FALSE(is_best_right({row_of("a", 1, {1}), row_of("b", 1, {2})}));
}

TEST_CASE("groups are ranked each on its own, tau weighted by distinguishable pairs") {
  const ValidationSummary summary = summarize({in_group("one", row_of("a", 1, {1})),
                                               in_group("two", row_of("a", 2, {1})),
                                               in_group("one", row_of("b", 2, {2})),
                                               in_group("two", row_of("b", 1, {2})),
                                               in_group("one", row_of("c", 3, {3})),
                                               in_group("three", row_of("a", 1, {1}))});

  REQUIRE(summary.rankings.size() == 3);
  CHECK(summary.rankings[0].group == "one");
  CHECK(summary.rankings[0].rows == 3);
  CHECK(summary.rankings[0].tau == 1);
  CHECK(summary.rankings[1].tau == -1);
  CHECK(summary.rankings[2].rows == 1);
  // 3 pairs of tau 1, 1 pair of tau -1.
  REQUIRE(summary.tau);
  CHECK(*summary.tau == near((3.0 - 1.0) / 4));
}

TEST_CASE("a validation of nothing, or of failures only, has no figures") {
  for (const auto& rows : {std::vector<ValidationRow>{}, {failed_row("a", "killed")}}) {
    const ValidationSummary summary = summarize(rows);

    CHECK(summary.configurations == 0);
    CHECK(summary.failed == rows.size());
    CHECK(summary.rankings.empty());
    CHECK_FALSE(summary.tau);
    CHECK_FALSE(summary.coverage);
  }
}

}  // namespace
}  // namespace epochcast::tests
