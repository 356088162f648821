// SPDX-License-Identifier: Apache-2.0
#include "cli/show/remarks.hpp"

#include <sstream>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

std::string text_of(const Remarks& remarks, const std::string& prefix = {}) {
  std::ostringstream out;
  remarks.print(out, prefix);
  return out.str();
}

TEST_CASE("a remark on all forecasts is one on \"all\"", "[cli]") {
  Remarks remarks;
  for (const char* strategy : {"sync", "dlb"}) {
    for (const char* place : {"nodes 1", "nodes 2"}) remarks.add("estimated", strategy, place);
  }

  CHECK(text_of(remarks) == "  all: estimated\n");
}

TEST_CASE("a single forecast is named by its strategy", "[cli]") {
  Remarks remarks;
  remarks.add("estimated", "sync", "");

  CHECK(text_of(remarks) == "  sync: estimated\n");
}

TEST_CASE("a remark names the strategies and points concerned, each text once", "[cli]") {
  Remarks remarks;
  for (const char* strategy : {"sync", "dlb", "local-sgd"}) {
    for (const char* place : {"nodes 1", "nodes 2"}) remarks.expect(strategy, place);
  }
  remarks.add("everywhere", "dlb", "nodes 1");
  remarks.add("everywhere", "dlb", "nodes 2");
  for (const char* strategy : {"sync", "dlb", "local-sgd"})
    remarks.add("too few nodes", strategy, "nodes 2");
  remarks.add("some", "sync", "nodes 1");
  remarks.add("some", "local-sgd", "nodes 1");
  remarks.add("apart", "sync", "nodes 1");
  remarks.add("apart", "dlb", "nodes 2");

  CHECK(text_of(remarks, "not forecast: ") ==
        "  dlb: not forecast: everywhere\n"
        "  all [nodes 2]: not forecast: too few nodes\n"
        "  sync, local-sgd [nodes 1]: not forecast: some\n"
        "  sync [nodes 1]: not forecast: apart\n"
        "  dlb [nodes 2]: not forecast: apart\n");
}

TEST_CASE("many remarks on one flag are one", "[cli]") {
  Remarks remarks;
  for (const char* strategy : {"ssp", "gossip", "gssp", "ad-psgd"})
    remarks.add("--overlap: not " + std::string(strategy), strategy, "");
  remarks.add("--nodes: too few", "dlb", "");
  remarks.expect("sync", "");

  CHECK(
      text_of(remarks.with_one_for_each_flag(), "not forecast: ") ==
      "  ssp, gossip, gssp, ad-psgd: not forecast: --overlap: does not apply; --strategy NAME says "
      "why\n"
      "  dlb: not forecast: --nodes: too few\n");
}

TEST_CASE("points of a single strategy are named alone, the first four of them", "[cli]") {
  Remarks remarks;
  remarks.expect("sync", "nodes 1");
  for (int nodes = 2; nodes <= 4; ++nodes)
    remarks.add("few", "sync", "nodes " + std::to_string(nodes));
  for (int nodes = 2; nodes <= 8; ++nodes)
    remarks.add("many", "sync", "nodes " + std::to_string(nodes));

  CHECK(text_of(remarks) ==
        "  nodes 2; nodes 3; nodes 4: few\n"
        "  nodes 2; nodes 3; nodes 4; nodes 5 and 3 more: many\n");
}

}  // namespace
}  // namespace epochcast::tests
