// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/json/json_input.hpp"
#include "core/formats/platform.hpp"

namespace epochcast {

/// Why this network cannot be built, such as "has more than 4000000 links"; empty when it can.
[[nodiscard]] std::string why_impossible(const Interlink& network);

/// A platform's "network", and back. Reading notes every problem, those of topologies that cannot
/// be built included.
[[nodiscard]] nlohmann::ordered_json to_json(const Interlink& network);
[[nodiscard]] Interlink read_interlink(JsonInput input);

}  // namespace epochcast
