// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/repetition_rule.hpp"

#include <cmath>

#include "tests/analysis/rows.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

// Student's t distribution's 95 % quantiles are given to four digits here.
Approx about(double value) { return Approx(value).epsilon(1e-3); }

TEST_CASE("the doubt of an error is half of its 90 % confidence interval") {
  // Of two: the standard deviation of e^-0.01 and e^0.01, over the root of two, times 6.314.
  const ValidationRow two = row_of("p", 1, {std::exp(-0.01), std::exp(0.01)});
  CHECK(*doubt_of_error(two, 1) == about(0.01 * 6.314));

  const ValidationRow three = row_of("p", 1, {std::exp(-0.01), 1, std::exp(0.01)});
  CHECK(*doubt_of_error(three, 1) == about(0.01 / std::sqrt(3) * 2.920));

  CHECK_FALSE(doubt_of_error(row_of("p", 1, {1}), 1));
  CHECK_FALSE(doubt_of_error(failed_row("p", "killed"), 1));
}

TEST_CASE("a run is compared with the forecast of its own") {
  ValidationRow row = row_of("p", 1, {1, 2, 4});
  for (const double forecast_s : {1.1, 2.2, 4.4})
    row.own_forecasts.push_back(run_of("sync", forecast_s));

  CHECK(*doubt_of_error(row, 1) < 1e-9);
}

TEST_CASE("runs of one repetition count as one") {
  // Means of logarithms 0.01 and -0.01, whatever the single runs are.
  const ValidationRow row = row_of(
      "p", 1, {std::exp(0.06), std::exp(-0.04), std::exp(-0.06), std::exp(0.04), std::exp(0.5)});

  CHECK(*doubt_of_error(row, 2) == about(0.01 * 6.314));
}

TEST_CASE("what is in doubt is run up to four times as often") {
  const RepetitionRule rule = {.least = 3, .precision = 0.02};
  const ValidationRow known = row_of("p", 1, {1, 1.001, 0.999});
  const ValidationRow doubtful = row_of("p", 1, {1, 1.1, 0.9});

  CHECK(rule.wants_another(known, 2, 1));
  CHECK_FALSE(rule.wants_another(known, 3, 1));
  CHECK(rule.wants_another(doubtful, 3, 1));
  CHECK(rule.wants_another(doubtful, 11, 1));
  CHECK_FALSE(rule.wants_another(doubtful, 12, 1));
  CHECK_FALSE(RepetitionRule{.least = 3, .precision = 0.2}.wants_another(doubtful, 3, 1));
}

TEST_CASE("one repetition says nothing about doubt, and is all there is") {
  const RepetitionRule rule = {.least = 1, .precision = 0.02};

  CHECK_FALSE(rule.wants_another(row_of("p", 1, {1}), 1, 1));
  CHECK_FALSE(rule.wants_another(row_of("p", 1, {1, 1.2, 0.8}), 1, 3));
}

TEST_CASE("a row whose only run failed is not tried again") {
  CHECK_FALSE(RepetitionRule{}.wants_another(failed_row("p", "killed"), 1, 1));
  CHECK(RepetitionRule{}.wants_another(ValidationRow{}, 0, 1));
}

TEST_CASE("runs of no time at all are not run for ever") {
  CHECK_FALSE(RepetitionRule{}.wants_another(row_of("p", 1, {0, 0, 0}), 3, 1));
}

}  // namespace
}  // namespace epochcast::tests
