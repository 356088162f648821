// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace epochcast::real {

/// The number of samples that a point (one network at one batch size) needs.
struct SamplingRule {
  std::int64_t warmup = 5;         ///< batches run and discarded first
  std::int64_t min_samples = 30;   ///< always taken, regardless of time
  std::int64_t max_samples = 500;  ///< never exceeded
  double max_s = 30;               ///< a point stops here, warm-up and repetitions included
  double confidence_width = 0.01;  ///< a point stops when median_interval_width() is at most this
  bool drop_preempted = false;     ///< repeat disturbed samples instead of keeping them
  double preempted_excess =
      0.03;  ///< a sample is disturbed when its wall time exceeds its CPU time by this share
  bool detects_preemption = true;  ///< false if the training thread waits by design (GPUs)
};

/// Seconds of the machine's monotonic clock.
[[nodiscard]] double clock_s();

/// Width of the 95 % confidence interval of the median, relative to the median.
///
/// Distribution-free: the interval runs from the order statistic floor(n/2 - 0.98 sqrt(n)) to
/// ceil(n/2 + 1 + 0.98 sqrt(n)) (Le Boudec, Performance Evaluation of Computer and Communication
/// Systems, chapter 2). Infinite below six samples, for which no such interval exists.
[[nodiscard]] double median_interval_width(std::span<const double> samples);

/// Selects the valid samples of a point, and decides when they are enough.
class SampleLog {
 public:
  SampleLog(const SamplingRule& rule, double started_s) : rule_(rule), started_s_(started_s) {}

  /// Whether the sample counts; if not, it is to be measured again.
  ///
  /// `cpu_s` is the CPU time of the training thread. It runs all serial code and takes part in
  /// every parallel region, so the difference to the wall clock is time of another process, or of
  /// waiting for a preempted helper.
  bool add(double wall_s, double cpu_s);

  /// Whether the point is finished at `now_s`. Throws a RunError when the machine is too
  /// busy.
  [[nodiscard]] bool is_enough(double now_s) const;

  [[nodiscard]] const std::vector<double>& kept_s() const { return kept_s_; }
  [[nodiscard]] std::int64_t preempted() const { return preempted_; }
  [[nodiscard]] std::int64_t dropped() const { return dropped_; }

 private:
  SamplingRule rule_;
  double started_s_;
  std::vector<double> kept_s_;
  std::int64_t preempted_ = 0;
  std::int64_t dropped_ = 0;
};

}  // namespace epochcast::real
