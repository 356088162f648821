// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/costs/batch_cost.hpp"
#include "core/costs/buckets.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// Batch costs of every worker of a job. The workers of a device model take the ranks that were
/// measured on it in turn.
class WorkerCosts {
 public:
  /// `workers`: by rank. Throws a UserError when the batch cost of a worker's device is unknown.
  WorkerCosts(const Job& job, const std::vector<WorkerInfo>& workers);

  /// Cost to a worker in one session (modulo those of its device), or in all of them.
  [[nodiscard]] const BatchCost& of(int rank,
                                    std::optional<std::size_t> session = std::nullopt) const;
  /// Cost on its device, over all ranks that measured it.
  [[nodiscard]] const BatchCost& of_device(int rank) const;
  [[nodiscard]] const std::vector<Bucket>& buckets(int rank) const;
  /// The group of a worker. Groups are as large as the set of ranks that measured together;
  /// slowdowns are correlated within a group and independent between groups.
  [[nodiscard]] std::size_t group(int rank) const { return place(rank).group; }

  /// The sessions that repetitions use in turn, cyclically: all of them, 16 at most, shuffled. All
  /// workers use the same session in a repetition, since drift is common to workers that were
  /// measured together.
  [[nodiscard]] std::vector<std::size_t> shuffled_sessions(std::uint64_t seed) const;

  /// Whether any worker's samples differ among each other.
  [[nodiscard]] bool has_spread() const;
  /// The greatest BatchCost::deviation_of_slowest() of the workers of any device.
  [[nodiscard]] double deviation_of_slowest() const;
  /// The lowest grade among workers that train.
  [[nodiscard]] Grade grade() const;

 private:
  struct Device {
    BatchCost cost;
    std::vector<Bucket> buckets;
    std::vector<BatchCost> by_rank;                  ///< all sessions
    std::vector<std::vector<BatchCost>> by_session;  ///< and ranks in them
  };
  struct Place {
    std::size_t device = 0;
    std::size_t rank = 0;  ///< among those measured on the device
    std::size_t group = 0;
    bool trains = false;
  };

  [[nodiscard]] const Place& place(int rank) const {
    return places_[static_cast<std::size_t>(rank)];
  }

  std::vector<Device> devices_;
  std::vector<Place> places_;  ///< by worker
};

}  // namespace epochcast
