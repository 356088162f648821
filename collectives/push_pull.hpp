// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/ranks_by_node.hpp"
#include "collectives/schedule.hpp"

namespace epochcast {

/// Summation over servers, as in BytePS (Jiang et al., OSDI 2020): the workers of a node sum among
/// themselves, push the sums of partitions to servers, pull the totals, and share them.
///
/// The first ranks are workers, the last `servers` ranks are servers; a server may run on the node
/// of a worker, but is a rank of its own. Server k sums the partitions i with i mod servers == k;
/// such a row of `servers` partitions moves at once, so that all servers are busy.
///
/// Each of the n workers of a node owns 1/n of every partition. Round q of a worker contains step s
/// of a ring reduce-scatter in its node for row q - s, s = 0 to n-2; it pushes its parts of row
/// q - (n-1), pulls those of row q - n, and takes step s of a ring all-gather for row
/// q - (n+1) - s. So a node pushes and pulls the payload once. A server overwrites its partition
/// with the parts of the first node and adds the others, so its own payload is ignored; at the end
/// it holds the sums of its partitions. Blocks received in a round must be applied in order of
/// listing.
class PushPull : public Schedule {
 public:
  /// BytePS's default partition size (BYTEPS_PARTITION_BYTES).
  static constexpr std::int64_t kPartitionBytes = 4'096'000;

  /// `node_of_worker`: any number per node. Throws std::invalid_argument when workers, servers or
  /// partitions are below 1.
  PushPull(const std::vector<int>& node_of_worker, int servers, std::int64_t partitions);
  /// Every worker pushes on its own.
  PushPull(int workers, int servers, std::int64_t partitions);

  /// The number of partitions of at most `partition_bytes` in the payload; at least one.
  [[nodiscard]] static std::int64_t partitions_for(std::int64_t bytes,
                                                   std::int64_t partition_bytes);

  [[nodiscard]] int ranks() const override { return workers() + servers_; }
  [[nodiscard]] std::int64_t divisions() const override { return partitions_ * units_; }
  /// ceil(partitions / servers) + 1 of a server, + 2n - 1 of a worker.
  [[nodiscard]] std::int64_t rounds(int rank) const override;
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;
  /// The rounds in which every worker pushes to and pulls from every server.
  [[nodiscard]] std::vector<RepeatedRounds> repeated() const override;

 private:
  [[nodiscard]] int workers() const { return by_node_.ranks(); }
  /// Of a row, the last of which may have fewer than `servers` partitions; none of other indices.
  [[nodiscard]] Block partitions_of(std::int64_t row) const;
  /// Of a partition, that the worker at this place of its node pushes and pulls.
  [[nodiscard]] Block part_of(std::int64_t partition, int node, int place) const;
  void add_ring(Round& round, int worker, std::int64_t row, std::int64_t step, bool scatters) const;
  [[nodiscard]] Round worker_round(int worker, std::int64_t index) const;
  [[nodiscard]] Round server_round(int server, std::int64_t index) const;

  RanksByNode by_node_;
  int servers_;
  std::int64_t partitions_;
  std::int64_t units_ = 1;  ///< of a partition: the least common multiple of workers in nodes
};

}  // namespace epochcast
