// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/job/forecast_outcome.hpp"

namespace epochcast {

/// Forecasts as a page's scripts draw them (the view "forecasts"): `epochcast.result/1`, with each
/// run's name and point, and what could not be forecast.
[[nodiscard]] nlohmann::ordered_json forecast_view(const std::vector<ForecastOutcome>& outcomes);

/// A page: the ranking, where epochs go, curves over what was swept, and a few iterations in time.
/// `timelines`: as few_iterations() gives them.
[[nodiscard]] std::string forecast_html(const std::vector<ForecastOutcome>& outcomes,
                                        const nlohmann::ordered_json& timelines,
                                        const std::string& command);

}  // namespace epochcast
