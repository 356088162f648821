// SPDX-License-Identifier: Apache-2.0
#include "rehearse/runs/rehearsal_task.hpp"

#include <algorithm>

namespace epochcast {

bool is_enough(const RehearsalTask& task, Curve& curve) {
  // Without such a metric the rehearsal reports an error.
  const bool has_metric =
      !task.stop_at || curve.empty() || value_of(curve.front(), task.stop_at->metric);
  if (!has_metric) return false;
  const auto end = std::find_if(curve.begin(), curve.end(), [&](const CurvePoint& point) {
    return point.epoch >= task.config.epochs ||
           (task.stop_after_s && point.training_s >= *task.stop_after_s) ||
           (task.stop_at && task.stop_at->is_met(point));
  });
  if (end == curve.end()) return false;
  curve.erase(end + 1, curve.end());
  return true;
}

double share_of(const RehearsalTask& task, const CurvePoint& point) {
  double share = static_cast<double>(point.epoch) / static_cast<double>(task.config.epochs);
  if (task.stop_after_s) share = std::max(share, point.training_s / *task.stop_after_s);
  return std::min(share, 1.0);
}

}  // namespace epochcast
