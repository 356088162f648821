// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace epochcast {

/// A line of CSV: cells with commas, quotes or line breaks are quoted.
[[nodiscard]] std::string csv_row(const std::vector<std::string>& cells);

}  // namespace epochcast
