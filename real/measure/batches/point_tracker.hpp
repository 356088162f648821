// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "real/measure/batches/measure_batches.hpp"

namespace epochcast::real {

/// The current point of a measurement, and the remaining time.
class PointTracker {
 public:
  /// Both must outlive the tracker. `report` gets the progress.
  PointTracker(const MeasureSettings& settings,
               const std::function<void(const MeasureProgress&)>& report)
      : settings_(settings), report_(report) {}

  /// The kind of a point's measurement.
  enum class Kind { batches, layers, overlap, kernels };

  /// A point begins. `compression`: whose kernels it measures.
  void begin(const std::string& network,
             std::int64_t batch,
             Kind kind,
             const std::string& compression = {});
  /// Reports the current state, at most once a second.
  void during(const SampleLog& log);
  /// The point has ended.
  void end(const SampleLog& log);
  /// The same for an overlap measurement, of which this share is done.
  void during_overlap(double done);
  void end_overlap(const OverlapSamples& samples);
  /// The kernels of a compression were measured: `result` is a text.
  void end_kernels(const std::string& result);

 private:
  [[nodiscard]] double limit(std::int64_t batch, const SampleLog& log) const;
  [[nodiscard]] double later(const SampleLog& log) const;
  /// The number of points of a network.
  [[nodiscard]] std::size_t points() const;
  void emit(double part, double left_s, const std::string& finished);

  const MeasureSettings& settings_;
  const std::function<void(const MeasureProgress&)>& report_;
  std::string point_;
  std::int64_t batch_ = 1;
  std::size_t finished_ = 0;
  double started_s_ = 0;
  double reported_s_ = 0;
};

}  // namespace epochcast::real
