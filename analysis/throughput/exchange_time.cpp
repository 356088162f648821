// SPDX-License-Identifier: Apache-2.0
#include "analysis/throughput/exchange_time.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace epochcast {
namespace {

// Shares of nominal rates that large all-reduces reach.
constexpr double kSwitchedShare = 0.78;
constexpr double kStagedShare = 0.4;
// Of a node whose devices copy through host memory, while its ports copy there, too.
constexpr double kStagedCrossingShare = 0.88;
constexpr double kRdmaShare = 0.85;
constexpr double kTcpShare = 0.9;
constexpr double kTreeShare = 0.85;
// One port's messages that are staged in host memory; a TCP connection that one core serves.
constexpr double kStagedPortBytesPerS = 8.5e9;
constexpr double kTcpConnectionBytesPerS = 1.7e9;
constexpr double kTcpConnectionsPerPort = 2;
// Below it, a device reaches its neighbours through PCIe.
constexpr double kPcieBytesPerS = 33e9;
constexpr double kHostSumBytesPerS = 20e9;
// gRPC copies and serialises tensors; assumed.
constexpr double kGrpcShare = 0.5;
// Of a message without bytes, with the kernel or proxy thread that passes it on.
constexpr double kPcieHopS = 6e-6;
constexpr double kSwitchedHopS = 2.5e-6;
constexpr double kRdmaHopS = 8e-6;
constexpr double kTcpHopS = 35e-6;
// Partly hidden behind each other: the share of the shorter of two pipelined parts that shows.
constexpr double kPipelineShare = 0.2;

/// Hops of one message that is too short for its bytes to matter.
double tree_hops_s(const ReachedRates& rates, const TrainingRow& row) {
  const double per_node = std::max(1.0, static_cast<double>(row.devices) / row.nodes);
  return 2 * std::ceil(std::log2(row.nodes)) * rates.network_hop_s +
         2 * (per_node - 1) * rates.node_hop_s;
}

/// Short messages of NCCL go through a tree in every version since 2.4, so hops never add up to a
/// ring's.
double ring_s(const ReachedRates& rates, const TrainingRow& row, double bytes, double messages) {
  const double devices = row.devices;
  const bool is_one_node = row.nodes == 1;
  double bytes_per_s = is_one_node ? rates.node_bytes_per_s : rates.network_bytes_per_s;
  if (!is_one_node && row.devices > row.nodes)
    bytes_per_s = std::min(bytes_per_s, rates.crossing_share * rates.node_bytes_per_s);
  const double network_hops = is_one_node ? 0 : row.nodes;
  const double ring_hops_s =
      2 * (network_hops * rates.network_hop_s + (devices - network_hops) * rates.node_hop_s) *
      (devices - 1) / devices;
  return 2 * (devices - 1) / devices * bytes / bytes_per_s +
         messages * std::min(ring_hops_s, tree_hops_s(rates, row));
}

double tree_s(const ReachedRates& rates, const TrainingRow& row, double bytes, double messages) {
  const double sent = row.nodes == 2 ? bytes : 2 * bytes;
  double slowest_s = sent / (kTreeShare * rates.network_bytes_per_s);
  if (row.devices > row.nodes)
    slowest_s = std::max(slowest_s, 2 * bytes / (rates.crossing_share * rates.node_bytes_per_s));
  return slowest_s + messages * tree_hops_s(rates, row);
}

/// Seconds of both pipelined parts: the longer one and a share of the shorter one.
double pipelined_s(double one_s, double other_s) {
  return std::max(one_s, other_s) + kPipelineShare * std::min(one_s, other_s);
}

}  // namespace

ReachedRates default_rates(const NodeFigures& node) {
  ReachedRates rates;
  const bool is_pcie = node.node_bytes_per_s < kPcieBytesPerS;
  if (node.are_rates_reached) {
    rates.node_bytes_per_s = node.node_bytes_per_s;
    rates.node_hop_s = is_pcie ? kPcieHopS : kSwitchedHopS;
    rates.network_bytes_per_s = rates.server_bytes_per_s = node.network_bytes_per_s;
    rates.network_hop_s = std::max(kRdmaHopS, node.network_latency_s);
    rates.shaped_share = 1;
    return rates;
  }
  rates.node_bytes_per_s =
      node.node_bytes_per_s * (is_pcie || node.is_node_staged ? kStagedShare : kSwitchedShare);
  if (node.is_node_staged) rates.crossing_share = kStagedCrossingShare;
  rates.node_hop_s = is_pcie ? kPcieHopS : kSwitchedHopS;
  const double nominal = node.network_bytes_per_s;
  const double ports = node.network_ports;
  if (node.transport == Transport::tcp) {
    rates.network_bytes_per_s =
        std::min(kTcpShare * nominal, ports * kTcpConnectionsPerPort * kTcpConnectionBytesPerS);
    rates.network_hop_s = kTcpHopS;
    rates.shaped_share = kTcpShare;
    rates.server_bytes_per_s = std::min(kTcpShare * nominal / ports, kTcpConnectionBytesPerS);
  } else {
    rates.network_bytes_per_s = kRdmaShare * nominal;
    if (node.transport == Transport::staged)
      rates.network_bytes_per_s = std::min(rates.network_bytes_per_s, ports * kStagedPortBytesPerS);
    rates.network_hop_s = kRdmaHopS;
    rates.shaped_share = kRdmaShare;
    rates.server_bytes_per_s = rates.network_bytes_per_s;
  }
  return rates;
}

ReachedRates shaped_rates(ReachedRates rates, double link_bytes_per_s) {
  if (link_bytes_per_s <= 0) return rates;
  const double most = rates.shaped_share * link_bytes_per_s;
  rates.network_bytes_per_s = std::min(rates.network_bytes_per_s, most);
  rates.server_bytes_per_s = std::min(rates.server_bytes_per_s, most);
  return rates;
}

std::vector<double> peer_exchanges_s(const ReachedRates& rates,
                                     const TrainingRow& row,
                                     double bytes) {
  const int per_node = std::max(1, row.devices / row.nodes);
  if (row.graph == PeerGraph::node_pairs) {
    const double node_s =
        exchange_s(rates, Exchange::nccl, {.nodes = 1, .devices = per_node}, bytes, 1);
    if (row.nodes == 1) return {node_s};
    return {exchange_s(rates, Exchange::nccl, {.nodes = 2, .devices = 2 * per_node}, bytes, 1),
            node_s};
  }
  const auto one_s = [&](int distance) {
    int leaving = row.nodes > 1 ? std::min(distance, per_node) : 0;
    if (row.graph == PeerGraph::pairs && distance < per_node) leaving = 0;
    const double network_s =
        leaving > 0 ? leaving * bytes / rates.network_bytes_per_s + rates.network_hop_s : 0;
    const double node_s =
        leaving < per_node ? bytes / rates.node_bytes_per_s + rates.node_hop_s : 0;
    return std::max(network_s, node_s);
  };
  std::vector<double> cycle_s;
  for (int distance = 1; distance < row.devices; distance *= 2) cycle_s.push_back(one_s(distance));
  return cycle_s;
}

double exchange_s(const ReachedRates& rates,
                  Exchange exchange,
                  const TrainingRow& row,
                  double bytes,
                  double messages) {
  if (row.devices < 2 || exchange == Exchange::none || bytes <= 0) return 0;
  const TrainingRow in_node = {.nodes = 1, .devices = std::max(1, row.devices / row.nodes)};
  switch (exchange) {
    case Exchange::none:
      return 0;
    case Exchange::ring:
      return ring_s(rates, row, bytes, messages);
    case Exchange::nccl: {
      const double ring = ring_s(rates, row, bytes, messages);
      return row.nodes > 1 ? std::min(ring, tree_s(rates, row, bytes, messages)) : ring;
    }
    case Exchange::byteps: {
      const double node = in_node.devices > 1 ? ring_s(rates, in_node, bytes, messages) : 0;
      if (row.nodes == 1) return node;
      const double servers = bytes / rates.server_bytes_per_s + 2 * rates.network_hop_s;
      return pipelined_s(node / rates.crossing_share, servers);
    }
    case Exchange::parameter_server: {
      const double copies_s = 2 * bytes / rates.node_bytes_per_s;
      return copies_s + row.devices * bytes / kHostSumBytesPerS;
    }
    case Exchange::grpc: {
      const double node = in_node.devices > 1 ? ring_s(rates, in_node, bytes, messages) : 0;
      if (row.nodes == 1) return node;
      // A server's node sends its part to the other nodes, and its sums to the other servers.
      const double servers = row.servers > 0 ? row.servers : row.nodes;
      const double sent = bytes * (row.nodes - 1 + servers - 1) / servers;
      return pipelined_s(node,
                         sent / (kGrpcShare * rates.server_bytes_per_s) + 2 * rates.network_hop_s);
    }
    case Exchange::peer: {
      const std::vector<double> cycle_s = peer_exchanges_s(rates, row, bytes);
      return std::accumulate(cycle_s.begin(), cycle_s.end(), 0.0) /
             static_cast<double>(cycle_s.size());
    }
  }
  return 0;
}

}  // namespace epochcast
