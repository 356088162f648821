// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/costs/batch_cost.hpp"
#include "core/costs/buckets.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace epochcast;

namespace {

void check_times(const BatchTimes& times, bool is_some) {
  for (const double part_s : {times.load_s, times.forward_s, times.backward_s, times.step_s}) {
    fuzz::require(std::isfinite(part_s) && part_s >= 0);
  }
  fuzz::require(is_some ? times.total_s() > 0 : times.total_s() == 0);
}

void exercise(const CostTrace& trace) {
  const BatchCost cost(trace);
  Random random(1);
  std::vector<std::int64_t> sizes = cost.measured_batches();
  sizes.insert(sizes.end(), {0, 1, 100, JsonInput::kMaxCount});
  for (const std::int64_t size : sizes) {
    check_times(cost.median(size), size > 0);
    check_times(cost.at(size, random.uniform()), size > 0);
    static_cast<void>(cost.is_extrapolated(size));
    for (const std::size_t worker : {0, 1, 5}) {
      check_times(cost.of_worker(worker).median(size), size > 0);
      check_times(cost.of_worker(worker, worker).at(size, random.uniform()), size > 0);
    }
  }
  static_cast<void>(cost.has_spread());

  Network network;
  for (const LayerShare& share : trace.backward_layers) {
    network.layers.push_back({.name = share.name, .parameters = 10});
  }
  if (network.layers.empty()) return;
  double share = 0;
  for (const Bucket& bucket : cut_buckets(network, trace.backward_layers, 40, 100)) {
    share += bucket.backward_share;
  }
  fuzz::require(std::abs(share - 1) < 1e-6);  // sums of some thousand terms
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run(data, size, [](const nlohmann::json& document) {
    for (const CostTrace& trace : parse_trace(document, "input").costs) exercise(trace);
  });
}
