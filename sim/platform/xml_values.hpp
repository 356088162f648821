// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/formats/platform.hpp"

namespace epochcast::sim {

/// Parsers for values of attributes in SimGrid XML platforms.

/// A whole number of at most nine digits.
[[nodiscard]] std::optional<int> whole(std::string_view text);
/// The parts between the separators; one when there is none.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
/// The number of hosts in "0-7,12"; none for other texts.
[[nodiscard]] std::optional<std::int64_t> radical_size(std::string_view radical);
/// The topology of a <cluster> ("TORUS", "FAT_TREE" or "DRAGONFLY") as the network of a platform;
/// none if its parameters are malformed.
[[nodiscard]] std::optional<Interlink> cluster_topology(std::string_view kind,
                                                        std::string_view parameters);

}  // namespace epochcast::sim
