// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/repetition_rule.hpp"

#include <cmath>

#include "tests/analysis/rows.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

// Student's t distribution's 95 % quantiles are given to four digits here.
Approx about(double value) { return Approx(value).epsilon(1e-3); }

TEST_CASE("the uncertainty of an error is half of its 90 % confidence interval") {
  // Of two: the standard deviation of e^-0.01 and e^0.01, over the root of two, times 6.314.
  const ValidationRow two = row_of("p", 1, {std::exp(-0.01), std::exp(0.01)});
  CHECK(*uncertainty_of_error(two) == about(0.01 * 6.314));

  const ValidationRow three = row_of("p", 1, {std::exp(-0.01), 1, std::exp(0.01)});
  CHECK(*uncertainty_of_error(three) == about(0.01 / std::sqrt(3) * 2.920));

  CHECK_FALSE(uncertainty_of_error(row_of("p", 1, {1})));
  CHECK_FALSE(uncertainty_of_error(failed_row("p", "killed")));
}

TEST_CASE("an uncertain row is run up to four times as often") {
  const RepetitionRule rule = {.least = 3, .precision = 0.02};
  const ValidationRow known = row_of("p", 1, {1, 1.001, 0.999});
  const ValidationRow uncertain = row_of("p", 1, {1, 1.1, 0.9});

  CHECK(rule.wants_another(known, 2));
  CHECK_FALSE(rule.wants_another(known, 3));
  CHECK(rule.wants_another(uncertain, 3));
  CHECK(rule.wants_another(uncertain, 11));
  CHECK_FALSE(rule.wants_another(uncertain, 12));
  CHECK_FALSE(RepetitionRule{.least = 3, .precision = 0.2}.wants_another(uncertain, 3));
}

TEST_CASE("one repetition gives no uncertainty, and is all there is") {
  const RepetitionRule rule = {.least = 1, .precision = 0.02};

  CHECK_FALSE(rule.wants_another(row_of("p", 1, {1}), 1));
}

TEST_CASE("a row whose only run failed is not tried again") {
  CHECK_FALSE(RepetitionRule{}.wants_another(failed_row("p", "killed"), 1));
  CHECK(RepetitionRule{}.wants_another(ValidationRow{}, 0));
}

TEST_CASE("runs of no time at all are not run for ever") {
  CHECK_FALSE(RepetitionRule{}.wants_another(row_of("p", 1, {0, 0, 0}), 3));
}

}  // namespace
}  // namespace epochcast::tests
