// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/calibrate/calibration.hpp"
#include "analysis/calibrate/roofline_fit.hpp"
#include "cli/show/table_look.hpp"
#include "core/formats/cost_trace.hpp"

namespace epochcast {

/// The fitted costs of messages, their errors, and the errors for all-reduces that are not part of
/// the fit.
void show_calibration(const Calibration& calibration, const TableLook& look);

/// Statistics of measured batches: warm-up, spread, outliers, drift, sessions and ranks.
void show_batches(const std::vector<CostTrace>& costs, const TableLook& look);

/// The errors of estimates for the rows of the fit, and for rows left out.
void show_roofline(const std::vector<MeasuredBatch>& rows,
                   const Roofline& roofline,
                   const TableLook& look);

}  // namespace epochcast
