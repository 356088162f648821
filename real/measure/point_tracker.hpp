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

  /// A point begins; `is_layers`: the one that measures layers.
  void begin(const std::string& network, std::int64_t batch, bool is_layers);
  /// Reports what there is, at most once a second.
  void during(const SampleLog& log);
  /// The point has ended.
  void end(const SampleLog& log);

 private:
  [[nodiscard]] double limit(std::int64_t batch, const SampleLog& log) const;
  [[nodiscard]] double later(const SampleLog& log) const;
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
