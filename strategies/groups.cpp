// SPDX-License-Identifier: Apache-2.0
#include "strategies/groups.hpp"

#include <array>

namespace epochcast {
namespace {

constexpr std::array<std::string_view, 8> kSteps = {"sync",
                                                    "sync-fastest",
                                                    "hetgrad",
                                                    "hetgrad-unweighted",
                                                    "byteps",
                                                    "dlb",
                                                    "ps-sync",
                                                    "large-batch"};
constexpr std::array<std::string_view, 2> kShards = {"zero", "fsdp"};
constexpr std::array<std::string_view, 2> kNodes = {"node-based", "daso"};
constexpr std::array<std::string_view, 8> kPeriods = {"local-sgd",
                                                      "unbalanced-local-sgd",
                                                      "biased-local-sgd",
                                                      "post-local-sgd",
                                                      "slowmo",
                                                      "diloco",
                                                      "time-synced",
                                                      "one-shot"};
constexpr std::array<std::string_view, 5> kServers = {
    "ps-async", "ssp", "backup-workers", "gssp", "fedbuff"};
constexpr std::array<std::string_view, 3> kPeers = {"gossip", "decentralized", "ad-psgd"};

constexpr std::array<StrategyGroup, 6> kGroups = {{
    {"All workers make each step together:", kSteps},
    {"The same, with optimizer state, gradients or parameters in shards:", kShards},
    {"Nodes make each step together, all workers meet less often:", kNodes},
    {"Workers step alone and average periodically:", kPeriods},
    {"Workers exchange with parameter servers, each when it is ready:", kServers},
    {"Workers exchange with single peers:", kPeers},
}};

}  // namespace

std::span<const StrategyGroup> strategy_groups() { return kGroups; }

std::string combinations_of(const Strategy& strategy) {
  std::string text;
  const auto add = [&](bool has, std::string_view what) {
    if (has) text += (text.empty() ? "" : ", ") + std::string(what);
  };
  add(!strategy.compressed.empty(), "compression");
  add(strategy.steps_together, "overlap dear");
  add(strategy.has("period-rule"), "period rules");
  return text.empty() ? "-" : text;
}

}  // namespace epochcast
