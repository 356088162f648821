// SPDX-License-Identifier: Apache-2.0
#include "real/measure/point_tracker.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/costs/batch_cost.hpp"
#include "core/units.hpp"

namespace epochcast::real {
namespace {

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void PointTracker::begin(const std::string& network, std::int64_t batch, bool is_layers) {
  batch_ = batch;
  point_ = network + ", batch " + std::to_string(batch) + (is_layers ? ", layers" : "");
  started_s_ = now_s();
}

void PointTracker::during(const SampleLog& log) {
  if (now_s() - reported_s_ < 1) return;
  const double elapsed_s = now_s() - started_s_;
  const double limit_s = limit(batch_, log);
  emit(std::min(1.0, elapsed_s / limit_s), std::max(0.0, limit_s - elapsed_s) + later(log), "");
}

void PointTracker::end(const SampleLog& log) {
  std::string result = format_seconds(median_of(log.kept_s())) + " a batch, " +
                       std::to_string(log.kept_s().size()) + " samples";
  if (log.dropped() > 0) result += ", " + std::to_string(log.dropped()) + " dropped";
  if (log.preempted() > 0) result += ", " + std::to_string(log.preempted()) + " preempted";
  const double left_s = later(log);
  ++finished_;
  emit(0, left_s, result);
}

/// The most seconds that a point of this batch size should take, judged by the last point's
/// samples.
double PointTracker::limit(std::int64_t batch, const SampleLog& log) const {
  const SamplingRule& rule = settings_.rule;
  const double each_s =
      median_of(log.kept_s()) * static_cast<double>(batch) / static_cast<double>(batch_);
  return std::max(rule.max_s, static_cast<double>(rule.warmup + rule.min_samples) * each_s);
}

/// The most seconds for the points after the current one.
double PointTracker::later(const SampleLog& log) const {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < settings_.networks.size(); ++i) {
    all.insert(all.end(), settings_.batches.begin(), settings_.batches.end());
    if (settings_.layers_batch > 0) all.push_back(settings_.layers_batch);
  }
  double seconds = 0;
  for (std::size_t i = finished_ + 1; i < all.size(); ++i) seconds += limit(all[i], log);
  return seconds;
}

void PointTracker::emit(double part, double left_s, const std::string& finished) {
  const std::size_t each = settings_.batches.size() + (settings_.layers_batch > 0 ? 1 : 0);
  const auto total = static_cast<double>(each * settings_.networks.size());
  reported_s_ = now_s();
  report_({.point = point_,
           .done = (static_cast<double>(finished_) + part) / total,
           .at_most_left_s = left_s,
           .finished = finished});
}

}  // namespace epochcast::real
