// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/curve_comparison.hpp"
#include "core/formats/learning_metric.hpp"

namespace epochcast {

/// What a page of learning says besides its curves.
struct CurvePage {
  std::string title = {};
  std::string command = {};                   ///< how to make it again
  std::optional<LearningTarget> target = {};  ///< to be marked
  std::string findings = {};                  ///< lines of text, above the curves
  std::vector<std::string> shown_first = {};  ///< of many curves: names; empty: the first ones
};

/// A page of what tests tell (Metric) over simulated seconds, epochs and bytes sent, and of a GAN's
/// two losses: of each job the mean over its seeds, with their least and most. A seed that has
/// stopped, because it is at the target, stays where it is while others go on.
[[nodiscard]] std::string curve_html(const std::vector<SeededCurves>& jobs, const CurvePage& page);

}  // namespace epochcast
