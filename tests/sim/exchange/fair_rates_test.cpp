// SPDX-License-Identifier: Apache-2.0
#include "sim/exchange/fair_rates.hpp"

#include <array>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

using sim::Flow;
using sim::LinkUse;

TEST_CASE("flows share a link equally, and one that is limited leaves its rest to others") {
  const std::array<LinkUse, 1> link = {{{.link = 0, .weight = 1}}};
  Flow a = {.uses = link};
  Flow b = {.uses = link};
  Flow limited = {.uses = link, .most = 1};
  const std::array<Flow*, 3> flows = {&a, &b, &limited};

  sim::share_links(flows, std::array{9.0});

  CHECK(limited.rate == Approx(1));
  CHECK(a.rate == Approx(4));
  CHECK(b.rate == Approx(4));
}

TEST_CASE("a flow takes as much of a link as its weight") {
  const std::array<LinkUse, 2> uses = {{{.link = 0, .weight = 3}, {.link = 1, .weight = 1}}};
  const std::array<LinkUse, 1> one = {{{.link = 0, .weight = 1}}};
  Flow heavy = {.uses = uses};
  Flow light = {.uses = one};
  const std::array<Flow*, 2> flows = {&heavy, &light};

  sim::share_links(flows, std::array{8.0, 10.0});
  CHECK(heavy.rate == Approx(2));
  CHECK(light.rate == Approx(2));

  sim::share_links(flows, std::array{8.0, 1.0});  // its other link stops it
  CHECK(heavy.rate == Approx(1));
  CHECK(light.rate == Approx(5));
}

TEST_CASE("a flow without links or limit has an infinite rate") {
  Flow free;
  const std::array<Flow*, 1> flows = {&free};

  sim::share_links(flows, {});

  CHECK(std::isinf(free.rate));
}

}  // namespace
}  // namespace epochcast::tests
