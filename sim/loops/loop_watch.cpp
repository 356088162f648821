// SPDX-License-Identifier: Apache-2.0
#include "sim/loops/loop_watch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/loops/known_mean.hpp"

namespace epochcast::sim {
namespace {

constexpr double kEqual =
    1e-10;  // relative difference of iterations that counts as equal: rounding of the clock
constexpr double kUnnoticed = 1e-6;        // relative difference of a first iteration below noise
constexpr std::int64_t kMostWatched = 64;  // a loop that is not steady by then is run to its end
// One iteration may have begun while others still used the links; then follow the two that are
// compared.
constexpr std::int64_t kSettling = 3;
constexpr std::int64_t kAffectedIterations =
    3;  // iterations until the effect of a change is complete
constexpr std::int64_t kFirstIterations =
    2;  // first iterations that depend on the state before the loop

Meters difference(const Meters& a, const Meters& b) {
  return {
      .now_s = a.now_s - b.now_s, .phases = a.phases - b.phases, .traffic = a.traffic - b.traffic};
}

/// Whether two iterations have added the same to a member's meters; times to `slack_s`.
bool are_alike(const Meters& a, const Meters& b, double slack_s) {
  const auto is_close = [](double one, double other, double slack) {
    return std::abs(one - other) <= slack;
  };
  const auto is_same_size = [&](double one, double other) {
    return is_close(one, other, kEqual * std::max(one, other));
  };
  return is_close(a.now_s, b.now_s, slack_s) &&
         is_close(a.phases.compute_s, b.phases.compute_s, slack_s) &&
         is_close(a.phases.exposed_communication_s, b.phases.exposed_communication_s, slack_s) &&
         is_close(a.phases.blocked_s, b.phases.blocked_s, slack_s) &&
         is_same_size(a.traffic.intra_node_bytes, b.traffic.intra_node_bytes) &&
         is_same_size(a.traffic.inter_node_bytes, b.traffic.inter_node_bytes);
}

/// Draws durations in blocks of successive ones.
class Runs {
 public:
  Runs(const std::vector<double>& observed_s, std::size_t run, Random& random)
      : observed_s_(observed_s), run_(run), random_(random) {}

  double next() {
    if (left_ == 0) {
      left_ = run_;
      next_ = run_ * random_.below(observed_s_.size() / run_);
    }
    --left_;
    return observed_s_[next_++];
  }

 private:
  const std::vector<double>& observed_s_;
  std::size_t run_;
  Random& random_;
  std::size_t next_ = 0;
  std::size_t left_ = 0;
};

/// As many durations as were observed, drawn from these.
std::vector<double> redrawn(const LoopStatistics& observed, Random& random) {
  Runs runs(observed.durations_s, observed.run, random);
  std::vector<double> drawn_s(observed.durations_s.size());
  for (double& seconds : drawn_s) seconds = runs.next();
  return drawn_s;
}

/// The sum of `count` durations, drawn from these.
double drawn_sum_s(const std::vector<double>& observed_s,
                   std::size_t run,
                   std::int64_t count,
                   Random& random) {
  Runs runs(observed_s, run, random);
  double sum_s = 0;
  for (std::int64_t i = 0; i < count; ++i) sum_s += runs.next();
  return sum_s;
}

}  // namespace

void LoopStatistics::add(const LoopStatistics& more) {
  sum.resize(more.sum.size());
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i].now_s += more.sum[i].now_s;
    sum[i].phases += more.sum[i].phases;
    sum[i].traffic += more.sum[i].traffic;
  }
  durations_s.insert(durations_s.end(), more.durations_s.begin(), more.durations_s.end());
  run = more.run;
}

LoopWatch::LoopWatch(int members, std::int64_t count, const Rule& rule)
    : count_(count),
      rule_(rule),
      uncounted_(std::clamp<std::int64_t>(rule.sampled - 1, 0, kFirstIterations)),
      members_(static_cast<std::size_t>(members)) {
  if (rule.is_noisy && !rule.is_like_last && rule.sampled < count)
    durations_s_.resize(static_cast<std::size_t>(rule.sampled - uncounted_));
}

bool LoopWatch::decides_after(std::int64_t iterations) const {
  if (omitted_ > 0 || iterations >= count_) return false;
  if (!rule_.is_noisy && do_differ_)
    return iterations > kFirstIterations && iterations <= kMostWatched && count_ > 4;
  if (!rule_.is_noisy) {
    const std::int64_t looked = iterations - first_decision_;
    return looked >= 0 && looked <= kMostWatched - kSettling && count_ > 4;
  }
  const bool looks_again = rule_.is_like_last && iterations == kAffectedIterations;
  return iterations == rule_.sampled || (looks_again && iterations > rule_.sampled);
}

bool LoopWatch::report(
    int member, std::int64_t iterations, const Meters& meters, bool has_changed, bool may_omit) {
  if (omitted_ > 0) return false;
  Member& own = members_[static_cast<std::size_t>(member)];
  own.before_last = std::exchange(own.last, difference(meters, own.now));
  own.now = meters;
  if (iterations == 1) own.first = own.last;
  if (iterations <= (do_differ_ ? kFirstIterations : uncounted_)) own.counted_from = meters;
  if (has_changed) last_change_ = std::max(last_change_, iterations);
  if (!durations_s_.empty() && iterations > uncounted_) {
    durations_s_[static_cast<std::size_t>(iterations - uncounted_ - 1)] +=
        own.last.now_s / static_cast<double>(members_.size());
  }
  if (!decides_after(iterations)) return false;
  if (++reported_ < static_cast<int>(members_.size())) return false;
  reported_ = 0;
  if (!may_omit) {
    postpone(iterations);
  } else if (!rule_.is_noisy && do_differ_) {
    decide_by_mean(iterations);
  } else if (!rule_.is_noisy) {
    decide_steady(iterations);
  } else if (rule_.is_like_last) {
    decide_by_last(iterations);
  } else {
    decide_sampled(iterations);
  }
  return true;
}

void LoopWatch::postpone(std::int64_t iterations) {
  if (!rule_.is_noisy) {
    first_decision_ = iterations + 1;
    busy_until_ = iterations;
    return;
  }
  uncounted_ = iterations;
  rule_.sampled = iterations + static_cast<std::int64_t>(durations_s_.size());
  std::fill(durations_s_.begin(), durations_s_.end(), 0);
  for (Member& member : members_) member.counted_from = member.now;
}

void LoopWatch::omit_like_last(std::int64_t iterations) {
  double sum_s = 0;
  for (const Member& member : members_) {
    sum_.push_back(member.last);
    sum_s += member.last.now_s;
  }
  summed_ = 1;
  omitted_ = count_ - iterations;
  omitted_s_ = static_cast<double>(omitted_) * sum_s / static_cast<double>(members_.size());
  settled_after_ = iterations;
}

void LoopWatch::decide_steady(std::int64_t iterations) {
  if (last_change_ == iterations || iterations < busy_until_ + kSettling) return;
  const double took_s = members_.front().last.now_s;
  const double slack_s = kEqual * took_s;
  const bool is_steady = std::all_of(members_.begin(), members_.end(), [&](const Member& member) {
    return std::abs(member.last.now_s - took_s) <= slack_s &&
           are_alike(member.before_last, member.last, slack_s);
  });
  if (!is_steady) return;
  omit_like_last(iterations);
  const double unnoticed_s = kUnnoticed * took_s;
  has_transient_ =
      last_change_ > 0 ||
      std::any_of(members_.begin(), members_.end(), [unnoticed_s](const Member& member) {
        return std::abs(member.first.now_s - member.last.now_s) > unnoticed_s;
      });
}

void LoopWatch::decide_by_mean(std::int64_t iterations) {
  differing_s_.push_back(members_.front().last.now_s);
  if (!is_mean_known(differing_s_)) return;
  double sum_s = 0;
  for (const Member& member : members_) {
    sum_.push_back(difference(member.now, member.counted_from));
    sum_s += sum_.back().now_s;
  }
  summed_ = static_cast<double>(differing_s_.size());
  omitted_ = count_ - iterations;
  omitted_s_ =
      static_cast<double>(omitted_) * sum_s / summed_ / static_cast<double>(members_.size());
  settled_after_ = iterations;
}

void LoopWatch::decide_by_last(std::int64_t iterations) {
  // A change affects the next iteration, and through it the one after.
  if (last_change_ == 0 || iterations >= kAffectedIterations) omit_like_last(iterations);
}

void LoopWatch::decide_sampled(std::int64_t iterations) {
  LoopStatistics here = {.sum = {}, .durations_s = std::move(durations_s_)};
  here.run = here.durations_s.size();
  for (const Member& member : members_)
    here.sum.push_back(difference(member.now, member.counted_from));
  if (rule_.pilot != nullptr) rule_.pilot->add(here);
  const LoopStatistics& observed = rule_.pilot != nullptr   ? *rule_.pilot
                                   : rule_.known != nullptr ? *rule_.known
                                                            : here;
  sum_ = observed.sum;
  summed_ = static_cast<double>(observed.durations_s.size());
  omitted_ = count_ - iterations;
  Random random(rule_.seed);
  omitted_s_ = rule_.known != nullptr
                   ? drawn_sum_s(redrawn(observed, random), observed.run, omitted_, random)
                   : drawn_sum_s(observed.durations_s, observed.run, omitted_, random);
  settled_after_ = iterations;
}

Meters LoopWatch::omitted_meters(int member) const {
  const Meters& sum = sum_[static_cast<std::size_t>(member)];
  const double time_factor = sum.now_s > 0 ? omitted_s_ / sum.now_s : 0;
  const double byte_factor = static_cast<double>(omitted_) / summed_;
  return {.now_s = omitted_s_,
          .phases = time_factor * sum.phases,
          .traffic = byte_factor * sum.traffic};
}

}  // namespace epochcast::sim
