// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/validate/validation_plan.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// Problems of each case, by case: of its files (data sets included), names and settings. Nothing
/// is measured or run. Emulated cases are forecast once on the platform that they name, to find
/// problems of placement. Devices of the machines and contents of weights are checked by the run.
[[nodiscard]] std::vector<std::vector<std::string>> problems_of_cases(
    const std::vector<ValidationCase>& cases, const Catalog& catalog);

}  // namespace epochcast
