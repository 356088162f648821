// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/units.hpp"

namespace epochcast {

/// Whether a cluster may have this much, in SI units: 0, or within the range that docs/formats.md
/// tells. What a simulation makes of such values - sums, quotients, clocks - stays finite and
/// apart.
[[nodiscard]] bool is_plausible(Dimension dimension, double value);
/// "a value from 1e-12s to 1e9s": the range, for messages.
[[nodiscard]] std::string plausible_text(Dimension dimension);
/// The same for what is simulated in each message - bandwidths and latencies of links, adding -
/// within a narrower range: a simulated clock loses picoseconds beside years.
[[nodiscard]] bool is_plausible_of_link(Dimension dimension, double value);
[[nodiscard]] std::string plausible_text_of_link(Dimension dimension);
/// What a message says was expected where `got` was found, which is no plausible quantity: the
/// range, when that is all it misses, else expected_text().
[[nodiscard]] std::string expected_text(Dimension dimension, std::string_view got);

}  // namespace epochcast
