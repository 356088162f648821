// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "analysis/validate/mechanisms.hpp"
#include "analysis/validate/validation.hpp"
#include "analysis/validate/validation_run.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// The rows of validations with forecasts that this program makes of what they have measured, first
/// with all mechanisms and then without each of `left_out`: messages are calibrated anew, batches
/// are as they were. Nothing is measured or run. A row that had no forecast stays as it is; one
/// that cannot be forecast now has its reason in `problems`.
///
/// A forecast names its platform and batches, which lie in its validation's folder beside the
/// messages that the platform comes from. `folder`: where that folder lies now; empty:
/// where it was. Throws a UserError that lists what is not there.
[[nodiscard]] std::vector<std::vector<ValidationRow>> forecast_again(
    const std::vector<ValidationRow>& rows,
    const std::vector<std::vector<Mechanism>>& left_out,
    const std::filesystem::path& folder,
    const Catalog& catalog,
    const ValidationProgress& progress);

}  // namespace epochcast
