// SPDX-License-Identifier: Apache-2.0
#include "cli/show/cost_front.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "base/text/units.hpp"
#include "results/ranked_run.hpp"

namespace epochcast {

void CostFront::add(const RunResult& run, const std::string& name) {
  const std::size_t place = count_++;
  const double seconds = run.ranked_s();
  is_to_target_ = is_to_target_ || run.target_samples;
  if (!run.cost || !is_ranked(run) || !std::isfinite(seconds)) return;
  const Price& rate = run.cost->rate;
  runs_.push_back(
      {.name = name, .currency = rate.currency, .per_hour = rate.per_hour, .place = place});
  costs_.push_back({.kind = run.network + "\n" + run.dataset + "\n" + rate.currency,
                    .time_s = seconds,
                    .cost = rate.of(seconds)});
}

std::vector<std::size_t> CostFront::places() const {
  std::vector<std::size_t> places;
  for (const std::size_t index : pareto_front(costs_)) places.push_back(runs_[index].place);
  return places;
}

void CostFront::print(std::ostream& out) const {
  constexpr std::size_t kMost = 12;
  const bool differs = std::any_of(runs_.begin(), runs_.end(), [&](const Run& run) {
    return run.per_hour != runs_.front().per_hour;
  });
  if (!differs) return;
  std::vector<std::size_t> front = pareto_front(costs_);
  std::stable_sort(front.begin(), front.end(), [&](std::size_t i, std::size_t j) {
    return costs_[i].time_s < costs_[j].time_s;
  });
  out << "\n  Nothing is as fast and as cheap (" << (is_to_target_ ? "to the target" : "all data")
      << "):\n";
  for (std::size_t i = 0; i < std::min(kMost, front.size()); ++i) {
    const TimeAndCost& best = costs_[front[i]];
    const Run& run = runs_[front[i]];
    out << "    " << format_seconds(best.time_s) << ", " << format_money(best.cost, run.currency)
        << ": " << run.name << '\n';
  }
  if (front.size() > kMost)
    out << "    and " << front.size() - kMost << " more (--format json has all)\n";
}

}  // namespace epochcast
