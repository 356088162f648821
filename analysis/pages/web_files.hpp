// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace epochcast {

/// A file of analysis/pages/web, or of the chart library, embedded in this program: "page.css",
/// "chart.js", "chart.js.licence"; and docs/fidelity.md with the errors of forecasts. Throws
/// std::out_of_range for another name.
[[nodiscard]] std::string_view web_file(std::string_view name);

}  // namespace epochcast
