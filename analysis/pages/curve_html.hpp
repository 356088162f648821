// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/curve_comparison.hpp"
#include "core/formats/learning_metric.hpp"

namespace epochcast {

/// The texts of a page of learning curves.
struct CurvePage {
  std::string title = {};
  std::string command = {};                   ///< the command that reproduces it
  std::optional<LearningTarget> target = {};  ///< to be marked
  std::string findings = {};                  ///< lines of text, above the curves
  std::vector<std::string> shown_first = {};  ///< of many curves: names; empty: the first ones
};

/// A page of test results (Metric) over simulated seconds, epochs and bytes sent, and of a GAN's
/// two losses: for each job the mean over its seeds, with minimum and maximum. A seed that has
/// reached the target keeps its last value.
[[nodiscard]] std::string curve_html(const std::vector<SeededCurves>& jobs, const CurvePage& page);

}  // namespace epochcast
