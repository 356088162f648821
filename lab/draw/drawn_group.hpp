// SPDX-License-Identifier: Apache-2.0
// The distribution of `epochcast-lab validate --draw`, version 2. It never changes: a seed gives
// the same rows on every machine, also in later versions. It uses only whole numbers,
// base/statistics/random.hpp and its own tables, also of strategies and all-reduces. Another
// distribution is another version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/validate/tier.hpp"
#include "base/statistics/random.hpp"
#include "core/job/setting.hpp"

namespace epochcast {

constexpr std::uint64_t kDrawVersion = 2;

/// A network that may be drawn, with assumed costs that bound draws. No forecast uses these
/// figures.
struct DrawnNetwork {
  std::string_view name;
  std::string_view dataset;
  std::int64_t gradient_bytes = 0;
  std::int64_t sample_us = 0;  ///< training one sample on a core; 0: not drawn to be trained

  bool operator==(const DrawnNetwork&) const = default;
};
/// All networks, with those that cannot be trained.
[[nodiscard]] std::span<const DrawnNetwork> drawn_networks();

/// A cluster and the measurements on it.
struct DrawnCluster {
  std::vector<int> ranks;  ///< of each node
  std::vector<int> mbits;  ///< Mbit/s of each node's link
  const DrawnNetwork* network = nullptr;
  std::int64_t batch = 0;

  [[nodiscard]] int workers() const;
  [[nodiscard]] int slowest_mbits() const;

  bool operator==(const DrawnCluster&) const = default;
};

/// A cluster, a command and a network with their figures, which the rows of a group share.
struct DrawnGroup {
  Command command = Command::emulate;
  Tier tier = Tier::same_cluster;
  DrawnCluster asked;
  /// The same as `asked`, or differs from it in one or two of nodes, bandwidth, ranks per node,
  /// batch and network.
  DrawnCluster calibrated;
  std::int64_t iterations = 0;  ///< of sync, in an epoch
  std::size_t rows = 0;
  /// emulate: so many devices, from this one on in the order of the nodes and around, are of the
  /// fast class "gpu", the others of "cpu"; their batches in tenths of a millisecond.
  int fast_devices = 0;
  int first_fast = 0;
  std::int64_t fast_batch = 0;
  std::int64_t slow_batch = 0;
  /// train: one rank's batches take so many tenths as long.
  int slowed_rank = 0;
  std::int64_t slow_down = 10;

  [[nodiscard]] int workers() const { return asked.workers(); }
  [[nodiscard]] bool is_fast(int device) const {
    return (device - first_fast + workers()) % workers() < fast_devices;
  }
  [[nodiscard]] std::int64_t train_samples() const { return iterations * workers() * asked.batch; }
};
/// The group of that number, from 0, of a seed.
[[nodiscard]] DrawnGroup draw_group(std::uint64_t seed, std::uint64_t number);

/// A strategy with its settings, as `name` and value, in the order of titles.
struct DrawnRow {
  std::string strategy;
  std::vector<SettingText> settings;

  bool operator==(const DrawnRow&) const = default;
};
/// The row of that number, from 0, of a group; `attempt`: number of its refused draws.
[[nodiscard]] DrawnRow draw_row(std::uint64_t seed,
                                std::uint64_t group,
                                std::uint64_t row,
                                std::uint64_t attempt);

/// Whether an epoch of the row stays below ten seconds, by a bound that assumes slow
/// exchanges.
[[nodiscard]] bool is_short(const DrawnGroup& group, const DrawnRow& row);

/// A whole number from `low` to `high`, its logarithm uniform, rounded to two digits. By rejection:
/// a logarithm's last digits depend on the library.
[[nodiscard]] std::int64_t log_uniform(Random& random, std::int64_t low, std::int64_t high);

}  // namespace epochcast
