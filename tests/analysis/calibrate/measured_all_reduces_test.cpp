// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/measured_all_reduces.hpp"

#include <cmath>

#include "analysis/calibrate/calibration.hpp"
#include "tests/analysis/calibrate/message_traces.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

/// Messages among four nodes, whose ring steps take 30 us + 500 MB/s.
MessageTrace four_nodes() {
  return message_trace_of([](double bytes) { return 10e-6 + bytes / 1e9; },
                          [](double bytes) { return 30e-6 + bytes / 5e8; });
}

TEST_CASE("several sessions of all-reduces give their mean and deviation") {
  MessageTrace trace = four_nodes();
  for (int session = 0; session < 2; ++session) {
    for (const char* algorithm : {"ring", "binary-tree"}) {
      trace.costs.push_back({.kind = "all-reduce",
                             .scope = "all",
                             .algorithm = algorithm,
                             .bytes = 4'000'000,
                             .samples_s = {session == 0 ? 0.01 : 0.02},
                             .session = session});
    }
  }

  const MessageCosts costs = calibrate(trace).fit.between->costs;

  REQUIRE(costs.all_reduces.size() == 8);
  const MeasuredAllReduce& tree = costs.all_reduces[4];
  CHECK(tree.algorithm == "binary-tree");
  CHECK(tree.measured_s == Approx(0.015).epsilon(1e-6));
  // Between two sessions ln 2 / sqrt(2), and 1 / sqrt(2) of that for their mean.
  const double of_run = std::log(2) / std::sqrt(2) * std::sqrt(1.5);
  CHECK(tree.deviation == Approx(of_run).epsilon(1e-5));
  CHECK(costs.all_reduces[0].forecast_s != tree.forecast_s);
}

}  // namespace
}  // namespace epochcast::tests
