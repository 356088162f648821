// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/svg.hpp"

#include <cmath>
#include <set>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

// Logarithms and their inverses, of hundreds of pixels: equal to some 1e-12.
Approx rounded(double value) { return Approx(value).epsilon(1e-9).margin(1e-9); }

void check_values(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i] == rounded(expected[i]));
  }
}

TEST_CASE("what means something in HTML is escaped") {
  CHECK(escaped_html("a<b> & \"c\" 'd'") == "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  CHECK(escaped_html("naïve") == "naïve");
}

TEST_CASE("a text is shortened in its middle, between characters") {
  CHECK(shortened("abcdef", 6) == "abcdef");
  CHECK(shortened("abcdefg", 6) == "abc…fg");
  CHECK(shortened("äöüßéèê", 5) == "äö…èê");
  CHECK(shortened("abc", 1) == "…");
  CHECK(shortened("", 3).empty());
}

TEST_CASE("56 markers can be told apart, by colour or shape") {
  std::set<std::string> markers;
  for (std::size_t style = 0; style < 56; ++style) markers.insert(svg_marker(style, 1, 2));

  CHECK(markers.size() == 56);
}

TEST_CASE("a logarithmic axis gives equal factors equal lengths") {
  const LogAxis axis({1, 100}, 0, 1000);

  CHECK(axis.at(10) - axis.at(1) == rounded(axis.at(100) - axis.at(10)));
  CHECK(axis.at(axis.low()) == rounded(0));
  CHECK(axis.at(axis.high()) == rounded(1000));
}

TEST_CASE("what is beyond an axis is at its end, and so is zero") {
  const LogAxis axis({1, 100}, 500, 0);

  CHECK(axis.at(0) == rounded(500));
  CHECK(axis.at(1e9) == rounded(0));
}

TEST_CASE("an axis reaches beyond its values, and over a factor of 1.7") {
  for (const std::vector<double>& values :
       {std::vector<double>{5}, {4.99, 5.01}, {1, 1000}, {0, 3}, {}}) {
    const LogAxis axis(values, 0, 100);

    CHECK(axis.high() / axis.low() >= 1.7 * (1 - 1e-9));
    for (const double value : values) {
      if (value == 0) continue;
      CHECK(axis.low() < value);
      CHECK(axis.high() > value);
    }
  }
}

TEST_CASE("ticks are round, fewer the less room there is") {
  check_values(LogAxis({1.2, 80}, 0, 1000).ticks(50), {1, 2, 5, 10, 20, 50});
  check_values(LogAxis({1.2, 80}, 0, 1000).ticks(200), {1, 3, 10, 30});
  check_values(LogAxis({1.2, 80}, 0, 100).ticks(40), {1, 10});
  check_values(LogAxis({1e-9, 1e9}, 0, 480).ticks(58), {1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e9});
  check_values(LogAxis({10}, 0, 480).ticks(58), {8, 9, 10, 11, 12, 13});
}

TEST_CASE("ticks keep the gap") {
  for (const double ratio : {1.0, 1.5, 3.0, 9.0, 11.0, 30.0, 400.0, 5e4, 1e12}) {
    CAPTURE(ratio);
    const LogAxis axis({0.37, 0.37 * ratio}, 0, 480);
    const std::vector<double> ticks = axis.ticks(58);

    CHECK(ticks.size() >= 2);
    for (std::size_t i = 1; i < ticks.size(); ++i) {
      CHECK(axis.at(ticks[i]) - axis.at(ticks[i - 1]) >= 57.9);
    }
  }
}

TEST_CASE("round values are multiples of 1, 2 or 5 times a power of ten") {
  check_values(round_values(-0.031, 0.082, 8), {-0.02, 0, 0.02, 0.04, 0.06, 0.08});
  check_values(round_values(0, 10, 10), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  check_values(round_values(0, 10, 3), {0, 5, 10});
  CHECK(round_values(1, 1, 5).empty());
}

}  // namespace
}  // namespace epochcast::tests
