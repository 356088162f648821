// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "core/formats/cost_trace_file.hpp"
#include "real/measure/measure_batches.hpp"
#include "real/measure/network_costs.hpp"

namespace epochcast::real {

/// The trace document of what was measured; see trace_json().
[[nodiscard]] nlohmann::ordered_json make_trace(const TraceHeader& header,
                                                std::span<const NetworkCosts> costs);

/// How the samples were taken, for the trace's `source.note`.
[[nodiscard]] std::string sampling_note(const MeasureSettings& settings,
                                        std::span<const NetworkCosts> costs);

}  // namespace epochcast::real
