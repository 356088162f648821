// SPDX-License-Identifier: Apache-2.0
#include "real/common/cost_trace_file.hpp"

#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

TEST_CASE("a trace whose samples have no phases writes none, and is read back") {
  CostTrace cost;
  cost.network = "resnet20";
  cost.input = {3, 32, 32};
  cost.batches.resize(1);
  cost.batches[0].batch = 4;
  cost.batches[0].total_s = {0.25, 0.5};
  const TraceHeader header = {
      .name = "t",
      .title = "t",
      .source = {.machine = "m", .date = "2026-11-21", .command = "c", .versions = {}, .note = "n"},
      .device = "d"};

  const nlohmann::json document = trace_json(header, std::vector<CostTrace>{cost});

  CHECK(document["costs"][0]["batches"][0].dump() == R"({"batch":4,"seconds":[0.25,0.5]})");
  const TraceFile read = parse_trace(document, "t.json");
  CHECK(read.costs.at(0).batches.at(0).total_s == std::vector<double>{0.25, 0.5});
  CHECK(read.costs[0].batches[0].load_s.empty());
}

}  // namespace
}  // namespace epochcast::real
