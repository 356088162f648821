// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analysis/validate/validation.hpp"

namespace epochcast {

/// Uncertainty of a row's error: half of the 90 % confidence interval of its mean, as a share (of
/// logarithms, by Student's t). Absent with fewer than two runs.
[[nodiscard]] std::optional<double> uncertainty_of_error(const ValidationRow& row);

/// Number of runs of a configuration: more if its error stays uncertain.
struct RepetitionRule {
  int least = 3;            ///< repetitions of each
  double precision = 0.02;  ///< a row's error is known well enough with this uncertainty_of_error

  /// Of a row whose error stays uncertain.
  [[nodiscard]] int most() const;
  /// Whether a row needs another repetition. One whose only run has failed does not.
  [[nodiscard]] bool wants_another(const ValidationRow& row, int done) const;
};

}  // namespace epochcast
