// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/validation.hpp"
#include "tests/analysis/rows.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

/// Errors 10 % and 20 %, ranked the wrong way round; one of two inside its interval.
ValidationSummary summary() {
  return summarize({row_of("a", 2.4, {.low_s = 2.3, .high_s = 2.5}, {2}),
                    row_of("b", 2.25, {.low_s = 2, .high_s = 3}, {2.5})});
}

TEST_CASE("without bounds everything is allowed") {
  CHECK(exceeded(summary(), {}).empty());
  CHECK(exceeded(summarize({failed_row("a", "killed")}), {}).empty());
}

TEST_CASE("each exceeded bound is reported, with the distance") {
  CHECK(exceeded(summary(), {.median_error = 0.03}) ==
        Texts{"the median error is 15.00 %, 12.00 points above the bound of 3.00 %"});
  CHECK(exceeded(summary(), {.worst_error = 0.08}) ==
        Texts{"the worst error (g: a) is 20.00 %, 12.00 points above the bound of 8.00 %"});
  CHECK(exceeded(summary(), {.tau = 0.9}) ==
        Texts{"the tau of g is -1.00, 1.90 below the bound of 0.90"});
  CHECK(exceeded(summary(), {.coverage = 0.9}) ==
        Texts{"the coverage is 50.00 %, 40.00 points below the bound of 90.00 %"});
  CHECK(exceeded(summary(), {.median_error = 0.1, .worst_error = 0.1, .tau = 0, .coverage = 1})
            .size() == 4);
}

TEST_CASE("exceeded bounds of shares of configurations and single runs are reported") {
  CHECK(exceeded(summary(), {.p95_error = 0.05}) ==
        Texts{"the error of 95 % of the configurations is 20.00 %, 15.00 points above the bound of "
              "5.00 %"});
  CHECK(exceeded(summary(), {.p90_phase_error = 0.1}) ==
        Texts{"the phases' error of 90 % of the configurations is 20.00 %, 10.00 points above the "
              "bound of 10.00 %"});
  CHECK(exceeded(summary(), {.wrong_pairs = 0}) ==
        Texts{"the share of wrong pairs is 100.00 %, 100.00 points above the bound of 0.00 %"});
  CHECK(exceeded(summary(), {.run_coverage = 0.9}) ==
        Texts{"the coverage of single runs is 50.00 %, 40.00 points below the bound of 90.00 %"});
  // Shares 0 (below 2.3 s by far) and about 0.97: half of the runs are at 0.
  CHECK(exceeded(summary(), {.ks = 0.1}).size() == 1);
  CHECK(exceeded(summary(),
                 {.p95_error = 0.2,
                  .p90_phase_error = 0.2,
                  .wrong_pairs = 1,
                  .run_coverage = 0.5,
                  .ks = 1})
            .empty());
}

TEST_CASE("a bound on pairs is exceeded where there are none") {
  CHECK(exceeded(summarize({row_of("a", 1, {1})}), {.wrong_pairs = 1}) ==
        Texts{"there are no pairs: no two rows of a group are distinguishable"});
}

TEST_CASE("a figure that is its bound on paper does not exceed it") {
  const ValidationSummary rounded = summarize({row_of("a", 1.1, {1})});  // 1.1 / 1 - 1 > 0.1

  CHECK(exceeded(rounded, {.median_error = 0.1, .worst_error = 0.1}).empty());
  CHECK(exceeded(summary(), {.tau = -1, .coverage = 0.5}).empty());
}

TEST_CASE("the bound of tau holds for every group by itself") {
  std::vector<ValidationRow> rows = {
      row_of("a", 1, {1}), row_of("b", 2, {2}), row_of("a", 2, {1}), row_of("b", 1, {2})};
  rows[2].group = rows[3].group = "h";

  CHECK(exceeded(summarize(rows), {.tau = 0}) ==
        Texts{"the tau of h is -1.00, 1.00 below the bound of 0.00"});
}

TEST_CASE("a group without distinguishable rows keeps any bound of tau") {
  std::vector<ValidationRow> rows = {
      row_of("a", 1, {1}), row_of("b", 2, {2}), row_of("a", 2, {1, 3}), row_of("b", 1, {2, 4})};
  rows[2].group = rows[3].group = "h";

  CHECK(exceeded(summarize(rows), {.tau = 1}).empty());
}

TEST_CASE("a failed row exceeds any bound") {
  const ValidationSummary failed = summarize({row_of("a", 1, {1}), failed_row("b", "killed")});

  CHECK(exceeded(failed, {.median_error = 1}) ==
        Texts{"1 of 2 configurations failed: there is no bound that these keep"});
}

TEST_CASE("unknown figures exceed every bound") {
  CHECK(exceeded(summarize({}), {.coverage = 0}) ==
        Texts{"no configuration has both a forecast and a measurement"});
  CHECK(exceeded(summarize({row_of("a", 1, {1})}), {.tau = 0, .coverage = 0}) ==
        Texts{"there is no tau: no two rows of a group are distinguishable",
              "there is no coverage: no forecast has an interval"});
}

}  // namespace
}  // namespace epochcast::tests
