// SPDX-License-Identifier: Apache-2.0
#include "rehearse/runs/beginnings.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

#include "base/files/checksum.hpp"
#include "base/files/sealed_file.hpp"

namespace epochcast {
namespace {

/// The part of a trace's name that stands for the learning settings.
std::string_view settings_of(const LearningJob& job) {
  return std::string_view(job.name).substr(0, kChecksumDigits);
}

}  // namespace

std::int64_t common_epochs(const LearningJob& one, const LearningJob& other) {
  if (settings_of(one) != settings_of(other)) return 0;
  return std::ranges::mismatch(one.beginnings, other.beginnings).in1 - one.beginnings.begin();
}

LearningPlan plan_learning(const std::vector<LearningJob>& jobs,
                           const std::vector<std::size_t>& open) {
  std::vector<std::size_t> by_epochs = open;
  std::ranges::stable_sort(
      by_epochs, std::ranges::greater(), [&](std::size_t index) { return jobs[index].epochs; });
  LearningPlan plan;
  for (const std::size_t index : by_epochs) {
    LearningPlan::Follower best = {.index = index};
    const bool is_planned = std::ranges::any_of(
        plan.first, [&](std::size_t other) { return jobs[other].name == jobs[index].name; });
    for (const std::size_t leader : plan.first) {
      if (jobs[leader].follows_losses) continue;  // what it will do is unknown
      const std::int64_t common = common_epochs(jobs[leader], jobs[index]);
      // The leader has learned as much, at least.
      if (common > std::max(best.epochs, jobs[leader].epochs))
        best = {.index = index, .leader = leader, .epochs = common};
    }
    if (is_planned) continue;
    if (best.epochs > 0) plan.followers.push_back(best);
    if (best.epochs == 0) plan.first.push_back(index);
  }
  return plan;
}

LearningTrace beginning_of(LearningTrace trace, std::int64_t epochs) {
  const auto most = static_cast<std::size_t>(epochs);
  if (trace.curve.size() < most) return trace;
  trace.curve.resize(most);
  trace.diverged.reset();  // after them
  return trace;
}

void hand_on(const RehearsalFiles& from, const RehearsalFiles& to, std::int64_t common) {
  const std::optional<LearningTrace> all = readable_trace(from.learning);
  if (!all) return;
  const LearningTrace trace = beginning_of(*all, common);
  const std::optional<LearningTrace> own = readable_trace(to.learning);
  const std::size_t known = own ? own->curve.size() : 0;
  if (trace.curve.size() < known || (trace.curve.size() == known && !trace.diverged)) return;
  write_learning_trace(to.learning, trace);
  const bool ends_within = trace.curve.size() == all->curve.size();
  if (!ends_within || !std::filesystem::exists(from.state)) return;
  try {
    copy_sealed(from.state, to.state, kStateFile);
  } catch (const DamagedFile&) {
    // Who continues from it warns of it.
  }
}

}  // namespace epochcast
