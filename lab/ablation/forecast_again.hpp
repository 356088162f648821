// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "analysis/validate/validation.hpp"
#include "analysis/validate/validation_run.hpp"
#include "core/job/job.hpp"
#include "lab/ablation/mechanisms.hpp"

namespace epochcast {

/// The rows of validations with new forecasts from their measurements, with all mechanisms and then
/// without each of `left_out`: messages are calibrated again, batches are unchanged. Nothing is
/// measured or run. A row without a forecast stays unchanged; one that cannot be forecast now has
/// the reason in `problems`.
///
/// A forecast names its platform and batches, which lie in its validation's folder beside the
/// messages that the platform comes from. `folder`: the folder's present place; empty:
/// not moved. Throws a UserError that lists missing files.
[[nodiscard]] std::vector<std::vector<ValidationRow>> forecast_again(
    const std::vector<ValidationRow>& rows,
    const std::vector<std::vector<Mechanism>>& left_out,
    const std::filesystem::path& folder,
    const Catalog& catalog,
    const ValidationProgress& progress);

}  // namespace epochcast
