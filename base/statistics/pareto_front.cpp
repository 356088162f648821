// SPDX-License-Identifier: Apache-2.0
#include "base/statistics/pareto_front.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace epochcast {

std::vector<std::size_t> pareto_front(const std::vector<TimeAndCost>& all) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return std::tie(all[i].kind, all[i].time_s, all[i].cost) <
           std::tie(all[j].kind, all[j].time_s, all[j].cost);
  });
  std::vector<std::size_t> front;
  for (const std::size_t next : order) {
    const bool begins = front.empty() || all[front.back()].kind != all[next].kind;
    const bool is_equal = !begins && all[next].time_s == all[front.back()].time_s &&
                          all[next].cost == all[front.back()].cost;
    // Of one kind, those before it are as fast; the last of the front is the cheapest of them.
    if (begins || is_equal || all[next].cost < all[front.back()].cost) front.push_back(next);
  }
  std::sort(front.begin(), front.end());
  return front;
}

}  // namespace epochcast
