// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "results/forecast_outcome.hpp"

namespace epochcast {

/// Forecasts in the format of a page's scripts (the view "forecasts"): `epochcast.result/1`, with
/// each run's name and point, and the failed forecasts.
[[nodiscard]] nlohmann::ordered_json forecast_view(const std::vector<ForecastOutcome>& outcomes);

/// A page: the ranking, the parts of epochs, curves over swept settings, and a few iterations in
/// time. `timelines`: from few_iterations().
[[nodiscard]] std::string forecast_html(const std::vector<ForecastOutcome>& outcomes,
                                        const nlohmann::ordered_json& timelines,
                                        const std::string& command);

}  // namespace epochcast
