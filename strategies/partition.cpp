// SPDX-License-Identifier: Apache-2.0
#include "strategies/partition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace epochcast {
namespace {

constexpr double kRounding = 1e-9;  // of shares whose speeds are quotients of clocks' differences

}  // namespace

std::vector<double> relative_speeds(const std::vector<double>& seconds) {
  const double slowest = *std::max_element(seconds.begin(), seconds.end());
  std::vector<double> speeds;
  speeds.reserve(seconds.size());
  for (const double t : seconds) speeds.push_back(slowest / t);
  return speeds;
}

std::vector<std::int64_t> proportional_shares(std::int64_t total,
                                              const std::vector<double>& speeds) {
  const double sum = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  std::vector<std::int64_t> shares;
  std::vector<double> remainders;
  std::int64_t left = total;
  for (const double c : speeds) {
    const double share = static_cast<double>(total) * c / sum;
    shares.push_back(static_cast<std::int64_t>(std::floor(share)));
    remainders.push_back(share - std::floor(share));
    left -= shares.back();
  }
  std::vector<std::size_t> order(speeds.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return remainders[a] > remainders[b];
  });
  // Rounding of equal speeds must not decide: remainders equal to the last one served are served by
  // rank.
  const auto served = static_cast<std::size_t>(left);
  const double last = served > 0 ? remainders[order[served - 1]] : 1;
  const auto ties = std::partition_point(
      order.begin(), order.end(), [&](std::size_t p) { return remainders[p] > last + kRounding; });
  const auto beyond = std::partition_point(
      ties, order.end(), [&](std::size_t p) { return remainders[p] >= last - kRounding; });
  std::sort(ties, beyond);
  for (std::size_t i = 0; i < served; ++i) ++shares[order[i]];
  return shares;
}

std::vector<std::int64_t> begins_of(const std::vector<std::int64_t>& shares) {
  std::vector<std::int64_t> begins = {0};
  begins.reserve(shares.size() + 1);
  for (const std::int64_t share : shares) begins.push_back(begins.back() + share);
  return begins;
}

void TimeCurve::add(std::int64_t batch, double seconds) {
  if (batch <= 0) return;
  const auto size = static_cast<double>(batch);
  const auto at =
      std::lower_bound(points_.begin(), points_.end(), size, [](const Point& point, double value) {
        return point.batch < value;
      });
  if (at != points_.end() && at->batch == size) {
    at->seconds = seconds;
  } else {
    points_.insert(at, {size, seconds});
  }
}

double TimeCurve::batch_in(double seconds) const {
  Point low{0, 0};
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const Point& high = points_[i];
    if (seconds <= high.seconds || i + 1 == points_.size()) {
      const double slope = (high.seconds - low.seconds) / (high.batch - low.batch);
      // A curve that dips (noise, cache effects) has no inverse there: fall back to the ray through
      // the origin.
      if (slope <= 0) return seconds * high.batch / high.seconds;
      return low.batch + (seconds - low.seconds) / slope;
    }
    low = high;
  }
  return 0;
}

std::vector<std::int64_t> functional_shares(std::int64_t total,
                                            const std::vector<TimeCurve>& curves) {
  const auto batches_in = [&](double seconds) {
    std::vector<double> batches;
    batches.reserve(curves.size());
    for (const TimeCurve& curve : curves) batches.push_back(std::max(0.0, curve.batch_in(seconds)));
    return batches;
  };
  const auto sum_in = [&](double seconds) {
    const std::vector<double> batches = batches_in(seconds);
    return std::accumulate(batches.begin(), batches.end(), 0.0);
  };
  double high = 1e-6;
  while (sum_in(high) < static_cast<double>(total) && high < 1e12) high *= 2;
  double low = 0;
  for (int i = 0; i < 100; ++i) {  // bisection down to the last bit of a double
    const double middle = (low + high) / 2;
    (sum_in(middle) < static_cast<double>(total) ? low : high) = middle;
  }
  return proportional_shares(total, batches_in(high));
}

double imbalance(const std::vector<double>& seconds) {
  double slowest = 0;
  double fastest = INFINITY;
  for (const double t : seconds) {
    if (t <= 0) continue;
    slowest = std::max(slowest, t);
    fastest = std::min(fastest, t);
  }
  return slowest > 0 ? (slowest - fastest) / slowest : 0;
}

}  // namespace epochcast
