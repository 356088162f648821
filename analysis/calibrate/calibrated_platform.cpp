// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/calibrated_platform.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "analysis/calibrate/fit_doubts.hpp"
#include "analysis/calibrate/measured_all_reduces.hpp"
#include "core/costs/batch_cost.hpp"
#include "core/error.hpp"
#include "core/process/process_pool.hpp"
#include "core/units.hpp"

namespace epochcast {
namespace {

constexpr const char* kBetween = "messages between nodes";
constexpr const char* kBetweenFaster = "messages between the faster nodes";
constexpr const char* kLibrary = "openmpi";  // whose exchanges may take turns
constexpr const char* kInside = "messages inside nodes";
constexpr double kLargeAllReduce = 1 << 20;  // bytes: what training exchanges

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
  costs.barrier_round_s = kept_s(costs.barrier_round_s);
  if (std::isfinite(costs.turns_from_bytes))
    costs.turns_from_bytes = rounded_quantity(costs.turns_from_bytes, Dimension::bytes);
  costs.turns_share = std::round(kDigits * costs.turns_share) / kDigits;
  costs.turns_share_of_two = std::round(kDigits * costs.turns_share_of_two) / kDigits;
  costs.turns_share_of_two_together =
      std::round(kDigits * costs.turns_share_of_two_together) / kDigits;
  for (OneWayShare& each : costs.one_way) {
    each = {.bytes = rounded_quantity(each.bytes, Dimension::bytes),
            .share = std::max(1 / kDigits, std::round(kDigits * each.share) / kDigits)};
  }
  return costs;
}

/// What a message of no bytes takes; links must have some latency for it to be scaled.
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
                  .latency_s = kept_s(0.5 * latency_of(fit))};  // a way has two links
  network.backbone_bytes_per_s.reset();  // what all share limited the ring steps, too
  network.messages = kept(fit.costs);
  network.source = source;
  return network;
}

/// The costs of messages from and to a node, and what its link gives.
Uplink uplink_of(const NetworkFit& fit, int node, const Source& source) {
  Uplink uplink;
  const ScopeFit* costs = &*fit.between;
  for (const FasterNodes& faster : fit.faster) {
    if (!std::binary_search(faster.nodes.begin(), faster.nodes.end(), node)) continue;
    costs = &faster.fit;
    uplink.messages = kept(costs->costs);
  }
  uplink.link = {.bytes_per_s = kept_rate(fit.link_bytes_per_s[static_cast<std::size_t>(node)]),
                 .latency_s = kept_s(0.5 * latency_of(*costs))};
  uplink.source = source;
  return uplink;
}

/// Gives each node the link that was measured. Neighbours that have the same stay together.
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

int devices_of(const NodeGroup& group) {
  int devices = 0;
  for (const DeviceGroup& device : group.devices) devices += device.count;
  return devices;
}

/// Seconds of cases, simulated in a process of its own.
std::vector<double> simulated_s(const Platform& platform,
                                const std::vector<sim::AllReduceCase>& cases,
                                const std::string& file) {
  std::vector<double> seconds;
  run_in_processes(
      1,
      1,
      [&](std::size_t) { return nlohmann::json(sim::all_reduce_seconds(platform, cases)).dump(); },
      [&](std::size_t, const TaskAnswer& answer) {
        if (answer.ending == Ending::bad_input)
          throw UserError(file + ": " + answer.problems.front());
        if (answer.ending != Ending::done)
          throw RunError("the simulation of all-reduces " + answer.problems.front());
        seconds = nlohmann::json::parse(answer.text).get<std::vector<double>>();
      });
  return seconds;
}

/// The checks with what a simulation on the platform says.
std::vector<AllReduceCheck> simulated(std::vector<AllReduceCheck> checks,
                                      const Platform& platform,
                                      const std::string& file) {
  if (checks.empty()) return checks;
  std::vector<sim::AllReduceCase> cases;
  cases.reserve(checks.size());
  for (const AllReduceCheck& check : checks) cases.push_back(check.all_reduce);
  const std::vector<double> forecasts_s = simulated_s(platform, cases, file);
  for (std::size_t i = 0; i < checks.size(); ++i) checks[i].forecast_s = forecasts_s[i];
  return checks;
}

/// Whether the all-reduce shows how much exchanges take turns.
bool shows_turns(const sim::AllReduceCase& all_reduce) {
  return all_reduce.algorithm == kLibrary && all_reduce.scope == "all" &&
         all_reduce.bytes >= kLargeAllReduce;
}

/// Which share of turns the trace's all-reduces show: their ranks come together.
double MessageCosts::*turns_shown_by(const MessageTrace& trace) {
  return trace.node_of_rank.size() > 2 ? &MessageCosts::turns_share
                                       : &MessageCosts::turns_share_of_two_together;
}

/// The platform with this share of the turns that the trace shows.
Platform with_turns_share(Platform platform, const MessageTrace& trace, double share) {
  double MessageCosts::*const field = turns_shown_by(trace);
  (*platform.network->messages).*field = share;
  for (NodeGroup& group : platform.nodes) {
    if (group.uplink && group.uplink->messages) (*group.uplink->messages).*field = share;
  }
  return platform;
}

/// How much of the later of two messages waits, from what the library's own all-reduce among all
/// ranks took and would take if nobody or everybody took turns, if they show it.
std::optional<double> fit_turns_share(const MessageTrace& trace, const Platform& platform) {
  std::vector<sim::AllReduceCase> cases;
  std::vector<double> measured_s;
  for (const MessageCost& cost : trace.costs) {
    const sim::AllReduceCase all_reduce = {
        .scope = cost.scope, .algorithm = cost.algorithm, .bytes = static_cast<double>(cost.bytes)};
    if (cost.kind != "all-reduce" || !shows_turns(all_reduce)) continue;
    cases.push_back(all_reduce);
    measured_s.push_back(expected_s(cost.samples_s));
  }
  if (cases.empty()) return std::nullopt;
  const std::vector<double> least_s =
      simulated_s(with_turns_share(platform, trace, 0), cases, trace.file);
  const std::vector<double> most_s =
      simulated_s(with_turns_share(platform, trace, 1), cases, trace.file);
  std::vector<double> shares;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    constexpr double kShows = 1.1;
    if (most_s[i] < kShows * least_s[i]) continue;
    shares.push_back(std::clamp((measured_s[i] - least_s[i]) / (most_s[i] - least_s[i]), 0.0, 1.0));
  }
  if (shares.empty()) return std::nullopt;
  return median_of(std::move(shares));
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

namespace {

/// Of as many nodes as were measured, messages share the backbone; of others, or where the topology
/// says what is shared, each is as slow as a ring's were.
void share_backbone(Platform& platform, const Backbone& backbone) {
  Interlink& network = *platform.network;
  if (network.topology == NetworkTopology::star && platform.node_count() == backbone.nodes) {
    network.backbone_bytes_per_s = kept_rate(backbone.bytes_per_s);
    return;
  }
  const double ring = kept_rate(backbone.ring_bytes_per_s);
  network.link.bytes_per_s = std::min(network.link.bytes_per_s, ring);
  for (MessageRegime& regime : network.messages->regimes)
    regime.bytes_per_s = std::min(regime.bytes_per_s, ring);
}

}  // namespace

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
  if (fit.backbone) share_backbone(platform, *fit.backbone);
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

std::vector<AllReduceCheck> check_all_reduces(const Platform& platform, const MessageTrace& trace) {
  std::vector<AllReduceCheck> checks;
  for (const MessageCost& cost : trace.costs) {
    if (cost.kind != "all-reduce") continue;
    checks.push_back({.all_reduce = {.scope = cost.scope,
                                     .algorithm = cost.algorithm,
                                     .bytes = static_cast<double>(cost.bytes)},
                      .measured_s = expected_s(cost.samples_s)});
  }
  return simulated(std::move(checks), platform, trace.file);
}

std::vector<AllReduceCheck> larger_all_reduces(const Platform& platform,
                                               const MessageTrace& trace) {
  std::vector<AllReduceCheck> largest;
  for (const MessageCost& cost : trace.costs) {
    if (cost.kind != "all-reduce" || static_cast<double>(cost.bytes) < kLargeAllReduce) continue;
    const AllReduceCheck check = {.all_reduce = {.scope = cost.scope,
                                                 .algorithm = cost.algorithm,
                                                 .bytes = static_cast<double>(cost.bytes)},
                                  .measured_s = expected_s(cost.samples_s)};
    const auto known = std::ranges::find_if(largest, [&](const AllReduceCheck& each) {
      return each.all_reduce.scope == cost.scope && each.all_reduce.algorithm == cost.algorithm;
    });
    if (known == largest.end()) {
      largest.push_back(check);
    } else if (check.all_reduce.bytes > known->all_reduce.bytes) {
      *known = check;
    }
  }
  std::vector<AllReduceCheck> larger;
  for (const AllReduceCheck& check : largest) {
    for (const double times : {4, 16, 64}) {
      larger.push_back(check);
      larger.back().all_reduce.bytes *= times;
      larger.back().measured_s *= times;
    }
  }
  return simulated(std::move(larger), platform, trace.file);
}

namespace {

/// Writes what was measured of all-reduces beside the messages of their scope, whose uncertainty is
/// that of samples alone.
void keep_all_reduces(Calibration& calibration,
                      const Platform& platform,
                      const MessageTrace& trace) {
  NetworkFit& fit = calibration.fit;
  const std::vector<AllReduceCheck> larger = larger_all_reduces(platform, trace);
  const auto measured = [&](const ScopeFit& scope, const std::string& name, std::ptrdiff_t ranks) {
    return measured_all_reduces(
        trace, calibration.checks, larger, name, static_cast<int>(ranks), scope.costs.uncertainty);
  };
  const auto ranks = std::ssize(trace.node_of_rank);
  if (fit.between) {
    fit.between->costs.all_reduces = measured(*fit.between, "all", ranks);
    for (FasterNodes& faster : fit.faster)
      faster.fit.costs.all_reduces = fit.between->costs.all_reduces;
  }
  if (!fit.node) return;
  // Those inside nodes were measured on all nodes at once: the slowest has the most ranks.
  std::ptrdiff_t in_node = 0;
  for (int node = 0; node < trace.node_count(); ++node) {
    in_node =
        std::max(in_node, std::count(trace.node_of_rank.begin(), trace.node_of_rank.end(), node));
  }
  fit.node->costs.all_reduces =
      measured(*fit.node, fit.between ? "node" : "all", fit.between ? in_node : ranks);
}

}  // namespace

Calibration calibrate(const MessageTrace& trace) {
  Calibration calibration = {.fit = fit_network(trace), .checks = {}};
  NetworkFit& fit = calibration.fit;
  const auto refuse_if_unknown = [&](ScopeFit& scope, const std::string& name) {
    if (scope.costs.uncertainty > kMostUncertainty)
      check_uncertainty(trace.file, name, scope.costs);
  };
  if (fit.between) refuse_if_unknown(*fit.between, kBetween);
  for (FasterNodes& faster : fit.faster) refuse_if_unknown(faster.fit, kBetweenFaster);
  if (fit.node) refuse_if_unknown(*fit.node, kInside);
  const std::vector<std::string> models(trace.node_of_rank.size(), "cpu");
  const auto calibrated = [&] {
    Platform platform = calibrated_platform(platform_of_trace(trace, models), fit, trace.source);
    check_platform(platform, trace.file);
    return platform;
  };
  Platform platform = calibrated();
  if (fit.between && std::isfinite(fit.between->costs.turns_from_bytes)) {
    if (const auto share = fit_turns_share(trace, platform)) {
      double MessageCosts::*const field = turns_shown_by(trace);
      fit.between->costs.*field = *share;
      for (FasterNodes& faster : fit.faster) faster.fit.costs.*field = *share;
      platform = calibrated();
    }
  }
  calibration.checks = check_all_reduces(platform, trace);
  for (AllReduceCheck& check : calibration.checks) {
    check.is_fitted = fit.between && std::isfinite(fit.between->costs.turns_from_bytes) &&
                      shows_turns(check.all_reduce);
  }
  keep_all_reduces(calibration, platform, trace);
  const auto widen =
      [&](std::optional<ScopeFit>& scope, const std::string& ring, const std::string& name) {
        if (!scope) return;
        double sum = 0;
        double count = 0;
        for (const AllReduceCheck& check : calibration.checks) {
          if (check.all_reduce.scope != ring || check.all_reduce.bytes < kLargeAllReduce ||
              check.all_reduce.algorithm == kLibrary)
            continue;
          sum += std::pow(std::log(check.forecast_s / check.measured_s), 2);
          ++count;
        }
        double& uncertainty = scope->costs.uncertainty;
        if (count > 0) uncertainty = std::hypot(uncertainty, std::sqrt(sum / count));
        check_uncertainty(trace.file, name, scope->costs);
      };
  if (fit.between) {
    // All-reduces among all nodes were measured, not those among the faster ones.
    const double of_samples = fit.between->costs.uncertainty;
    widen(fit.between, "all", kBetween);
    const double of_checks = std::sqrt(
        std::max(0.0, std::pow(fit.between->costs.uncertainty, 2) - std::pow(of_samples, 2)));
    for (FasterNodes& faster : fit.faster) {
      double& uncertainty = faster.fit.costs.uncertainty;
      uncertainty = std::hypot(uncertainty, of_checks);
      check_uncertainty(trace.file, kBetweenFaster, faster.fit.costs);
    }
  }
  widen(fit.node, fit.between ? "node" : "all", kInside);
  return calibration;
}

}  // namespace epochcast
