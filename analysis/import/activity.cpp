// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/activity.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

namespace epochcast {
namespace {

/// The phase of an event; forward for an operator that begins no phase.
std::optional<Activity> marked(EventKind kind) {
  switch (kind) {
    case EventKind::load:
      return Activity::load;
    case EventKind::step:
      return Activity::step;
    case EventKind::backward:
      return Activity::backward;
    case EventKind::operation:
      return Activity::forward;
    case EventKind::communication_call:
      return Activity::communication;
    default:
      return std::nullopt;  // no event that encloses others of its thread
  }
}

/// Flattens the nested events of one thread, sorted by start, the longest first.
class Thread {
 public:
  void add(const ProfileEvent& event, Activity marks) {
    leave(event.start_s);
    const bool is_plain = marks == Activity::forward && !open_.empty();
    const Activity activity = is_plain ? open_.back().activity : marks;
    // Clocks are rounded: an event may seem to end after its parent.
    const double end_s = open_.empty() ? event.end_s : std::min(event.end_s, open_.back().end_s);
    emit(event.start_s);
    open_.push_back({.start_s = event.start_s, .end_s = end_s, .activity = activity});
  }

  std::vector<Stretch> finish() {
    leave(std::numeric_limits<double>::infinity());
    return std::move(stretches_);
  }

 private:
  /// Ends the events that are over at this time.
  void leave(double now_s) {
    while (!open_.empty() && open_.back().end_s <= now_s) {
      emit(open_.back().end_s);
      open_.pop_back();
    }
  }

  /// The innermost open event has run until now.
  void emit(double now_s) {
    if (!open_.empty() && now_s > done_s_) {
      const double start_s = std::max(done_s_, open_.back().start_s);
      const Activity activity = open_.back().activity;
      const bool goes_on = !stretches_.empty() && stretches_.back().end_s == start_s &&
                           stretches_.back().activity == activity;
      if (goes_on) {
        stretches_.back().end_s = now_s;
      } else if (now_s > start_s) {
        stretches_.push_back({.start_s = start_s, .end_s = now_s, .activity = activity});
      }
    }
    done_s_ = std::max(done_s_, now_s);
  }

  std::vector<Stretch> open_;
  std::vector<Stretch> stretches_;
  double done_s_ = 0;
};

/// The thread's activity at that time; forward when nothing is recorded.
Activity at(const std::vector<Stretch>& stretches, double when_s) {
  auto after = std::ranges::upper_bound(stretches, when_s, {}, &Stretch::start_s);
  if (after == stretches.begin()) return Activity::forward;
  --after;
  return when_s < after->end_s ? after->activity : Activity::forward;
}

}  // namespace

std::vector<std::vector<Stretch>> thread_activities(const Profile& profile) {
  std::vector<Thread> threads;
  for (const ProfileEvent& event : profile.events) {
    const auto index = static_cast<std::size_t>(event.thread);
    if (index >= threads.size()) threads.resize(index + 1);
    if (const auto marks = marked(event.kind)) threads[index].add(event, *marks);
  }
  std::vector<std::vector<Stretch>> activities;
  activities.reserve(threads.size());
  for (Thread& thread : threads) activities.push_back(thread.finish());
  return activities;
}

RankActivity activity_of(const Profile& profile) {
  const auto threads = thread_activities(profile);
  RankActivity rank;
  std::unordered_map<std::int64_t, const ProfileEvent*> launches;
  for (const ProfileEvent& event : profile.events) {
    rank.has_kernels = rank.has_kernels || event.kind == EventKind::kernel;
    if (event.kind == EventKind::launch && event.number >= 0)
      launches.emplace(event.number, &event);
  }
  for (const auto& thread : threads) {
    for (const Stretch& stretch : thread) {
      if (!rank.has_kernels || stretch.activity == Activity::load)
        rank.stretches.push_back(stretch);
    }
  }
  for (const ProfileEvent& event : profile.events) {
    Stretch stretch = {.start_s = event.start_s, .end_s = event.end_s};
    if (event.kind == EventKind::communication) {
      stretch.activity = Activity::communication;
    } else if (event.kind == EventKind::kernel) {
      const auto launch = launches.find(event.number);
      const bool is_known = launch != launches.end();
      rank.are_kernels_launched = rank.are_kernels_launched && is_known;
      const double launch_s = is_known ? launch->second->start_s : event.start_s;
      if (is_known)
        stretch.activity = at(threads[static_cast<std::size_t>(launch->second->thread)], launch_s);
      // A copy within a collective is part of it.
      rank.kernels.push_back(event);
      rank.launch_s.push_back(launch_s);
    } else {
      continue;
    }
    rank.stretches.push_back(stretch);
  }
  return rank;
}

}  // namespace epochcast
