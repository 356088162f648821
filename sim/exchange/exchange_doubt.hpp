// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "core/formats/result.hpp"
#include "core/job/job.hpp"
#include "strategies/strategy.hpp"

namespace epochcast::sim {

/// How well the costs of a job's messages are known, and what follows for the interval of its
/// epochs.
///
/// What messages take is off by a factor whose logarithm is normal, with the platform's uncertainty
/// of exchanges of the gradients' or buckets' size as its standard deviation: the factor is one and
/// the same for all of a run, independent of how computing varies, and never brings a time to zero.
/// What members need to learn that all have come is measured where nothing else goes on; in a job
/// those who wake up late, and whom the others then wait for, add about as much: it is in doubt by
/// itself, a standard deviation of one barrier in each round and at the end of each epoch.
class ExchangeDoubt {
 public:
  /// Costs are those between nodes where the job has several and their costs were measured, else
  /// the least certain inside nodes. Nothing is in doubt where exchange times are given by hand.
  ExchangeDoubt(const Job& job, const std::vector<WorkerInfo>& workers);

  /// Takes note of a pass (and of devices whose overlap is taken to be free): no epoch is shorter
  /// than what its slowest worker computes and exchanges, messages being as fast as they may be.
  /// Reports are by worker.
  void see(const std::vector<WorkerInfo>& workers,
           const std::vector<WorkerReport>& reports,
           std::int64_t epochs);

  /// Adds the platform's notes on its messages, and widens the interval: by the 5 and 95 %
  /// quantiles of what barriers and the exposed communication take, never below what has been seen
  /// as possible. An interval contains the epoch.
  void apply_to(RunResult& result) const;

 private:
  void note_free_overlap(const std::vector<WorkerInfo>& workers);

  double uncertainty_ = 0;
  double barrier_round_s_ = 0;
  double barrier_s_ = 0;   ///< of all who train
  bool overlaps_ = false;  ///< and nobody has been told what that costs
  double least_s_ = std::numeric_limits<double>::infinity();  ///< per epoch
  std::vector<std::string> notes_;
};

}  // namespace epochcast::sim
