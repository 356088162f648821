// SPDX-License-Identifier: Apache-2.0
#include "sim/exchange/fair_rates.hpp"

#include <algorithm>

namespace epochcast::sim {
namespace {

/// The share of a capacity below which it is used up.
constexpr double kRest = 1e-9;

struct LinkState {
  double left = 0;
  double load = 0;  ///< of flows whose rates still rise
};

}  // namespace

void share_links(std::span<Flow* const> flows, std::span<const double> capacities) {
  std::vector<LinkState> links(capacities.size());
  for (std::size_t i = 0; i < links.size(); ++i) links[i].left = capacities[i];
  for (Flow* const flow : flows) {
    flow->rate = 0;
    for (const LinkUse& use : flow->uses) links[use.link].load += use.weight;
  }
  std::vector<Flow*> rising(flows.begin(), flows.end());
  double level = 0;
  while (!rising.empty()) {
    double step = std::numeric_limits<double>::infinity();
    for (const LinkState& link : links)
      if (link.load > kRest) step = std::min(step, link.left / link.load);
    for (const Flow* const flow : rising) step = std::min(step, flow->most - level);
    step = std::max(0.0, step);
    level += step;
    for (LinkState& link : links)
      if (link.load > kRest) link.left -= step * link.load;
    const auto is_stopped = [&](const Flow& flow) {
      return flow.most <= level * (1 + kRest) ||
             std::ranges::any_of(flow.uses, [&](const LinkUse& use) {
               return links[use.link].left <= kRest * capacities[use.link];
             });
    };
    const auto stopped = std::stable_partition(
        rising.begin(), rising.end(), [&](const Flow* flow) { return !is_stopped(*flow); });
    for (auto each = stopped; each != rising.end(); ++each) {
      (*each)->rate = level;
      for (const LinkUse& use : (*each)->uses) links[use.link].load -= use.weight;
    }
    rising.erase(stopped, rising.end());
  }
}

}  // namespace epochcast::sim
