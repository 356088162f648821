// SPDX-License-Identifier: Apache-2.0
#include "core/formats/cost_trace_file.hpp"

#include "tests/catch.hpp"

namespace epochcast {
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

TEST_CASE("ranks and sessions are told apart where there are several") {
  CostTrace cost;
  cost.network = "resnet20";
  cost.input = {3, 32, 32};
  for (const int rank : {0, 1}) {
    BatchSamples samples;
    samples.batch = 4;
    samples.session = 2;
    samples.rank = rank;
    samples.total_s = {0.25};
    cost.batches.push_back(samples);
  }

  const nlohmann::ordered_json batches =
      trace_json({}, std::vector<CostTrace>{cost})["costs"][0]["batches"];

  CHECK(batches[0].dump() == R"({"batch":4,"session":2,"rank":0,"seconds":[0.25]})");
  CHECK(batches[1].dump() == R"({"batch":4,"session":2,"rank":1,"seconds":[0.25]})");
}

TEST_CASE("sessions of a merged trace come after those there are") {
  const auto trace = [](std::int64_t sessions) {
    CostTrace cost;
    cost.network = "resnet20";
    cost.input = {3, 32, 32};
    for (std::int64_t session = 0; session < sessions; ++session) {
      BatchSamples samples;
      samples.batch = 4;
      samples.session = session;
      samples.total_s = {0.25};
      cost.batches.push_back(samples);
    }
    const TraceHeader header = {.name = "t",
                                .title = "t",
                                .source = {.machine = "m",
                                           .date = "2026-11-21",
                                           .command = "c",
                                           .versions = {},
                                           .note = "n"},
                                .device = "d"};
    return trace_json(header, std::vector<CostTrace>{cost});
  };

  const TraceFile merged = parse_trace(merged_trace(trace(2), trace(2), "t.json"), "t.json");

  REQUIRE(merged.costs.at(0).batches.size() == 4);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(merged.costs[0].batches[i].session == static_cast<std::int64_t>(i));
}

}  // namespace
}  // namespace epochcast
