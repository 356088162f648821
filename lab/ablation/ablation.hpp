// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/validate/validation.hpp"
#include "lab/ablation/mechanisms.hpp"

namespace epochcast {

/// Forecasts without a mechanism.
struct LeftOutFindings {
  std::string name;                     ///< of the mechanism
  std::string without;                  ///< what forecasts then take for granted
  ValidationSummary all;                ///< of all rows
  std::vector<std::size_t> concerned;   ///< rows whose forecast is more than 0.1 % another one
  ValidationSummary concerned_with;     ///< of these, with it
  ValidationSummary concerned_without;  ///< and without it
};

/// Errors of forecasts with all mechanisms, without each of them, and without all.
class Ablation {
 public:
  /// `rows`: as of forecast_again(): with all mechanisms, then without each of `left_out`.
  Ablation(const std::vector<std::vector<Mechanism>>& left_out,
           std::vector<std::vector<ValidationRow>> rows);

  /// Of all rows, with all mechanisms.
  [[nodiscard]] const ValidationSummary& with_all() const { return with_all_; }
  [[nodiscard]] const std::vector<LeftOutFindings>& left_out() const { return left_out_; }

  /// `epochcast.ablation/1`; arguments as those of a validation's to_json().
  [[nodiscard]] nlohmann::ordered_json json(const std::string& command,
                                            const std::string& date) const;

 private:
  std::vector<std::vector<ValidationRow>> rows_;
  ValidationSummary with_all_;
  std::vector<LeftOutFindings> left_out_;
};

/// Each mechanism alone, then all of them.
[[nodiscard]] std::vector<std::vector<Mechanism>> one_after_the_other(
    const std::vector<Mechanism>& mechanisms);

}  // namespace epochcast
