// SPDX-License-Identifier: Apache-2.0
#include "analysis/throughput/benchmark_output.hpp"

#include <cmath>
#include <set>
#include <sstream>
#include <vector>

#include "base/error.hpp"

namespace epochcast {
namespace {

constexpr double kMicrosecond = 1e-6;
constexpr double kBytesOfMB = 1e6;

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
    if (std::istringstream(cells[column]) >> value && value > 0)
      rows.push_back({.bytes = std::stod(cells.front()), .value = value});
  }
  return rows;
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
  const double rate = busbw.back().value * 1000 * kBytesOfMB;
  if (hosts.size() < 2) {
    rates.node_bytes_per_s = rate;
    return;
  }
  rates.network_bytes_per_s = rate;
  rates.network_hop_s = hop_of(times.front().value * kMicrosecond, static_cast<int>(hosts.size()));
}

void add_osu(std::string_view output, int nodes, const std::string& file, MeasuredRates& rates) {
  const std::vector<SizeAndValue> rows = numbers_of(output, 1);
  const auto has = [&](const char* text) { return output.find(text) != std::string_view::npos; };
  if (rows.empty())
    throw UserError(file + ": expected the output of osu_latency, osu_bw or osu_allreduce");
  if (has("Bandwidth (MB/s)")) {
    double most = 0;
    for (const SizeAndValue& row : rows) most = std::max(most, row.value);
    rates.network_bytes_per_s = most * kBytesOfMB;
  } else if (has("Avg Latency")) {
    if (nodes < 2)
      throw UserError(file + ": expected the number of nodes, as in --osu nodes=4:" + file);
    const SizeAndValue& largest = rows.back();
    rates.network_bytes_per_s =
        2.0 * (nodes - 1) / nodes * largest.bytes / (largest.value * kMicrosecond);
    rates.network_hop_s = hop_of(rows.front().value * kMicrosecond, nodes);
  } else if (has("Latency (us)")) {
    rates.network_hop_s = rows.front().value * kMicrosecond;
  } else {
    throw UserError(file + ": expected the output of osu_latency, osu_bw or osu_allreduce");
  }
}

}  // namespace epochcast
