// SPDX-License-Identifier: Apache-2.0
#include "sim/loops/round_skipper.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace epochcast::sim {
namespace {

constexpr double kSameTime =
    1e-9;  // relative difference of periods that counts as equal: rounding of the clock
constexpr std::int64_t kFewest = 8;  // fewer periods are not watched

bool is_close(double a, double b) {
  return std::abs(a - b) <= kSameTime * std::max(std::abs(a), std::abs(b));
}

}  // namespace

RoundSkipper::RoundSkipper(const Schedule& schedule,
                           bool is_enabled,
                           std::function<bool()> may_omit)
    : size_(schedule.ranks()),
      may_omit_(std::move(may_omit)),
      ranks_(static_cast<std::size_t>(schedule.ranks())) {
  if (!is_enabled) return;
  for (const RepeatedRounds& run : schedule.repeated()) {
    const std::int64_t periods = (run.end - run.begin) / run.period;
    if (periods < kFewest) continue;
    Watch watch;
    watch.rounds = run;
    watches_.push_back(std::move(watch));
  }
}

std::int64_t RoundSkipper::completed(int rank,
                                     std::int64_t round,
                                     double clock_s,
                                     const Traffic& traffic) {
  Rank& self = ranks_[static_cast<std::size_t>(rank)];
  self.traffic += traffic;
  for (Watch& watch : watches_) {
    const RepeatedRounds& run = watch.rounds;
    if (round < run.begin || round >= run.end || (round + 1 - run.begin) % run.period != 0)
      continue;
    const std::int64_t boundary = (round + 1 - run.begin) / run.period;
    self.per_period = self.traffic - self.at_boundary;
    self.at_boundary = self.traffic;
    if (boundary >= static_cast<std::int64_t>(watch.boundaries.size()))
      watch.boundaries.resize(static_cast<std::size_t>(boundary) + 1);
    Boundary& here = watch.boundaries[static_cast<std::size_t>(boundary)];
    const double advance_s = clock_s - self.previous_s;
    self.previous_s = clock_s;
    here.least_s = here.reached == 0 ? advance_s : std::min(here.least_s, advance_s);
    here.most_s = std::max(here.most_s, advance_s);
    ++here.reached;
    watch.furthest = std::max(watch.furthest, boundary);
    if (!watch.cut && here.reached == size_) look(watch, boundary);
    if (watch.cut == boundary) {
      const auto periods = static_cast<double>(watch.omitted_periods);
      self.omitted_s += periods * watch.period_s;
      self.traffic += periods * self.per_period;
      return round + 1 + watch.omitted_periods * run.period;
    }
    break;
  }
  return round + 1;
}

void RoundSkipper::look(Watch& watch, std::int64_t boundary) {
  if (boundary < 3) return;  // the advance up to boundary 1 begins before the run
  const Boundary& now = watch.boundaries[static_cast<std::size_t>(boundary)];
  const Boundary& before = watch.boundaries[static_cast<std::size_t>(boundary - 1)];
  if (before.reached < size_ || !is_close(now.least_s, now.most_s) ||
      !is_close(before.least_s, before.most_s) || !is_close(now.least_s, before.least_s)) {
    return;
  }
  const std::int64_t periods = (watch.rounds.end - watch.rounds.begin) / watch.rounds.period;
  const std::int64_t cut = watch.furthest + 1;
  const std::int64_t omitted = periods - cut - 1;  // the last period is always simulated
  if (omitted < 1 || !may_omit_()) return;
  watch.cut = cut;
  watch.omitted_periods = omitted;
  watch.period_s = (now.least_s + now.most_s + before.least_s + before.most_s) / 4;
}

}  // namespace epochcast::sim
