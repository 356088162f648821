// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/calibrated_platform.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text/units.hpp"
#include "core/costs/overlap_cost.hpp"

namespace epochcast {
namespace {

double kept_s(double seconds) { return rounded_quantity(seconds, Dimension::seconds); }
double kept_rate(double bytes_per_s) {
  return rounded_quantity(bytes_per_s, Dimension::bytes_per_s);
}

MessageCosts kept(MessageCosts costs) {
  for (MessageRegime& regime : costs.regimes) {
    regime = {.from_bytes = rounded_quantity(regime.from_bytes, Dimension::bytes),
              .latency_s = kept_s(regime.latency_s),
              .bytes_per_s = kept_rate(regime.bytes_per_s)};
  }
  constexpr double kDigits = 1e6;
  costs.uncertainty = std::round(kDigits * costs.uncertainty) / kDigits;
  return costs;
}

/// The time of an empty message; links must have some latency for it to be scaled.
double latency_of(const ScopeFit& fit) {
  return std::max(fit.costs.regimes.front().latency_s, 1e-9);
}

Interconnect inside_of(const ScopeFit& fit, int devices, const Source& source) {
  const double bus = devices * fit.bytes_per_s;
  Interconnect inside;
  inside.topology = NodeTopology::shared_memory;
  inside.link = {.bytes_per_s = kept_rate(bus), .latency_s = kept_s(latency_of(fit))};
  inside.messages = kept(fit.costs);
  inside.source = source;
  return inside;
}

Interlink network_of(Interlink network, const ScopeFit& fit, const Source& source) {
  network.link = {.bytes_per_s = kept_rate(fit.bytes_per_s),
                  .latency_s = kept_s(0.5 * latency_of(fit))};  // a route has two links
  network.backbone_bytes_per_s.reset();  // the shared backbone limited the ring steps, too
  network.messages = kept(fit.costs);
  network.source = source;
  return network;
}

/// The link of a node whose bandwidth exceeds the network's, and messages among such nodes.
Uplink uplink_of(const NetworkFit& fit, int node, const Source& source) {
  const double bytes_per_s = fit.link_bytes_per_s[static_cast<std::size_t>(node)];
  Uplink uplink;
  uplink.link = {.bytes_per_s = kept_rate(bytes_per_s),
                 .latency_s = kept_s(0.5 * latency_of(*fit.between))};
  uplink.messages = fit.between->costs;
  for (MessageRegime& regime : uplink.messages->regimes) regime.bytes_per_s = bytes_per_s;
  uplink.messages = kept(*uplink.messages);
  uplink.source = source;
  return uplink;
}

/// Gives each node its measured link. Neighbours with equal links stay in one group.
std::vector<NodeGroup> with_uplinks(const std::vector<NodeGroup>& groups,
                                    const NetworkFit& fit,
                                    const Source& source) {
  std::vector<NodeGroup> divided;
  int node = 0;
  for (const NodeGroup& group : groups) {
    const std::size_t first = divided.size();
    for (int i = 0; i < group.count; ++i, ++node) {
      NodeGroup one = group;
      one.count = 1;
      if (fit.link_bytes_per_s[static_cast<std::size_t>(node)] >
          kEqualLinks * fit.between->bytes_per_s)
        one.uplink = uplink_of(fit, node, source);
      if (divided.size() > first && divided.back().uplink == one.uplink) {
        ++divided.back().count;
      } else {
        divided.push_back(std::move(one));
      }
    }
    for (std::size_t part = first; divided.size() > first + 1 && part < divided.size(); ++part)
      divided[part].name += "-" + std::to_string(part - first + 1);
  }
  return divided;
}

/// To three digits.
double kept_slowdown(double slowdown) {
  constexpr double kDigits = 1e3;
  return std::round(kDigits * slowdown) / kDigits;
}

/// The slowdowns that `costs` measured on a device model; none if they did not.
std::optional<DeviceOverlap> overlap_measured(const std::vector<CostTrace>& costs,
                                              const std::string& model) {
  std::vector<OverlapSamples> samples;
  Source source;
  for (const CostTrace& cost : costs) {
    if (cost.device != model || cost.overlap.empty()) continue;
    samples.insert(samples.end(), cost.overlap.begin(), cost.overlap.end());
    source = cost.source;
  }
  const OverlapCost measured = measured_overlap(samples);
  if (!measured.is_known) return std::nullopt;
  return DeviceOverlap{.batch_slowdown = kept_slowdown(measured.batch_slowdown),
                       .exchange_slowdown = kept_slowdown(measured.exchange_slowdown),
                       .source = std::move(source)};
}

int devices_of(const NodeGroup& group) {
  int devices = 0;
  for (const DeviceGroup& device : group.devices) devices += device.count;
  return devices;
}

}  // namespace

Platform platform_of_trace(const MessageTrace& trace,
                           const std::vector<std::string>& model_of_rank) {
  Platform platform;
  platform.name = trace.name;
  platform.title = trace.title;
  platform.path = trace.file;
  platform.source = trace.source;
  for (int node = 0; node < trace.node_count(); ++node) {
    std::vector<DeviceGroup> devices;
    for (std::size_t rank = 0; rank < trace.node_of_rank.size(); ++rank) {
      if (trace.node_of_rank[rank] != node) continue;
      if (devices.empty() || devices.back().model != model_of_rank[rank]) {
        devices.emplace_back();
        devices.back().device_class = "cpu";
        devices.back().model = model_of_rank[rank];
      } else {
        ++devices.back().count;
      }
    }
    if (!platform.nodes.empty() && platform.nodes.back().devices == devices) {
      ++platform.nodes.back().count;
    } else {
      const std::string name = "nodes-" + std::to_string(platform.nodes.size() + 1);
      platform.nodes.push_back(
          {.name = name, .count = 1, .devices = std::move(devices), .interconnect = {}});
    }
  }
  return platform;
}

Platform calibrated_platform(Platform platform, const NetworkFit& fit, const Source& source) {
  for (NodeGroup& group : platform.nodes) {
    if (fit.node && devices_of(group) > 1)
      group.interconnect = inside_of(*fit.node, devices_of(group), source);
    if (fit.reduce_bytes_per_s <= 0) continue;
    for (DeviceGroup& device : group.devices)
      device.reduce_bytes_per_s = kept_rate(fit.reduce_bytes_per_s);
  }
  if (!fit.between) return platform;
  platform.network = network_of(platform.network.value_or(Interlink()), *fit.between, source);
  for (NodeGroup& group : platform.nodes) group.uplink.reset();
  if (fit.link_bytes_per_s.empty()) return platform;
  if (platform.node_count() == static_cast<int>(fit.link_bytes_per_s.size()) &&
      platform.network->topology == NetworkTopology::star) {
    platform.nodes = with_uplinks(platform.nodes, fit, source);
  } else {
    const auto [least, most] =
        std::minmax_element(fit.link_bytes_per_s.begin(), fit.link_bytes_per_s.end());
    platform.network->messages->notes.push_back(
        fmt::format("links of the {} nodes that were measured give {}/s to {}/s; this platform has "
                    "other nodes, "
                    "and the slowest link everywhere",
                    fit.link_bytes_per_s.size(),
                    format_bytes(*least),
                    format_bytes(*most)));
  }
  return platform;
}

Platform with_overlap(Platform platform, const std::vector<CostTrace>& costs) {
  for (NodeGroup& group : platform.nodes) {
    for (DeviceGroup& device : group.devices) {
      if (auto measured = overlap_measured(costs, device.model)) {
        device.overlap = std::move(measured);
      } else if (const auto* known = overlap_default(device.device_class);
                 known != nullptr && !device.overlap) {
        device.overlap =
            DeviceOverlap{.batch_slowdown = known->cost.batch_slowdown,
                          .exchange_slowdown = known->cost.exchange_slowdown,
                          .source = {.grade = Grade::estimated,
                                     .method = "default of class " + device.device_class + ": " +
                                               std::string(known->source)}};
      }
    }
  }
  return platform;
}

}  // namespace epochcast
