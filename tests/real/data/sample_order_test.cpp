// SPDX-License-Identifier: Apache-2.0
#include "real/data/sample_order.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

using Samples = std::vector<std::int64_t>;

constexpr std::int64_t kSamples = 100;

Samples numbers(std::int64_t count) {
  Samples samples(static_cast<std::size_t>(count));
  std::iota(samples.begin(), samples.end(), std::int64_t{0});
  return samples;
}

Samples sorted(Samples samples) {
  std::sort(samples.begin(), samples.end());
  return samples;
}

/// These samples in the order of `order`.
Samples as_in(const Samples& order, const Samples& some) {
  Samples result;
  std::ranges::copy_if(order, std::back_inserter(result), [&](std::int64_t sample) {
    return std::ranges::find(some, sample) != some.end();
  });
  return result;
}

/// The first `count`, without those left out.
Samples first_of(const Samples& order, std::int64_t count, const Samples& left_out = {}) {
  Samples samples;
  for (const std::int64_t sample : order) {
    if (std::ssize(samples) == count) break;
    if (std::count(left_out.begin(), left_out.end(), sample) == 0) samples.push_back(sample);
  }
  return samples;
}

bool is_distinct(const Samples& samples) {
  return std::set<std::int64_t>(samples.begin(), samples.end()).size() == samples.size();
}

/// Two shuffles of 100 samples whose loss is their index: 99 has the highest.
struct DrawCase {
  Samples fast_order = shuffled_samples(kSamples, 1);
  Samples slow_order = shuffled_samples(kSamples, 2);
  std::vector<SampleLoss> losses;

  DrawCase() {
    for (const std::int64_t sample : shuffled_samples(kSamples, 3))
      losses.push_back({.sample = sample, .loss = static_cast<float>(sample)});
  }

  [[nodiscard]] Samples draw(const BiasedDraw& draw) const {
    return draw_samples(draw, losses, fast_order, slow_order);
  }
};

/// The draws for fast and for slow workers.
struct Drawn {
  Drawn(const BiasedDraw& draw, const Samples& samples)
      : fast(samples.begin(), samples.begin() + draw.fast_samples),
        slow(samples.begin() + draw.fast_samples, samples.end()) {}

  Samples fast, slow;
};

TEST_CASE("a shuffle is a permutation that depends on the seed alone") {
  const Samples shuffle = shuffled_samples(kSamples, 7);

  CHECK(sorted(shuffle) == numbers(kSamples));
  CHECK(shuffle != numbers(kSamples));
  CHECK(shuffled_samples(kSamples, 7) == shuffle);
  CHECK(shuffled_samples(kSamples, 8) != shuffle);
  CHECK(shuffled_samples(1, 7) == Samples{0});
  CHECK(shuffled_samples(0, 7).empty());
}

TEST_CASE("a shuffle puts every sample in every place equally often") {
  constexpr std::int64_t kFew = 4;
  constexpr int kShuffles = 40000;
  std::vector<int> counts(kFew * kFew, 0);

  for (std::uint64_t seed = 0; seed < kShuffles; ++seed) {
    const Samples shuffle = shuffled_samples(kFew, seed);
    for (std::size_t place = 0; place < shuffle.size(); ++place)
      ++counts[place * kFew + static_cast<std::size_t>(shuffle[place])];
  }

  // Binomial with p = 1/4: a deviation of sqrt(n·p·(1-p)) = 87, allowed five times.
  for (const int count : counts) CHECK(std::abs(count - kShuffles / 4) < 5 * 87);
}

TEST_CASE("fast workers get the alpha*n samples of highest loss, then their shuffle") {
  const DrawCase epoch;
  const BiasedDraw draw = {.fast_samples = 40, .slow_samples = 20, .alpha = 0.25};

  const Samples samples = epoch.draw(draw);

  REQUIRE(samples.size() == 60);
  const Drawn drawn(draw, samples);
  const Samples highest = {99, 98, 97, 96, 95, 94, 93, 92, 91, 90};
  Samples chosen;
  Samples rest;
  for (const std::int64_t sample : drawn.fast) (sample >= 90 ? chosen : rest).push_back(sample);
  CHECK(chosen == as_in(epoch.fast_order, highest));
  CHECK(rest == first_of(epoch.fast_order, 30, highest));
  CHECK(is_distinct(drawn.fast));
  CHECK(drawn.slow == first_of(epoch.slow_order, 20));
}

TEST_CASE("separate draws overlap, unified ones never do") {
  const DrawCase epoch;
  BiasedDraw draw = {.fast_samples = 60, .slow_samples = 40, .alpha = 0.5};

  Samples samples = epoch.draw(draw);
  CHECK_FALSE(is_distinct(samples));
  CHECK(is_distinct(Drawn(draw, samples).slow));

  draw.disjoint = true;
  samples = epoch.draw(draw);
  CHECK(sorted(samples) == numbers(kSamples));
  const Drawn drawn(draw, samples);
  CHECK(drawn.slow == first_of(epoch.slow_order, 40, drawn.fast));
}

TEST_CASE("high loss can go to slow workers instead") {
  const DrawCase epoch;
  BiasedDraw draw = {
      .fast_samples = 40, .slow_samples = 20, .alpha = 0.25, .high_loss_to_slow = true};
  const Samples highest = {99, 98, 97, 96, 95};

  Drawn drawn(draw, epoch.draw(draw));
  CHECK(drawn.fast == first_of(epoch.fast_order, 40));
  Samples expected = first_of(epoch.slow_order, 15, highest);
  expected.insert(expected.end(), highest.begin(), highest.end());
  CHECK(sorted(drawn.slow) == sorted(expected));

  draw.disjoint = true;
  drawn = Drawn(draw, epoch.draw(draw));
  CHECK(sorted(drawn.slow) == sorted(expected));
  CHECK(drawn.fast == first_of(epoch.fast_order, 40, drawn.slow));
}

TEST_CASE("without bias, draws are the shuffles") {
  DrawCase epoch;
  BiasedDraw draw = {.fast_samples = 40, .slow_samples = 20};
  Samples expected = first_of(epoch.fast_order, 40);
  const Samples slow = first_of(epoch.slow_order, 20);
  expected.insert(expected.end(), slow.begin(), slow.end());

  SECTION("alpha is 0") { CHECK(epoch.draw(draw) == expected); }
  SECTION("no loss is recorded yet") {
    draw.alpha = 0.5;
    epoch.losses.clear();
    CHECK(epoch.draw(draw) == expected);
  }
}

TEST_CASE("with alpha 1, fast workers get nothing but high losses") {
  const DrawCase epoch;
  const BiasedDraw draw = {.fast_samples = 5, .slow_samples = 0, .alpha = 1};

  CHECK(epoch.draw(draw) == as_in(epoch.fast_order, {99, 98, 97, 96, 95}));
}

TEST_CASE("with fewer losses than alpha*n, the shuffle fills up") {
  DrawCase epoch;
  epoch.losses = {{.sample = 3, .loss = 1}, {.sample = 8, .loss = 2}};
  const BiasedDraw draw = {.fast_samples = 10, .slow_samples = 0, .alpha = 0.5};

  Samples expected = first_of(epoch.fast_order, 8, {3, 8});
  expected.insert(expected.end(), {3, 8});
  CHECK(sorted(epoch.draw(draw)) == sorted(expected));
}

TEST_CASE("of equal losses, those of lower index are chosen") {
  DrawCase epoch;
  for (SampleLoss& each : epoch.losses) each.loss = each.sample == 50 ? 2.F : 1.F;
  const BiasedDraw draw = {.fast_samples = 4, .slow_samples = 0, .alpha = 1};

  CHECK(epoch.draw(draw) == as_in(epoch.fast_order, {50, 0, 1, 2}));
}

TEST_CASE("alpha*n is exact despite rounding of alpha") {
  const DrawCase epoch;
  // 0.58 * 50 is 28.999... in binary.
  BiasedDraw draw = {.fast_samples = 50, .slow_samples = 50, .alpha = 0.58, .disjoint = true};

  const Drawn drawn(draw, epoch.draw(draw));

  for (std::int64_t sample = kSamples - 29; sample < kSamples; ++sample)
    CHECK(std::ranges::count(drawn.fast, sample) == 1);
}

TEST_CASE("chosen samples are not sorted by loss among workers or within an epoch") {
  const DrawCase epoch;
  const BiasedDraw draw = {.fast_samples = 50, .slow_samples = 0, .alpha = 1};

  const Samples samples = epoch.draw(draw);

  // Losses grow with the number. Sorted by them, the halves would differ by 25.
  const auto mean = [](auto begin, auto end) {
    return std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
  };
  const auto middle = samples.begin() + 25;
  CHECK(std::abs(mean(samples.begin(), middle) - mean(middle, samples.end())) < 12);
}

TEST_CASE("the later loss of a sample that two workers have trained on is kept") {
  // Two steps of one worker, then one of another: a record a step, at 1/2, 1 and 1 of the epoch.
  constexpr float kNone = -7;
  std::vector<SampleLoss> losses(4, {.sample = 0, .loss = kNone});
  const auto loss_of = [&](std::size_t sample) { return losses[sample].loss; };

  SECTION("with any rank of the worker") {
    keep_latest(std::vector<SampleLoss>{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 5}, {3, 6}},
                std::vector<std::int64_t>{2, 1},
                losses);
    CHECK(loss_of(0) == 5);  // at 1/4 and 1/2
    CHECK(loss_of(1) == 2);
    CHECK(loss_of(3) == 6);  // both at the end
    keep_latest(std::vector<SampleLoss>{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {3, 5}, {2, 6}},
                std::vector<std::int64_t>{2, 1},
                losses);
    CHECK(loss_of(3) == 4);  // at 1 and 1/2
    CHECK(loss_of(2) == 6);  // at 3/4 and 1
  }
  SECTION("before anything is recorded, nothing is") {
    keep_latest(std::vector<SampleLoss>(6, {-1, 0}), std::vector<std::int64_t>{2, 1}, losses);
    for (std::size_t sample = 0; sample < 4; ++sample) CHECK(loss_of(sample) == kNone);
  }
}

TEST_CASE("chosen samples are spread evenly over workers and rounds") {
  const DrawCase epoch;
  const auto [alpha, stretch] =
      GENERATE(table<double, std::int64_t>({{0.1, 10}, {0.25, 8}, {0.5, 8}, {0.5, 20}, {0.9, 10}}));
  const BiasedDraw draw = {.fast_samples = 80, .slow_samples = 0, .alpha = alpha};

  const Samples samples = epoch.draw(draw);

  // A worker's samples between two exchanges are a stretch; whole shares of it are exact.
  const auto chosen = static_cast<std::int64_t>(alpha * 80 + 1e-9);
  for (auto begin = samples.begin(); begin != samples.end(); begin += stretch) {
    const auto count = std::count_if(
        begin, begin + stretch, [&](std::int64_t sample) { return sample >= kSamples - chosen; });
    CHECK(static_cast<double>(count) == Approx(alpha * static_cast<double>(stretch)));
  }
}

TEST_CASE("a draw of more samples than there are throws a logic_error") {
  const DrawCase epoch;

  CHECK_THROWS_AS(epoch.draw({.fast_samples = 101, .slow_samples = 0}), std::logic_error);
  CHECK_THROWS_AS(epoch.draw({.fast_samples = 60, .slow_samples = 41, .disjoint = true}),
                  std::logic_error);
}

}  // namespace
}  // namespace epochcast::real
