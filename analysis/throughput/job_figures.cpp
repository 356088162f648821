// SPDX-License-Identifier: Apache-2.0
#include "analysis/throughput/job_figures.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/throughput/row_names.hpp"
#include "base/error.hpp"
#include "base/text/suggest.hpp"
#include "core/formats/device.hpp"

namespace epochcast {
namespace {

/// Links of the first device to the others: NVLinks of a mesh, else one.
int links_of(const NodeGroup& group, int devices) {
  if (group.interconnect->topology != NodeTopology::nvlink) return 1;
  int links = 0;
  for (const NvlinkPair& pair : group.interconnect->pairs) {
    if (pair.one == 0 || pair.other == 0) links += pair.links;
  }
  return links > 0 ? links : std::max(1, devices - 1);
}

/// The data sheet of a device; none if the catalogue has none.
std::optional<DeviceSpec> data_sheet(const std::string& model,
                                     const Platform& platform,
                                     const Catalog& catalog) {
  const std::vector<std::string> known = catalog.names("models/devices");
  if (std::find(known.begin(), known.end(), model) == known.end()) return std::nullopt;
  return load_device(catalog.find("models/devices", model, platform.path));
}

/// In the device's fastest precision; 0: unknown.
double peak_flops_per_s(const std::optional<DeviceSpec>& device) {
  double most = 0;
  if (device) {
    for (const auto& [precision, rate] : device->flops_per_s) most = std::max(most, rate);
  }
  return most;
}

bool trains(const NodeGroup& group) {
  return std::any_of(group.devices.begin(), group.devices.end(), [](const DeviceGroup& devices) {
    return devices.is_worker;
  });
}

/// The nodes whose devices train. Throws a UserError unless they are of one kind.
const NodeGroup& training_nodes(const Platform& platform) {
  if (platform.nodes.empty())
    throw UserError(platform.path + ": --row needs a platform with nodes, not a SimGrid file");
  const auto first = std::find_if(platform.nodes.begin(), platform.nodes.end(), trains);
  const NodeGroup& group = first == platform.nodes.end() ? platform.nodes.front() : *first;
  for (const NodeGroup& other : platform.nodes) {
    if (&other != &group && trains(other))
      throw UserError(platform.path + ": --row needs equal nodes, and \"" + group.name +
                      "\" and \"" + other.name +
                      "\" both have devices that train; describe the ones with the rows alone");
  }
  return group;
}

/// The model of the fastest devices of the node that train: others before CPUs, then by peak rate.
const DeviceGroup* fastest_devices(const NodeGroup& group,
                                   const Platform& platform,
                                   const Catalog& catalog) {
  const DeviceGroup* best = nullptr;
  const auto rank = [&](const DeviceGroup& devices) {
    return std::pair(devices.device_class != "cpu",
                     peak_flops_per_s(data_sheet(devices.model, platform, catalog)));
  };
  for (const DeviceGroup& devices : group.devices) {
    if (devices.is_worker && (best == nullptr || rank(devices) > rank(*best))) best = &devices;
  }
  return best;
}

}  // namespace

NodeFigures node_figures(const Platform& platform, const Catalog& catalog) {
  const NodeGroup& group = training_nodes(platform);
  NodeFigures node = {.are_rates_reached = true, .devices_per_node = 0};
  if (const DeviceGroup* const fastest = fastest_devices(group, platform, catalog)) {
    for (const DeviceGroup& devices : group.devices) {
      if (devices.is_worker && devices.model == fastest->model)
        node.devices_per_node += devices.count;
    }
    if (const auto sheet = data_sheet(fastest->model, platform, catalog))
      node.memory_bytes_per_s = sheet->memory_bytes_per_s;
  }
  if (group.interconnect)
    node.node_bytes_per_s =
        group.interconnect->link.bytes_per_s * links_of(group, node.devices_per_node);
  if (platform.network) {
    const LinkSpec& link = group.uplink ? group.uplink->link : platform.network->link;
    node.network_bytes_per_s = link.bytes_per_s;
    node.network_latency_s = link.latency_s;
  }
  node.network_ports = std::max(1, static_cast<int>(group.ports.size()));
  return node;
}

std::string left_out_note(const Platform& platform, const Catalog& catalog) {
  const NodeGroup& group = training_nodes(platform);
  const DeviceGroup* const fastest = fastest_devices(group, platform, catalog);
  std::string others;
  for (const DeviceGroup& devices : group.devices) {
    if (devices.is_worker && devices.model != fastest->model)
      others += (others.empty() ? "" : ", ") + devices.model;
  }
  if (others.empty()) return {};
  return "devices of rows are " + fastest->model + "; " + others + " of " + platform.name +
         " are left out";
}

double peak_samples_per_s(const Network& network,
                          const Platform& platform,
                          const Catalog& catalog) {
  constexpr double kPasses = 3;  // forward, gradients of inputs, gradients of weights
  const NodeGroup& group = training_nodes(platform);
  const DeviceGroup* const fastest = fastest_devices(group, platform, catalog);
  double flops = 0;
  for (const Layer& layer : network.layers) flops += kPasses * layer.product_flops;
  if (fastest == nullptr || flops == 0) return 0;
  return peak_flops_per_s(data_sheet(fastest->model, platform, catalog)) / flops;
}

TrainingJob training_job(const Network& network) {
  // Convolutional networks; attention has more kernels for each tensor.
  constexpr double kBackwardKernels = 2;
  TrainingJob job;
  job.parameters = static_cast<double>(network.parameters());
  job.gradient_bytes = network.gradient_bytes();
  job.kernels = 0;
  job.tensors = 0;
  for (const Layer& layer : network.layers) {
    job.kernels += (1 + kBackwardKernels) * layer.operations;
    if (layer.parameters > 0) ++job.tensors;
  }
  if (!network.layers.empty())
    job.last_gradient_bytes =
        static_cast<double>(network.layers.back().parameters) * network.bytes_per_gradient;
  return job;
}

GradientOverlap overlap_named(const std::string& text, const std::string& option) {
  std::vector<std::string> names;
  for (const auto& [name, value] : kOverlapNames) {
    if (text == name) return value;
    names.emplace_back(name);
  }
  throw UserError(option + ": " + unknown_name("overlap", text, names));
}

}  // namespace epochcast
