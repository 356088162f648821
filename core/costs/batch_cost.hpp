// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/fabric.hpp"
#include "core/formats/cost_trace.hpp"

namespace epochcast {

/// Seconds of the parts of one batch.
struct BatchTimes {
  double load_s = 0;
  double forward_s = 0;
  double backward_s = 0;
  double step_s = 0;

  [[nodiscard]] double total_s() const { return load_s + forward_s + backward_s + step_s; }
  BatchTimes& operator*=(double factor) {
    for (double* part : {&load_s, &forward_s, &backward_s, &step_s}) *part *= factor;
    return *this;
  }
};

/// What remains of the speeds of a batch and of an exchange while both go on, of those alone.
struct SpeedsBeside {
  double batch = 1;
  double exchange = 1;
};
/// Of the i-th sample. Together at least as fast as one after the other: what stands still leaves
/// the core to the other. Where the two hardly met, the batch's own is a difference of noise.
[[nodiscard]] SpeedsBeside speeds_beside(const OverlapSamples& samples, std::size_t i);

/// The least and the most that something may take, as factors of what it is forecast to.
struct CostBounds {
  double low = 1;
  double high = 1;
};

/// What batches of any size cost on one device: a trace, interpolated.
///
/// A trace may tell ranks apart, which measured at the same time, and sessions, which were measured
/// one after the other. All of them count here alike; of_worker() narrows the cost to one rank, and
/// to one session.
/// Between measured sizes, equal quantiles are interpolated linearly; beyond them the line through
/// the two nearest sizes is continued (a single size: cost proportional to the batch), and
/// is_extrapolated() says so.
class BatchCost {
 public:
  explicit BatchCost(const CostTrace& trace);
  /// Cost given by hand: `seconds` for a batch of `batch`, proportional for others.
  BatchCost(double seconds, std::int64_t batch);

  /// At the median of the samples. A batch of 0 takes no time.
  [[nodiscard]] BatchTimes median(std::int64_t batch) const;
  /// At a place of the samples' session, 0 its beginning and below 1: what the nearest measured
  /// size took there, or its quantile of others. See BlockBootstrap.
  [[nodiscard]] BatchTimes at(std::int64_t batch, double place) const;
  /// How many samples the session has of the nearest measured size.
  [[nodiscard]] std::size_t samples(std::int64_t batch) const;

  /// What the device's worker number `index` (0, 1, ...) pays: rank `index` modulo the number of
  /// ranks, in session number `session` modulo the number of sessions, or in all of them. A batch
  /// size that this session did not measure costs what it cost in all sessions; where fewer ranks
  /// measured than elsewhere, workers share them in turn. What exchanges cost a rank's batches is
  /// its own, too, of all sessions: each has few samples.
  [[nodiscard]] BatchCost of_worker(std::size_t index,
                                    std::optional<std::size_t> session = std::nullopt) const;
  /// How many sessions there are to choose from; 1 where they are not told apart.
  [[nodiscard]] std::size_t sessions() const { return std::max<std::size_t>(1, sessions_.size()); }
  /// How many ranks there are to share out; 1 where they are not told apart.
  [[nodiscard]] std::size_t ranks() const { return ranks_; }

  /// Whether any size has samples that differ: without, a forecast has no interval.
  [[nodiscard]] bool has_spread() const;
  /// How much the slowest of workers that draw from the samples varies: the greatest deviation of
  /// the maximum of 1, 2, 4, ... up to `workers` draws, over its mean, for any size. Known exactly,
  /// rare outliers included.
  [[nodiscard]] double deviation_of_slowest(std::size_t workers) const;
  [[nodiscard]] bool is_extrapolated(std::int64_t batch) const;
  /// What a batch beyond the measured sizes may take, as factors of what it is forecast to: as long
  /// as the nearest measured size, up to in proportion to it. {1, 1} for others. (Of 76 sizes left
  /// out of the traces that come with Epochcast, 70 are within 3 % of these bounds.)
  [[nodiscard]] CostBounds bounds(std::int64_t batch) const;
  [[nodiscard]] Grade grade() const { return grade_; }
  /// The batch sizes that were measured, ascending.
  [[nodiscard]] std::vector<std::int64_t> measured_batches() const;
  /// In backward order, shares that sum to 1; empty when not measured.
  [[nodiscard]] const std::vector<LayerShare>& backward_layers() const { return backward_layers_; }
  /// How much batches of this size and all-reduces by this algorithm slow each other down: what
  /// remains of their speeds is the mean over what was measured with the algorithm (or, where it
  /// was not, with any other but the library's own, which waits in another way), the nearest batch
  /// size and then the nearest `bytes`. From 1, no faster than alone, to 1000. Not known where
  /// nothing fits.
  [[nodiscard]] OverlapCost overlap(std::int64_t batch,
                                    const std::string& all_reduce,
                                    double bytes) const;
  /// How wrong an estimate may be; empty for others.
  [[nodiscard]] const std::string& doubt() const { return doubt_; }
  /// Where it comes from, for provenance.
  [[nodiscard]] const std::string& origin() const { return origin_; }

 private:
  struct Point {
    double batch = 0;
    std::vector<double> sorted_s;
    std::vector<double> quantiles;  ///< of the samples in the order measured
    double median_s = 0;
    BatchTimes shares;  ///< parts of a whole batch, sum 1
  };

  [[nodiscard]] double total_at(double batch, std::optional<double> quantile) const;
  [[nodiscard]] const Point& nearest(double batch) const;
  [[nodiscard]] BatchTimes split(double batch, double total_s) const;

  using Samples = std::vector<BatchSamples>;
  using Group = std::vector<const BatchSamples*>;

  [[nodiscard]] static Point point_of(const Group& group);

  std::shared_ptr<const Samples> samples_;  ///< what there is to narrow; null: nothing
  std::vector<std::int64_t> sessions_;      ///< their numbers in the trace, ascending
  std::size_t ranks_ = 1;
  std::vector<Point> points_;
  std::vector<LayerShare> backward_layers_;
  std::vector<OverlapSamples> overlap_;
  Grade grade_ = Grade::estimated;
  std::string origin_;
  std::string doubt_;
};

/// The median of values; they need not be sorted. 0 for none.
[[nodiscard]] double median_of(std::vector<double> values);
/// The quantile q in [0, 1] of sorted values, linearly interpolated (Hyndman and Fan, type 7).
[[nodiscard]] double quantile_of(const std::vector<double>& sorted, double q);

}  // namespace epochcast
