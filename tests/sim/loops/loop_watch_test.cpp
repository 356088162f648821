// SPDX-License-Identifier: Apache-2.0
#include "sim/loops/loop_watch.hpp"

#include <algorithm>
#include <cmath>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

using sim::LoopStatistics;
using sim::LoopWatch;
using sim::Meters;

constexpr std::int64_t kCount = 100;

/// The increments of a member's meters in one iteration.
Meters took(double compute_s, double blocked_s, double bytes = 8) {
  return {.now_s = compute_s + blocked_s,
          .phases = {.compute_s = compute_s, .exposed_communication_s = 0, .blocked_s = blocked_s},
          .traffic = {.intra_node_bytes = bytes, .inter_node_bytes = 0}};
}

/// Runs a loop until it settles: `iteration(i, member)` gives the meters of iteration i = 1, 2,
/// ..., and `changes(i)` whether the first member announces a change in it. Returns the iteration
/// in which it settled; 0: not within kCount.
template <typename Iteration, typename Changes>
std::int64_t settled_after(int members, const Iteration& iteration, const Changes& changes) {
  LoopWatch watch(members, kCount, {});
  std::vector<Meters> meters(static_cast<std::size_t>(members));
  for (int member = 0; member < members; ++member) watch.report(member, 0, {}, false);
  for (std::int64_t i = 1; i <= kCount; ++i) {
    for (int member = 0; member < members; ++member) {
      Meters& own = meters[static_cast<std::size_t>(member)];
      const Meters more = iteration(i, member);
      own.now_s += more.now_s;
      own.phases += more.phases;
      own.traffic += more.traffic;
      watch.report(member, i, own, member == 0 && changes(i));
    }
    if (watch.omitted() > 0) return i;
  }
  return 0;
}

constexpr auto kNeverChanges = [](std::int64_t) { return false; };

TEST_CASE("a loop is steady once two successive iterations took all members the same time") {
  const auto first_is_longer = [](std::int64_t i, int) { return took(i == 1 ? 2 : 1, 0); };
  const auto one_lags = [](std::int64_t, int member) { return took(member == 0 ? 1 : 1.001, 0); };

  CHECK(settled_after(2, first_is_longer, kNeverChanges) == 3);
  CHECK(settled_after(2, one_lags, kNeverChanges) == 0);
}

TEST_CASE("a loop is not steady while phases change at the same total time") {
  const auto compute_more_and_more = [](std::int64_t i, int) {
    const double compute_s = i < 7 ? 0.1 * static_cast<double>(i) : 0.7;
    return took(compute_s, 1 - compute_s);
  };
  const auto send_more_and_more = [](std::int64_t i, int) {
    return took(1, 0, static_cast<double>(std::min<std::int64_t>(i, 7)));
  };

  CHECK(settled_after(2, compute_more_and_more, kNeverChanges) == 8);
  CHECK(settled_after(2, send_more_and_more, kNeverChanges) == 8);
}

TEST_CASE("a loop is not steady while a member announces a change") {
  const auto alike = [](std::int64_t, int) { return took(1, 0); };

  CHECK(settled_after(3, alike, [](std::int64_t i) { return i < 6; }) == 6);
  CHECK(settled_after(3, alike, [](std::int64_t) { return true; }) == 0);
}

/// Seconds of `omitted` iterations when pilots have observed `observed_s`.
double omitted_s(const std::vector<double>& observed_s, std::int64_t omitted, std::uint64_t seed) {
  LoopStatistics known;
  known.durations_s = observed_s;
  known.sum.resize(1);
  for (const double seconds : observed_s) known.sum[0].now_s += seconds;
  LoopWatch watch(1, omitted + 1, {.is_noisy = true, .sampled = 1, .seed = seed, .known = &known});
  watch.report(0, 0, {}, false);
  watch.report(0, 1, took(1, 0), false);
  CHECK(watch.omitted() == omitted);
  return watch.omitted_meters(0).now_s;
}

TEST_CASE("omitted iterations take the times of observed ones, with their skew") {
  // One of N = 100 takes a hundred times as long: the mean is 1.99, the deviation σ = 9.85.
  std::vector<double> observed_s(100, 1);
  observed_s[37] = 100;
  const double mean_s = 1.99;
  const double variance = 99.0 * 99.0 * 0.01 * 0.99;
  constexpr int kSeeds = 4000;
  constexpr std::int64_t kOmitted = 50;

  double sum_s = 0;
  double sum_of_squares = 0;
  double least_s = INFINITY;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const double seconds = omitted_s(observed_s, kOmitted, static_cast<std::uint64_t>(seed));
    sum_s += seconds;
    sum_of_squares += seconds * seconds;
    least_s = std::min(least_s, seconds);
  }

  // n draws of one of N, themselves redrawn: variance n·σ² + n²·σ²/N to first order in 1/N.
  const double expected_variance = (50 + 50.0 * 50.0 / 100) * variance;
  const double measured_mean_s = sum_s / kSeeds;
  const double measured_variance = sum_of_squares / kSeeds - measured_mean_s * measured_mean_s;
  CHECK(std::abs(measured_mean_s - kOmitted * mean_s) < 4 * std::sqrt(expected_variance / kSeeds));
  // A variance has a relative error of √((k - 1)/4000). Outliers come in Poisson(1) clusters of
  // Poisson(0.5): kurtosis k = 3 + 3.06/0.75² = 8.4, so 4.3 %; four of them.
  CHECK(measured_variance == Approx(expected_variance).epsilon(0.17));
  CHECK(least_s == Approx(kOmitted * 1.0).epsilon(1e-12));  // no outlier in 37 % of the redraws
}

}  // namespace
}  // namespace epochcast::tests
