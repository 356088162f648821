// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace epochcast {

/// The all-reduce algorithms of Open MPI's tuned component, with their numbers in
/// coll_tuned_allreduce_algorithm.
enum class OpenMpiAllReduce {
  linear = 1,
  nonoverlapping = 2,
  recursive_doubling = 3,
  ring = 4,
  segmented_ring = 5,
  rabenseifner = 6,
};

/// The trees of the reduce that `nonoverlapping` starts with.
enum class OpenMpiReduce { binomial, in_order_binary };

/// The trees of the broadcast that `nonoverlapping` ends with.
enum class OpenMpiBroadcast { linear, binary, four_nomial };

/// The reduce-scatter algorithms of Open MPI's tuned component, with their numbers in
/// coll_tuned_reduce_scatter_algorithm.
enum class OpenMpiReduceScatter {
  non_overlapping = 1,
  recursive_halving = 2,
  ring = 3,
  butterfly = 4,
};

/// Its all-gathers of unequal parts, with their numbers in coll_tuned_allgatherv_algorithm.
enum class OpenMpiAllGather {
  gather_broadcast = 1,
  bruck = 2,
  ring = 3,
  neighbor = 4,
  two_ranks = 5,
};

/// The choice of Open MPI 4.1's fixed decision for a commutative all-reduce.
///
/// Source: ompi_coll_tuned_allreduce_intra_dec_fixed,
/// ompi/mca/coll/tuned/coll_tuned_decision_fixed.c, branch v4.1.x (pull requests 7952 and 8198 of
/// open-mpi/ompi; in all releases from 4.1.0).
[[nodiscard]] OpenMpiAllReduce openmpi_fixed_decision(int ranks, std::int64_t bytes);

/// The algorithm that this choice runs, for elements of 4 bytes (float32) and segment size 0, as
/// the fixed decision passes.
///
/// Source: ompi/mca/coll/base/coll_base_allreduce.c, v4.1.x. Without a segment size the segmented
/// ring is the ring; with fewer elements than ranks the ring is recursive doubling; with fewer
/// elements than the largest power of two in P, Rabenseifner is linear. Never returns
/// segmented_ring.
[[nodiscard]] OpenMpiAllReduce openmpi_all_reduce(int ranks, std::int64_t bytes);

/// The tree of the reduce inside `nonoverlapping`; meaningful if openmpi_fixed_decision chooses
/// that.
///
/// Source: ompi_coll_tuned_reduce_intra_dec_fixed, same file; the rows that nonoverlapping can
/// reach.
[[nodiscard]] OpenMpiReduce openmpi_reduce(int ranks, std::int64_t bytes);

/// The tree of the broadcast inside `nonoverlapping`; meaningful if openmpi_fixed_decision chooses
/// that.
///
/// Source: ompi_coll_tuned_bcast_intra_dec_fixed, same file; the rows that nonoverlapping can
/// reach.
[[nodiscard]] OpenMpiBroadcast openmpi_broadcast(int ranks, std::int64_t bytes);

/// The fixed decision for MPI_Reduce_scatter of `bytes` in all parts together.
///
/// Source: ompi_coll_tuned_reduce_scatter_intra_dec_fixed, same file.
[[nodiscard]] OpenMpiReduceScatter openmpi_reduce_scatter(int ranks, std::int64_t bytes);

/// The fixed decision for MPI_Allgatherv of `bytes` in all parts together.
///
/// Source: ompi_coll_tuned_allgatherv_intra_dec_fixed, same file, which decides by the mean part;
/// and coll_base_allgatherv.c, whose neighbour exchange of an odd number of ranks is the ring.
[[nodiscard]] OpenMpiAllGather openmpi_all_gather(int ranks, std::int64_t bytes);

}  // namespace epochcast
