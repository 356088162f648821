// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/equal_results.hpp"

#include "sim/loops/known_mean.hpp"
#include "tests/catch.hpp"
#include "tests/sim/jobs.hpp"

namespace epochcast::tests {
namespace {

constexpr double kRounding = 1e-9;

void check_equal(const PhaseTimes& a, const PhaseTimes& b, double epoch_s) {
  const double margin = kRounding * epoch_s;
  CHECK(a.compute_s == Approx(b.compute_s).epsilon(kRounding).margin(margin));
  CHECK(a.exposed_communication_s ==
        Approx(b.exposed_communication_s).epsilon(kRounding).margin(margin));
  CHECK(a.blocked_s == Approx(b.blocked_s).epsilon(kRounding).margin(margin));
}

}  // namespace

void check_equal(const RunResult& a, const RunResult& b) {
  CHECK(a.epoch_s == Approx(b.epoch_s).epsilon(kRounding));
  CHECK(a.startup_s == Approx(b.startup_s).epsilon(kRounding));
  CHECK(a.intra_node_bytes == Approx(b.intra_node_bytes).epsilon(kRounding));
  CHECK(a.inter_node_bytes == Approx(b.inter_node_bytes).epsilon(kRounding));
  check_equal(a.phases, b.phases, b.epoch_s);
  REQUIRE(a.by_device.size() == b.by_device.size());
  for (std::size_t i = 0; i < a.by_device.size(); ++i) {
    CAPTURE(a.by_device[i].model);
    CHECK(a.by_device[i].batch == b.by_device[i].batch);
    CHECK(a.by_device[i].local_steps == b.by_device[i].local_steps);
    check_equal(a.by_device[i].phases, b.by_device[i].phases, b.epoch_s);
  }
}

void check_alike(const std::string& strategy, const RunResult& fast, const RunResult& exact) {
  if (!depends_on_arrivals(find_strategy(strategy))) return check_equal(fast, exact);
  const double tolerance = strategy == "ps-sync"   ? 0.06
                           : strategy == "ad-psgd" ? 0.07
                                                   : sim::kMeanTolerance;
  CHECK(fast.epoch_s == Approx(exact.epoch_s).epsilon(tolerance));
  CHECK(fast.phases.total_s() == Approx(fast.epoch_s).epsilon(tolerance));
}

}  // namespace epochcast::tests
