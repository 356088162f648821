// SPDX-License-Identifier: Apache-2.0
#include "analysis/find/search.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "base/statistics/random.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

struct Looked {
  SearchAnswer answer;
  std::size_t values = 0;
};

using Figures = std::vector<std::optional<double>>;

/// Searches values with all figures present and below 0.
Looked search(std::size_t size, const std::function<Figures(std::size_t)>& figures_of) {
  std::set<std::size_t> looked;
  const SearchAnswer answer = first_that_holds(
      {.size = size,
       .look =
           [&](const std::vector<std::size_t>& indices) {
             looked.insert(indices.begin(), indices.end());
           },
       .holds =
           [&](std::size_t index) {
             CHECK(looked.contains(index));
             const Figures figures = figures_of(index);
             return std::all_of(figures.begin(), figures.end(), [](const auto& figure) {
               return figure && *figure < 0;
             });
           },
       .figures = figures_of});
  return {.answer = answer, .values = looked.size()};
}

/// Searches figures below a bound.
Looked search(const std::vector<double>& figures, double bound) {
  return search(figures.size(), [&](std::size_t index) { return Figures{figures[index] - bound}; });
}

std::optional<std::size_t> scanned(const std::vector<double>& figures, double bound) {
  const auto found =
      std::find_if(figures.begin(), figures.end(), [&](double figure) { return figure < bound; });
  if (found == figures.end()) return std::nullopt;
  return static_cast<std::size_t>(found - figures.begin());
}

TEST_CASE("bisection equals a scan of all values if figures only fall") {
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

TEST_CASE(
    "if figures are not monotone, a scan reports this and finds the first value that it "
    "evaluates") {
  std::vector<double> figures(1000, 1.0);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (i >= 300 && i < 420) figures[i] = 0.4;  // falls, rises, falls again
    if (i >= 900) figures[i] = 0.3;
  }

  const Looked looked = search(figures, 0.5);

  CHECK_FALSE(looked.answer.is_monotone);
  CHECK(looked.answer.first == 300U);
}

TEST_CASE("up to 33 values are searched completely") {
  for (std::size_t place = 0; place < 33; ++place) {
    std::vector<double> figures(33, 1.0);
    figures[place] = 0;

    CHECK(search(figures, 0.5).answer.first == place);
  }
}

TEST_CASE("the ripple of random costs still counts as monotone") {
  std::vector<double> figures;
  for (int i = 0; i < 400; ++i) figures.push_back(400 - i + (i % 2 == 0 ? 1.5 : 0));

  CHECK(search(figures, 200).answer.is_monotone);
}

TEST_CASE("if no value holds there is no answer") {
  CHECK_FALSE(search(std::vector<double>(500, 1.0), 0.5).answer.first);
  CHECK_FALSE(search({1.0}, 0.5).answer.first);
}

TEST_CASE("impossible values give no information about possible ones") {
  // Memory holds batches up to 1100 of 65536; those above 1000 do.
  const Looked looked = search(65536, [](std::size_t index) {
    return Figures{index < 1100 ? std::optional(1000 - static_cast<double>(index)) : std::nullopt};
  });

  CHECK(looked.answer.first == 1001U);
  CHECK(looked.answer.is_monotone);
  CHECK(looked.values <= 50);  // nine, twice, and sixteen halvings, twice
}

TEST_CASE("the begin of the possible values is found if the low end is impossible") {
  const auto from_1000 = [](double last) {
    return search(2000, [last](std::size_t index) {
      return Figures{index < 1000 ? std::nullopt
                                  : std::optional(static_cast<double>(index) - last)};
    });
  };

  CHECK(from_1000(1003).answer.first == 1000U);
  CHECK(from_1000(1003).answer.is_monotone);
  CHECK_FALSE(from_1000(1000).answer.first);
}

TEST_CASE("two conditions may hold together in a narrow middle part only") {
  const Looked looked = search(400, [](std::size_t index) {
    const auto value = static_cast<double>(index);
    return Figures{200 - value, value - 206};
  });

  CHECK(looked.answer.first == 201U);
  CHECK_FALSE(looked.answer.is_monotone);  // a narrower one would have been overlooked
}

TEST_CASE("a solution at the low end only is found, without a value before it") {
  const Looked looked =
      search(1000, [](std::size_t index) { return Figures{static_cast<double>(index) - 3}; });

  CHECK(looked.answer.first == 0U);
  CHECK(looked.answer.is_monotone);
}

TEST_CASE("if no value is possible there is no answer") {
  CHECK_FALSE(search(5000, [](std::size_t) { return Figures{std::nullopt}; }).answer.first);
}

}  // namespace
}  // namespace epochcast::tests
