// SPDX-License-Identifier: Apache-2.0
#include "analysis/throughput/benchmark_output.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <vector>

#include "base/error.hpp"

namespace epochcast {
namespace {

constexpr double kMicrosecond = 1e-6;
constexpr double kBytesOfMB = 1e6;
constexpr double kGiga = 1e9;

struct SizeAndValue {
  double bytes = 0;
  double value = 0;
};

/// The hops of a short message: up and down a tree of the nodes.
double hop_of(double seconds, int nodes) { return seconds / (2 * std::ceil(std::log2(nodes))); }

/// Rows of two or more numbers, the first one a size.
std::vector<SizeAndValue> numbers_of(std::string_view output, std::size_t column) {
  std::vector<SizeAndValue> rows;
  std::istringstream lines{std::string(output)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> cells;
    for (std::string word; words >> word;) cells.push_back(word);
    constexpr std::size_t kMostDigits = 18;
    if (cells.size() <= column || cells.front().size() > kMostDigits ||
        cells.front().find_first_not_of("0123456789") != std::string::npos)
      continue;
    double value = 0;
    if (std::istringstream(cells[column]) >> value)
      rows.push_back({.bytes = std::stod(cells.front()), .value = value});
  }
  return rows;
}

/// Throws a UserError if the largest message is too small to show a rate, or a row has none.
void check_rates(const std::vector<SizeAndValue>& rows, const std::string& file) {
  constexpr double kLeastBytes = 1 << 20;
  double largest = 0;
  for (const SizeAndValue& row : rows) largest = std::max(largest, row.bytes);
  if (largest < kLeastBytes)
    throw UserError(
        fmt::format("{}: its largest message has {:.0f} B; expected 1 MiB or more", file, largest));
}

/// Throws a UserError unless all values are positive.
void check_positive(const std::vector<SizeAndValue>& rows, const std::string& file) {
  for (const SizeAndValue& row : rows) {
    if (!(row.value > 0) || !std::isfinite(row.value))
      throw UserError(
          fmt::format("{}: got {:g} for messages of {:.0f} B; expected a positive value",
                      file,
                      row.value,
                      row.bytes));
  }
}

/// Bytes per second of a node with ports of this rate.
double rate_of_node(double port_bytes_per_s, const OsuRun& run, const std::string& file) {
  // One of several ports has at most half of a node's rate.
  constexpr double kOnePort = 0.5;
  const int ports = run.ports.value_or(run.known_ports);
  if (!run.ports && ports == 1 && port_bytes_per_s < kOnePort * run.node_bytes_per_s) {
    throw UserError(
        fmt::format("{0}: one port has {1:.3g} GB/s, and the network of a node {2:.3g} GB/s; state "
                    "the ports of a node, as in --osu ports=8:{0}",
                    file,
                    port_bytes_per_s / kGiga,
                    run.node_bytes_per_s / kGiga));
  }
  const double all = port_bytes_per_s * ports;
  return ports > 1 && run.node_bytes_per_s > 0 ? std::min(all, run.node_bytes_per_s) : all;
}

}  // namespace

void add_nccl_tests(std::string_view output, const std::string& file, MeasuredRates& rates) {
  std::set<std::string> hosts;
  int ranks = 0;
  std::istringstream lines{std::string(output)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash;
    std::string rank;
    if (!(words >> hash >> rank) || hash != "#" || rank != "Rank") continue;
    ++ranks;
    for (std::string word; words >> word;) {
      if (word == "on" && words >> word) hosts.insert(word);
    }
  }
  // size count type redop root time algbw busbw: out of place, microseconds and GB/s.
  const std::vector<SizeAndValue> times = numbers_of(output, 5);
  const std::vector<SizeAndValue> busbw = numbers_of(output, 7);
  if (ranks < 2 || times.empty() || busbw.empty()) {
    throw UserError(
        file +
        ": expected the output of all_reduce_perf of nccl-tests, with its list of ranks and its "
        "table of sizes, times and bandwidths");
  }
  check_rates(busbw, file);
  check_positive({times.back(), busbw.back()}, file);
  const double rate = busbw.back().value * 1000 * kBytesOfMB;
  if (hosts.size() < 2) {
    rates.node_bytes_per_s = rate;
    return;
  }
  rates.network_bytes_per_s = rate;
  rates.network_hop_s = hop_of(times.front().value * kMicrosecond, static_cast<int>(hosts.size()));
}

void add_osu(std::string_view output,
             const OsuRun& run,
             const std::string& file,
             MeasuredRates& rates) {
  const std::vector<SizeAndValue> rows = numbers_of(output, 1);
  const auto has = [&](const char* text) { return output.find(text) != std::string_view::npos; };
  const bool is_bandwidth = has("Bandwidth (MB/s)");
  const bool is_all_reduce = has("Avg Latency");
  if (rows.empty() || !(is_bandwidth || is_all_reduce || has("Latency (us)")))
    throw UserError(file + ": expected the output of osu_latency, osu_bw or osu_allreduce");
  check_positive(rows, file);
  if (is_all_reduce && run.nodes < 2)
    throw UserError(file + ": expected the number of nodes, as in --osu nodes=4:" + file);
  if (is_bandwidth || is_all_reduce) check_rates(rows, file);
  if (is_bandwidth) {
    double most = 0;
    for (const SizeAndValue& row : rows) most = std::max(most, row.value);
    rates.network_bytes_per_s = rate_of_node(most * kBytesOfMB, run, file);
  } else if (is_all_reduce) {
    const SizeAndValue& largest = rows.back();
    rates.network_bytes_per_s =
        2.0 * (run.nodes - 1) / run.nodes * largest.bytes / (largest.value * kMicrosecond);
    rates.network_hop_s = hop_of(rows.front().value * kMicrosecond, run.nodes);
  } else {
    rates.network_hop_s = rows.front().value * kMicrosecond;
  }
}

}  // namespace epochcast
