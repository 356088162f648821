// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/costs/message_costs.hpp"
#include "core/formats/running_costs.hpp"
#include "core/source.hpp"

namespace epochcast {

/// The slowdowns of a device's batches and exchanges while they overlap, and their source.
struct DeviceOverlap {
  double batch_slowdown = 1;     ///< OverlapCost
  double exchange_slowdown = 1;  ///< OverlapCost
  Source source;

  bool operator==(const DeviceOverlap&) const = default;
};

/// The relative standard deviation of a device's batches, for costs without varying samples.
struct BatchNoise {
  double deviation = 0;
  Source source;

  bool operator==(const BatchNoise&) const = default;
};

/// Equal devices of a node: sockets of a CPU, or GPUs.
struct DeviceGroup {
  std::string device_class;  ///< "cpu", "gpu", ...: the name for --workers and per-class flags
  std::string model;         ///< its name in cost traces
  int count = 1;
  double memory_bytes = 0;  ///< 0: unknown, never checked
  /// 1/γ: bytes of result per second when two buffers are added; 0: adding is free.
  double reduce_bytes_per_s = 0;
  bool is_worker = true;  ///< trains unless --workers says otherwise
  /// Of each device; absent: that of its data sheet, if load_job() finds one.
  std::optional<PowerDraw> power = {};
  /// Absent: unknown. Measurements of a cost trace take precedence.
  std::optional<DeviceOverlap> overlap = {};
  /// Absent: batches that were not measured take equal times.
  std::optional<BatchNoise> batch_noise = {};
  /// Factor on the speed of batches beside the costs of its model. Set by a job
  /// (core/job/platform_figures.hpp), never by a file, for all devices of a model.
  double speed = 1;

  bool operator==(const DeviceGroup&) const = default;
};

enum class NodeTopology { pcie, nvlink, nvswitch, shared_memory };

/// One kind of link: full duplex, `latency_s` per crossing.
struct LinkSpec {
  double bytes_per_s = 1;
  double latency_s = 0;

  bool operator==(const LinkSpec&) const = default;
};

/// A level of a node's PCIe tree: so many successive devices, CPUs not counted, share a link
/// upwards.
struct PcieLevel {
  int devices = 1;
  double bytes_per_s = 1;

  bool operator==(const PcieLevel&) const = default;
};

/// Two devices of a node that NVLinks join directly.
struct NvlinkPair {
  int one = 0;
  int other = 0;
  int links = 1;

  [[nodiscard]] bool joins(int a, int b) const {
    return (one == a && other == b) || (one == b && other == a);
  }
  bool operator==(const NvlinkPair&) const = default;
};

/// How the devices of one node are joined.
struct Interconnect {
  NodeTopology topology = NodeTopology::pcie;
  /// Per device (pcie, nvswitch), per pair (nvlink), the bus (shared-memory).
  LinkSpec link;
  std::vector<NvlinkPair> pairs = {};  ///< nvlink: who is joined; empty: all pairs, by one link
  std::optional<LinkSpec> pcie;        ///< nvlink and nvswitch: link to CPUs and to the network
  std::optional<PcieLevel> pcie_switch = {};  ///< from a PCIe switch to its socket
  std::optional<PcieLevel> socket = {};       ///< from a socket to the others
  std::optional<double>
      backbone_bytes_per_s;              ///< pcie only: shared by all transfers inside the node
  std::optional<MessageCosts> messages;  ///< of messages that stay inside the node
  Source source;

  bool operator==(const Interconnect&) const = default;
};

/// The ports of a node to the network, which share its link equally: devices near each, by index in
/// the node. A device uses the first port near it, else the first of all. Empty: one, near all.
using Ports = std::vector<std::vector<int>>;

/// A node's own link into the network, if it differs from the network's.
struct Uplink {
  LinkSpec link;
  /// Of messages between nodes of this kind; to others, see between_ends(). Absent: as between all
  /// nodes.
  std::optional<MessageCosts> messages;
  Source source;

  bool operator==(const Uplink&) const = default;
};

/// `count` equal nodes.
struct NodeGroup {
  std::string name;
  int count = 1;
  std::vector<DeviceGroup> devices;
  std::optional<Interconnect> interconnect;  ///< absent: the node has a single device
  Ports ports = {};                          ///< with an interconnect but shared memory only
  std::optional<Uplink> uplink = {};         ///< in a star only; absent: the network's link
  std::optional<PowerDraw> power = {};       ///< of a node without its devices
  std::optional<NodePrice> price = {};       ///< of a node; in one currency for all of a platform

  bool operator==(const NodeGroup&) const = default;
};

enum class NetworkTopology { star, fat_tree, torus, dragonfly };

/// How nodes are joined. Which fields count depends on the topology (docs/formats.md).
struct Interlink {
  NetworkTopology topology = NetworkTopology::star;
  LinkSpec link;
  std::optional<double> backbone_bytes_per_s;  ///< star
  std::vector<int> down, up,
      cables;  ///< fat-tree (per level); cables also dragonfly: {groups, chassis, routers}
  std::vector<int> dimensions;                                     ///< torus
  int groups = 0, chassis = 0, routers = 0, nodes_per_router = 0;  ///< dragonfly
  std::optional<MessageCosts> messages;                            ///< of messages between nodes
  Source source;

  /// Nodes that the topology has room for; 0: any number.
  [[nodiscard]] std::int64_t capacity() const;

  bool operator==(const Interlink&) const = default;
};

/// A cluster: its nodes, and how they are joined. Read from models/platforms/*.json or a SimGrid
/// XML file.
struct Platform {
  std::string name;
  std::string title;
  std::string path;  ///< the file it came from
  std::vector<NodeGroup> nodes;
  std::optional<Interlink> network;  ///< absent: a single node
  Source source;
  std::string simgrid_xml;  ///< path of the XML file when SimGrid is to load the platform itself

  [[nodiscard]] int node_count() const;
  /// The lowest grade among the platform's parts.
  [[nodiscard]] Grade grade() const;

  bool operator==(const Platform&) const = default;
};

/// Reads `epochcast.platform/1`. Throws a UserError that lists every problem.
[[nodiscard]] Platform parse_platform(const nlohmann::json& document, const std::string& file);
[[nodiscard]] Platform load_platform(const std::filesystem::path& file);

/// The document `epochcast.platform/1` of a platform without a SimGrid XML file.
[[nodiscard]] nlohmann::ordered_json to_json(const Platform& platform);
/// Throws a UserError that lists the problems that parse_platform() would report in a platform made
/// by a program: impossible bandwidths, too many devices, ... `file`: its name in messages.
void check_platform(const Platform& platform, const std::string& file);

}  // namespace epochcast
