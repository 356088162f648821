// SPDX-License-Identifier: Apache-2.0
#include "analysis/find/search.hpp"

#include <algorithm>
#include <set>

#include "core/random.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

struct Looked {
  SearchAnswer answer;
  std::size_t values = 0;
};

/// Searches figures below a bound.
Looked search(const std::vector<double>& figures, double bound) {
  std::set<std::size_t> looked;
  const SearchAnswer answer = first_that_holds(
      {.size = figures.size(),
       .look =
           [&](const std::vector<std::size_t>& indices) {
             looked.insert(indices.begin(), indices.end());
           },
       .holds =
           [&](std::size_t index) {
             CHECK(looked.contains(index));
             return figures[index] < bound;
           },
       .figures =
           [&](std::size_t index) { return std::vector<std::optional<double>>{figures[index]}; }});
  return {.answer = answer, .values = looked.size()};
}

std::optional<std::size_t> scanned(const std::vector<double>& figures, double bound) {
  const auto found =
      std::find_if(figures.begin(), figures.end(), [&](double figure) { return figure < bound; });
  if (found == figures.end()) return std::nullopt;
  return static_cast<std::size_t>(found - figures.begin());
}

TEST_CASE("bisection finds what a scan of all values finds where figures only fall") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    std::vector<double> figures(1 + random.below(2000));
    for (double& figure : figures) figure = random.uniform();
    std::sort(figures.rbegin(), figures.rend());
    const double bound = 1.2 * random.uniform();
    CAPTURE(seed, figures.size(), bound);

    const Looked looked = search(figures, bound);

    CHECK(looked.answer.first == scanned(figures, bound));
    CHECK(looked.answer.is_monotone);
    CHECK(looked.values <= 33);  // nine, and eleven halvings at most; or all of a few
  }
}

TEST_CASE("where figures go up and down, a scan says so and finds the first that it sees") {
  std::vector<double> figures(1000, 1.0);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (i >= 300 && i < 420) figures[i] = 0.4;  // falls, rises, falls again
    if (i >= 900) figures[i] = 0.3;
  }

  const Looked looked = search(figures, 0.5);

  CHECK_FALSE(looked.answer.is_monotone);
  CHECK(looked.answer.first == 300U);
}

TEST_CASE("of up to 33 values, none is overlooked") {
  for (std::size_t place = 0; place < 33; ++place) {
    std::vector<double> figures(33, 1.0);
    figures[place] = 0;

    CHECK(search(figures, 0.5).answer.first == place);
  }
}

TEST_CASE("the ripple of drawn costs is no going up and down") {
  std::vector<double> figures;
  for (int i = 0; i < 400; ++i) figures.push_back(400 - i + (i % 2 == 0 ? 1.5 : 0));

  CHECK(search(figures, 200).answer.is_monotone);
}

TEST_CASE("where no value holds there is no answer") {
  CHECK_FALSE(search(std::vector<double>(500, 1.0), 0.5).answer.first);
  CHECK_FALSE(search({1.0}, 0.5).answer.first);
}

}  // namespace
}  // namespace epochcast::tests
