// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/all_reduce_fit.hpp"

#include "analysis/calibrate/all_reduce_checks.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

constexpr double kStepLatency_s = 2e-3;
constexpr double kLinkBytesPerSecond = 25e6;

/// The time of a ring among this number of ranks over links of this latency and bandwidth.
double ring_time_s(std::int64_t bytes, int ranks, double latency_s) {
  return 2 * (ranks - 1) * (latency_s + static_cast<double>(bytes) / ranks / kLinkBytesPerSecond);
}

MessageTrace all_reduces_of(const std::vector<int>& node_of_rank,
                            const std::vector<std::int64_t>& sizes,
                            double latency_s = 0) {
  MessageTrace trace = {.file = "the profiles",
                        .name = "cluster",
                        .title = "A job's nodes",
                        .source = {.grade = Grade::estimated, .method = "made up"},
                        .node_of_rank = node_of_rank};
  const auto ranks = static_cast<int>(node_of_rank.size());
  for (const std::int64_t bytes : sizes) {
    trace.costs.push_back(
        {.kind = "all-reduce",
         .scope = "all",
         .algorithm = "ring",
         .bytes = bytes,
         .samples_s = std::vector<double>(3, ring_time_s(bytes, ranks, latency_s))});
  }
  return trace;
}

Texts problems_of_all_reduces(const MessageTrace& trace) {
  return problems_of([&] { static_cast<void>(fit_all_reduces(trace)); });
}

TEST_CASE("all-reduces of one size determine a link's bandwidth") {
  const NetworkFit fit = fit_all_reduces(all_reduces_of({0, 1}, {9'000'000}));

  REQUIRE(fit.between);
  CHECK_FALSE(fit.node);
  CHECK(fit.between->bytes_per_s == Approx(kLinkBytesPerSecond));
  REQUIRE(fit.between->costs.regimes.size() == 1);
  CHECK(fit.between->costs.regimes[0].latency_s == 0);
  CHECK(fit.between->costs.notes ==
        Texts{"messages between nodes cost what the job's own all-reduces of 9.00 MB among 2 ranks "
              "(3 samples) say, each taken for a ring, and as the job had them: beside computing, "
              "or not; from these sizes no latency follows: it is taken as zero"});
}

TEST_CASE("all-reduces of three sizes far apart also determine a link's latency") {
  const NetworkFit fit =
      fit_all_reduces(all_reduces_of({0, 1, 2}, {600'000, 3'000'000, 30'000'000}, kStepLatency_s));

  REQUIRE(fit.between);
  CHECK(fit.between->costs.message_s(0) == Approx(kStepLatency_s));
  CHECK(fit.between->costs.message_s(1e6) == Approx(kStepLatency_s + 1e6 / kLinkBytesPerSecond));
}

TEST_CASE("a slowed bucket among others of its size is not taken for latency") {
  MessageTrace trace = all_reduces_of({0, 1}, {5'000'000, 9'000'000, 10'000'000});
  for (double& seconds : trace.costs[0].samples_s) seconds *= 1.5;  // overlapped with computation

  const NetworkFit fit = fit_all_reduces(trace);

  CHECK(fit.between->costs.message_s(0) == 0);
  CHECK(fit.between->bytes_per_s > kLinkBytesPerSecond / 1.5);
  CHECK(fit.between->bytes_per_s < kLinkBytesPerSecond);
  CHECK(fit.between->costs.uncertainty > 0.1);
}

TEST_CASE("forecasts of all-reduces equal their measurements") {
  const MessageTrace trace = all_reduces_of({0, 1, 2, 3}, {1'000'000, 8'000'000}, 0);

  const Platform platform = platform_of_all_reduces(trace, "cpu", "my-cpu", 4);

  for (const AllReduceCheck& check : check_all_reduces(platform, trace)) {
    CAPTURE(check.all_reduce.bytes);
    CHECK(check.forecast_s == Approx(check.measured_s).epsilon(1e-3));  // messages are whole bytes
  }
}

TEST_CASE("the cluster has the requested number of nodes, like those of the job") {
  const Platform platform =
      platform_of_all_reduces(all_reduces_of({0, 0, 1, 1}, {8'000'000}), "gpu", "my-gpu", 16);

  CHECK(platform.node_count() == 16);
  REQUIRE(platform.nodes.size() == 1);
  REQUIRE(platform.nodes[0].devices.size() == 1);
  CHECK(platform.nodes[0].devices[0].device_class == "gpu");
  CHECK(platform.nodes[0].devices[0].model == "my-gpu");
  CHECK(platform.nodes[0].devices[0].count == 2);
  CHECK(platform.grade() == Grade::estimated);
  REQUIRE(platform.network);
  CHECK(platform.network->messages->notes.back() ==
        "more than 2 nodes were not measured: others are taken to be like these, with links of "
        "their own as fast and nothing between them that all share");
  CHECK(platform.nodes[0].interconnect->messages->notes ==
        Texts{"messages inside nodes are taken to cost what those between nodes do: the job has no "
              "all-reduces among the ranks of a node alone"});
}

TEST_CASE("all-reduces from which no bandwidth follows are refused") {
  CHECK(problems_of_all_reduces(all_reduces_of({0, 1}, {})) ==
        Texts{"the profiles: has no all-reduces among all ranks, from which links follow"});
  CHECK(problems_of_all_reduces(all_reduces_of({0, 1}, {4000})) ==
        Texts{"the profiles: steps of all-reduces between nodes have 2.00 kB at most; expected "
              "some of 65536 B or more, which show the bandwidth of a link"});
}

}  // namespace
}  // namespace epochcast::tests
