// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/throughput/row_forecast.hpp"

namespace epochcast {

/// Adds what the printed output of nccl-tests' all_reduce_perf tells: on one node the rate inside
/// it, on several the network's rate per node and the time of a hop. The bus bandwidth of the
/// largest message is the rate (nccl-tests, PERFORMANCE.md). Throws a UserError if no ranks or rows
/// are in it.
void add_nccl_tests(std::string_view output, const std::string& file, MeasuredRates& rates);

/// What an OSU micro-benchmark ran on.
struct OsuRun {
  int nodes = 1;
  std::optional<int> ports = {};  ///< of a node, as the user states it
  int known_ports = 1;            ///< as the cluster's description has it; 1: perhaps unknown
  double node_bytes_per_s = 0;    ///< of all ports, nominal; 0: unknown
};

/// Adds what the printed output of an OSU micro-benchmark tells: osu_latency the time of a hop,
/// osu_bw the rate of a port, osu_allreduce among the nodes' ranks, one per node, both. A node has
/// the rate of all its ports, but at most its nominal one. Throws a UserError if it is of none of
/// these, if its messages are too small to show a rate, or if ports are unknown and one has much
/// less than the node.
void add_osu(std::string_view output,
             const OsuRun& run,
             const std::string& file,
             MeasuredRates& rates);

}  // namespace epochcast
