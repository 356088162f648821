// SPDX-License-Identifier: Apache-2.0
// Nodes whose links are not all the same.
#include <algorithm>

#include "analysis/calibrate/calibrated_platform.hpp"
#include "base/error.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

constexpr double kLatency_s = 100e-6;

/// A trace of nodes with one rank each and links of these bandwidths, in the form of `measure
/// messages`: the ring of all, pairs and hubs.
MessageTrace trace_of_links(const std::vector<double>& links) {
  MessageTrace trace;
  trace.file = "t.json";
  trace.source = {.grade = Grade::estimated, .method = "made up"};
  trace.name = trace.title = "t";
  const auto slowest_of = [&links](const std::vector<int>& nodes) {
    double slowest = 1e99;
    for (const int node : nodes) slowest = std::min(slowest, links[static_cast<std::size_t>(node)]);
    return slowest;
  };
  const auto add = [&](const std::string& kind,
                       const std::string& scope,
                       const std::vector<int>& nodes,
                       double bytes,
                       double bytes_per_s) {
    trace.costs.push_back({.kind = kind,
                           .scope = scope,
                           .nodes = nodes,
                           .bytes = static_cast<std::int64_t>(bytes),
                           .samples_s = {kLatency_s + bytes / bytes_per_s}});
  };
  std::vector<int> all;
  double sum = 0;
  for (std::size_t node = 0; node < links.size(); ++node) {
    all.push_back(static_cast<int>(node));
    sum += links[node];
  }
  trace.node_of_rank = all;
  constexpr double kSmall = 4096;
  constexpr double kLarge = 1 << 22;
  for (double bytes = 16; bytes <= kLarge; bytes *= 4) {
    add("ping-pong", "between", {}, bytes, slowest_of({0, 1}));
    add("ring-step", "all", {}, bytes, slowest_of(all));
  }
  for (const int node : all) {
    for (int other = node + 1; other < static_cast<int>(all.size()); ++other) {
      for (const double bytes : {kSmall, kLarge})
        add("opposite", "between", {node, other}, bytes, slowest_of({node, other}));
    }
    const double own = links[static_cast<std::size_t>(node)];
    add("hub-step", "between", {node}, kLarge, std::min(own, sum - own));
  }
  return trace;
}

Platform calibrated(const MessageTrace& trace) {
  const std::vector<std::string> models(trace.node_of_rank.size(), "cpu");
  return calibrated_platform(platform_of_trace(trace, models), fit_network(trace), trace.source);
}

TEST_CASE("one slow link does not affect the others") {
  const Platform platform = calibrated(trace_of_links({4e7, 4e7, 4e7, 1e7}));

  REQUIRE(platform.nodes.size() == 2);
  CHECK(platform.nodes[0].count == 3);
  REQUIRE(platform.nodes[0].uplink);
  CHECK(platform.nodes[0].uplink->link.bytes_per_s == Approx(4e7).epsilon(0.02));
  CHECK(platform.nodes[0].uplink->messages->message_s(1e6) ==
        Approx(kLatency_s + 1e6 / 4e7).epsilon(0.02));
  CHECK(platform.nodes[0].name != platform.nodes[1].name);
  CHECK_FALSE(platform.nodes[1].uplink);
  CHECK(platform.network->link.bytes_per_s == Approx(1e7).epsilon(0.02));
}

TEST_CASE("one fast link follows from its node's simultaneous exchanges with all others") {
  const Platform platform = calibrated(trace_of_links({1e7, 1e7, 8e7, 1e7}));

  REQUIRE(platform.nodes.size() == 3);
  REQUIRE(platform.nodes[1].uplink);
  CHECK(platform.nodes[1].uplink->link.bytes_per_s == Approx(3e7).epsilon(0.02));
}

TEST_CASE("links in steps: each node has the bandwidth of its best pair or hub") {
  const Platform platform = calibrated(trace_of_links({1e7, 2e7, 4e7, 8e7}));

  REQUIRE(platform.nodes.size() == 4);
  CHECK_FALSE(platform.nodes[0].uplink);
  const auto message_s = [&](std::size_t node) {
    return platform.nodes[node].uplink->messages->message_s(1e6);
  };
  CHECK(message_s(1) == Approx(kLatency_s + 1e6 / 2e7).epsilon(0.02));
  CHECK(message_s(2) == Approx(kLatency_s + 1e6 / 4e7).epsilon(0.02));
  CHECK(message_s(3) == Approx(kLatency_s + 1e6 / 7e7).epsilon(0.02));
  CHECK(platform.nodes[3].uplink->link.bytes_per_s == Approx(7e7).epsilon(0.02));
}

TEST_CASE("links that differ by noise only count as equal") {
  const MessageTrace trace = trace_of_links({4e7, 4.1e7, 3.95e7});

  CHECK(fit_network(trace).link_bytes_per_s.empty());
  CHECK(calibrated(trace).nodes.size() == 1);
}

TEST_CASE("a platform of other nodes has the slowest link everywhere, with a note") {
  const MessageTrace trace = trace_of_links({4e7, 4e7, 4e7, 1e7});
  Platform platform = calibrated(trace);
  platform.nodes.front().count = 7;

  platform = calibrated_platform(platform, fit_network(trace), trace.source);

  for (const NodeGroup& group : platform.nodes) CHECK_FALSE(group.uplink);
  CHECK(platform.network->messages->notes.back().find("the slowest link everywhere") !=
        std::string::npos);
}

}  // namespace
}  // namespace epochcast::tests
