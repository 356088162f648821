// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/formats/learning_metric.hpp"

namespace epochcast {

/// One job's learning.
struct NamedCurve {
  std::string name;
  Curve points;
};

/// A page with plots of what tests tell (Metric) against simulated seconds, epochs and bytes sent,
/// and of a GAN's two losses. `target`: what to mark. `command`: how to make it again.
[[nodiscard]] std::string curve_html(const std::vector<NamedCurve>& curves,
                                     const std::string& title,
                                     const std::string& command,
                                     const std::optional<LearningTarget>& target);

}  // namespace epochcast
