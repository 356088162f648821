// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "base/json/json_input.hpp"

namespace epochcast {

/// A plain number in [low, high], in a file that a program wrote; reported otherwise. Without
/// bounds, any that is finite.
[[nodiscard]] double read_number(const JsonInput& input,
                                 double low = std::numeric_limits<double>::lowest(),
                                 double high = std::numeric_limits<double>::max());

/// The value to 7 significant digits, as measured samples are written.
[[nodiscard]] double rounded(double value);

}  // namespace epochcast
