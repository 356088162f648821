// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/warm_up.hpp"

#include <cmath>
#include <vector>

#include "base/statistics/random.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

/// 1 s with 2 % of noise.
std::vector<double> steady(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> samples;
  for (std::size_t i = 0; i < count; ++i) samples.push_back(1 + 0.02 * random.normal());
  return samples;
}

TEST_CASE("samples before the series becomes steady are warm-up") {
  for (const std::size_t count : {30, 31, 34, 100, 500}) {
    CAPTURE(count);
    std::vector<double> samples = steady(count, count);
    // 1.2 s at first: ten standard deviations, so the cut cannot be earlier.
    for (std::size_t i = 0; i < 8; ++i) samples[i] += 0.2;

    const WarmUp warm_up = warm_up_of(samples);

    CHECK(warm_up.is_steady);
    CHECK(warm_up.samples >= 8);
    CHECK(warm_up.samples <= 11);  // the next few may happen to be slow
  }
}

TEST_CASE("a warm-up may be faster, as on a processor that throttles when hot") {
  std::vector<double> samples = steady(60, 3);
  for (std::size_t i = 0; i < 15; ++i) samples[i] -= 0.2;

  CHECK(warm_up_of(samples).samples >= 15);
  CHECK(warm_up_of(samples).samples <= 18);
}

TEST_CASE("a gradual warm-up is cut in steps") {
  std::vector<double> samples = steady(200, 4);
  for (std::size_t i = 0; i < 200; ++i) samples[i] += std::exp(-0.1 * static_cast<double>(i));

  const WarmUp warm_up = warm_up_of(samples);

  // exp(-0.1 i) falls below five standard deviations, 0.1, at i = 23; below a tenth of one, 0.002,
  // at i = 62.
  CHECK(warm_up.samples >= 23);
  CHECK(warm_up.samples <= 62);
}

TEST_CASE("random differences are no warm-up") {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    for (const std::size_t count : {30, 120}) {
      const WarmUp warm_up = warm_up_of(steady(count, seed));
      if (warm_up.samples > 0 || !warm_up.is_steady) ++found;
    }
  }
  // One in a hundred of 2000; five standard deviations of a binomial are 22.
  CHECK(found <= 20 + 22);
}

TEST_CASE("one slow batch at the start is an outlier, no warm-up") {
  std::vector<double> samples = steady(100, 7);
  samples[2] = 1.5;

  CHECK(warm_up_of(samples).samples == 0);
}

TEST_CASE("a change of level in the second half is reported, not cut") {
  std::vector<double> samples = steady(100, 1);
  for (std::size_t i = 0; i < 60; ++i) samples[i] += 0.2;

  CHECK_FALSE(warm_up_of(samples).is_steady);
  CHECK(warm_up_of(samples).samples == 0);
}

TEST_CASE("a level that returns is drift, not warm-up") {
  std::vector<double> samples = steady(100, 2);
  for (std::size_t i = 0; i < 100; ++i) samples[i] += i < 30 || i >= 70 ? 0.2 : 0;

  CHECK_FALSE(warm_up_of(samples).is_steady);
  CHECK(warm_up_of(samples).samples == 0);
}

TEST_CASE("a warm-up is cut off a series with later drift") {
  std::vector<double> samples = steady(200, 5);
  for (std::size_t i = 0; i < 20; ++i) samples[i] += 1;
  for (std::size_t i = 150; i < 200; ++i) samples[i] += 0.2;

  const WarmUp warm_up = warm_up_of(samples);

  CHECK_FALSE(warm_up.is_steady);
  CHECK(warm_up.samples >= 20);
  CHECK(warm_up.samples <= 23);
}

TEST_CASE("series that are too short or constant have no warm-up") {
  CHECK(warm_up_of({}).samples == 0);
  CHECK(warm_up_of(std::vector<double>{1}).samples == 0);
  // The most that 12 ranks can differ: sqrt(3 * 6 * 6 / 13) = 2.9 deviations.
  const std::vector<double> few = {9, 9, 9, 9, 9, 9, 1, 1, 1, 1, 1, 1};
  CHECK(warm_up_of(few).samples == 0);
  CHECK(warm_up_of(few).is_steady);
  const std::vector<double> equal(50, 1.0);
  CHECK(warm_up_of(equal).samples == 0);
  CHECK(warm_up_of(equal).is_steady);
}

}  // namespace
}  // namespace epochcast::tests
