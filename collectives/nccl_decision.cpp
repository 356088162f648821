// SPDX-License-Identifier: Apache-2.0
#include "collectives/nccl_decision.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace epochcast {
namespace {

/// Launching a kernel and noticing its end. Assumed: the difference between NCCL's estimates and
/// published times of small all-reduces.
constexpr double kLaunch_s = 8e-6;
constexpr double kMicro_s = 1e-6;
constexpr double kGiga = 1e9;

/// Values for LL, LL128 and Simple.
using ByProtocol = double[3];

// By algorithm: ring, tree.
constexpr ByProtocol kBase_us[] = {{6.6, 14.0, 8.4}, {6.8, 14.0, 8.4}};
constexpr ByProtocol kNvlink_us[] = {{0.6, 1.9, 3.4}, {0.6, 1.25, 4.0}};
constexpr ByProtocol kPcie_us[] = {{1.0, 2.5, 5.7}, {1.0, 1.9, 4.0}};
constexpr ByProtocol kNetwork_us[] = {{2.7, 4.0, 14.0}, {5.0, 8.5, 14.0}};
/// A ring among nodes needs as long in each step to post messages.
constexpr ByProtocol kPost_us = {1, 1, 3};

// On 1, 2, and more nodes, in GB/s.
constexpr double kMostOfLl[] = {87.7, 39.0, 20.4};
constexpr double kMostOfTreeChannel[] = {24.0, 23.6, 17.8};
constexpr double kMostOfLl128Channel = 20.0;

constexpr double kRingPlateau = 1.4;  ///< on latencies of Simple rings among nodes
constexpr double kTreeShare = 0.92;   ///< of bandwidth

/// Factor on a tree's bandwidth: it fills slowly in medium sizes. By powers of two, from 64 B.
constexpr double kTreeFill[3][22] = {
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .5, .6, .6, .7, .7, .8, .9, .9, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .5, .5, .6, .6, .7, .8, .9}};

constexpr std::int64_t kLeastChunk = 32'768;
/// The largest piece of a channel, by protocol. Those of LL and LL128 are assumed: their receivers
/// wait for lines of 8 and 128 bytes, not for whole pieces.
constexpr std::int64_t kMostChunk[] = {4'096, 8'192, 524'288};

std::size_t index_of(NcclProtocol protocol) { return static_cast<std::size_t>(protocol); }
std::size_t index_of(NcclAlgorithm algorithm) { return static_cast<std::size_t>(algorithm); }

int floor_log2(std::int64_t value) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value))) - 1;
}

int scale_of(const NcclGroup& group) { return std::min(group.nodes, 3) - 1; }
int ranks_per_node(const NcclGroup& group) { return (group.ranks + group.nodes - 1) / group.nodes; }

/// Of all channels, one way.
double bus_bytes_per_s(const NcclGroup& group) {
  const NodeLinks& links = group.links;
  if (group.nodes == 1) return links.in_node_bytes_per_s;
  if (ranks_per_node(group) == 1) return links.between_nodes_bytes_per_s;
  return std::min(links.in_node_bytes_per_s, links.between_nodes_bytes_per_s);
}

/// The bandwidth of an algorithm and protocol.
struct Rate {
  double share;             ///< of links, in payload
  double most_bytes_per_s;  ///< of all channels

  [[nodiscard]] double of(double bus) const { return std::min(bus * share, most_bytes_per_s); }
};

Rate rate_of(const NcclGroup& group, const NcclChoice& choice) {
  const int scale = scale_of(group);
  const double channels = nccl_channels(group);
  const double most_of_ll = kGiga * kMostOfLl[scale];
  const double most_of_ll128 = kGiga * channels * kMostOfLl128Channel;
  if (choice.algorithm == NcclAlgorithm::ring) {
    switch (choice.protocol) {
      case NcclProtocol::ll:
        return {0.5, most_of_ll};
      case NcclProtocol::ll128:
        return {0.92, most_of_ll128};
      case NcclProtocol::simple:
        break;
    }
    return {1, std::numeric_limits<double>::infinity()};
  }
  const double most_of_tree = kGiga * channels * kMostOfTreeChannel[scale];
  switch (choice.protocol) {
    case NcclProtocol::ll:
      return {kTreeShare / 3.8, std::min(most_of_tree / 3.8, most_of_ll)};
    case NcclProtocol::ll128: {
      const double share = group.nodes == 1 ? 7.0 / 9.0 : 120.0 / 128.0;
      return {kTreeShare * share, std::min(most_of_tree * share, most_of_ll128)};
    }
    case NcclProtocol::simple:
      break;
  }
  return {kTreeShare, most_of_tree};
}

bool can_use(const NcclGroup& group, NcclProtocol protocol) {
  return protocol != NcclProtocol::ll128 || (group.links.has_nvlink && ranks_per_node(group) > 1);
}

double latency_s(const MessageTransport& transport) {
  return transport.start_s + static_cast<double>(transport.hops_in_node) * transport.hop_in_node_s +
         static_cast<double>(transport.hops_between_nodes) * transport.hop_between_nodes_s;
}

}  // namespace

MessageTransport nccl_transport(const NcclGroup& group, const NcclChoice& choice) {
  const bool is_ring = choice.algorithm == NcclAlgorithm::ring;
  const std::size_t protocol = index_of(choice.protocol);
  const std::size_t algorithm = index_of(choice.algorithm);
  const ByProtocol* const in_node = group.links.has_nvlink ? kNvlink_us : kPcie_us;
  double in_node_us = in_node[algorithm][protocol];
  double between_us = kNetwork_us[algorithm][protocol];
  // The latencies of rings of one rank per node are those of trees.
  if (ranks_per_node(group) == 1) between_us = kNetwork_us[1][protocol];
  if (is_ring && group.nodes > 1) {
    in_node_us = std::max(in_node_us, kPost_us[protocol]);
    if (choice.protocol == NcclProtocol::simple) {
      in_node_us *= kRingPlateau;
      between_us *= kRingPlateau;
    }
  }
  const std::int64_t between =
      is_ring ? 2 * (std::int64_t{group.nodes} - 1) : 2 * std::int64_t{floor_log2(group.nodes)};
  const std::int64_t inside = is_ring ? 2 * (std::int64_t{group.ranks} - 1) - between
                                      : 2 * (std::int64_t{ranks_per_node(group)} - 1);
  const Rate rate = rate_of(group, choice);
  // The link of a tree has half of the payload each way, while all channels carry it twice.
  const double parts = is_ring ? 1 : 4;
  return {.start_s = kMicro_s * kBase_us[algorithm][protocol] + kLaunch_s,
          .hops_in_node = std::max<std::int64_t>(0, inside),
          .hops_between_nodes = between,
          .hop_in_node_s = kMicro_s * in_node_us,
          .hop_between_nodes_s = kMicro_s * between_us,
          .bytes_per_payload_byte = 1 / rate.share,
          .most_bytes_per_s = rate.most_bytes_per_s / parts};
}

double nccl_estimate_s(const NcclGroup& group, const NcclChoice& choice, std::int64_t bytes) {
  const double bus = rate_of(group, choice).of(bus_bytes_per_s(group));
  double bytes_per_s = 0;
  if (choice.algorithm == NcclAlgorithm::ring) {
    bytes_per_s = bus * group.ranks / (2.0 * (group.ranks - 1));
  } else {
    const int size = std::max(0, floor_log2(std::max<std::int64_t>(1, bytes >> 6)));
    bytes_per_s = bus / 2 * (size < 22 ? kTreeFill[index_of(choice.protocol)][size] : 1);
  }
  const double moving_s = static_cast<double>(bytes) / bytes_per_s;
  return latency_s(nccl_transport(group, choice)) - kLaunch_s + moving_s;
}

MessageTransport nccl_half_transport(const NcclGroup& group, std::int64_t bytes) {
  MessageTransport best;
  double least_s = std::numeric_limits<double>::infinity();
  for (const NcclProtocol protocol :
       {NcclProtocol::ll, NcclProtocol::ll128, NcclProtocol::simple}) {
    if (!can_use(group, protocol) || group.ranks < 2) continue;
    const NcclChoice choice = {NcclAlgorithm::ring, protocol};
    MessageTransport transport = nccl_transport(group, choice);
    transport.hops_in_node /= 2;
    transport.hops_between_nodes /= 2;
    const double bus = rate_of(group, choice).of(bus_bytes_per_s(group));
    const double moved = static_cast<double>(bytes) * (group.ranks - 1) / group.ranks;
    const double estimate_s = latency_s(transport) + moved / bus;
    if (estimate_s >= least_s) continue;
    least_s = estimate_s;
    best = transport;
  }
  return best;
}

NcclChoice nccl_choice(const NcclGroup& group, std::int64_t bytes) {
  NcclChoice best;
  double least_s = std::numeric_limits<double>::infinity();
  for (const NcclAlgorithm algorithm : {NcclAlgorithm::ring, NcclAlgorithm::tree}) {
    for (const NcclProtocol protocol :
         {NcclProtocol::ll, NcclProtocol::ll128, NcclProtocol::simple}) {
      if (!can_use(group, protocol) || group.ranks < 2) continue;
      const NcclChoice choice = {algorithm, protocol};
      const double estimate_s = nccl_estimate_s(group, choice, bytes);
      if (estimate_s >= least_s) continue;
      least_s = estimate_s;
      best = choice;
    }
  }
  return best;
}

int nccl_channels(const NcclGroup& group) {
  constexpr double kOfTwo = 25 * kGiga;
  constexpr double kMost = 16;  // pairs
  return 2 * static_cast<int>(std::clamp(std::ceil(bus_bytes_per_s(group) / kOfTwo), 1.0, kMost));
}

std::int64_t nccl_tree_segments(const NcclGroup& group, NcclProtocol protocol, std::int64_t bytes) {
  const std::int64_t channels = nccl_channels(group);
  const std::int64_t depth = std::max(1, ranks_per_node(group) - 1 + floor_log2(group.nodes));
  std::int64_t chunk = kMostChunk[index_of(protocol)];
  const auto halve = [&](std::int64_t wanted, std::int64_t least) {
    while (bytes / (channels * chunk) < wanted && chunk > least) chunk /= 2;
  };
  halve(8 * depth, 4 * kLeastChunk);
  halve(4 * depth, 2 * kLeastChunk);
  halve(depth, kLeastChunk);
  return std::max<std::int64_t>(1, (bytes + channels * chunk - 1) / (channels * chunk));
}

}  // namespace epochcast
