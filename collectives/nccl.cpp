// SPDX-License-Identifier: Apache-2.0
#include "collectives/nccl.hpp"

#include <set>

#include "collectives/nccl_decision.hpp"
#include "collectives/nccl_ring.hpp"
#include "collectives/nccl_tree.hpp"

namespace epochcast {

namespace {

NcclGroup group_of(const std::vector<int>& node_of_rank, const NodeLinks& links) {
  const std::set<int> nodes(node_of_rank.begin(), node_of_rank.end());
  return {.ranks = static_cast<int>(node_of_rank.size()),
          .nodes = static_cast<int>(nodes.size()),
          .links = links};
}

}  // namespace

std::unique_ptr<Schedule> make_nccl_all_reduce(const std::vector<int>& node_of_rank,
                                               const NodeLinks& links,
                                               std::int64_t bytes) {
  const NcclGroup group = group_of(node_of_rank, links);
  if (group.ranks < 2) return std::make_unique<NcclRing>(node_of_rank);
  const NcclChoice choice = nccl_choice(group, bytes);
  const MessageTransport transport = nccl_transport(group, choice);
  if (choice.algorithm == NcclAlgorithm::ring)
    return std::make_unique<NcclRing>(node_of_rank, transport);
  const std::int64_t segments = nccl_tree_segments(group, choice.protocol, bytes);
  return std::make_unique<NcclTree>(node_of_rank, segments, transport);
}

MessageTransport nccl_half_transport(const std::vector<int>& node_of_rank,
                                     const NodeLinks& links,
                                     std::int64_t bytes) {
  return nccl_half_transport(group_of(node_of_rank, links), bytes);
}

}  // namespace epochcast
