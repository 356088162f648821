// SPDX-License-Identifier: Apache-2.0
#include "sim/loop_watch.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast::sim {
namespace {

constexpr double kEqual =
    1e-10;  // relative difference of iterations that counts as equal: rounding of the clock
constexpr std::int64_t kGiveUp = 64;  // a loop that has not settled by then is run to its end

Meters difference(const Meters& a, const Meters& b) {
  return {
      .now_s = a.now_s - b.now_s, .phases = a.phases - b.phases, .traffic = a.traffic - b.traffic};
}

void add(LoopStatistics& to, const LoopStatistics& more) {
  to.sum.resize(more.sum.size());
  for (std::size_t i = 0; i < to.sum.size(); ++i) {
    to.sum[i].now_s += more.sum[i].now_s;
    to.sum[i].phases += more.sum[i].phases;
    to.sum[i].traffic += more.sum[i].traffic;
  }
  to.iterations += more.iterations;
  to.sum_s += more.sum_s;
  to.sum_of_squares += more.sum_of_squares;
}

}  // namespace

double LoopStatistics::deviation_s() const {
  if (iterations < 2) return 0;
  const double variance = (sum_of_squares - sum_s * mean_s()) / (iterations - 1);
  return variance > 0 ? std::sqrt(variance) : 0;
}

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
  omitted_ = count_ - iterations;
  omitted_s_ = static_cast<double>(omitted_) * (least_s + most_s) / 2;
  settled_after_ = iterations;
  statistics_.iterations = 1;
  for (const auto& meters : history_) {
    statistics_.sum.push_back(difference(meters[last], meters[last - 1]));
    const double first_s = meters[1].now_s - meters[0].now_s;
    has_transient_ = has_transient_ || std::abs(first_s - most_s) > 1e-6 * most_s;
  }
}

void LoopWatch::judge_noisy(std::int64_t iterations) {
  const auto last = static_cast<std::size_t>(iterations);
  // The first iteration begins with everybody in step, as no other one does.
  const std::size_t first = iterations > 1 ? 1 : 0;
  LoopStatistics here;
  const auto members = static_cast<double>(history_.size());
  for (std::size_t i = first + 1; i <= last; ++i) {
    double mean_s = 0;
    for (const auto& meters : history_) mean_s += (meters[i].now_s - meters[i - 1].now_s) / members;
    here.sum_s += mean_s;
    here.sum_of_squares += mean_s * mean_s;
    here.iterations += 1;
  }
  for (const auto& meters : history_) here.sum.push_back(difference(meters[last], meters[first]));
  if (rule_.pilot != nullptr) add(*rule_.pilot, here);
  statistics_ = rule_.known != nullptr ? *rule_.known : here;
  omitted_ = count_ - iterations;
  const auto rest = static_cast<double>(omitted_);
  // What varies from epoch to epoch, and what the pilot passes leave unknown of the mean.
  const double variances = rest + rest * rest / statistics_.iterations;
  Random random(rule_.seed);
  const double expected_s = rest * statistics_.mean_s();
  omitted_s_ =
      std::max(expected_s + std::sqrt(variances) * statistics_.deviation_s() * random.normal(),
               expected_s / 2);
  settled_after_ = iterations;
}

Meters LoopWatch::owed(int member) const {
  const Meters& sum = statistics_.sum[static_cast<std::size_t>(member)];
  const double time_factor = sum.now_s > 0 ? omitted_s_ / sum.now_s : 0;
  const double byte_factor = static_cast<double>(omitted_) / statistics_.iterations;
  return {.now_s = omitted_s_,
          .phases = time_factor * sum.phases,
          .traffic = byte_factor * sum.traffic};
}

}  // namespace epochcast::sim
