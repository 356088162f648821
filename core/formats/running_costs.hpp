// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/json/json_input.hpp"
#include "core/price.hpp"
#include "core/source.hpp"

namespace epochcast {

/// What a device draws, or the rest of a node: while nothing is computed, and while it is.
struct PowerDraw {
  double idle_w = 0;
  double busy_w = 0;
  Source source;

  /// What it draws while it computes for such a share of the time.
  [[nodiscard]] double at(double computing_share) const {
    return idle_w + (busy_w - idle_w) * computing_share;
  }

  bool operator==(const PowerDraw&) const = default;
};

/// What a node costs, with all that is in it.
struct NodePrice {
  Price rate;
  Source source;

  bool operator==(const NodePrice&) const = default;
};

/// The "power" of a device or node, and back; absent where the file says nothing of it.
void put_power(nlohmann::ordered_json& json, const std::optional<PowerDraw>& power);
[[nodiscard]] std::optional<PowerDraw> read_power(JsonInput& input);
/// The "price" of a node, and back.
void put_price(nlohmann::ordered_json& json, const std::optional<NodePrice>& price);
[[nodiscard]] std::optional<NodePrice> read_price(JsonInput& input);

}  // namespace epochcast
