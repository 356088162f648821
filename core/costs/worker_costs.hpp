// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/costs/batch_cost.hpp"
#include "core/costs/buckets.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// What batches cost every worker of a job. The workers of a device model take the ranks that were
/// measured on it in turn, by their own order.
class WorkerCosts {
 public:
  /// `workers`: by rank. Throws a UserError when what a worker's device costs is not known.
  WorkerCosts(const Job& job, const std::vector<WorkerInfo>& workers);

  /// What a worker pays in one session (modulo those of its device), or in all of them.
  [[nodiscard]] const BatchCost& of(int rank,
                                    std::optional<std::size_t> session = std::nullopt) const;
  /// What its device costs whoever measured it.
  [[nodiscard]] const BatchCost& of_device(int rank) const;
  [[nodiscard]] const std::vector<Bucket>& buckets(int rank) const;
  /// Which of the groups, each as large as the ranks that measured together, a worker belongs to:
  /// what slows one of them down does so at the same time to others of its group alone.
  [[nodiscard]] std::size_t group(int rank) const { return place(rank).group; }

  /// The sessions that repetitions go through, again from the start when they are used up: all of
  /// them, 16 at most, shuffled. Drift is common to workers that were measured together, so one
  /// session is everybody's; in turn, so that few repetitions do not miss any by chance.
  [[nodiscard]] std::vector<std::size_t> shuffled_sessions(std::uint64_t seed) const;

  /// Whether any worker's samples differ among each other.
  [[nodiscard]] bool has_spread() const;
  /// The greatest BatchCost::deviation_of_slowest() of the workers of any device.
  [[nodiscard]] double deviation_of_slowest() const;
  /// The lowest among those who train.
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
