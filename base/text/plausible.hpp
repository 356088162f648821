// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/text/units.hpp"

namespace epochcast {

/// Whether a cluster may have this much, in SI units: 0, or within the range of docs/formats.md.
/// Sums, quotients and clocks of a simulation with such values stay finite and distinct.
[[nodiscard]] bool is_plausible(Dimension dimension, double value);
/// "a value from 1e-12s to 1e9s": the range, for messages.
[[nodiscard]] std::string plausible_text(Dimension dimension);
/// The same, within a narrower range, for values that are simulated in each message (bandwidths and
/// latencies of links, adding): a double cannot hold picoseconds beside years.
[[nodiscard]] bool is_plausible_of_link(Dimension dimension, double value);
[[nodiscard]] std::string plausible_text_of_link(Dimension dimension);
/// The expected value in a message about `got`, which is no plausible quantity: the range, if `got`
/// is only out of range, else expected_text().
[[nodiscard]] std::string expected_text(Dimension dimension, std::string_view got);

}  // namespace epochcast
