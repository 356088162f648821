// SPDX-License-Identifier: Apache-2.0
#include "analysis/throughput/exchange_time.hpp"

#include "analysis/throughput/collective_time.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

constexpr double kMiB = 1024.0 * 1024;

ReachedRates rates_of(double node, double network) {
  return {.node_bytes_per_s = node, .network_bytes_per_s = network, .server_bytes_per_s = network};
}

TEST_CASE("a ring's all-reduce moves 2 (P - 1) / P of the bytes over its slowest link",
          "[throughput]") {
  const ReachedRates rates = rates_of(100e9, 10e9);

  const double in_node = exchange_s(rates, Exchange::ring, {.nodes = 1, .devices = 4}, 1e9, 1);
  const double between = exchange_s(rates, Exchange::ring, {.nodes = 4, .devices = 16}, 1e9, 1);

  CHECK(in_node == Approx(2 * 3.0 / 4 * 1e9 / 100e9));
  CHECK(between == Approx(2 * 15.0 / 16 * 1e9 / 10e9));
}

TEST_CASE("two nodes exchange gradients once with NCCL's tree, a ring nearly twice",
          "[throughput]") {
  const ReachedRates rates = rates_of(100e9, 10e9);
  const TrainingRow row = {.nodes = 2, .devices = 8};

  const double nccl = exchange_s(rates, Exchange::nccl, row, 1e9, 1);

  CHECK(nccl == Approx(1e9 / (0.85 * 10e9)));
  CHECK(nccl < exchange_s(rates, Exchange::ring, row, 1e9, 1));
}

TEST_CASE("messages to peers share a node's network, as many as cross at that distance",
          "[throughput]") {
  const ReachedRates rates = rates_of(100e9, 10e9);
  TrainingRow row = {.nodes = 4, .devices = 16};

  const std::vector<double> cycle_s = peer_exchanges_s(rates, row, 1e9);

  REQUIRE(cycle_s.size() == 4);  // distances 1, 2, 4, 8
  CHECK(cycle_s[0] == Approx(0.1));
  CHECK(cycle_s[1] == Approx(0.2));
  CHECK(cycle_s[2] == Approx(0.4));
  CHECK(cycle_s[3] == Approx(0.4));
  CHECK(exchange_s(rates, Exchange::peer, row, 1e9, 1) == Approx(1.1 / 4));
  row.graph = PeerGraph::pairs;  // of the same node, or all of another
  CHECK_THAT(peer_exchanges_s(rates, row, 1e9),
             Catch::Matchers::Approx(std::vector<double>{0.01, 0.01, 0.4, 0.4}));
  row.graph = PeerGraph::node_pairs;  // a tree of two nodes, then a ring in the node
  CHECK_THAT(peer_exchanges_s(rates, row, 1e9),
             Catch::Matchers::Approx(std::vector<double>{1 / (0.85 * 10), 2 * 0.75 / 100}));
  CHECK(peer_exchanges_s(rates, {.nodes = 1, .devices = 4}, 1e9) ==
        std::vector<double>{0.01, 0.01});
}

TEST_CASE("rates that are reached are not reduced again", "[throughput]") {
  NodeFigures node = {.devices_per_node = 8,
                      .node_bytes_per_s = 200e9,
                      .network_bytes_per_s = 20e9,
                      .network_latency_s = 30e-6};
  CHECK(default_rates(node).network_bytes_per_s < 20e9);

  node.are_rates_reached = true;
  const ReachedRates rates = default_rates(node);

  CHECK(rates.node_bytes_per_s == 200e9);
  CHECK(rates.network_bytes_per_s == 20e9);
  CHECK(rates.server_bytes_per_s == 20e9);
  CHECK(rates.network_hop_s == 30e-6);
}

TEST_CASE("a shaped link limits rates between nodes, by the share that is reached",
          "[throughput]") {
  ReachedRates rates = rates_of(100e9, 10e9);
  rates.shaped_share = 0.8;

  const ReachedRates slow = shaped_rates(rates, 1e9);

  CHECK(slow.network_bytes_per_s == Approx(0.8e9));
  CHECK(slow.server_bytes_per_s == Approx(0.8e9));
  CHECK(slow.node_bytes_per_s == 100e9);
  CHECK(shaped_rates(rates, 0).network_bytes_per_s == 10e9);
  CHECK(shaped_rates(rates, 100e9).network_bytes_per_s == 10e9);
}

TEST_CASE("servers on fewer nodes send more of the sums each", "[throughput]") {
  const ReachedRates rates = rates_of(100e9, 10e9);
  const auto time_of = [&](int nodes, int servers) {
    const TrainingRow row = {.nodes = nodes, .devices = nodes, .servers = servers};
    return exchange_s(rates, Exchange::grpc, row, 1e9, 1);
  };
  // Sums for the other nodes and gradients for the other servers; gRPC reaches half of the rate.
  const auto expected = [](double nodes, double servers) {
    return (nodes - 1 + servers - 1) / servers * 1e9 / (0.5 * 10e9);
  };

  CHECK(time_of(2, 2) == Approx(expected(2, 2)));
  CHECK(time_of(8, 8) == Approx(expected(8, 8)));
  CHECK(time_of(8, 4) == Approx(expected(8, 4)));
  CHECK(time_of(8, 0) == time_of(8, 8));
}

TEST_CASE("one device exchanges nothing", "[throughput]") {
  for (const Exchange exchange : {Exchange::ring,
                                  Exchange::nccl,
                                  Exchange::byteps,
                                  Exchange::parameter_server,
                                  Exchange::grpc}) {
    CHECK(exchange_s(rates_of(1e9, 1e9), exchange, {}, 1e9, 1) == 0);
  }
}

TEST_CASE("BytePS pushes and pulls at once, whatever the number of nodes", "[throughput]") {
  const ReachedRates rates = rates_of(1e15, 1e9);

  for (const int nodes : {2, 8}) {
    const TrainingRow row = {.nodes = nodes, .devices = nodes};
    CHECK(exchange_s(rates, Exchange::byteps, row, 1e9, 100) == Approx(1.0));
  }
}

TEST_CASE("a ring of NCCL hides latencies below half a chunk's time, and pays longer ones",
          "[throughput]") {
  const double bytes = 256 * kMiB;
  SocketLink link = {.pair_bytes_per_s = 125e6, .latency_s = 0.01};
  const double bound = 2 * 3.0 / 4 * bytes / 125e6;
  const auto time = [&] {
    return collective_s(CollectiveLibrary::nccl, CollectiveKind::all_reduce, bytes, 4, link);
  };

  // A slice of two channels takes 2 MiB / 125 MB/s = 16.8 ms.
  CHECK(time() == Approx(1.03 * bound));
  link.latency_s = 0.05;
  CHECK(time() > 1.9 * bound);
}

TEST_CASE("Gloo's all-reduce takes as long among 4 as among 32", "[throughput]") {
  const SocketLink link = {
      .pair_bytes_per_s = 625e6, .sent_bytes_per_s = 1.2e9, .received_bytes_per_s = 1.2e9};
  const auto time = [&](int nodes) {
    return collective_s(
        CollectiveLibrary::gloo, CollectiveKind::all_reduce, 128 * kMiB, nodes, link);
  };

  CHECK(time(32) == Approx(time(4)));
  CHECK(time(4) > 2 * 126 * kMiB / 625e6);
}

TEST_CASE("Gloo broadcasts whole messages down a binomial tree", "[throughput]") {
  const SocketLink link = {
      .pair_bytes_per_s = 125e6, .sent_bytes_per_s = 1e12, .received_bytes_per_s = 1e12};

  const double seconds =
      collective_s(CollectiveLibrary::gloo, CollectiveKind::broadcast, 125e6, 8, link);

  CHECK(seconds == Approx(3 * 1.0 + 2 * 125e6 / 10e9));
}

}  // namespace
}  // namespace epochcast::tests
