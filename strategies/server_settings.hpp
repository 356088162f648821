// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "core/job/placement.hpp"
#include "core/job/setting_text.hpp"
#include "core/job/strategy_setting.hpp"

namespace epochcast {

/// A number of servers: "2", "2:packed".
struct ServersValue {
  static constexpr const char* kPacked = ":packed";

  [[nodiscard]] ServerChoice read(const std::string& text) const {
    const std::size_t end = std::min(text.find(':'), text.size());
    const bool is_packed = text.substr(end) == kPacked;
    if (end != text.size() && !is_packed)
      throw UserError("got \"" + text + "\"; expected a number of servers, such as 2 or 2:packed");
    return {.count = parse_small_count(is_packed ? text.substr(0, end) : text, 1),
            .placement = is_packed ? ServerPlacement::packed : ServerPlacement::spread};
  }
  [[nodiscard]] std::string show(const ServerChoice& choice) const {
    return std::to_string(choice.count.value_or(1)) +
           (choice.placement == ServerPlacement::packed ? kPacked : "");
  }
};

/// How many servers a job has, and where. In forecasts, servers are CPUs of the job's nodes, or
/// processes beside workers; dedicated machines are a group of nodes without workers in the
/// platform's file. In real jobs, they are ranks.
inline constexpr StrategySettingOf kServers(
    "servers",
    "COUNT[:packed]",
    "parameter servers and byteps: how many, on each node in turn, or on the first nodes (default: "
    "all CPUs beside other devices that train, else one)",
    "",
    "1",
    ServersValue{});

/// The job's choice.
[[nodiscard]] inline ServerChoice server_choice(const JobConfig& config) {
  return kServers.is_set(config) ? kServers.of(config) : ServerChoice{};
}

}  // namespace epochcast
