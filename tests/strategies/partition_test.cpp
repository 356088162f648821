// SPDX-License-Identifier: Apache-2.0
#include "strategies/partition.hpp"

#include <cmath>
#include <numeric>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

std::int64_t sum(const std::vector<std::int64_t>& shares) {
  return std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
}

TEST_CASE("relative speeds are 1 for the slowest and count up from there") {
  CHECK(relative_speeds({2.0, 8.0, 4.0}) == std::vector<double>{4, 1, 2});
}

TEST_CASE("equal speeds give exactly total/P, for any speed and P") {
  for (const int workers : {1, 3, 7, 10, 49, 1000}) {
    for (const double seconds : {0.1, 0.3, 1.7}) {
      const auto count = static_cast<std::size_t>(workers);
      const std::vector<double> speeds = relative_speeds(std::vector<double>(count, seconds));
      const std::vector<std::int64_t> equal(count, 64);

      CHECK(proportional_shares(64 * workers, speeds) == equal);
      CHECK(proportional_shares(64 * workers, std::vector<double>(count, seconds)) == equal);
    }
  }
}

TEST_CASE("rounding of the speeds does not decide which worker gets an odd sample") {
  const double more = 1 + 1e-14;

  CHECK(proportional_shares(7, {1, 1}) == std::vector<std::int64_t>{4, 3});
  CHECK(proportional_shares(7, {1, more}) == std::vector<std::int64_t>{4, 3});
  CHECK(proportional_shares(7, {more, 1}) == std::vector<std::int64_t>{4, 3});
  CHECK(proportional_shares(8, {1, more, 1 / more}) == std::vector<std::int64_t>{3, 3, 2});
  CHECK(proportional_shares(9, {1, more, 1 / more}) == std::vector<std::int64_t>{3, 3, 3});
}

TEST_CASE("speeds with an integer ratio give exact shares despite rounding") {
  CHECK(proportional_shares(384, relative_speeds({0.07, 0.35})) ==
        std::vector<std::int64_t>{320, 64});
}

TEST_CASE("a worker that has the smaller remainder of a unit gets none") {
  CHECK(proportional_shares(16, {1, 47}) == std::vector<std::int64_t>{0, 16});
  CHECK(proportional_shares(16, {1, 26}) == std::vector<std::int64_t>{1, 15});  // 0.59
}

TEST_CASE("shares sum to the total, with the rest to the largest remainders") {
  // 10/7 = 1.43: 1.43, 2.86 and 5.71; floors sum to 8, the largest remainders are .86 and .71.
  CHECK(proportional_shares(10, {1, 2, 4}) == std::vector<std::int64_t>{1, 3, 6});
  for (std::int64_t total = 1; total < 200; ++total) {
    CHECK(sum(proportional_shares(total, {0.1, 0.2, 0.3, 1.1, 7})) == total);
  }
}

TEST_CASE("a time curve joins its points by lines, from the origin") {
  TimeCurve curve;
  curve.add(20, 3.0);
  curve.add(10, 2.0);

  CHECK(curve.batch_in(1.0) == Approx(5));   // from (0, 0)
  CHECK(curve.batch_in(2.5) == Approx(15));  // between the points
  CHECK(curve.batch_in(4.0) == Approx(30));  // the last line is continued
}

TEST_CASE("measuring a batch again replaces its point, and a batch of 0 adds none") {
  TimeCurve curve;
  curve.add(10, 2.0);
  curve.add(10, 4.0);
  curve.add(0, 1.0);

  CHECK(curve.batch_in(4.0) == Approx(10));
  CHECK(curve.batch_in(2.0) == Approx(5));
}

TEST_CASE("a time curve that dips is continued from the origin") {
  TimeCurve curve;
  curve.add(10, 2.0);
  curve.add(20, 1.0);

  CHECK(curve.batch_in(4.0) == Approx(80));  // at 20 batches a second
}

TEST_CASE("functional shares sum to the total and take equal time on the curves") {
  // Worker p takes a_p + b_p·batch seconds, measured at three sizes.
  const std::vector<double> fixed_s = {0.5, 0.1, 0.0};
  const std::vector<double> per_sample_s = {0.001, 0.004, 0.010};
  std::vector<TimeCurve> curves(3);
  for (std::size_t p = 0; p < 3; ++p) {
    for (const std::int64_t batch : {50, 200, 1000}) {
      curves[p].add(batch, fixed_s[p] + per_sample_s[p] * static_cast<double>(batch));
    }
  }

  const std::vector<std::int64_t> shares = functional_shares(1200, curves);

  CHECK(sum(shares) == 1200);
  std::vector<double> seconds;
  for (std::size_t p = 0; p < 3; ++p) {
    seconds.push_back(fixed_s[p] + per_sample_s[p] * static_cast<double>(shares[p]));
  }
  // Whole samples: times agree to one sample of the slowest worker.
  CHECK(std::abs(seconds[0] - seconds[1]) <= 0.010);
  CHECK(std::abs(seconds[1] - seconds[2]) <= 0.010);
  CHECK(imbalance(seconds) <= 0.010 / seconds[2]);
}

TEST_CASE("imbalance is (max - min) / max of the busy workers") {
  CHECK(imbalance({2.0, 4.0, 3.0}) == Approx(0.5));
  CHECK(imbalance({2.0, 0.0, 2.0}) == 0);
  CHECK(imbalance({0.0, 0.0}) == 0);
}

}  // namespace
}  // namespace epochcast::tests
