// SPDX-License-Identifier: Apache-2.0
#include "collectives/openmpi.hpp"

#include "collectives/all_gather.hpp"
#include "collectives/checks.hpp"
#include "collectives/linear.hpp"
#include "collectives/openmpi_decision.hpp"
#include "collectives/rabenseifner.hpp"
#include "collectives/recursive_doubling.hpp"
#include "collectives/reduce_broadcast.hpp"
#include "collectives/ring.hpp"
#include "collectives/scatter_forms.hpp"
#include "collectives/tree.hpp"

namespace epochcast {
namespace {

std::unique_ptr<Tree> reduce_tree(int ranks, std::int64_t bytes) {
  switch (openmpi_reduce(ranks, bytes)) {
    case OpenMpiReduce::in_order_binary:
      return std::make_unique<InOrderBinaryTree>(ranks);
    case OpenMpiReduce::binomial:
      break;
  }
  return std::make_unique<KnomialTree>(ranks, 2);
}

std::unique_ptr<Tree> broadcast_tree(int ranks, std::int64_t bytes) {
  switch (openmpi_broadcast(ranks, bytes)) {
    case OpenMpiBroadcast::linear:
      return std::make_unique<StarTree>(ranks);
    case OpenMpiBroadcast::binary:
      return std::make_unique<LevelBinaryTree>(ranks);
    case OpenMpiBroadcast::four_nomial:
      break;
  }
  return std::make_unique<KnomialTree>(ranks, 4);
}

}  // namespace

std::unique_ptr<Schedule> make_openmpi_all_reduce(int ranks, std::int64_t bytes) {
  switch (openmpi_all_reduce(checked_ranks(ranks), bytes)) {
    case OpenMpiAllReduce::linear:
      return std::make_unique<Linear>(ranks);
    case OpenMpiAllReduce::nonoverlapping:
      return std::make_unique<ReduceBroadcast>(
          ranks, reduce_tree(ranks, bytes), broadcast_tree(ranks, bytes));
    case OpenMpiAllReduce::recursive_doubling:
      return std::make_unique<RecursiveDoubling>(ranks);
    case OpenMpiAllReduce::ring:
    case OpenMpiAllReduce::segmented_ring:  // openmpi_all_reduce has resolved it to the ring
      return std::make_unique<Ring>(ranks);
    case OpenMpiAllReduce::rabenseifner:
      break;
  }
  return std::make_unique<Rabenseifner>(ranks);
}

std::unique_ptr<Schedule> make_openmpi_reduce_scatter(const Parts& parts, std::int64_t bytes) {
  const bool is_ring = openmpi_reduce_scatter(parts.ranks(), bytes) == OpenMpiReduceScatter::ring;
  return make_reduce_scatter(is_ring ? "ring" : "recursive", parts, bytes);
}

std::unique_ptr<Schedule> make_openmpi_all_gather(const Parts& parts, std::int64_t bytes) {
  switch (openmpi_all_gather(parts.ranks(), bytes)) {
    case OpenMpiAllGather::ring:
      return std::make_unique<RingAllGather>(parts);
    case OpenMpiAllGather::neighbor:
      return std::make_unique<NeighborAllGather>(parts);
    case OpenMpiAllGather::two_ranks:
      return std::make_unique<DirectAllGather>(parts);
    case OpenMpiAllGather::gather_broadcast:
    case OpenMpiAllGather::bruck:
      break;
  }
  return std::make_unique<BruckAllGather>(parts);
}

}  // namespace epochcast
