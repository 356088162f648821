// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace epochcast {

/// Seconds that the first of these batches take longer, all together, than as many later ones:
/// `seconds` of each, in the order in which they were computed, after something else. The first
/// three count by themselves, those of the first tenth of a second by their median, later ones by
/// theirs: machines that stall now and then do so later, too. 0 for fewer than twice as many as
/// begin, and where later ones take as long.
[[nodiscard]] double cold_start_s(const std::vector<double>& seconds);

}  // namespace epochcast
