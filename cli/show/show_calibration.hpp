// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/calibrate/calibration.hpp"
#include "analysis/calibrate/roofline_fit.hpp"
#include "cli/show/table_look.hpp"
#include "core/formats/cost_trace.hpp"

namespace epochcast {

/// What was fitted to messages, how well, and what it says of all-reduces that it has not seen.
void show_calibration(const Calibration& calibration, const TableLook& look);

/// What measured batches are like: warm-up, spread, outliers, drift, sessions and ranks.
void show_batches(const std::vector<CostTrace>& costs, const TableLook& look);

/// How far estimates are from the rows that they were fitted to, and from rows that they were not.
void show_roofline(const std::vector<MeasuredBatch>& rows,
                   const Roofline& roofline,
                   const TableLook& look);

}  // namespace epochcast
