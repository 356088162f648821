// SPDX-License-Identifier: Apache-2.0
// Group synchronous parallel (Sun et al., IEEE Transactions on Cloud Computing): workers of similar
// speed form groups. A group is synchronous: its mean gradient is an update. Groups do not wait for
// each other.
//
// [reading] Groups are formed once, by a benchmark before training: a group has the workers whose
// batches take at most 1 + tolerance times as long as its fastest one's. An update has the whole
// learning rate, however large the group is.
#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "core/job/setting_value.hpp"
#include "strategies/parameter_server.hpp"
#include "strategies/server_settings.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

constexpr double kLargestTolerance = 1e6;

constexpr StrategySettingOf kGroupTolerance(
    "group-tolerance",
    "SHARE",
    "gssp: how much longer batches in a group may take than its fastest worker's",
    "0.2",
    "0",
    value::Number{0, kLargestTolerance, "a number from 0 to 1e6"});

constexpr std::array<const StrategySetting*, 2> kSettings = {&kGroupTolerance, &kServers};

/// The group of each worker.
std::vector<std::size_t> groups_by_speed(const std::vector<double>& seconds, double tolerance) {
  std::vector<std::size_t> order(seconds.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t each) { return seconds[each]; });
  std::vector<std::size_t> groups(seconds.size());
  std::size_t group = 0;
  double fastest_s = seconds[order.front()];
  for (const std::size_t each : order) {
    if (seconds[each] > (1 + tolerance) * fastest_s) {
      ++group;
      fastest_s = seconds[each];
    }
    groups[each] = group;
  }
  return groups;
}

/// The mean gradient of a group is an update, when all of it have arrived.
class GroupMeans : public ServerRule {
 public:
  explicit GroupMeans(std::vector<std::size_t> groups) : groups_(std::move(groups)) {}

  ServerOrder arrived(const ServerState& state, int worker) override {
    const std::size_t group = groups_[static_cast<std::size_t>(worker)];
    std::vector<int> members;
    for (std::size_t each = 0; each < groups_.size(); ++each) {
      const Client& client = state.clients[each];
      // At the end of an epoch some members have no batch.
      if (groups_[each] != group || !client.is_active) continue;
      if (!client.waits) return {};
      members.push_back(static_cast<int>(each));
    }
    const double weight = 1.0 / static_cast<double>(members.size());
    return {.taken = members, .weight = weight, .rate = 1, .answered = members};
  }

 private:
  std::vector<std::size_t> groups_;  ///< by worker
};

void run_gssp(Worker& worker) {
  Fabric& fabric = worker.fabric;
  const std::int64_t batch = worker.config.step_batch();
  const std::int64_t batches = batches_per_epoch(worker);
  const SharedNumbers known = remembered(worker, "seconds of workers", [&] {
    const bool trains = fabric.self().role == Role::trains;
    const double seconds = trains ? worker.learner.benchmark(batch) : 0;
    return fabric.all_gather_numbers({&seconds, 1}, fabric.world());
  });
  const auto workers = static_cast<std::ptrdiff_t>(trainer_count(fabric));
  const std::vector<double> seconds(known.values().begin(), known.values().begin() + workers);
  if (worker.config.of_strategies.contains(std::string(kGroupTolerance.name)) &&
      std::ranges::count(seconds, seconds.front()) == workers) {
    throw UserError(
        "--group-tolerance: all workers take equally long for a batch, so they are one group");
  }
  run_parameter_server(worker,
                       {.rule = std::make_unique<GroupMeans>(
                            groups_by_speed(seconds, kGroupTolerance.of(worker.config))),
                        .gradients = batches});
}

}  // namespace

Strategy gssp_strategy() {
  return {.name = "gssp",
          .summary = "synchronous groups of workers of similar speed (--group-tolerance)",
          .source = "Sun et al., IEEE Transactions on Cloud Computing",
          .participants = Participants::workers_and_parameter_servers,
          .compressed = {},
          .settings = kSettings,
          .can_save_within_epochs = false,
          .check = check_parameter_server,
          .run = run_gssp};
}

}  // namespace epochcast
