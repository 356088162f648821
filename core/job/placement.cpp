// SPDX-License-Identifier: Apache-2.0
#include "core/job/placement.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/text/suggest.hpp"

namespace epochcast {
namespace {

struct Device {
  WorkerInfo info;
  bool is_worker = false;
};

std::vector<Device> devices_of(const Platform& platform, const JobConfig& config) {
  const int available = platform.node_count();
  const int wanted = config.nodes.value_or(available);
  if (wanted > available) {
    throw UserError("--nodes: got " + std::to_string(wanted) + "; platform " + platform.name +
                    " (" + platform.path + ") has " + std::to_string(available) +
                    (available == 1 ? " node" : " nodes") + "; set node.count for more of them");
  }
  std::vector<Device> devices;
  int node = 0;
  for (const NodeGroup& group : platform.nodes) {
    for (int i = 0; i < group.count && node < wanted; ++i, ++node) {
      int index = 0;
      for (const DeviceGroup& device : group.devices) {
        const double rate = device.reduce_bytes_per_s;
        const double s_per_byte = rate > 0 ? 1 / rate : 0;
        for (int d = 0; d < device.count; ++d, ++index) {
          devices.push_back({{.node = node,
                              .device = index,
                              .device_class = device.device_class,
                              .model = device.model,
                              .role = Role::trains,
                              .speed = device.speed,
                              .reduce_s_per_byte = s_per_byte,
                              .memory_bytes = device.memory_bytes},
                             device.is_worker});
        }
      }
    }
  }
  return devices;
}

/// Applies --workers: the platform's own choice, a class, or all.
void choose_workers(std::vector<Device>& devices,
                    const Platform& platform,
                    const JobConfig& config) {
  if (config.workers.empty()) return;
  std::set<std::string> classes;
  for (Device& device : devices) {
    classes.insert(device.info.device_class);
    device.is_worker = config.workers == "all" || device.info.device_class == config.workers;
  }
  if (config.workers != "all" && !classes.contains(config.workers)) {
    std::vector<std::string> known(classes.begin(), classes.end());
    known.emplace_back("all");
    throw UserError("--workers: " + unknown_name("device class", config.workers, known) +
                    " (platform " + platform.name + ")");
  }
}

std::vector<WorkerInfo> selected(const std::vector<Device>& devices,
                                 const std::function<bool(const Device&)>& wanted) {
  std::vector<WorkerInfo> workers;
  for (const Device& device : devices) {
    if (wanted(device)) workers.push_back(device.info);
  }
  return workers;
}

/// Repeats each device that trains for the workers that share it; other devices are unchanged.
std::vector<WorkerInfo> shared(const std::vector<WorkerInfo>& devices, int ranks_per_device) {
  std::vector<WorkerInfo> workers;
  for (WorkerInfo worker : devices) {
    if (worker.role == Role::trains) {
      worker.sharers = ranks_per_device;
      worker.reduce_s_per_byte *= ranks_per_device;
      worker.memory_bytes /= ranks_per_device;
    }
    workers.insert(workers.end(), static_cast<std::size_t>(worker.sharers), worker);
  }
  return workers;
}

/// Throws a UserError when ranks that share a device have nothing to exchange over.
void check_shared_devices(const Platform& platform, const JobConfig& config) {
  if (config.ranks_per_device == 1) return;
  if (!platform.simgrid_xml.empty()) {
    throw UserError("--ranks-per-device: a SimGrid platform (" + platform.simgrid_xml +
                    ") has one worker per host; describe the cluster as JSON instead");
  }
  for (const NodeGroup& group : platform.nodes) {
    if (group.interconnect) continue;
    throw UserError("--ranks-per-device: nodes \"" + group.name + "\" of " + platform.path +
                    " have no `interconnect`, over which ranks of one device would exchange; "
                    "add one");
  }
}

/// Throws a UserError if a server and a worker on the same device have nothing to exchange over.
void check_shared_by_server(const Platform& platform, std::string_view strategy, int node) {
  const auto fail = [&](const std::string& reason) {
    throw UserError("strategy " + std::string(strategy) + " has servers on devices of " +
                    platform.name + " that train, as no CPU serves other devices; " + reason);
  };
  if (!platform.simgrid_xml.empty())
    fail("a SimGrid platform (" + platform.simgrid_xml + ") has one rank per host");
  int first = 0;  // node of the group
  for (const NodeGroup& group : platform.nodes) {
    if (node >= first && node < first + group.count && !group.interconnect)
      fail("nodes \"" + group.name + "\" of " + platform.path +
           " have no `interconnect`, over which ranks of one device would exchange; add one");
    first += group.count;
  }
}

std::vector<int> nodes_of(std::span<const WorkerInfo> workers) {
  std::vector<int> nodes;
  nodes.reserve(workers.size());
  for (const WorkerInfo& worker : workers) nodes.push_back(worker.node);
  return nodes;
}

/// The workers, and servers on devices of some of them: one by default.
std::vector<WorkerInfo> with_servers(std::vector<WorkerInfo> workers,
                                     const Platform& platform,
                                     std::string_view strategy,
                                     ServerChoice choice) {
  if (!choice.count) choice.count = 1;
  std::vector<WorkerInfo> devices;  // each once, however many workers share it
  for (const WorkerInfo& worker : workers) {
    const bool is_new = devices.empty() || devices.back().node != worker.node ||
                        devices.back().device != worker.device;
    if (is_new) devices.push_back(worker);
  }
  for (const std::size_t chosen : chosen_servers(nodes_of(devices), choice)) {
    WorkerInfo server = devices[chosen];
    check_shared_by_server(platform, strategy, server.node);
    server.role = Role::sums;
    workers.push_back(server);
  }
  return workers;
}

std::vector<WorkerInfo> fastest(const std::vector<WorkerInfo>& workers,
                                const BatchSeconds& batch_s) {
  std::map<std::string, double> seconds;  // by model: each call reads a trace
  for (const WorkerInfo& worker : workers) {
    if (!seconds.contains(worker.model)) seconds[worker.model] = batch_s(worker);
  }
  const auto best =
      std::min_element(workers.begin(), workers.end(), [&](const auto& a, const auto& b) {
        return seconds.at(a.model) < seconds.at(b.model);
      });
  std::vector<WorkerInfo> chosen;
  std::copy_if(
      workers.begin(), workers.end(), std::back_inserter(chosen), [&](const WorkerInfo& worker) {
        return worker.model == best->model;
      });
  return chosen;
}

}  // namespace

std::vector<std::size_t> chosen_servers(std::span<const int> nodes, const ServerChoice& choice) {
  std::vector<std::size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), 0U);
  if (!choice.count) return order;
  if (std::cmp_less(nodes.size(), *choice.count)) {
    throw UserError("--servers: got " + std::to_string(*choice.count) + "; the job has " +
                    std::to_string(nodes.size()) +
                    (nodes.size() == 1 ? " device that serves" : " devices that serve"));
  }
  if (choice.placement == ServerPlacement::spread) {
    std::map<int, int> seen;  // devices by node
    std::vector<int> turn;
    turn.reserve(nodes.size());
    for (const int node : nodes) turn.push_back(seen[node]++);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return turn[a] < turn[b];
    });
  }
  order.resize(static_cast<std::size_t>(*choice.count));
  std::sort(order.begin(), order.end());
  return order;
}

std::vector<WorkerInfo> all_devices(const Platform& platform, const JobConfig& config) {
  return selected(devices_of(platform, config), [](const Device&) { return true; });
}

std::vector<std::string> training_models(const Platform& platform, const JobConfig& config) {
  std::vector<Device> devices = devices_of(platform, config);
  choose_workers(devices, platform, config);
  std::vector<std::string> models;
  for (const Device& device : devices) {
    if (device.is_worker) models.push_back(device.info.model);
  }
  return models;
}

DeviceNames::DeviceNames(const Platform& platform) {
  for (const NodeGroup& group : platform.nodes) {
    for (const DeviceGroup& device : group.devices) add(device.device_class, device.model);
  }
}

DeviceNames::DeviceNames(std::span<const WorkerInfo> workers) {
  for (const WorkerInfo& worker : workers) add(worker.device_class, worker.model);
}

void DeviceNames::add(const std::string& device_class, const std::string& model) {
  for (const std::string& name : {device_class, model}) {
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
  }
}

void DeviceNames::check_known(const std::string& setting,
                              const std::string& name,
                              std::vector<std::string> known) const {
  known.insert(known.end(), names_.begin(), names_.end());
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw UserError(setting + ": " + unknown_name("device class", name, known));
}

void check_class_settings(const Platform& platform, const JobConfig& config) {
  const DeviceNames names(platform);
  names.check("--batch-seconds", config.batch_seconds, {});
  names.check("--exchange-seconds", config.exchange_seconds, {"all", "node"});
}

std::vector<WorkerInfo> place(const Platform& platform,
                              const JobConfig& config,
                              std::string_view strategy,
                              Participants participants,
                              const BatchSeconds& batch_s,
                              const ServerChoice& servers) {
  std::vector<Device> devices = devices_of(platform, config);
  choose_workers(devices, platform, config);
  check_shared_devices(platform, config);
  std::vector<WorkerInfo> workers =
      shared(selected(devices, [](const Device& device) { return device.is_worker; }),
             config.ranks_per_device);
  if (workers.empty()) {
    throw UserError("platform " + platform.name + " (" + platform.path +
                    ") marks no device as a worker; choose a class with --workers");
  }
  switch (participants) {
    case Participants::workers:
      return workers;
    case Participants::fastest_workers:
      return fastest(workers, batch_s);
    case Participants::workers_and_servers:
    case Participants::workers_and_parameter_servers:
      break;
  }
  const std::vector<WorkerInfo> trainers = workers;
  const auto sums = [](const WorkerInfo& device) { return device.device_class == "cpu"; };
  workers = selected(devices,
                     [&](const Device& device) { return sums(device.info) || device.is_worker; });
  for (WorkerInfo& worker : workers) {
    if (sums(worker)) worker.role = Role::sums;
  }
  workers = shared(workers, config.ranks_per_device);
  std::stable_partition(workers.begin(), workers.end(), [](const WorkerInfo& worker) {
    return worker.role == Role::trains;
  });
  const auto first = std::find_if(workers.begin(), workers.end(), sums);
  if (first == workers.begin() || first == workers.end()) {
    if (participants == Participants::workers_and_parameter_servers)
      return with_servers(trainers, platform, strategy, servers);
    throw UserError("strategy " + std::string(strategy) +
                    " needs devices that train and CPUs that sum; platform " + platform.name +
                    " has only " +
                    (first == workers.end()
                         ? "the former; add CPUs to the `devices` of its nodes, such as "
                           "{\"class\": \"cpu\", \"model\": \"host\", \"count\": 2, \"reduce\": "
                           "\"10GBps\"}"
                         : "CPUs"));
  }
  const std::vector<WorkerInfo> candidates(first, workers.end());
  workers.erase(first, workers.end());
  for (const std::size_t chosen : chosen_servers(nodes_of(candidates), servers))
    workers.push_back(candidates[chosen]);
  return workers;
}

}  // namespace epochcast
