// SPDX-License-Identifier: Apache-2.0
#include "results/forecast_outcome.hpp"

namespace epochcast {

std::string point_text(const std::vector<SettingText>& point) {
  std::string text;
  for (const auto& [name, value] : point) text += (text.empty() ? "" : ", ") + name + " " + value;
  return text;
}

NotForecast not_forecast(const ForecastOutcome& outcome) {
  return {.strategy = outcome.task.strategy,
          .point = point_text(outcome.task.point),
          .problems = outcome.problems};
}

}  // namespace epochcast
