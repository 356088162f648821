// SPDX-License-Identifier: Apache-2.0
#include "core/costs/overlap_cost.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/costs/batch_cost.hpp"
#include "core/formats/cost_trace.hpp"

namespace epochcast {
namespace {

constexpr OverlapDefault kOverlapDefaults[] = {
    {.device_class = "cpu",
     .cost = {.batch_slowdown = 2.1, .exchange_slowdown = 1.4, .is_known = true},
     .source = "medians of 17 samples of two ranks: ring, buckets of 0.2 to 4 MB, resnet20, "
               "small-cnn and shufflenetv2-1x (2026-11-28, Intel Xeon, 2 cores, KVM, Open MPI "
               "4.1.4)"},
    {.device_class = "gpu",
     .cost = {.batch_slowdown = 1.1, .exchange_slowdown = 1, .is_known = true},
     .source = "assumed: half of the 19 % (40 % at most) by which batches on 4 A100, H100 or MI250 "
               "slow down beside exchanges over NVLink (arXiv 2507.03114), as exchanges between "
               "nodes take fewer multiprocessors",
     .is_charged = true,
     .most_batch_slowdown = 1.4},
};

double slowdown_of(std::vector<double> ratios) {
  return std::clamp(median_of(std::move(ratios)), 1.0, kMostSlowdown);
}

}  // namespace

OverlapCost measured_overlap(const std::vector<OverlapSamples>& samples) {
  std::vector<double> batches;
  std::vector<double> exchanges;
  for (const OverlapSamples& each : samples) {
    for (std::size_t i = 0; i < each.batch_s.size(); ++i) {
      batches.push_back(each.batch_s[i] / each.batch_alone_s[i]);
      exchanges.push_back(each.exchange_s[i] / each.exchange_alone_s[i]);
    }
  }
  if (batches.empty()) return {};
  const double exchange_slowdown = slowdown_of(std::move(exchanges));
  const double batch_speed = 1 / slowdown_of(std::move(batches));
  return {.batch_slowdown = 1 / std::max(batch_speed, 1 - 1 / exchange_slowdown),
          .exchange_slowdown = exchange_slowdown,
          .is_known = true};
}

const OverlapDefault* overlap_default(std::string_view device_class) {
  for (const OverlapDefault& each : kOverlapDefaults) {
    if (each.device_class == device_class) return &each;
  }
  return nullptr;
}

}  // namespace epochcast
