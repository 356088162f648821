// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/costs/overlap_cost.hpp"
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

/// Bounds of a time, as factors of its forecast.
struct CostBounds {
  double low = 1;
  double high = 1;
};

/// Seconds of batches of any size on one device, interpolated from a trace.
///
/// A trace may have several ranks, measured at the same time, and several sessions, measured one
/// after the other. All of them count alike; of_worker() narrows the cost to one rank, and to one
/// session. Between measured sizes, equal quantiles are interpolated linearly; beyond them the line
/// through the two nearest sizes is continued (a single size: cost proportional to the batch), and
/// is_extrapolated() says so.
class BatchCost {
 public:
  explicit BatchCost(const CostTrace& trace);
  /// Cost given by hand: `seconds` for a batch of `batch`, proportional for others.
  BatchCost(double seconds, std::int64_t batch);

  /// At the median of the samples. A batch of 0 takes no time.
  [[nodiscard]] BatchTimes median(std::int64_t batch) const;
  /// At a place of the session, from 0 to below 1: the sample of the nearest measured size at that
  /// place; for other sizes, the value at the same quantile. See BlockBootstrap.
  [[nodiscard]] BatchTimes at(std::int64_t batch, double place) const;
  /// Number of samples of the nearest measured size.
  [[nodiscard]] std::size_t samples(std::int64_t batch) const;

  /// Cost to the device's worker number `index` (0, 1, ...): that of rank `index` modulo the number
  /// of ranks, in session number `session` modulo the number of sessions, or in all of them. A
  /// batch size that this session did not measure has the cost of all sessions; if a session has
  /// fewer ranks, workers take them in turn.
  [[nodiscard]] BatchCost of_worker(std::size_t index,
                                    std::optional<std::size_t> session = std::nullopt) const;
  /// Number of sessions; 1 if the trace does not number them.
  [[nodiscard]] std::size_t sessions() const { return std::max<std::size_t>(1, sessions_.size()); }
  /// Number of ranks; 1 if the trace does not number them.
  [[nodiscard]] std::size_t ranks() const { return ranks_; }

  /// Whether samples of any size differ; if not, a forecast has no interval.
  [[nodiscard]] bool has_spread() const;
  /// Relative deviation of the slowest of several workers that draw from the samples: the largest
  /// deviation of the maximum of 1, 2, 4, ... up to `workers` draws, over its mean, for any size.
  /// Known exactly, rare outliers included.
  [[nodiscard]] double deviation_of_slowest(std::size_t workers) const;
  [[nodiscard]] bool is_extrapolated(std::int64_t batch) const;
  /// Bounds for a batch beyond the measured sizes, as factors of its forecast: from the time of the
  /// nearest measured size to a time proportional to it. {1, 1} for others. (Of 76 sizes left out
  /// of the traces that come with Epochcast, 70 are within 3 % of these bounds.) Those of estimates
  /// have the error of nine in ten besides.
  [[nodiscard]] CostBounds bounds(std::int64_t batch) const;
  [[nodiscard]] Grade grade() const { return grade_; }
  /// The batch sizes that were measured, ascending.
  [[nodiscard]] std::vector<std::int64_t> measured_batches() const;
  /// In backward order, shares that sum to 1; empty when not measured.
  [[nodiscard]] const std::vector<LayerShare>& backward_layers() const { return backward_layers_; }
  /// The slowdowns of the device's batches and exchanges while they overlap.
  [[nodiscard]] const OverlapCost& overlap() const { return overlap_; }
  /// The measured work of compressions.
  [[nodiscard]] const std::vector<KernelSamples>& kernels() const { return kernels_; }
  /// The error to expect of an estimate, as text; empty for measured costs.
  [[nodiscard]] const std::string& error_note() const { return error_note_; }
  /// Whether it is an estimate from a data sheet.
  [[nodiscard]] bool is_from_data_sheet() const { return !error_note_.empty(); }
  /// Whether it was given by hand.
  [[nodiscard]] bool is_given() const { return is_given_; }
  /// The same cost with samples around its median: normal, with this relative standard deviation,
  /// independent for each worker.
  [[nodiscard]] BatchCost with_noise(double deviation) const;
  /// Its origin, for provenance.
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

  std::shared_ptr<const Samples>
      samples_;                         ///< all samples, from which of_worker() selects; null: none
  std::vector<std::int64_t> sessions_;  ///< their numbers in the trace, ascending
  std::size_t ranks_ = 1;
  std::vector<Point> points_;
  std::vector<LayerShare> backward_layers_;
  OverlapCost overlap_;
  std::vector<KernelSamples> kernels_;
  Grade grade_ = Grade::estimated;
  std::string origin_;
  std::string error_note_;
  double error_factor_ = 1;
  bool is_given_ = false;
};

/// The median of values; they need not be sorted. 0 for none.
[[nodiscard]] double median_of(std::vector<double> values);
/// The quantile q in [0, 1] of sorted values, linearly interpolated (Hyndman and Fan, type 7).
[[nodiscard]] double quantile_of(const std::vector<double>& sorted, double q);

}  // namespace epochcast
