// SPDX-License-Identifier: Apache-2.0
#include "collectives/nccl_decision.hpp"

#include "collectives/nccl.hpp"
#include "tests/catch.hpp"
#include "tests/collectives/schedules.hpp"

namespace epochcast::tests {
namespace {

constexpr NcclAlgorithm kNcclRing = NcclAlgorithm::ring;
constexpr NcclAlgorithm kNcclTree = NcclAlgorithm::tree;
constexpr NcclProtocol kLl = NcclProtocol::ll;
constexpr NcclProtocol kLl128 = NcclProtocol::ll128;
constexpr NcclProtocol kSimple = NcclProtocol::simple;

/// DGX A100: NVSwitch, eight ports of 200 Gbit/s.
NcclGroup dgx(int nodes) {
  return {
      .ranks = 8 * nodes,
      .nodes = nodes,
      .links = {
          .has_nvlink = true, .in_node_bytes_per_s = 240e9, .between_nodes_bytes_per_s = 184e9}};
}

/// One GPU per node, 100 Gbit/s.
NcclGroup single(int nodes) {
  return {.ranks = nodes,
          .nodes = nodes,
          .links = {
              .has_nvlink = false, .in_node_bytes_per_s = 12e9, .between_nodes_bytes_per_s = 12e9}};
}

TEST_CASE("NCCL takes LL for small payloads, LL128 for medium ones and Simple for large ones") {
  CHECK(nccl_choice(dgx(1), 8'192).protocol == kLl);
  CHECK(nccl_choice(dgx(1), 4 << 20).protocol == kLl128);
  CHECK(nccl_choice(dgx(1), 1 << 30) == NcclChoice{kNcclRing, kSimple});
  CHECK(nccl_choice(dgx(4), 8'192) == NcclChoice{kNcclTree, kLl});
  CHECK(nccl_choice(dgx(4), 1 << 30) == NcclChoice{kNcclRing, kSimple});
}

TEST_CASE("NCCL's trees last to larger payloads among more nodes") {
  CHECK(nccl_choice(dgx(2), 256 << 20).algorithm == kNcclRing);
  CHECK(nccl_choice(dgx(128), 51 << 20).algorithm == kNcclTree);
  CHECK(nccl_choice(dgx(128), 256 << 20).algorithm == kNcclTree);
  CHECK(nccl_choice(single(128), 25 << 20).algorithm == kNcclTree);
  CHECK(nccl_choice(single(4), 25 << 20).algorithm == kNcclRing);
}

TEST_CASE("LL128 needs NVLink") {
  for (std::int64_t bytes = 4; bytes <= 1 << 30; bytes *= 2) {
    CHECK(nccl_choice(single(8), bytes).protocol != kLl128);
  }
}

TEST_CASE("an estimate is the latency of the longest chain and bytes over bandwidth") {
  // 14 hops of 3.4 us; 240 GB/s carry each byte 2 · 7/8 times.
  const double ring_s = 8.4e-6 + 14 * 3.4e-6 + 1e9 * 1.75 / 240e9;
  CHECK(nccl_estimate_s(dgx(1), {kNcclRing, kSimple}, 1'000'000'000) == Approx(ring_s));
  // 128 nodes: 2 (7 hops in the node and 7 between nodes). 2^25 to 2^26 bytes fill a tree to 70 %.
  const double tree_s = 8.4e-6 + 2 * (7 * 4.0e-6 + 7 * 14.0e-6) + 51e6 / (0.7 * 0.92 * 184e9 / 2);
  CHECK(nccl_estimate_s(dgx(128), {kNcclTree, kSimple}, 51'000'000) == Approx(tree_s));
  // A ring of 1,024 ranks: 254 hops between nodes, 1,792 in nodes; 1.4 is NCCL's factor for both.
  const double long_ring_s =
      8.4e-6 + 1.4 * (254 * 14.0e-6 + 1792 * 3.4e-6) + 51e6 * 2 * 1023.0 / 1024 / 184e9;
  CHECK(nccl_estimate_s(dgx(128), {kNcclRing, kSimple}, 51'000'000) == Approx(long_ring_s));
}

TEST_CASE("a transport has the estimate's latencies, overhead and limits") {
  const MessageTransport transport = nccl_transport(dgx(4), {kNcclTree, kLl});

  CHECK(transport.hops_in_node == 14);
  CHECK(transport.hops_between_nodes == 4);
  CHECK(transport.hop_in_node_s == Approx(0.6e-6));
  CHECK(transport.hop_between_nodes_s == Approx(5e-6));
  CHECK(transport.start_s == Approx(6.8e-6 + 8e-6));
  CHECK(transport.bytes_per_payload_byte == Approx(3.8 / 0.92));
  CHECK(transport.most_bytes_per_s == Approx(20.4e9 / 4));
}

TEST_CASE("a reduce-scatter is half of a ring") {
  const MessageTransport half = nccl_half_transport(dgx(2), 1 << 30);

  CHECK(half.hops_in_node == 14);
  CHECK(half.hops_between_nodes == 1);
  CHECK(half.bytes_per_payload_byte == 1);                                // Simple
  CHECK(nccl_half_transport(dgx(2), 8'192).bytes_per_payload_byte == 2);  // LL
}

TEST_CASE("a tree's payload is cut until its channels are full, in pieces of 32 KiB and more") {
  // 16 channels, depth 8: 64 pieces for each are wanted, then 32 of less than 128 KiB.
  CHECK(nccl_channels(dgx(2)) == 16);
  CHECK(nccl_tree_segments(dgx(2), kSimple, 256 << 20) == 64);
  CHECK(nccl_tree_segments(dgx(2), kSimple, 64 << 20) == 32);
  CHECK(nccl_tree_segments(dgx(2), kSimple, 16 << 20) == 16);
  CHECK(nccl_tree_segments(dgx(2), kSimple, 4) == 1);
}

TEST_CASE("an NCCL all-reduce has the schedule of its choice") {
  const GroupShape shape = shape_of(32, 8);
  const NodeLinks links = dgx(4).links;

  // Two trees, or blocks of 1/P.
  CHECK(make_nccl_all_reduce(shape.node_of_rank, links, 8'192)->divisions() == 2);
  CHECK(make_nccl_all_reduce(shape.node_of_rank, links, 1 << 30)->divisions() == 32);
  CHECK(make_nccl_all_reduce(shape.node_of_rank, links, 1 << 30)->transport() ==
        nccl_transport(dgx(4), {kNcclRing, kSimple}));
}

}  // namespace
}  // namespace epochcast::tests
