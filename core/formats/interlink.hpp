// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/formats/platform.hpp"
#include "core/json/json_input.hpp"

namespace epochcast {

/// Why this network cannot be built, such as "has more than 4000000 links"; empty when it can.
[[nodiscard]] std::string why_impossible(const Interlink& network);

/// Reads a platform's "network". Notes every problem, those of topologies that cannot be built
/// included.
[[nodiscard]] Interlink read_interlink(JsonInput input);

}  // namespace epochcast
