// SPDX-License-Identifier: Apache-2.0
#include "tests/support/closed_forms.hpp"

#include <string>

#include "collectives/registry.hpp"
#include "tests/catch.hpp"
#include "tests/sim/clusters.hpp"

namespace epochcast::tests {
namespace {

// SimGrid's messages are whole bytes: a message of S/P bytes is rounded by up to half a byte, which
// is below 1e-6 of it for every case here (the smallest messages, 1 MB / 17 and 200 kB / 2 in four
// phases, have more than half a million bytes per byte of error, or divide evenly).
constexpr double kByteRounding = 1e-6;

/// α is a route's latency: up one link of the star, down another.
double expected_s(
    const std::string& name, int ranks, std::int64_t bytes, const TestLink& link, double gamma) {
  return closed_form_s(name, ranks, bytes, 2 * link.latency_s, 1 / link.bytes_per_s, gamma)
      .value_or(-1);
}

struct Case {
  std::int64_t bytes;
  TestLink link;
  double gamma_s_per_byte;
};

// Bandwidth-bound, latency-bound, and one with reductions slower than transfers.
constexpr Case kCases[] = {
    {48'000'000, {.bytes_per_s = 12.5e9, .latency_s = 5e-7}, 0},
    {17'017'000, {.bytes_per_s = 1e10, .latency_s = 1e-3}, 2e-11},
    {44'700'000, {.bytes_per_s = 1e9, .latency_s = 1e-6}, 5e-9},
};

TEST_CASE("a simulated all-reduce takes its closed form's time on a star without contention") {
  int compared = 0;
  for (const AllReduceName& known : all_reduce_names()) {
    const std::string name(known.name);
    for (const int ranks : {2, 3, 4, 7, 8, 16, 17}) {
      for (const Case& each : kCases) {
        const double expected =
            expected_s(name, ranks, each.bytes, each.link, each.gamma_s_per_byte);
        if (expected < 0) continue;
        CAPTURE(name, ranks, each.bytes);

        const double time_s = all_reduce_s(plain_star(ranks, each.link, each.gamma_s_per_byte),
                                           name,
                                           static_cast<double>(each.bytes));

        CHECK(time_s == Approx(expected).epsilon(kByteRounding));
        ++compared;
      }
    }
  }
  // ring, segmented-ring, binary-tree, linear: 7 rank counts; recursive-doubling, rabenseifner: the
  // 4 powers of two.
  CHECK(compared == 3 * (4 * 7 + 2 * 4));
}

TEST_CASE("a ring of 64 ranks takes its closed form's time whether rounds are skipped or not") {
  const TestLink link = {.bytes_per_s = 12.5e9, .latency_s = 5e-7};
  const double bytes = 64e6;
  const Program program = [&](Fabric& fabric) {
    fabric.all_reduce(payload_of_bytes(bytes), 1, fabric.world());
  };

  const Observed skipping = observe(plain_star(64, link, 1e-11), program);
  const Observed exact = observe_exactly(plain_star(64, link, 1e-11), program);

  const double expected = expected_s("ring", 64, 64'000'000, link, 1e-11);
  CHECK(skipping.last_s() == Approx(expected).epsilon(1e-9));  // 1 MB blocks: nothing is rounded
  CHECK(exact.last_s() == Approx(expected).epsilon(1e-9));
  CHECK(exact.messages == 2 * 63 * 64);
  CHECK(skipping.messages < exact.messages / 5);
}

TEST_CASE("a ring all-reduce sends 2(P-1)/P of the payload from every rank") {
  const Program program = [](Fabric& fabric) {
    fabric.all_reduce(payload_of_bytes(8e6), 1, fabric.world());
  };

  const Observed observed = observe(plain_star(8, {}), program);

  for (const Traffic& traffic : observed.traffic) {
    CHECK(traffic.inter_node_bytes == 14 * 1e6);
    CHECK(traffic.intra_node_bytes == 0);
  }
}

}  // namespace
}  // namespace epochcast::tests
