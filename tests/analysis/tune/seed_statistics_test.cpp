// SPDX-License-Identifier: Apache-2.0
#include "analysis/tune/seed_statistics.hpp"

#include <cmath>
#include <limits>

#include "tests/catch.hpp"

namespace epochcast {
namespace {

TEST_CASE("the confidence is that of a paired t test") {
  // Differences 1, 2, 3: t = 2 / (1 / sqrt(3)) with two degrees of freedom; p from a table of t.
  CHECK(confidence_of_more({2, 4, 6}, {1, 2, 3}) == Approx(0.9629).epsilon(1e-3));
  CHECK(confidence_of_more({1, 2, 3}, {2, 4, 6}) == Approx(1 - 0.9629).epsilon(1e-3));
  CHECK(confidence_of_more({1}, {0}) == 0.5);
  CHECK(confidence_of_more({1, 1}, {0, 0}) == 1);
  CHECK(confidence_of_more({1, 1}, {1, 1}) == 0.5);
  // The perplexity of a loss of 800 is infinite.
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  CHECK(confidence_of_more({1, 1}, {-kInfinite, 0}) == 1);
  CHECK(confidence_of_more({-kInfinite, 0}, {1, 1}) == 0);
  CHECK(confidence_of_more({-kInfinite, 0}, {-kInfinite, 0}) == 0.5);
}

TEST_CASE("p of chance is that of a binomial test") {
  // Of four coins two or more fall heads in 6 + 4 + 1 of 16 cases.
  CHECK(p_of_chance(0.5, 4, 2) == Approx(11.0 / 16));
  CHECK(p_of_chance(0.74, 4, 2) == Approx(11.0 / 16));
  CHECK(p_of_chance(1, 4, 2) == Approx(1.0 / 16));
  CHECK(p_of_chance(0, 4, 2) == 1);
  CHECK(p_of_chance(0.081, 500, 10) > 0.9);
  CHECK(p_of_chance(0.2, 500, 10) < 1e-9);
}

TEST_CASE("with one seed, the confidence is that of Fisher's exact test") {
  // The lady tasting tea (Fisher, The Design of Experiments, 1935): of four cups with milk first
  // and four without, three or more chosen correctly by chance in 17 of 70 cases.
  CHECK(confidence_of_more_correct(0.75, 0.25, 4) == Approx(1 - 17.0 / 70));
  CHECK(confidence_of_more_correct(1, 0, 4) == Approx(1 - 1.0 / 70));
  CHECK(confidence_of_more_correct(0.5, 0.5, 4) < 0.5);
  CHECK(confidence_of_more_correct(0, 0, 4) == 0);
  CHECK(confidence_of_more_correct(1, 1, 4) == 0);
  CHECK(confidence_of_more_correct(0.6, 0.5, 500) > 0.99);
}

}  // namespace
}  // namespace epochcast
