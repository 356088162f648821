// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/formats/platform.hpp"
#include "core/job/placement.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace epochcast;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run(data, size, [](const nlohmann::json& document) {
    const Platform platform = parse_platform(document, "input");

    fuzz::require(platform.node_count() >= 1);
    if (platform.network) {
      const std::int64_t capacity = platform.network->capacity();
      fuzz::require(capacity == 0 || capacity >= platform.node_count());
    }
    static_cast<void>(platform.grade());
    JobConfig config;
    config.nodes = std::min(platform.node_count(), 3);
    for (const WorkerInfo& device : all_devices(platform, config)) {
      fuzz::require(std::isfinite(device.reduce_s_per_byte) && device.reduce_s_per_byte >= 0);
    }
    const auto batch_s = [](const WorkerInfo& worker) {
      return static_cast<double>(worker.model.size());
    };
    config.workers = "all";
    for (const Participants participants : {Participants::workers,
                                            Participants::fastest_workers,
                                            Participants::workers_and_servers}) {
      fuzz::require(!place(platform, config, participants, batch_s).empty());
    }
  });
}
