// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/costs/batch_cost.hpp"
#include "core/costs/worker_costs.hpp"
#include "core/job/job.hpp"
#include "results/result.hpp"
#include "strategies/strategy.hpp"

namespace epochcast::sim {

/// Relative standard deviation of batches from one worker and iteration to the next, where they are
/// estimated from data sheets or given by hand. Assumed. (Equal GPUs of one cluster differ by 8 %
/// in all, with outliers, in arXiv 2208.11035; drawn samples of the traces here by 1 to 3 %.)
constexpr double kAssumedBatchDeviation = 0.02;

/// The uncertainty of a job's batch and message costs, and its effect on the interval and the grade
/// of the forecast.
///
/// - Messages: their time is off by a factor whose logarithm is normal, with the platform's
/// uncertainty of exchanges of the gradients' or buckets' size as its standard deviation. The
/// factor is the same for all of a run, independent of how computing varies, and never brings a
/// time to zero. It is larger by kExtrapolationDeviation on a cluster other than the measured one,
/// and by kUnmeasuredLibraryDeviation for an unmeasured all-reduce of the MPI library.
/// - Batches: sizes outside of the measured range, and estimates from data sheets, take a time
/// within BatchCost::bounds().
/// - Batches estimated from data sheets: an iteration takes as long as the slowest
/// of P workers, which is expected to be some kAssumedBatchDeviation times the expected maximum of
/// P normal numbers longer than the mean. The upper end has that.
/// - Work that is dealt on demand: the mean time between numbers is known within 2 %, or 5 %
/// (DealWatch).
/// - Overlap that is charged by default (OverlapDefault): between none and most_batch_slowdown.
class ForecastUncertainty {
 public:
  /// Costs are those between nodes if the job has several nodes and the costs were measured, else
  /// the least certain ones inside nodes. Exchange times given by hand have no uncertainty.
  ForecastUncertainty(const Job& job,
                      const Strategy& strategy,
                      const std::vector<WorkerInfo>& workers);

  /// Records a pass (and devices whose overlap is taken as free): no epoch is shorter than the
  /// computing and exchanges of its slowest worker, with batches and messages at their lower
  /// bounds. Reports are by worker.
  void see(const std::vector<WorkerInfo>& workers,
           const std::vector<WorkerReport>& reports,
           const WorkerCosts& costs);

  /// Numbers that are dealt were omitted.
  void see_omitted_deals(double half_width);

  /// Adds the platform's notes on its messages, lowers the grade if they were measured on another
  /// cluster, and widens the interval: by the 5 and 95 % quantiles of exposed
  /// communication and by the bounds of batches, never below the least possible epoch. An interval
  /// contains the epoch.
  void apply_to(RunResult& result) const;

 private:
  void check_cluster(const MessageCosts& costs, const std::vector<WorkerInfo>& workers);
  void check_all_reduce(const std::vector<const MessageCosts*>& measured, int members);
  void see_charged_overlap(const std::vector<WorkerInfo>& workers,
                           const std::vector<WorkerReport>& reports,
                           const WorkerCosts& costs);
  void note_free_overlap(const std::vector<WorkerInfo>& workers);

  const Job& job_;
  const Strategy& strategy_;
  const JobConfig& config_;
  double deviation_ = 0;  ///< of the logarithm of message times
  bool is_other_cluster_ = false;
  /// How much less or more an epoch's batches may take, for the worker with the largest difference.
  double batches_below_s_ = 0;
  double batches_above_s_ = 0;
  double slowest_above_s_ = 0;  ///< by the slowest worker of each iteration
  double overlap_below_s_ = 0;  ///< by overlap that is charged by default
  double overlap_above_s_ = 0;
  double dealt_ = 0;       ///< of the epoch, by numbers that were not dealt
  bool overlaps_ = false;  ///< and the cost of overlap is unknown
  double least_s_ = std::numeric_limits<double>::infinity();  ///< per epoch
  std::vector<std::string> notes_;
};

}  // namespace epochcast::sim
