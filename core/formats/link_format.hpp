// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/text/suggest.hpp"
#include "core/formats/platform.hpp"

namespace epochcast {

/// A quantity that is simulated in each message (is_plausible_of_link()).
[[nodiscard]] double read_of_link(const JsonInput& input,
                                  Dimension dimension,
                                  bool may_be_zero = false);

/// Common parts of interconnects in nodes and networks between nodes: the "bandwidth" and "latency"
/// of a link,
void put_link(nlohmann::ordered_json& json, const LinkSpec& link);
[[nodiscard]] LinkSpec read_link(JsonInput& input);
/// the "backbone" that all transfers share, in bytes per second,
void put_backbone(nlohmann::ordered_json& json, const std::optional<double>& bytes_per_s);
[[nodiscard]] std::optional<double> read_backbone(JsonInput& input);
/// the "messages" that were measured on it,
void put_messages(nlohmann::ordered_json& json, const std::optional<MessageCosts>& messages);
[[nodiscard]] std::optional<MessageCosts> read_messages(JsonInput& input, const LinkSpec& link);

/// and the "topology", by name.
template <typename Topology>
struct Named {
  const char* name;
  Topology value;
};

template <typename Topology, std::size_t N>
const char* name_of(Topology topology, const Named<Topology> (&known)[N]) {
  for (const auto& [name, value] : known) {
    if (value == topology) return name;
  }
  return "?";
}

template <typename Topology, std::size_t N>
Topology read_topology(JsonInput& input, const Named<Topology> (&known)[N]) {
  JsonInput found = input.at("topology");
  std::vector<std::string> names;
  for (const auto& [name, value] : known) {
    if (found.value() == name) return value;
    names.emplace_back(name);
  }
  if (found.value().is_string()) {
    found.problem(unknown_name("topology", found.value().get<std::string>(), names));
  } else {
    found.fail("the name of a topology");
  }
  return known[0].value;
}

}  // namespace epochcast
