// SPDX-License-Identifier: Apache-2.0
#include "results/running_bill.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace epochcast {
namespace {

/// The number of nodes of a group that a job occupies.
struct Occupied {
  const NodeGroup* group;
  int nodes;
};

/// The nodes of the job's devices, including nodes whose devices a strategy leaves idle.
std::vector<Occupied> occupied_by(const JobConfig& config, const Platform& platform) {
  std::vector<Occupied> all;
  int left = config.nodes.value_or(platform.node_count());
  for (const NodeGroup& group : platform.nodes) {
    if (left == 0) break;
    all.push_back({&group, std::min(left, group.count)});
    left -= all.back().nodes;
  }
  return all;
}

/// "\"a\", \"b\""
std::string quoted_list(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text;
}

void add_cost(RunResult& result, const std::vector<Occupied>& nodes) {
  RunCost cost = {.rate = {}, .grade = result.input_grade};
  std::set<std::string> unknown;
  for (const auto& [group, count] : nodes) {
    if (!group->price) {
      unknown.insert(group->name);
      continue;
    }
    cost.rate.per_hour += count * group->price->rate.per_hour;
    cost.rate.currency = group->price->rate.currency;
    cost.grade = lowest(cost.grade, group->price->source.grade);
  }
  if (unknown.empty()) {
    result.cost = cost;
  } else if (!cost.rate.currency.empty()) {
    result.notes.push_back(std::string(kNoCost) + "the platform has no price of the nodes " +
                           quoted_list(unknown));
  }
}

/// The share of an epoch in which a device of each model computes, averaged over the job's devices
/// of that model; 0 for devices without workers.
class ComputingShares {
 public:
  ComputingShares(const RunResult& result,
                  const std::vector<Occupied>& nodes,
                  const JobConfig& config) {
    for (const auto& [group, count] : nodes) {
      for (const DeviceGroup& device : group->devices)
        devices_[device.model] += count * device.count;
    }
    for (const DeviceResult& device : result.by_device) {
      // Workers that share a device compute at the same time, for longer.
      const double sharers = device.role == "trains" ? config.ranks_per_device : 1;
      shares_[device.model] += device.workers / sharers * device.phases.compute_s / result.epoch_s;
    }
    for (auto& [model, share] : shares_) share = std::min(1.0, share / devices_[model]);
  }

  [[nodiscard]] double of(const DeviceGroup& device) const {
    const auto found = shares_.find(device.model);
    return found == shares_.end() ? 0 : found->second;
  }

  /// The mean over a node's devices with workers.
  [[nodiscard]] double of(const NodeGroup& node) const {
    double sum = 0;
    double count = 0;
    for (const DeviceGroup& device : node.devices) {
      if (!shares_.contains(device.model)) continue;
      sum += device.count * of(device);
      count += device.count;
    }
    return count == 0 ? 0 : sum / count;
  }

 private:
  std::map<std::string, double> devices_;  ///< of the job's nodes, by model
  std::map<std::string, double> shares_;
};

void add_energy(RunResult& result, const std::vector<Occupied>& nodes, const JobConfig& config) {
  const ComputingShares shares(result, nodes, config);
  RunEnergy energy = {.grade = result.input_grade};
  std::set<std::string> unknown;
  bool is_known = false;
  const auto add = [&](const std::optional<PowerDraw>& power, double count, double share) {
    if (!power) return;
    is_known = true;
    energy.idle_w += count * power->idle_w;
    energy.epoch_j += count * power->at(share) * result.epoch_s;
    energy.grade = lowest(energy.grade, power->source.grade);
  };
  for (const auto& [group, count] : nodes) {
    for (const DeviceGroup& device : group->devices) {
      add(device.power, count * device.count, shares.of(device));
      if (!device.power) unknown.insert(device.model);
    }
    add(group->power, count, shares.of(*group));
  }
  if (unknown.empty()) {
    result.energy = energy;
  } else if (is_known) {
    result.notes.push_back(std::string(kNoEnergy) +
                           "these devices have no power in their file: " + quoted_list(unknown));
  }
}

}  // namespace

void add_running_bill(RunResult& result, const Platform& platform, const JobConfig& config) {
  if (result.epoch_s <= 0) return;
  const std::vector<Occupied> nodes = occupied_by(config, platform);
  if (nodes.empty()) return;  // SimGrid's XML files have no prices
  add_cost(result, nodes);
  add_energy(result, nodes, config);
}

}  // namespace epochcast
