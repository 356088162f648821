// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/json/json_input.hpp"
#include "core/costs/message_costs.hpp"

namespace epochcast {

/// The "messages" object of a platform, and back; problems are collected in `input`.
[[nodiscard]] nlohmann::ordered_json to_json(const MessageCosts& costs);
[[nodiscard]] MessageCosts read_message_costs(JsonInput input);

}  // namespace epochcast
