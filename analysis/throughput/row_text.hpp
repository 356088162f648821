// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/throughput/row_forecast.hpp"

namespace epochcast {

/// Configurations as people write them: "nodes=2,4,8,devices=4,batch=64,accumulation=2" are three.
/// `devices` are those of each node; absent parts are those of `usual`. Throws a UserError that
/// begins with `option`.
[[nodiscard]] std::vector<TrainingRow> parse_rows_text(std::string_view text,
                                                       const TrainingRow& usual,
                                                       const std::string& option);

/// One configuration and what was measured: "nodes=1,devices=4: 926/s" (samples of all devices) or
/// "...: 276ms" (a step).
[[nodiscard]] MeasuredRow parse_measured_row(std::string_view text,
                                             const TrainingRow& usual,
                                             const std::string& option);

}  // namespace epochcast
