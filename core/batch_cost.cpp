// SPDX-License-Identifier: Apache-2.0
#include "core/batch_cost.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast {
namespace {

// Without measured parts: backward computes two products for each one of forward, and everything
// before the exchange is forward or backward.
constexpr BatchTimes kDefaultShares = {.forward_s = 1.0 / 3, .backward_s = 2.0 / 3};

double at_quantile(const std::vector<double>& sorted, double quantile) {
  const auto index = static_cast<std::size_t>(quantile * static_cast<double>(sorted.size()));
  return sorted[std::min(index, sorted.size() - 1)];
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

BatchCost::BatchCost(const CostTrace& trace)
    : backward_layers_(trace.backward_layers), grade_(trace.source.grade), origin_(trace.file) {
  for (const BatchSamples& samples : trace.batches) {
    Point point;
    point.batch = static_cast<double>(samples.batch);
    point.sorted_s = samples.total_s;
    std::sort(point.sorted_s.begin(), point.sorted_s.end());
    point.median_s = median_of(samples.total_s);
    point.shares = kDefaultShares;
    if (!samples.forward_s.empty()) {
      const BatchTimes parts = {.load_s = median_of(samples.load_s),
                                .forward_s = median_of(samples.forward_s),
                                .backward_s = median_of(samples.backward_s),
                                .step_s = median_of(samples.step_s)};
      const double sum = parts.total_s();
      if (sum > 0) {
        point.shares = {.load_s = parts.load_s / sum,
                        .forward_s = parts.forward_s / sum,
                        .backward_s = parts.backward_s / sum,
                        .step_s = parts.step_s / sum};
      }
    }
    points_.push_back(std::move(point));
  }
}

BatchCost::BatchCost(double seconds, std::int64_t batch)
    : points_{{.batch = static_cast<double>(batch),
               .sorted_s = {seconds},
               .median_s = seconds,
               .shares = kDefaultShares}},
      origin_("--batch-seconds") {}

BatchTimes BatchCost::median(std::int64_t batch) const {
  const auto size = static_cast<double>(batch);
  return split(size, total_at(size, std::nullopt));
}

BatchTimes BatchCost::draw(std::int64_t batch, Random& random) const {
  const auto size = static_cast<double>(batch);
  return split(size, total_at(size, random.uniform()));
}

bool BatchCost::has_spread() const {
  return std::any_of(points_.begin(), points_.end(), [](const Point& point) {
    return point.sorted_s.front() != point.sorted_s.back();
  });
}

bool BatchCost::is_extrapolated(std::int64_t batch) const {
  const auto size = static_cast<double>(batch);
  return size > 0 && (size < points_.front().batch || size > points_.back().batch);
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

BatchTimes BatchCost::split(double batch, double total_s) const {
  const auto nearest =
      std::min_element(points_.begin(), points_.end(), [batch](const Point& a, const Point& b) {
        return std::abs(a.batch - batch) < std::abs(b.batch - batch);
      });
  const BatchTimes& shares = nearest->shares;
  return {.load_s = shares.load_s * total_s,
          .forward_s = shares.forward_s * total_s,
          .backward_s = shares.backward_s * total_s,
          .step_s = shares.step_s * total_s};
}

}  // namespace epochcast
