// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/calibration_html.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

/// All-reduces that take a second, with these errors.
std::vector<AllReduceCheck> checks_with(const std::vector<double>& errors) {
  std::vector<AllReduceCheck> checks;
  checks.reserve(errors.size());
  for (const double error : errors)
    checks.push_back({.all_reduce = {}, .measured_s = 1, .forecast_s = 1 + error});
  return checks;
}

TEST_CASE("a fit is good for all sizes only if its worst error is usable") {
  CHECK(judgement(checks_with({0.02, 0.02, 0.2})) == "median error 2.0 %, worst 20.0 %: good");
  CHECK(judgement(checks_with({0.02, 0.02, 1.673})) ==
        "median error 2.0 %, worst 167.3 %: good, but not for all sizes");
  CHECK(
      judgement(checks_with({0.2, 0.2, 1.673})) ==
      "median error 20.0 %, worst 167.3 %: good enough to rank strategies, but not for all sizes; "
      "intervals are as wide");
}

}  // namespace
}  // namespace epochcast::tests
