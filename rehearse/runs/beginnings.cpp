// SPDX-License-Identifier: Apache-2.0
#include "rehearse/runs/beginnings.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

#include "base/files/checksum.hpp"
#include "base/files/sealed_file.hpp"
#include "rehearse/runs/learning_trace.hpp"

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

void hand_on(const RehearsalFiles& from, const RehearsalFiles& to, std::int64_t common) {
  std::optional<LearningTrace> trace = readable_trace(from.learning);
  if (!trace) return;
  const auto learned = static_cast<std::int64_t>(trace->curve.size());
  if (learned >= common) trace->diverged.reset();
  const std::int64_t epochs = std::min(learned, common);
  const std::optional<LearningTrace> own = readable_trace(to.learning);
  const std::int64_t known = own ? static_cast<std::int64_t>(own->curve.size()) : 0;
  if (epochs < known || (epochs == known && !trace->diverged)) return;
  trace->curve.resize(static_cast<std::size_t>(epochs));
  write_learning_trace(to.learning, *trace);
  if (learned > common || !std::filesystem::exists(from.state)) return;
  try {
    copy_sealed(from.state, to.state, kStateFile);
  } catch (const DamagedFile&) {
    // Who continues from it warns of it.
  }
}

}  // namespace epochcast
