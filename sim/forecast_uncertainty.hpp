// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/costs/batch_cost.hpp"
#include "core/costs/worker_costs.hpp"
#include "core/formats/result.hpp"
#include "core/job/job.hpp"
#include "strategies/strategy.hpp"

namespace epochcast::sim {

/// How well the costs of a job's batches and messages are known, and what follows for the interval
/// and the grade of its forecast.
///
/// - Messages: what they take is off by a factor whose logarithm is normal, with the platform's
///   uncertainty of exchanges of the gradients' or buckets' size as its standard deviation. The
///   factor is the same for all of a run, independent of how computing varies, and never brings a
///   time to zero. It is larger, by kExtrapolationDeviation, on a cluster other than the measured
///   one.
/// - Barriers: what members need to learn that all have come is measured where nothing else goes
///   on; in a job, members that wake up late add about as much. It has an uncertainty of its own: a
///   standard deviation of one barrier in each round and at the end of each epoch.
/// - Batches: those larger or smaller than all that were measured take between BatchCost::bounds().
class ForecastUncertainty {
 public:
  /// Costs are those between nodes where the job has several and their costs were measured, else
  /// the least certain inside nodes. Exchange times given by hand have no uncertainty.
  ForecastUncertainty(const Job& job, const std::vector<WorkerInfo>& workers);

  /// Takes note of a pass (and of devices whose overlap is taken to be free): no epoch is shorter
  /// than what its slowest worker computes and exchanges, batches and messages being as fast as
  /// they may be. Reports are by worker.
  void see(const std::vector<WorkerInfo>& workers,
           const std::vector<WorkerReport>& reports,
           const WorkerCosts& costs);

  /// Adds the platform's notes on its messages, lowers the grade if they were measured on another
  /// cluster, and widens the interval: by the 5 and 95 % quantiles of what barriers and the exposed
  /// communication take and by the bounds of batches, never below what has been seen as possible.
  /// An interval contains the epoch.
  void apply_to(RunResult& result) const;

 private:
  void check_cluster(const MessageCosts& costs, const std::vector<WorkerInfo>& workers);
  void note_free_overlap(const std::vector<WorkerInfo>& workers);

  const JobConfig& config_;
  double deviation_ = 0;  ///< of the logarithm of what messages take
  bool is_other_cluster_ = false;
  /// What an epoch's batches may take less or more, of the worker for which that is most.
  double batches_below_s_ = 0;
  double batches_above_s_ = 0;
  double barrier_round_s_ = 0;
  double barrier_s_ = 0;                                      ///< of all who train
  bool overlaps_ = false;                                     ///< and what that costs is not known
  double least_s_ = std::numeric_limits<double>::infinity();  ///< per epoch
  std::vector<std::string> notes_;
};

}  // namespace epochcast::sim
