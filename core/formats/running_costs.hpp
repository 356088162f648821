// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "base/json/json_input.hpp"
#include "core/price.hpp"
#include "core/source.hpp"

namespace epochcast {

/// Power of a device, or of the rest of a node: while idle, and while computing.
struct PowerDraw {
  double idle_w = 0;
  double busy_w = 0;
  Source source;

  /// Mean power if it computes for this share of the time.
  [[nodiscard]] double at(double computing_share) const {
    return idle_w + (busy_w - idle_w) * computing_share;
  }

  bool operator==(const PowerDraw&) const = default;
};

/// The price of a node with its devices.
struct NodePrice {
  Price rate;
  Source source;

  bool operator==(const NodePrice&) const = default;
};

/// The "power" of a device or node, and back; absent if the file lacks it.
void put_power(nlohmann::ordered_json& json, const std::optional<PowerDraw>& power);
[[nodiscard]] std::optional<PowerDraw> read_power(JsonInput& input);
/// The "price" of a node, and back.
void put_price(nlohmann::ordered_json& json, const std::optional<NodePrice>& price);
[[nodiscard]] std::optional<NodePrice> read_price(JsonInput& input);

}  // namespace epochcast
