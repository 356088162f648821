// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "real/measure/measure_batches.hpp"

namespace epochcast::real {

/// Where a measurement is among its points, and how long the rest may take.
class PointTracker {
 public:
  /// Both must outlive the tracker. `report` gets what MeasureProgress says.
  PointTracker(const MeasureSettings& settings,
               const std::function<void(const MeasureProgress&)>& report)
      : settings_(settings), report_(report) {}

  /// What a point measures.
  enum class Kind { batches, layers, overlap };

  /// A point begins.
  void begin(const std::string& network, std::int64_t batch, Kind kind);
  /// Reports what there is, at most once a second.
  void during(const SampleLog& log);
  /// The point has ended.
  void end(const SampleLog& log);
  /// The same for one that measures overlap, of which this share is done.
  void during_overlap(double done);
  void end_overlap(const OverlapSamples& samples);

 private:
  [[nodiscard]] double limit(std::int64_t batch, const SampleLog& log) const;
  [[nodiscard]] double later(const SampleLog& log) const;
  /// How many points a network has.
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
