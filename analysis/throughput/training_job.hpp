// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace epochcast {

/// How messages leave a node. `staged` is RDMA without GPUDirect: through host memory.
enum class Transport { rdma, staged, tcp };

/// A cluster of equal nodes as its data sheet states it: nominal rates, one way.
struct NodeFigures {
  /// Rates are what large messages reach, not nominal ones.
  bool are_rates_reached = false;
  int devices_per_node = 1;
  /// Of a device to the others of its node; 0 if there is one device.
  double node_bytes_per_s = 0;
  /// Copies between devices go through host memory (no peer-to-peer).
  bool is_node_staged = false;
  /// Of a node, all ports together.
  double network_bytes_per_s = 0;
  int network_ports = 1;
  Transport transport = Transport::rdma;
  /// Of a message between nodes, one way; 0: unknown.
  double network_latency_s = 0;
  /// Of a device's memory; the optimizer's time follows from it. 0: the optimizer is free.
  double memory_bytes_per_s = 0;
};

/// `peer`: devices exchange parameters with one other, or a few, by a PeerGraph.
enum class Exchange { none, ring, nccl, byteps, parameter_server, grpc, peer };

/// With whom a device exchanges, by iteration; P devices are numbered node by node. `directed`: it
/// sends to the one at distance 1, 2, 4, ... below P in turn (gossip). `pairs`: it averages with
/// the one whose number differs in one bit. `node_pairs`: all devices of two nodes average in every
/// other iteration, those of a node in the others (both: decentralized).
enum class PeerGraph { directed, pairs, node_pairs };

/// When gradients leave: after backward, in buckets or one by one during it, by priority (also
/// during the next forward), or unknown: the mean of `none` and `bucket`. With Exchange::peer
/// parameters travel, after the step (`none`) or during the next forward and backward.
enum class GradientOverlap { none, bucket, tensor, priority, unknown };

/// The sums of a job, and when it makes them.
struct TrainingJob {
  double parameters = 0;
  double gradient_bytes = 0;
  /// Unknown whether a gradient has 4 bytes or 2.
  bool is_gradient_assumed = false;
  /// Of the gradients that are complete only at the end of backward, such as an embedding's.
  double last_gradient_bytes = 0;
  /// Parameter tensors: the messages of `tensor`.
  int tensors = 100;
  /// Kernels that a batch starts at least, forward and backward: the fixed part of its time follows
  /// from them.
  double kernels = 300;
  /// Of a device for a sample, from its data sheet: divides a row of several nodes into computing
  /// and exchange, if no row of one device or node does. 0: unknown.
  double device_sample_s = 0;
  /// Of a node for each sample of its devices (loading), and of a step with several devices (a walk
  /// through the graph). Rows of a full node replace them.
  double node_sample_s = 0;
  double distributed_step_s = 0;
  Exchange exchange = Exchange::nccl;
  GradientOverlap overlap = GradientOverlap::bucket;
  /// Of a bucket or partition.
  double bucket_bytes = 25.0 * 1024 * 1024;
  /// Memory traffic of the optimizer per parameter and step.
  double optimizer_bytes_per_parameter = 20;
  /// The same per parameter and exchange, beside it: copies, and an outer optimizer.
  double outer_bytes_per_parameter = 0;
  /// The optimizer's work is divided among the devices of a node.
  bool is_optimizer_sharded = false;
};

/// One configuration: devices in all, and what each of them does per step.
struct TrainingRow {
  int nodes = 1;
  int devices = 1;
  double batch = 1;
  int accumulation = 1;
  /// Of a node's shaped link; 0: its whole network.
  double network_bytes_per_s = 0;
  /// Nodes with a parameter server of Exchange::grpc; 0: all.
  int servers = 0;
  /// Exchanges per step: 1 / H with H local steps.
  double exchanges = 1;
  /// If they are not the job's.
  std::optional<Exchange> exchange = {};
  std::optional<GradientOverlap> overlap = {};
  PeerGraph graph = PeerGraph::directed;

  bool operator==(const TrainingRow&) const = default;
};

}  // namespace epochcast
