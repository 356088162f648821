// SPDX-License-Identifier: Apache-2.0
#include "core/job/forecast_outcome.hpp"

namespace epochcast {

std::string point_text(const std::vector<SettingText>& point) {
  std::string text;
  for (const auto& [name, value] : point) text += (text.empty() ? "" : ", ") + name + " " + value;
  return text;
}

}  // namespace epochcast
