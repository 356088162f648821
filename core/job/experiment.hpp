// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/job/setting_table.hpp"

namespace epochcast {

/// Reads `epochcast.experiment/1`: the same settings as the flags, values as texts, numbers,
/// booleans or lists of these; "validate" is left to analysis/validate/validation_plan.hpp. Throws
/// a UserError that lists every problem.
void apply_experiment(JobConfig& config,
                      const SettingTable& settings,
                      const nlohmann::json& document,
                      const std::string& file);

}  // namespace epochcast
