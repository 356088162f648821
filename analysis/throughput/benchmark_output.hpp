// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "analysis/throughput/row_forecast.hpp"

namespace epochcast {

/// Adds what the printed output of nccl-tests' all_reduce_perf tells: on one node the rate inside
/// it, on several the network's rate per node and the time of a hop. The bus bandwidth of the
/// largest message is the rate (nccl-tests, PERFORMANCE.md). Throws a UserError if no ranks or rows
/// are in it.
void add_nccl_tests(std::string_view output, const std::string& file, MeasuredRates& rates);

/// Adds what the printed output of an OSU micro-benchmark tells: osu_latency the time of a hop,
/// osu_bw the network's rate, osu_allreduce among `nodes` ranks, one per node, both. Throws a
/// UserError if it is of none of these.
void add_osu(std::string_view output, int nodes, const std::string& file, MeasuredRates& rates);

}  // namespace epochcast
