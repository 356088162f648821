// SPDX-License-Identifier: Apache-2.0
// Stale synchronous parallel (Ho et al., NIPS 2013): asynchronous SGD with a bound on how far
// workers are apart. The server holds its reply to a worker that is too far ahead.
#include <array>

#include "core/job/setting_value.hpp"
#include "strategies/parameter_server.hpp"

namespace epochcast {
namespace {

constexpr StrategySettingOf kStalenessBound(
    "staleness-bound",
    "S",
    "ssp: iterations by which a worker may be ahead of the slowest one",
    "3",
    "0",
    value::Count{0});

constexpr std::array<const StrategySetting*, 1> kSettings = {&kStalenessBound};

void run_ssp(Worker& worker) {
  run_parameter_server(worker, {.most_ahead = kStalenessBound.of(worker.config)});
}

}  // namespace

Strategy ssp_strategy() {
  return {.name = "ssp",
          .summary = "ps-async with workers at most S iterations apart (--staleness-bound)",
          .source = "Ho et al., NIPS 2013",
          .participants = Participants::workers_and_parameter_servers,
          .compressed = {},
          .settings = kSettings,
          .check = check_parameter_server,
          .run = run_ssp};
}

}  // namespace epochcast
