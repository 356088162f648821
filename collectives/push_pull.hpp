// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule.hpp"

namespace epochcast {

/// Summation over servers, as in BytePS (Jiang et al., OSDI 2020): workers push partitions and pull
/// sums.
///
/// Ranks [0, workers) are workers, ranks [workers, workers + servers) are servers; a server may run
/// on the node of a worker, but is a rank of its own. Server k sums the partitions i with i mod
/// servers == k.
///
/// In round q a worker pushes partition q·servers + k to every server k, so that all servers are
/// busy, and pulls the sums of the previous round's partitions. A server overwrites its partition
/// with that of worker 0 and adds the others, so its own payload is ignored; at the end it holds
/// the sums of its partitions. Blocks received in a round must be applied in order of listing.
class PushPull : public Schedule {
 public:
  /// BytePS's default partition size (BYTEPS_PARTITION_BYTES).
  static constexpr std::int64_t kPartitionBytes = 4'096'000;

  /// Throws std::invalid_argument when workers, servers or partitions are below 1.
  PushPull(int workers, int servers, std::int64_t partitions);

  /// The number of partitions of at most `partition_bytes` in the payload; at least one.
  [[nodiscard]] static std::int64_t partitions_for(std::int64_t bytes,
                                                   std::int64_t partition_bytes);

  [[nodiscard]] int ranks() const override { return workers_ + servers_; }
  [[nodiscard]] std::int64_t divisions() const override { return partitions_; }
  /// ceil(partitions / servers) + 1.
  [[nodiscard]] std::int64_t rounds(int rank) const override;
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;
  /// The rounds in which every worker pushes to and pulls from every server.
  [[nodiscard]] std::vector<RepeatedRounds> repeated() const override;

 private:
  [[nodiscard]] Round worker_round(std::int64_t index) const;
  [[nodiscard]] Round server_round(int server, std::int64_t index) const;

  int workers_;
  int servers_;
  std::int64_t partitions_;
};

}  // namespace epochcast
