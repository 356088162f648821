// SPDX-License-Identifier: Apache-2.0
#include "sim/loop_watch.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast::sim {
namespace {

constexpr double kEqual =
    1e-10;  // relative difference of iterations that counts as equal: rounding of the clock
constexpr std::int64_t kGiveUp = 64;  // a loop that has not settled by then is run to its end

}  // namespace

LoopWatch::LoopWatch(int members, std::int64_t count, const Rule& rule)
    : count_(count), rule_(rule), history_(static_cast<std::size_t>(members)) {}

bool LoopWatch::looks_after(std::int64_t iterations) const {
  if (omitted_ > 0 || iterations >= count_) return false;
  if (rule_.is_noisy) return iterations == rule_.sampled;
  return iterations >= 3 && iterations <= kGiveUp && count_ > 4;
}

bool LoopWatch::report(int member, std::int64_t iterations, const Meters& meters) {
  if (omitted_ > 0 || iterations > std::max(kGiveUp, rule_.sampled)) return false;
  history_[static_cast<std::size_t>(member)].push_back(meters);
  if (!looks_after(iterations)) return false;
  if (++reported_ < static_cast<int>(history_.size())) return false;
  reported_ = 0;
  if (rule_.is_noisy) {
    judge_noisy(iterations);
  } else {
    judge_steady(iterations);
  }
  return true;
}

void LoopWatch::judge_steady(std::int64_t iterations) {
  const auto last = static_cast<std::size_t>(iterations);
  double least_s = INFINITY;
  double most_s = 0;
  for (const auto& meters : history_) {
    for (const std::size_t i : {last - 1, last}) {
      const double took_s = meters[i].now_s - meters[i - 1].now_s;
      least_s = std::min(least_s, took_s);
      most_s = std::max(most_s, took_s);
    }
  }
  if (most_s - least_s > kEqual * most_s) return;
  first_ = iterations - 1;
  omitted_ = count_ - iterations;
  omitted_s_ = static_cast<double>(omitted_) * (least_s + most_s) / 2;
  settled_after_ = iterations;
  for (const auto& meters : history_) {
    const double first_s = meters[1].now_s - meters[0].now_s;
    has_transient_ = has_transient_ || std::abs(first_s - most_s) > 1e-6 * most_s;
  }
}

void LoopWatch::judge_noisy(std::int64_t iterations) {
  const auto last = static_cast<std::size_t>(iterations);
  first_ = iterations > 1 ? 1 : 0;
  const auto first = static_cast<std::size_t>(first_);
  std::vector<double> mean_s(last + 1, 0);
  for (const auto& meters : history_) {
    for (std::size_t i = first; i <= last; ++i) {
      mean_s[i] += meters[i].now_s / static_cast<double>(history_.size());
    }
  }
  const auto sampled = static_cast<double>(last - first);
  const double iteration_s = (mean_s[last] - mean_s[first]) / sampled;
  double squares = 0;
  double shortest_s = INFINITY;
  for (std::size_t i = first + 1; i <= last; ++i) {
    const double took_s = mean_s[i] - mean_s[i - 1];
    squares += (took_s - iteration_s) * (took_s - iteration_s);
    shortest_s = std::min(shortest_s, took_s);
  }
  const double deviation_s = sampled > 1 ? std::sqrt(squares / (sampled - 1)) : 0;
  omitted_ = count_ - iterations;
  const auto rest = static_cast<double>(omitted_);
  Random random(rule_.seed);
  omitted_s_ = std::max(rest * iteration_s + std::sqrt(rest) * deviation_s * random.normal(),
                        rest * std::max(0.0, shortest_s));
  settled_after_ = iterations;
}

Meters LoopWatch::owed(int member) const {
  const auto& meters = history_[static_cast<std::size_t>(member)];
  const Meters& from = meters[static_cast<std::size_t>(first_)];
  const Meters& to = meters[static_cast<std::size_t>(settled_after_)];
  const double time_factor = to.now_s > from.now_s ? omitted_s_ / (to.now_s - from.now_s) : 0;
  const double byte_factor =
      static_cast<double>(omitted_) / static_cast<double>(settled_after_ - first_);
  const auto more = [](double a, double b, double factor) { return (b - a) * factor; };
  const PhaseTimes& a = from.phases;
  const PhaseTimes& b = to.phases;
  return {
      .now_s = omitted_s_,
      .phases = {.compute_s = more(a.compute_s, b.compute_s, time_factor),
                 .exposed_communication_s =
                     more(a.exposed_communication_s, b.exposed_communication_s, time_factor),
                 .blocked_s = more(a.blocked_s, b.blocked_s, time_factor)},
      .traffic = {.intra_node_bytes =
                      more(from.traffic.intra_node_bytes, to.traffic.intra_node_bytes, byte_factor),
                  .inter_node_bytes = more(
                      from.traffic.inter_node_bytes, to.traffic.inter_node_bytes, byte_factor)}};
}

}  // namespace epochcast::sim
