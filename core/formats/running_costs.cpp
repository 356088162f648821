// SPDX-License-Identifier: Apache-2.0
#include "core/formats/running_costs.hpp"

#include <nlohmann/json.hpp>

#include "base/text/units.hpp"

namespace epochcast {

void put_power(nlohmann::ordered_json& json, const std::optional<PowerDraw>& power) {
  if (!power) return;
  json["power"] = {{"idle", quantity_text(power->idle_w, Dimension::watts)},
                   {"busy", quantity_text(power->busy_w, Dimension::watts)},
                   {"source", to_json(power->source)}};
}

std::optional<PowerDraw> read_power(JsonInput& input) {
  auto found = input.maybe("power");
  if (!found) return std::nullopt;
  PowerDraw power;
  power.idle_w = found->at("idle").quantity(Dimension::watts, true);
  JsonInput busy = found->at("busy");
  power.busy_w = busy.quantity(Dimension::watts, true);
  if (power.busy_w < power.idle_w) busy.fail("at least what is drawn when idle");
  power.source = read_source(found->at("source"));
  found->finish();
  return power;
}

void put_price(nlohmann::ordered_json& json, const std::optional<NodePrice>& price) {
  if (!price) return;
  json["price"] = {{"rate", price_text(price->rate)}, {"source", to_json(price->source)}};
}

std::optional<NodePrice> read_price(JsonInput& input) {
  auto found = input.maybe("price");
  if (!found) return std::nullopt;
  NodePrice price;
  const JsonInput rate = found->at("rate");
  const auto parsed = rate.value().is_string()
                          ? parse_price(rate.value().get_ref<const std::string&>())
                          : std::nullopt;
  if (parsed) {
    price.rate = *parsed;
  } else {
    rate.fail(expected_price_text());
  }
  price.source = read_source(found->at("source"));
  found->finish();
  return price;
}

}  // namespace epochcast
