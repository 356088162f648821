// SPDX-License-Identifier: Apache-2.0
// Asynchronous SGD: the server applies each gradient on arrival (Dean et al., NIPS 2012: Downpour
// SGD that fetches and pushes in every step).
#include <array>

#include "core/job/setting_value.hpp"
#include "strategies/parameter_server.hpp"

namespace epochcast {
namespace {

constexpr StrategySettingOf kStalenessRate("staleness-rate",
                                           "on|off",
                                           "ps-async: divide the learning rate by the staleness of "
                                           "the gradient (Zhang et al., IJCAI 2016)",
                                           "off",
                                           "on",
                                           value::Switch{});

constexpr std::array<const StrategySetting*, 1> kSettings = {&kStalenessRate};

void run_ps_async(Worker& worker) {
  run_parameter_server(worker, {.divides_rate = kStalenessRate.of(worker.config)});
}

}  // namespace

Strategy ps_async_strategy() {
  return {.name = "ps-async",
          .summary = "servers apply each gradient on arrival (--staleness-rate)",
          .source = "Dean et al., NIPS 2012",
          .participants = Participants::workers_and_parameter_servers,
          .compressed = {},
          .settings = kSettings,
          .check = check_parameter_server,
          .run = run_ps_async};
}

}  // namespace epochcast
