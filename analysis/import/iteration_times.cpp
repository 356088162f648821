// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/iteration_times.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>

#include "analysis/import/activity.hpp"
#include "base/error.hpp"

namespace epochcast {
namespace {

constexpr double kClock_s = 1e-6;  // profilers write whole microseconds

/// The annotations, one of each number.
std::vector<IterationTimes> annotated(const Profile& profile) {
  std::vector<IterationTimes> found;
  std::set<std::int64_t> numbers;
  for (const ProfileEvent& event : profile.events) {
    if (event.kind != EventKind::iteration) continue;
    if (!numbers.insert(event.number).second) continue;  // its copy on a GPU
    if (!found.empty() && event.start_s < found.back().end_s - kClock_s) {
      throw UserError(profile.file + ": ProfilerStep#" + std::to_string(event.number) +
                      " begins before ProfilerStep#" + std::to_string(found.back().number) +
                      " ends; expected the profile of one rank");
    }
    found.push_back({.number = event.number, .start_s = event.start_s, .end_s = event.end_s});
  }
  if (found.empty()) {
    throw UserError(profile.file +
                    ": got no ProfilerStep#N annotation; expected a job that calls step() of "
                    "torch.profiler.profile after every iteration");
  }
  return found;
}

/// If the CPU runs ahead: periods of the GPU. False if it does not.
bool follow_gpu(const RankActivity& rank, std::vector<IterationTimes>& iterations) {
  constexpr double kNever_s = std::numeric_limits<double>::infinity();
  std::vector<double> first_s(iterations.size(), kNever_s);
  bool is_ahead = false;
  for (std::size_t i = 0; i < rank.kernels.size(); ++i) {
    auto next =
        std::ranges::upper_bound(iterations, rank.launch_s[i], {}, &IterationTimes::start_s);
    if (next == iterations.begin()) continue;
    const auto index = static_cast<std::size_t>(next - iterations.begin()) - 1;
    const IterationTimes& own = iterations[index];
    if (rank.launch_s[i] >= own.end_s) continue;
    first_s[index] = std::min(first_s[index], rank.kernels[i].start_s);
    is_ahead = is_ahead || rank.kernels[i].end_s > own.end_s + kClock_s;
  }
  const bool is_known = std::ranges::all_of(first_s, [](double s) { return s < kNever_s; }) &&
                        std::ranges::is_sorted(first_s);
  if (!is_ahead || !is_known) return false;
  for (std::size_t i = 0; i + 1 < iterations.size(); ++i) {
    iterations[i].start_s = first_s[i];
    iterations[i].end_s = first_s[i + 1];
  }
  iterations.pop_back();
  return true;
}

/// The begin or end of an activity.
struct Change {
  double when_s = 0;
  Activity activity = Activity::forward;
  int by = 0;
};

std::vector<Change> changes_of(const std::vector<Stretch>& stretches) {
  std::vector<Change> changes;
  for (const Stretch& stretch : stretches) {
    changes.push_back({stretch.start_s, stretch.activity, 1});
    changes.push_back({stretch.end_s, stretch.activity, -1});
  }
  std::ranges::sort(changes, {}, &Change::when_s);
  return changes;
}

/// Adds up the time of each activity within one iteration.
class Account {
 public:
  void add(double seconds, std::optional<Activity> activity) {
    if (!activity) {
      idle_s_ += seconds;
      return;
    }
    by_activity_[static_cast<std::size_t>(*activity)] += seconds;
    if (seconds <= 0 || *activity == Activity::communication) return;
    by_activity_[static_cast<std::size_t>(*activity)] += idle_s_;
    idle_s_ = 0;
    last_ = *activity;
  }

  void close(IterationTimes& iteration) {
    by_activity_[static_cast<std::size_t>(last_)] += idle_s_;
    const auto of = [this](Activity activity) {
      return by_activity_[static_cast<std::size_t>(activity)];
    };
    iteration.parts = {.load_s = of(Activity::load),
                       .forward_s = of(Activity::forward),
                       .backward_s = of(Activity::backward),
                       .step_s = of(Activity::step)};
    iteration.exposed_s = of(Activity::communication);
    iteration.compute_s = iteration.parts.total_s();
  }

 private:
  std::array<double, kActivities> by_activity_{};
  double idle_s_ = 0;  ///< since the last activity
  Activity last_ = Activity::forward;
};

}  // namespace

bool RankIterations::has_parts() const {
  return are_kernels_launched && std::ranges::all_of(iterations, [](const IterationTimes& each) {
           return each.parts.backward_s > 0 && each.parts.step_s > 0;
         });
}

RankIterations iteration_times(const Profile& profile) {
  RankIterations result;
  result.iterations = annotated(profile);
  const RankActivity rank = activity_of(profile);
  result.are_kernels_launched = rank.are_kernels_launched;
  if (rank.has_kernels) result.is_run_ahead = follow_gpu(rank, result.iterations);
  const std::vector<Change> changes = changes_of(rank.stretches);
  std::array<int, kActivities> running{};
  std::size_t next = 0;
  const auto now = [&]() -> std::optional<Activity> {
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (running[i] > 0) return static_cast<Activity>(i);
    }
    return std::nullopt;
  };
  for (IterationTimes& iteration : result.iterations) {
    Account account;
    double since_s = iteration.start_s;
    for (; next < changes.size() && changes[next].when_s < iteration.end_s; ++next) {
      const Change& change = changes[next];
      if (change.when_s > since_s) {
        account.add(change.when_s - since_s, now());
        since_s = change.when_s;
      }
      running[static_cast<std::size_t>(change.activity)] += change.by;
    }
    account.add(iteration.end_s - since_s, now());
    account.close(iteration);
  }
  return result;
}

}  // namespace epochcast
