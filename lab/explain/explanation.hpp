// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/validate/validation.hpp"
#include "analysis/validate/validation_plan.hpp"
#include "core/job/job.hpp"
#include "lab/explain/machine_drift.hpp"

namespace epochcast {

/// Words of a run's command with which it times its machine: batches if it trains, and ring
/// all-reduces of the one of these `sizes` that is nearest to what it exchanges at a time.
[[nodiscard]] std::vector<std::string> timer_words(const ValidationCase& one,
                                                   const std::vector<std::int64_t>& sizes,
                                                   const Catalog& catalog);

/// The error of a row, divided into drift of the machine and error of the model.
struct Explanation {
  std::string group;
  std::string point;
  double error = 0;  ///< forecast / measured - 1
  /// Median over runs; absent if nothing was timed, or another cluster was calibrated.
  std::optional<MachineDrift> drift = {};
  /// The part of the error that is drift: what computing and exchanges of the forecast would take
  /// longer, as a share of the measured epoch, with its sign changed.
  std::optional<double> drift_error = {};

  /// The rest of the error.
  [[nodiscard]] std::optional<double> model_error() const;
};

/// The drift error of a forecast with these phases.
[[nodiscard]] double drift_error_of(const MachineDrift& drift,
                                    const PhaseTimes& forecast,
                                    double measured_s);

/// Of each row with a forecast and a measurement, from what its runs timed and the validation's
/// folder keeps. `folder`: where it lies now; empty: where it was. Throws a UserError that lists
/// what is not there.
[[nodiscard]] std::vector<Explanation> explain(const std::vector<ValidationRow>& rows,
                                               const std::filesystem::path& folder,
                                               const Catalog& catalog);

/// `epochcast.explanation/1`; arguments as those of a validation's to_json().
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<Explanation>& explanations,
                                             const std::string& command,
                                             const std::string& date);

}  // namespace epochcast
