// SPDX-License-Identifier: Apache-2.0
#include "analysis/throughput/job_figures.hpp"

#include <algorithm>
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

}  // namespace

NodeFigures node_figures(const Platform& platform, const Catalog& catalog) {
  if (platform.nodes.empty())
    throw UserError(platform.path + ": --row needs a platform with nodes, not a SimGrid file");
  const NodeGroup& group = platform.nodes.front();
  NodeFigures node = {.are_rates_reached = true, .devices_per_node = 0};
  for (const DeviceGroup& devices : group.devices) {
    if (!devices.is_worker) continue;
    node.devices_per_node += devices.count;
    const std::vector<std::string> known = catalog.names("models/devices");
    if (std::find(known.begin(), known.end(), devices.model) == known.end()) continue;
    node.memory_bytes_per_s =
        load_device(catalog.find("models/devices", devices.model, platform.path))
            .memory_bytes_per_s;
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
