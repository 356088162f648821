// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/validation_text.hpp"

#include "tests/analysis/rows.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("a share has one decimal, a large one none") {
  CHECK(percent_text(0.0314) == "3.1 %");
  CHECK(percent_text(9.994) == "999.4 %");
  CHECK(percent_text(12.345) == "1234 %");
  CHECK(percent_text(123456) == "12345600 %");
}

TEST_CASE("an error has a sign unless it rounds to nothing") {
  CHECK(signed_percent_text(0.031) == "+3.1 %");
  CHECK(signed_percent_text(-0.031) == "-3.1 %");
  CHECK(signed_percent_text(0.0006) == "+0.1 %");
  CHECK(signed_percent_text(-0.0004) == "0.0 %");
  CHECK(signed_percent_text(0) == "0.0 %");
}

TEST_CASE("a range of equal texts is one time") {
  CHECK(range_text({.low_s = 1.5, .high_s = 2}) == "1.50 s .. 2.00 s");
  CHECK(range_text({.low_s = 1.5, .high_s = 1.501}) == "1.50 s");
}

TEST_CASE("counts of one are singular") {
  const ValidationSummary two = summarize({row_of("a", 2, {1}), row_of("b", 1, {2})});

  CHECK(count_text(summarize({row_of("a", 1, {1})})) == "1 configuration");
  CHECK(count_text(summarize({row_of("a", 1, {1}), failed_row("b", "killed")})) ==
        "2 configurations, 1 of them failed");
  CHECK(ranking_text(two) ==
        "tau -1.00; 1 of 1 pair is ranked wrongly; the fastest is right in 0 of 1 group");
  CHECK(ranking_text(two.rankings[0]) ==
        "tau -1.00; 1 of 1 pair is ranked wrongly; the fastest is wrong");
}

TEST_CASE("single runs are shown beside medians") {
  const ValidationSummary summary =
      summarize({row_of("a", 10, {.low_s = 9, .high_s = 11}, {10, 10, 12})});

  CHECK(coverage_text(summary) ==
        "100.0 % of the measured medians and 66.7 % of 3 single runs are inside their forecast's "
        "interval");
  // Two at 0.5: none below a half.
  CHECK(spread_text(summary) ==
        "Kolmogorov-Smirnov distance 0.50 between single runs and their forecasts");
  CHECK(error_text(summary) == "median 0.0 %, 95 % within 0.0 %, worst 0.0 % (g: a)");
  CHECK(phase_text(summary) == "90 % of the configurations have none above 0.0 % of the epoch");
}

TEST_CASE("unknown figures are dashes") {
  const ValidationSummary none = summarize({});
  const ValidationSummary one = summarize({row_of("a", 1, {1})});

  CHECK(error_text(none) == "-");
  CHECK(phase_text(none) == "-");
  CHECK(coverage_text(none) == "-");
  CHECK(spread_text(one) == "-");
  CHECK(ranking_text(none) == "-");
  CHECK(ranking_text(one) == "-");
  CHECK(ranking_text(one.rankings[0]) == "-");
  CHECK(tau_text(none.tau) == "-");
}

TEST_CASE("rows that are not distinguishable have no tau") {
  CHECK(ranking_text(summarize({row_of("a", 2, {1, 3}), row_of("b", 1, {2, 4})})) ==
        "no pair is distinguishable; the fastest is right in 1 of 1 group");
}

}  // namespace
}  // namespace epochcast::tests
