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

}  // namespace epochcast
