// SPDX-License-Identifier: Apache-2.0
#include "core/costs/batch_cost.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include "base/statistics/random.hpp"
#include "base/statistics/spread.hpp"

namespace epochcast {
namespace {

// Without measured parts: backward computes two products for each one of forward, and everything
// before the exchange is forward or backward.
constexpr BatchTimes kDefaultShares = {.forward_s = 1.0 / 3, .backward_s = 2.0 / 3};

double at_quantile(const std::vector<double>& sorted, double quantile) {
  const auto index = static_cast<std::size_t>(quantile * static_cast<double>(sorted.size()));
  return sorted[std::min(index, sorted.size() - 1)];
}

/// The mid-rank of each value as a share of all values, from 0 to 1; ties in their given order.
std::vector<double> quantiles_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return values[a] < values[b];
  });
  std::vector<double> quantiles(values.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    quantiles[order[rank]] = (static_cast<double>(rank) + 0.5) / static_cast<double>(values.size());
  }
  return quantiles;
}

using Group = std::vector<const BatchSamples*>;

template <typename Value>
void append(std::vector<Value>& to, const std::vector<Value>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// The shares scaled to sum to 1: those of a file are rounded.
std::vector<LayerShare> normalized(std::vector<LayerShare> layers) {
  double sum = 0;
  for (const LayerShare& layer : layers) sum += layer.share;
  for (LayerShare& layer : layers) layer.share /= sum > 0 ? sum : 1;
  return layers;
}

/// All samples of each batch size, in ascending order.
std::map<std::int64_t, Group> by_batch(const std::vector<BatchSamples>& all) {
  std::map<std::int64_t, Group> groups;
  for (const BatchSamples& samples : all) groups[samples.batch].push_back(&samples);
  return groups;
}

/// The different sessions or ranks of a group, ascending.
std::vector<std::int64_t> numbers(const Group& group, std::int64_t BatchSamples::*number) {
  std::set<std::int64_t> found;
  for (const BatchSamples* samples : group) found.insert(samples->*number);
  return {found.begin(), found.end()};
}

/// The samples of one session or rank in a group.
Group only(const Group& group, std::int64_t BatchSamples::*number, std::int64_t wanted) {
  Group some;
  std::copy_if(group.begin(), group.end(), std::back_inserter(some), [&](const auto* samples) {
    return samples->*number == wanted;
  });
  return some;
}

}  // namespace

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile_of(values, 0.5);
}

double quantile_of(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

BatchCost::Point BatchCost::point_of(const Group& group) {
  Point point;
  point.batch = static_cast<double>(group.front()->batch);
  BatchSamples pooled;
  for (const BatchSamples* samples : group) {
    append(pooled.total_s, samples->total_s);
    append(pooled.load_s, samples->load_s);
    append(pooled.forward_s, samples->forward_s);
    append(pooled.backward_s, samples->backward_s);
    append(pooled.step_s, samples->step_s);
  }
  point.quantiles = quantiles_of(pooled.total_s);
  std::sort(pooled.total_s.begin(), pooled.total_s.end());
  point.median_s = quantile_of(pooled.total_s, 0.5);
  point.sorted_s = std::move(pooled.total_s);
  point.shares = kDefaultShares;
  if (pooled.forward_s.empty()) return point;
  const BatchTimes parts = {.load_s = median_of(pooled.load_s),
                            .forward_s = median_of(pooled.forward_s),
                            .backward_s = median_of(pooled.backward_s),
                            .step_s = median_of(pooled.step_s)};
  const double sum = parts.total_s();
  if (sum > 0) {
    point.shares = {.load_s = parts.load_s / sum,
                    .forward_s = parts.forward_s / sum,
                    .backward_s = parts.backward_s / sum,
                    .step_s = parts.step_s / sum};
  }
  return point;
}

BatchCost::BatchCost(const CostTrace& trace)
    : samples_(std::make_shared<const Samples>(trace.batches)),
      backward_layers_(normalized(trace.backward_layers)),
      overlap_(measured_overlap(trace.overlap)),
      kernels_(trace.kernels),
      grade_(trace.source.grade),
      origin_(trace.file),
      error_note_(trace.error_note),
      error_factor_(trace.error_factor) {
  for (const auto& [batch, group] : by_batch(*samples_)) {
    points_.push_back(point_of(group));
    append(sessions_, numbers(group, &BatchSamples::session));
    ranks_ = std::max(ranks_, numbers(group, &BatchSamples::rank).size());
  }
  std::sort(sessions_.begin(), sessions_.end());
  sessions_.erase(std::unique(sessions_.begin(), sessions_.end()), sessions_.end());
}

BatchCost BatchCost::with_noise(double deviation) const {
  constexpr std::size_t kSamples = 256;
  constexpr double kLeast = 0.1;  // of the median
  Random random(kSamples);
  std::vector<double> factors(kSamples);
  for (double& factor : factors) factor = random.normal();
  const double mean = mean_of(factors);
  double squares = 0;
  for (const double factor : factors) squares += (factor - mean) * (factor - mean);
  const double scale = deviation / std::sqrt(squares / kSamples);
  for (double& factor : factors) factor = std::max(kLeast, 1 + scale * (factor - mean));
  BatchCost noisy = *this;
  noisy.samples_ = nullptr;
  noisy.sessions_.clear();
  noisy.ranks_ = 1;
  for (Point& point : noisy.points_) {
    point.sorted_s = factors;
    for (double& sample : point.sorted_s) sample *= point.median_s;
    point.quantiles = quantiles_of(point.sorted_s);
    std::sort(point.sorted_s.begin(), point.sorted_s.end());
  }
  return noisy;
}

BatchCost BatchCost::of_worker(std::size_t index, std::optional<std::size_t> session) const {
  if (!samples_) return *this;
  BatchCost narrowed = *this;
  narrowed.samples_ = nullptr;
  narrowed.sessions_.clear();
  narrowed.ranks_ = 1;
  narrowed.points_.clear();
  for (const auto& [batch, everything] : by_batch(*samples_)) {
    Group group = everything;
    if (session) {
      group = only(group, &BatchSamples::session, sessions_[*session % sessions_.size()]);
      if (group.empty()) group = everything;
    }
    const std::vector<std::int64_t> ranks = numbers(group, &BatchSamples::rank);
    const std::int64_t rank = ranks[index % ranks_ % ranks.size()];
    narrowed.points_.push_back(point_of(only(group, &BatchSamples::rank, rank)));
  }
  return narrowed;
}

BatchCost::BatchCost(double seconds, std::int64_t batch)
    : points_{{.batch = static_cast<double>(batch),
               .sorted_s = {seconds},
               .quantiles = {0.5},
               .median_s = seconds,
               .shares = kDefaultShares}},
      origin_("--batch-seconds"),
      is_given_(true) {}

BatchTimes BatchCost::median(std::int64_t batch) const {
  const auto size = static_cast<double>(batch);
  return split(size, total_at(size, std::nullopt));
}

BatchTimes BatchCost::at(std::int64_t batch, double place) const {
  const auto size = static_cast<double>(batch);
  return split(size, total_at(size, at_quantile(nearest(size).quantiles, place)));
}

std::size_t BatchCost::samples(std::int64_t batch) const {
  return nearest(static_cast<double>(batch)).quantiles.size();
}

bool BatchCost::has_spread() const {
  return std::any_of(points_.begin(), points_.end(), [](const Point& point) {
    return point.sorted_s.front() != point.sorted_s.back();
  });
}

double BatchCost::deviation_of_slowest(std::size_t workers) const {
  double greatest = 0;
  for (const Point& point : points_) {
    const std::vector<double>& sorted_s = point.sorted_s;
    if (sorted_s.front() == sorted_s.back()) continue;
    std::vector<double>
        reached;  // probability that all draws are among the first 1, 2, ... samples
    for (std::size_t i = 1; i <= sorted_s.size(); ++i)
      reached.push_back(static_cast<double>(i) / static_cast<double>(sorted_s.size()));
    for (std::size_t draws = 1; draws <= workers; draws *= 2) {
      double mean_s = 0;
      double mean_of_squares = 0;
      for (std::size_t i = 0; i < sorted_s.size(); ++i) {
        const double probability = reached[i] - (i > 0 ? reached[i - 1] : 0);
        mean_s += probability * sorted_s[i];
        mean_of_squares += probability * sorted_s[i] * sorted_s[i];
      }
      const double variance = mean_of_squares - mean_s * mean_s;
      if (variance > 0) greatest = std::max(greatest, std::sqrt(variance) / mean_s);
      for (double& probability : reached) probability *= probability;
    }
  }
  return greatest;
}

bool BatchCost::is_extrapolated(std::int64_t batch) const {
  const auto size = static_cast<double>(batch);
  return size > 0 && (size < points_.front().batch || size > points_.back().batch);
}

CostBounds BatchCost::bounds(std::int64_t batch) const {
  if (!is_extrapolated(batch)) return {.low = 1 / error_factor_, .high = error_factor_};
  const auto size = static_cast<double>(batch);
  const Point& measured = size < points_.front().batch ? points_.front() : points_.back();
  const double forecast_s = total_at(size, std::nullopt);
  const double equal = measured.median_s / forecast_s;
  const double proportional = equal * size / measured.batch;
  return {.low = std::min({1.0, equal, proportional}) / error_factor_,
          .high = std::max({1.0, equal, proportional}) * error_factor_};
}

std::vector<std::int64_t> BatchCost::measured_batches() const {
  std::vector<std::int64_t> sizes;
  for (const Point& point : points_) sizes.push_back(static_cast<std::int64_t>(point.batch));
  return sizes;
}

double BatchCost::total_at(double batch, std::optional<double> quantile) const {
  if (batch <= 0) return 0;
  const auto cost = [quantile](const Point& point) {
    return quantile ? at_quantile(point.sorted_s, *quantile) : point.median_s;
  };
  if (points_.size() == 1) return cost(points_[0]) * batch / points_[0].batch;
  auto above =
      std::lower_bound(points_.begin(), points_.end(), batch, [](const Point& point, double size) {
        return point.batch < size;
      });
  if (above != points_.end() && above->batch == batch) return cost(*above);
  above = std::clamp(above, points_.begin() + 1, points_.end() - 1);
  const Point& low = *(above - 1);
  const Point& high = *above;
  const double at = (batch - low.batch) / (high.batch - low.batch);
  const double line = std::lerp(cost(low), cost(high), at);
  // A steep line may reach zero before the batch does; time cannot.
  if (batch < low.batch) return std::max(line, cost(low) * batch / low.batch);
  return std::max(line, cost(high) * 1e-3);
}

const BatchCost::Point& BatchCost::nearest(double batch) const {
  return *std::min_element(points_.begin(), points_.end(), [batch](const Point& a, const Point& b) {
    return std::abs(a.batch - batch) < std::abs(b.batch - batch);
  });
}

BatchTimes BatchCost::split(double batch, double total_s) const {
  const BatchTimes& shares = nearest(batch).shares;
  return {.load_s = shares.load_s * total_s,
          .forward_s = shares.forward_s * total_s,
          .backward_s = shares.backward_s * total_s,
          .step_s = shares.step_s * total_s};
}

}  // namespace epochcast
