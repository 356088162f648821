// SPDX-License-Identifier: Apache-2.0
#include "strategies/groups.hpp"

#include <map>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("every strategy is in one group, and groups have no other names") {
  std::map<std::string_view, int> groups;
  for (const StrategyGroup& group : strategy_groups())
    for (const std::string_view name : group.names) ++groups[name];

  CHECK(groups.size() == strategies().size());
  for (const Strategy& strategy : strategies()) {
    CAPTURE(strategy.name);
    CHECK(groups[strategy.name] == 1);
  }
}

TEST_CASE("lists show what a strategy can be combined with") {
  CHECK(combinations_of(find_strategy("sync")) == "compression, overlap dear");
  CHECK(combinations_of(find_strategy("diloco")) == "compression, period rules");
  CHECK(combinations_of(find_strategy("ad-psgd")) == "-");
}

}  // namespace
}  // namespace epochcast::tests
