// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/fabric.hpp"
#include "core/formats/platform.hpp"
#include "core/job/placement.hpp"
#include "sim/exchange/runtime.hpp"

namespace epochcast::tests {

/// One link in a test: as numbers, for formulas, and as text, for platform files.
struct TestLink {
  double bytes_per_s = 1e9;
  double latency_s = 1e-6;
};

/// `ranks` nodes of one GPU each, every one joined to the switch by `link`. γ =
/// `reduce_s_per_byte`.
[[nodiscard]] Platform plain_star(int ranks, const TestLink& link, double reduce_s_per_byte = 0);

/// The interconnect and network objects of platform files (docs/formats.md).
[[nodiscard]] nlohmann::json pcie();
[[nodiscard]] nlohmann::json pcie_with_backbone();
[[nodiscard]] nlohmann::json nvlink();
[[nodiscard]] nlohmann::json nvswitch();
[[nodiscard]] nlohmann::json shared_memory();
[[nodiscard]] nlohmann::json star();
[[nodiscard]] nlohmann::json fat_tree();   ///< room for 4 nodes, two levels
[[nodiscard]] nlohmann::json torus();      ///< 2 x 2 nodes
[[nodiscard]] nlohmann::json dragonfly();  ///< room for 16 nodes

/// `nodes` nodes of `gpus` GPUs ("gpu-a") and `cpus` CPUs ("cpu-a"); `network` null: a single node.
[[nodiscard]] Platform mixed(int nodes,
                             int gpus,
                             int cpus,
                             const nlohmann::json& interconnect,
                             const nlohmann::json& network);

using Program = std::function<void(Fabric&)>;

/// The meters after a program.
struct Observed {
  std::vector<double> now_s;  ///< by rank
  std::vector<PhaseTimes> phases;
  std::vector<Traffic> traffic;
  std::int64_t messages = 0;  ///< that went through SimGrid, in all passes
  int passes = 0;             ///< 1, or 2 when an acceleration was not valid

  [[nodiscard]] double last_s() const;
};

/// Every device trains, or CPUs only aggregate and are ranked last.
constexpr Participants kAllTrain = Participants::workers;
constexpr Participants kWithServers = Participants::workers_and_servers;

/// Runs a program on every worker of the platform, in a child process. `all_reduce` is that of
/// world() and node().
[[nodiscard]] Observed observe(const Platform& platform,
                               const Program& program,
                               const sim::SimOptions& options = {},
                               const std::string& all_reduce = "ring",
                               Participants participants = kAllTrain);

/// The same without any acceleration.
[[nodiscard]] Observed observe_exactly(const Platform& platform,
                                       const Program& program,
                                       const std::string& all_reduce = "ring");

/// Seconds until the last rank has finished one all-reduce of `bytes` among all.
[[nodiscard]] double all_reduce_s(const Platform& platform,
                                  const std::string& algorithm,
                                  double bytes);

}  // namespace epochcast::tests
