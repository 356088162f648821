// SPDX-License-Identifier: Apache-2.0
// Stale synchronous parallel (Ho et al., NIPS 2013): asynchronous SGD with a bound on how far
// workers are apart. The server holds its reply to a worker that is too far ahead.
#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "core/job/setting_value.hpp"
#include "strategies/parameter_server.hpp"
#include "strategies/server_settings.hpp"

namespace epochcast {
namespace {

constexpr StrategySettingOf kStalenessBound(
    "staleness-bound",
    "S",
    "ssp: iterations by which a worker may be ahead of the slowest one",
    "3",
    "0",
    value::Count{0});

constexpr std::array<const StrategySetting*, 2> kSettings = {&kStalenessBound, &kServers};

/// Each gradient is an update; a worker that is too far ahead waits for the slowest.
class BoundedLead : public ServerRule {
 public:
  explicit BoundedLead(std::int64_t most_ahead) : most_ahead_(most_ahead) {}

  ServerOrder arrived(const ServerState& state, int worker) override {
    return {.taken = {worker}, .rate = 1, .answered = released(state)};
  }

  std::vector<int> released(const ServerState& state) override {
    std::vector<int> workers;
    const std::int64_t least = least_pushes(state);
    for (std::size_t each = 0; each < state.clients.size(); ++each) {
      const Client& client = state.clients[each];
      if (client.is_active && client.waits && client.pushes - least <= most_ahead_)
        workers.push_back(static_cast<int>(each));
    }
    return workers;
  }

 private:
  static std::int64_t least_pushes(const ServerState& state) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const Client& client : state.clients)
      if (client.is_active) least = std::min(least, client.pushes);
    return least;
  }

  std::int64_t most_ahead_;
};

void run_ssp(Worker& worker) {
  run_parameter_server(worker,
                       {.rule = std::make_unique<BoundedLead>(kStalenessBound.of(worker.config)),
                        .gradients = batches_per_epoch(worker)});
}

}  // namespace

Strategy ssp_strategy() {
  return {.name = "ssp",
          .summary = "ps-async with workers at most S iterations apart (--staleness-bound)",
          .source = "Ho et al., NIPS 2013",
          .participants = Participants::workers_and_parameter_servers,
          .compressed = {},
          .settings = kSettings,
          .can_save_within_epochs = false,
          .check = check_parameter_server,
          .run = run_ssp};
}

}  // namespace epochcast
