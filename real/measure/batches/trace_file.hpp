// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/formats/cost_trace.hpp"
#include "real/measure/batches/measure_batches.hpp"
#include "real/measure/batches/network_costs.hpp"

namespace epochcast::real {

/// The trace of the measurements in a precision, to 7 digits. `header`: its metadata, without
/// costs.
[[nodiscard]] TraceFile make_trace(TraceFile header,
                                   std::span<const NetworkCosts> costs,
                                   Precision precision);

/// The method of sampling, for the trace's `source.note`.
[[nodiscard]] std::string sampling_note(const MeasureSettings& settings,
                                        std::span<const NetworkCosts> costs);

}  // namespace epochcast::real
