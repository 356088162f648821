// SPDX-License-Identifier: Apache-2.0
#include "real/measure/batches/point_tracker.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <vector>

#include "base/text/units.hpp"
#include "core/costs/batch_cost.hpp"
#include "real/measure/sampling/sampling.hpp"

namespace epochcast::real {

void PointTracker::begin(const std::string& network,
                         std::int64_t batch,
                         Kind kind,
                         const std::string& compression) {
  batch_ = batch;
  point_ = network + ", batch " + std::to_string(batch);
  if (kind == Kind::layers) point_ += ", layers";
  if (kind == Kind::overlap) point_ += ", overlap";
  if (kind == Kind::kernels) point_ = network + ", " + compression;
  started_s_ = clock_s();
}

void PointTracker::during(const SampleLog& log) {
  if (clock_s() - reported_s_ < 1) return;
  const double elapsed_s = clock_s() - started_s_;
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

void PointTracker::during_overlap(double done) {
  if (clock_s() - reported_s_ < 1) return;
  emit(done, (1 - done) * settings_.rule.max_s, "");
}

void PointTracker::end_overlap(const OverlapSamples& samples) {
  const auto times = [](const std::vector<double>& beside_s, const std::vector<double>& alone_s) {
    std::ostringstream text;
    text << std::setprecision(3) << median_of(beside_s) / median_of(alone_s) << " times as long";
    return text.str();
  };
  ++finished_;
  emit(0,
       0,
       "batches take " + times(samples.batch_s, samples.batch_alone_s) + " beside all-reduces (" +
           samples.all_reduce + ", " + format_bytes(samples.bytes) + "), and these " +
           times(samples.exchange_s, samples.exchange_alone_s) + " beside batches");
}

void PointTracker::end_kernels(const std::string& result) {
  ++finished_;
  emit(0, 0, result);
}

std::size_t PointTracker::points() const {
  return settings_.batches.size() + (settings_.layers_batch > 0 ? 1 : 0) +
         (settings_.overlap.empty() ? 0 : 1) + settings_.compressions.size();
}

/// The longest time of a point of this batch size, estimated from the last point's
/// samples.
double PointTracker::limit(std::int64_t batch, const SampleLog& log) const {
  const SamplingRule& rule = settings_.rule;
  const double each_s =
      median_of(log.kept_s()) * static_cast<double>(batch) / static_cast<double>(batch_);
  return std::max(rule.max_s, static_cast<double>(rule.warmup + rule.min_samples) * each_s);
}

/// The longest time of the points after the current one.
double PointTracker::later(const SampleLog& log) const {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < settings_.networks.size(); ++i) {
    all.insert(all.end(), settings_.batches.begin(), settings_.batches.end());
    if (settings_.layers_batch > 0) all.push_back(settings_.layers_batch);
    if (!settings_.overlap.empty()) all.push_back(settings_.batches[settings_.batches.size() / 2]);
  }
  double seconds = 0;
  for (std::size_t i = finished_ + 1; i < all.size(); ++i) seconds += limit(all[i], log);
  return seconds;
}

void PointTracker::emit(double part, double left_s, const std::string& finished) {
  const auto total = static_cast<double>(points() * settings_.networks.size());
  reported_s_ = clock_s();
  report_({.point = point_,
           .done = (static_cast<double>(finished_) + part) / total,
           .at_most_left_s = left_s,
           .finished = finished});
}

}  // namespace epochcast::real
