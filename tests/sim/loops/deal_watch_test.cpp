// SPDX-License-Identifier: Apache-2.0
#include "sim/loops/deal_watch.hpp"

#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "base/statistics/random.hpp"
#include "sim/loops/known_mean.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

using sim::DealWatch;

struct Decision {
  std::int64_t after = 0;  ///< numbers
  std::int64_t omitted = 0;
  double mean_s = 0;
  double half_width = 0;
};

/// Deals numbers so many seconds apart until some can be omitted.
std::optional<Decision> decided(int workers,
                                std::int64_t count,
                                const std::function<double()>& apart_s) {
  DealWatch watch(workers, count);
  double now_s = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t omitted = watch.dealt(i, now_s);
    if (omitted > 0) return Decision{i + 1, omitted, watch.mean_s(), watch.half_width()};
    now_s += apart_s();
  }
  return std::nullopt;
}

TEST_CASE("numbers at equal distances are omitted after twenty batches") {
  const auto decision = decided(3, 1000, [] { return 0.25; });

  REQUIRE(decision);
  CHECK(decision->after == 4 * 3 + 20 * 2 * 3 + 1);
  CHECK(decision->mean_s == Approx(0.25));
  CHECK(decision->after + decision->omitted == 1000 - 4 * 3);  // the last ones are dealt
}

TEST_CASE("numbers that are dealt together are in one batch of the watch") {
  // Updates of 23 numbers, a second apart: 24 workers, of which one is dropped.
  int dealt = 0;
  const auto decision = decided(24, 23 * 400, [&] { return ++dealt % 23 == 0 ? 1.0 : 0.0; });

  REQUIRE(decision);
  // The start is in an update; batches have three, as two have only 46 numbers, not 48.
  CHECK(decision->after <= 4 * 24 + 23 + (20 * 3 + 1) * 23);
  CHECK(decision->mean_s == Approx(1.0 / 23).epsilon(0.01));
}

TEST_CASE("few numbers are all dealt") {
  CHECK(!decided(3, 4 * 3 + 20 * 2 * 3, [] { return 0.25; }));
}

TEST_CASE("the stated confidence interval of the mean time between numbers holds") {
  int inside = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const auto decision = decided(4, 10'000'000, [&] { return -std::log(1 - random.uniform()); });
    REQUIRE(decision);
    CHECK(decision->half_width <= DealWatch::kWidestTolerance);
    if (std::abs(decision->mean_s - 1) <= decision->half_width) ++inside;
  }
  // 95 % of 200, less three standard deviations, and what stopping early costs.
  CHECK(inside >= 175);
}

TEST_CASE("sequences are watched together, and each runs the shortest batches at least") {
  // So noisy that one sequence does not suffice.
  constexpr std::int64_t kCount = 2'000;
  DealWatch watch(4, kCount);
  Random random(1);
  double now_s = 0;
  std::vector<std::int64_t> run;  // numbers of each sequence
  for (int sequence = 0; sequence < 40; ++sequence) {
    std::int64_t index = 0;
    run.push_back(0);
    while (index < kCount) {
      const std::int64_t omitted = watch.dealt(index, now_s);
      now_s += -std::log(1 - random.uniform());
      index += 1 + omitted;
      ++run.back();
    }
  }

  CHECK(run.front() == kCount);
  CHECK(run.back() == 4 * 4 + 20 * 2 * 4 + 1 + 4 * 4);
  CHECK(watch.mean_s() == Approx(1).epsilon(2 * sim::kMeanTolerance));
}

TEST_CASE("noisier numbers are watched for longer") {
  Random random(1);
  const auto steady = decided(4, 1'000'000, [&] { return 1 + 0.01 * random.uniform(); });
  const auto noisy = decided(4, 1'000'000, [&] { return 2 * random.uniform(); });

  REQUIRE(steady);
  REQUIRE(noisy);
  CHECK(noisy->after > 3 * steady->after);
}

}  // namespace
}  // namespace epochcast::tests
