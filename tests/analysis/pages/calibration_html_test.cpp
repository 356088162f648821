// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/calibration_html.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

/// All-reduces of 1 kB, 2 kB and so on that take a second, with these errors.
std::vector<AllReduceCheck> checks_with(const std::vector<double>& errors) {
  std::vector<AllReduceCheck> checks;
  checks.reserve(errors.size());
  for (const double error : errors) {
    AllReduceCheck& check = checks.emplace_back();
    check.all_reduce.bytes = 1000 * static_cast<double>(checks.size());
    check.measured_s = 1;
    check.forecast_s = 1 + error;
  }
  return checks;
}

TEST_CASE("a fit is good for all sizes only if its worst error is usable") {
  CHECK(judgement(checks_with({0.02, 0.02, 0.2})) ==
        "median error 2.0 %, worst 20.0 % (of 3.00 kB): good");
  CHECK(judgement(checks_with({0.02, 1.673, 0.02})) ==
        "median error 2.0 %, worst 167.3 % (of 2.00 kB): good for most sizes");
  CHECK(judgement(checks_with({0.2, 0.2, 1.673})) ==
        "median error 20.0 %, worst 167.3 % (of 3.00 kB): good enough to rank strategies for most "
        "sizes; intervals are as wide");
}

}  // namespace
}  // namespace epochcast::tests
