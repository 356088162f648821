// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/validate/validation_plan.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// What would keep each case from being forecast or run, by case: its files, data sets included,
/// names and settings. Nothing is measured or run; cases that emulate are forecast once on the
/// platform that they name, which finds what only shows when a job is laid out.
///
/// What only the machines know is left to the run: their devices, and what weights hold.
[[nodiscard]] std::vector<std::vector<std::string>> problems_of_cases(
    const std::vector<ValidationCase>& cases, const Catalog& catalog);

}  // namespace epochcast
