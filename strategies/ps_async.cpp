// SPDX-License-Identifier: Apache-2.0
// Asynchronous SGD: the server applies each gradient on arrival (Dean et al., NIPS 2012: Downpour
// SGD that fetches and pushes in every step).
#include <algorithm>
#include <array>
#include <memory>

#include "core/job/setting_value.hpp"
#include "strategies/parameter_server.hpp"
#include "strategies/server_settings.hpp"

namespace epochcast {
namespace {

constexpr StrategySettingOf kStalenessRate("staleness-rate",
                                           "on|off",
                                           "ps-async: divide the learning rate by the staleness of "
                                           "the gradient (Zhang et al., IJCAI 2016)",
                                           "off",
                                           "on",
                                           value::Switch{});

constexpr std::array<const StrategySetting*, 2> kSettings = {&kStalenessRate, &kServers};

/// Each gradient is an update, and its worker continues at once.
class EachGradient : public ServerRule {
 public:
  explicit EachGradient(bool divides_rate) : divides_rate_(divides_rate) {}

  ServerOrder arrived(const ServerState& state, int worker) override {
    const std::int64_t staleness = state.staleness(worker);
    const double rate =
        divides_rate_ ? 1.0 / static_cast<double>(std::max<std::int64_t>(1, staleness)) : 1.0;
    return {.taken = {worker}, .rate = rate, .answered = {worker}};
  }

 private:
  bool divides_rate_;
};

void run_ps_async(Worker& worker) {
  run_parameter_server(worker,
                       {.rule = std::make_unique<EachGradient>(kStalenessRate.of(worker.config)),
                        .gradients = batches_per_epoch(worker)});
}

}  // namespace

Strategy ps_async_strategy() {
  return {.name = "ps-async",
          .summary = "servers apply each gradient on arrival (--staleness-rate)",
          .source = "Dean et al., NIPS 2012",
          .participants = Participants::workers_and_parameter_servers,
          .compressed = {},
          .settings = kSettings,
          .can_save_within_epochs = false,
          .check = check_parameter_server,
          .run = run_ps_async};
}

}  // namespace epochcast
