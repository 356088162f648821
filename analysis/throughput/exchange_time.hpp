// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/throughput/training_job.hpp"

namespace epochcast {

/// Rates that exchanges reach, bytes/s and seconds. Defaults follow from nominal figures.
struct ReachedRates {
  double node_bytes_per_s = 0;
  double network_bytes_per_s = 0;
  /// Of the node's rate that remains while its ports are busy, too.
  double crossing_share = 1;
  /// Of one hop of a ring or tree, inside a node and between nodes.
  double node_hop_s = 0;
  double network_hop_s = 0;
  /// Of a BytePS worker's connections to its servers, all together.
  double server_bytes_per_s = 0;
  /// Of a shaped link's rate.
  double shaped_share = 1;
};

/// Shares of nominal rates as public benchmarks find them (docs/simulator.md, "Calibration from
/// rows").
[[nodiscard]] ReachedRates default_rates(const NodeFigures& node);

/// The rates with each node's link shaped to this nominal rate; 0: not shaped.
[[nodiscard]] ReachedRates shaped_rates(ReachedRates rates, double link_bytes_per_s);

/// Seconds that summing `bytes` in `messages` equal messages takes among `row`'s devices, nothing
/// hidden. Ring: 2 (P - 1) / P of the bytes over the slowest link (Thakur et al. 2005). `nccl`: the
/// faster of the ring and the double binary tree, whose nodes send twice the bytes, two nodes once.
/// BytePS: summed in the node, then pushed and pulled at once (Jiang et al., OSDI 2020). Parameter
/// server: all devices push to and pull from the host's memory. `grpc`: each node pushes its sum to
/// the servers on `row.servers` nodes and pulls parameters; the busiest node counts. `peer`: the
/// mean of peer_exchanges_s().
[[nodiscard]] double exchange_s(const ReachedRates& rates,
                                Exchange exchange,
                                const TrainingRow& row,
                                double bytes,
                                double messages);

/// Seconds that each iteration of a cycle of `row.graph` takes to exchange `bytes` with peers. At
/// distance d of a directed graph, min(d, devices of a node) messages leave each node, through one
/// network; of pairs, all devices' messages or none.
[[nodiscard]] std::vector<double> peer_exchanges_s(const ReachedRates& rates,
                                                   const TrainingRow& row,
                                                   double bytes);

}  // namespace epochcast
