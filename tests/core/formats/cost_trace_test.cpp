// SPDX-License-Identifier: Apache-2.0
#include "core/formats/cost_trace.hpp"

#include <nlohmann/json.hpp>

#include "base/json/json_file.hpp"
#include "core/costs/batch_cost.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

const std::string kFile = "traces/esb.json";
const std::string kTrace = R"({
  "schema": "epochcast.trace/1", "name": "esb", "title": "ESB", "device": "v100",
  "source": {"grade": "published", "reference": "table 2"},
  "costs": [{"network": "tiny", "input": [1, 4, 4], "batches": [
      {"batch": 32, "seconds": [0.4, 0.5]},
      {"batch": 8, "seconds": [0.15]},
      {"batch": 64, "seconds": [1.0, 1.1, 0.9],
       "load_seconds": [0.1, 0.1, 0.1], "forward_seconds": [0.3, 0.3, 0.3],
       "backward_seconds": [0.5, 0.6, 0.4], "step_seconds": [0.1, 0.1, 0.1]}],
    "backward_layers": [{"name": "fc", "share": 0.25}, {"name": "conv", "share": 0.75}]}]})";

TraceFile parsed_trace(const std::string& text) {
  return parse_trace(parse_json(text, kFile), kFile);
}

Texts problems_in_trace(const std::string& text) {
  return problems_of([&] { static_cast<void>(parsed_trace(text)); });
}

TEST_CASE("a trace keeps every sample in the order measured, batch sizes ascending") {
  const TraceFile file = parsed_trace(kTrace);

  CHECK(file.name == "esb");
  CHECK(file.device == "v100");
  REQUIRE(file.costs.size() == 1);
  const CostTrace& cost = file.costs[0];
  CHECK(cost.file == kFile);
  CHECK(cost.device == "v100");
  CHECK(cost.network == "tiny");
  CHECK(cost.input == std::vector<std::int64_t>{1, 4, 4});
  REQUIRE(cost.batches.size() == 3);
  CHECK(cost.batches[0].batch == 8);
  CHECK(cost.batches[1].batch == 32);
  CHECK(cost.batches[2].batch == 64);
  CHECK(cost.batches[2].total_s == std::vector<double>{1.0, 1.1, 0.9});
  CHECK(cost.batches[2].backward_s == std::vector<double>{0.5, 0.6, 0.4});
  CHECK(cost.batches[1].load_s.empty());
}

TEST_CASE("a cost's own source overrides the file's") {
  CHECK(parsed_trace(kTrace).costs[0].source.grade == Grade::published);

  const std::string own =
      R"("source": {"grade": "estimated", "method": "FLOPs"}, "network": "tiny")";
  const TraceFile file = parsed_trace(with(kTrace, "\"network\": \"tiny\"", own));
  CHECK(file.costs[0].source.grade == Grade::estimated);
  CHECK(file.source.grade == Grade::published);
}

TEST_CASE("seconds are a list of numbers that are not negative") {
  CHECK(problems_in_trace(with(kTrace, "[1.0, 1.1, 0.9]", "\"fast\"")) ==
        Texts{"traces/esb.json: /costs/0/batches/2/seconds: got \"fast\"; expected a list of "
              "seconds"});
  CHECK(problems_in_trace(with(kTrace, "[0.15]", "[]")) ==
        Texts{"traces/esb.json: /costs/0/batches/1/seconds: got a list of 0; expected a list of "
              "seconds"});
  CHECK(problems_in_trace(with(kTrace, "[0.4, 0.5]", "[0.4, -0.5, \"1s\", 1e300]")) ==
        Texts{"traces/esb.json: /costs/0/batches/0/seconds/1: got -0.5; expected seconds, not "
              "negative",
              "traces/esb.json: /costs/0/batches/0/seconds/2: got \"1s\"; expected seconds, not "
              "negative",
              "traces/esb.json: /costs/0/batches/0/seconds/3: got 1e+300; expected seconds, not "
              "negative",
              "traces/esb.json: /costs/0/batches/0/seconds: a batch cannot take 0 seconds"});
}

TEST_CASE("a cost trace of an older version is refused in one sentence") {
  const std::string rest = "\" of an older version of epochcast; measure batches again";
  std::string cold = kTrace;
  for (const std::string batch : {"\"batch\": 32", "\"batch\": 8"})
    cold = with(cold, batch, batch + ", \"cold_start_seconds\": 0.1");

  CHECK(problems_in_trace(cold) == Texts{kFile + ": has \"cold_start_seconds" + rest});
  for (const std::string key : {"batch_after_seconds", "batch_second_after_seconds"}) {
    const std::string overlap = "\"overlap\": [{\"batch\": 8, \"" + key + "\": [0.1]}], ";
    CHECK(problems_in_trace(with(kTrace, "\"batches\"", overlap + "\"batches\"")) ==
          Texts{kFile + ": has \"" + key + rest});
  }
}

TEST_CASE("no batch takes 0 seconds, but a phase may") {
  CHECK(problems_in_trace(with(kTrace, "[0.4, 0.5]", "[0.4, 0, 0]")) ==
        Texts{"traces/esb.json: /costs/0/batches/0/seconds: a batch cannot take 0 seconds"});
  CHECK(problems_in_trace(
            with(kTrace, "\"load_seconds\": [0.1, 0.1, 0.1]", "\"load_seconds\": [0, 0, 0]"))
            .empty());
}

TEST_CASE("a batch size is listed once") {
  CHECK(problems_in_trace(with(kTrace, "\"batch\": 8", "\"batch\": 32")) ==
        Texts{"traces/esb.json: /costs/0/batches: batch size 32 is listed twice"});
}

TEST_CASE("a batch size may be measured by several ranks in several sessions") {
  const std::string by_rank =
      R"({"batch": 32, "rank": 1, "seconds": [0.6]}, {"batch": 32, "session": 4, "seconds": [0.7]},
         {"batch": 8, "session": 0, "rank": 0, "seconds": [0.15]})";
  const TraceFile file = parsed_trace(with(kTrace, R"({"batch": 8, "seconds": [0.15]})", by_rank));

  const std::vector<BatchSamples>& batches = file.costs[0].batches;
  REQUIRE(batches.size() == 5);
  CHECK(batches[0].batch == 8);
  CHECK(batches[1].total_s == std::vector<double>{0.4, 0.5});
  CHECK(batches[1].rank == 0);
  CHECK(batches[2].total_s == std::vector<double>{0.6});
  CHECK(batches[2].session == 0);
  CHECK(batches[2].rank == 1);
  CHECK(batches[3].total_s == std::vector<double>{0.7});
  CHECK(batches[3].session == 4);
  CHECK(batches[3].rank == 0);
}

TEST_CASE("a rank measures a batch size once a session, and sessions ascend") {
  const auto problems_with = [](const std::string& second, const std::string& third) {
    return problems_in_trace(with(kTrace,
                                  R"({"batch": 8, "seconds": [0.15]})",
                                  R"({"batch": 32, "seconds": [1], )" + second +
                                      R"(}, {"batch": 32, "seconds": [1], )" + third + "}"));
  };
  const std::string where = "traces/esb.json: /costs/0/batches: batch size 32";

  CHECK(problems_with(R"("rank": 1)", R"("rank": 1)") ==
        Texts{where + ", session 0, rank 1 is listed twice"});
  CHECK(problems_with(R"("session": 2)", R"("session": 1, "rank": 3)") ==
        Texts{where + ": session 1, rank 3 comes after session 2, rank 0; expected sessions in "
                      "ascending order, and ranks within them"});
  CHECK(problems_with(R"("session": 1, "rank": -1)", R"("session": 2.5, "rank": 1)") ==
        Texts{"traces/esb.json: /costs/0/batches/1/rank: got -1; expected a whole number of at "
              "least 0",
              "traces/esb.json: /costs/0/batches/2/session: got 2.5; expected a whole number of at "
              "least 0",
              where + ": session 0, rank 1 comes after session 1, rank 0; expected sessions in "
                      "ascending order, and ranks within them"});
}

TEST_CASE("a trace has all four phases, each as long as the seconds") {
  CHECK(problems_in_trace(
            with(kTrace, "\"step_seconds\": [0.1, 0.1, 0.1]", "\"step_seconds\": [0.1]")) ==
        Texts{"traces/esb.json: /costs/0/batches/2/step_seconds: got a list of 1; expected as many "
              "samples as \"seconds\" has (3)"});
  CHECK(problems_in_trace(with(kTrace, ", \"step_seconds\": [0.1, 0.1, 0.1]", "")) ==
        Texts{"traces/esb.json: /costs/0/batches/2: needs all of load_seconds, forward_seconds, "
              "backward_seconds, step_seconds, or none"});
}

TEST_CASE("the shares of layers sum to 1, to a hundredth") {
  CHECK(problems_in_trace(with(kTrace, "0.75", "0.5")) ==
        Texts{"traces/esb.json: /costs/0/backward_layers: the shares sum to 0.750000; expected 1"});
  CHECK(
      problems_in_trace(with(kTrace, "0.75", "1.75")) ==
      Texts{"traces/esb.json: /costs/0/backward_layers/1/share: got 1.75; expected a share from 0 "
            "to 1",
            "traces/esb.json: /costs/0/backward_layers: the shares sum to 0.250000; expected "
            "1"});

  const BatchCost cost(parsed_trace(with(kTrace, "0.75", "0.745")).costs[0]);
  CHECK(cost.backward_layers()[0].share == Approx(0.25 / 0.995).epsilon(1e-12));
  CHECK(cost.backward_layers()[1].share == Approx(0.745 / 0.995).epsilon(1e-12));
}

TEST_CASE("all problems of a trace are reported at once") {
  std::string text = with(kTrace, "\"device\": \"v100\"", "\"devices\": \"v100\"");
  text = with(text, "\"batch\": 32", "\"batch\": 0");
  text = with(text, "[1, 4, 4]", "[1, 0]");

  CHECK(problems_in_trace(text) ==
        Texts{"traces/esb.json: /device: missing",
              "traces/esb.json: /costs/0/input/1: got 0; expected a whole number of at least 1",
              "traces/esb.json: /costs/0/batches/0/batch: got 0; expected a whole number of at "
              "least 1",
              "traces/esb.json: /devices: unknown key \"devices\"; did you mean \"device\"?"});
}

/// A batch size that took 0.25 s.
BatchSamples quarter_second(std::int64_t session = 0, std::int64_t rank = 0) {
  BatchSamples samples;
  samples.batch = 4;
  samples.session = session;
  samples.rank = rank;
  samples.total_s = {0.25};
  return samples;
}

TraceFile trace_with(const std::vector<BatchSamples>& batches) {
  CostTrace cost;
  cost.file = "t.json";
  cost.device = "d";
  cost.network = "resnet20";
  cost.input = {3, 32, 32};
  cost.batches = batches;
  cost.source = {.grade = Grade::measured, .machine = "m", .date = "2026-11-21", .command = "c"};
  return {.name = "t", .title = "t", .device = cost.device, .source = cost.source, .costs = {cost}};
}

TEST_CASE("a trace whose samples have no phases writes none") {
  CHECK(to_json(trace_with({quarter_second()}))["costs"][0]["batches"].dump() ==
        R"([{"batch":4,"seconds":[0.25]}])");
}

TEST_CASE("overlap samples are written, read and merged as sessions") {
  TraceFile trace = trace_with({quarter_second()});
  trace.costs[0].overlap = {{.batch = 4,
                             .rank = 1,
                             .all_reduce = "ring",
                             .bytes = 1e6,
                             .batch_alone_s = {0.25},
                             .batch_s = {0.5},
                             .exchange_alone_s = {0.125},
                             .exchange_s = {0.25}}};
  const auto json = to_json(trace);

  CHECK(json["costs"][0]["overlap"].dump() ==
        R"([{"batch":4,"rank":1,"all_reduce":"ring","bytes":1000000,)"
        R"("batch_alone_seconds":[0.25],"batch_seconds":[0.5],)"
        R"("exchange_alone_seconds":[0.125],"exchange_seconds":[0.25]}])");
  CHECK(parse_trace(json, "t.json").costs[0].overlap == trace.costs[0].overlap);
  const TraceFile both = merged(trace, trace, "t.json");
  REQUIRE(both.costs[0].overlap.size() == 2);
  CHECK(both.costs[0].overlap[1].session == 1);
}

TEST_CASE("times of kernels are written and read, and newer ones of a compression replace them") {
  TraceFile trace = trace_with({quarter_second()});
  const KernelSamples topk = {
      .compression = "topk", .kernel = "compress", .moved_bytes = 4000, .seconds = {0.25, 0.5}};
  KernelSamples int8 = topk;
  int8.compression = "int8";
  trace.costs[0].kernels = {topk, int8};
  const auto json = to_json(trace);

  CHECK(json["costs"][0]["kernels"][0].dump() ==
        R"({"compression":"topk","kernel":"compress","moved_bytes":4000,"seconds":[0.25,0.5]})");
  CHECK(parse_trace(json, "t.json").costs[0].kernels == trace.costs[0].kernels);
  TraceFile newer = trace;
  newer.costs[0].kernels = {topk};
  newer.costs[0].kernels[0].seconds = {0.125};
  CHECK(merged(trace, newer, "t.json").costs[0].kernels ==
        std::vector<KernelSamples>{int8, newer.costs[0].kernels[0]});
}

TEST_CASE("overlap samples have as many values alone as together, all above zero") {
  TraceFile trace = trace_with({quarter_second()});
  trace.costs[0].overlap = {{.batch = 4,
                             .all_reduce = "ring",
                             .bytes = 1e6,
                             .batch_alone_s = {0.25},
                             .batch_s = {0.5, 0.5},
                             .exchange_alone_s = {0},
                             .exchange_s = {0.25}}};

  CHECK(problems_in_trace(to_json(trace).dump()) ==
        Texts{"traces/esb.json: /costs/0/overlap/0/batch_seconds: got a list of 2; expected as "
              "many samples as \"batch_alone_seconds\" has (1)",
              "traces/esb.json: /costs/0/overlap/0/exchange_alone_seconds: neither batches nor "
              "all-reduces take 0 seconds"});
}

TEST_CASE("ranks are numbered in sessions that have several") {
  const TraceFile trace =
      trace_with({quarter_second(), quarter_second(2, 0), quarter_second(2, 1)});

  CHECK(to_json(trace)["costs"][0]["batches"].dump() ==
        R"([{"batch":4,"seconds":[0.25]},)"
        R"({"batch":4,"session":2,"rank":0,"seconds":[0.25]},)"
        R"({"batch":4,"session":2,"rank":1,"seconds":[0.25]}])");
}

TEST_CASE("sessions of a merged trace follow the existing ones") {
  const TraceFile two = trace_with({quarter_second(0), quarter_second(1)});

  const TraceFile four = merged(two, two, "t.json");

  REQUIRE(four.costs.at(0).batches.size() == 4);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(four.costs[0].batches[i].session == static_cast<std::int64_t>(i));
}

TEST_CASE("costs of a merged trace keep their source") {
  const TraceFile added = trace_with({quarter_second()});
  TraceFile existing = added;
  existing.costs.push_back(existing.costs[0]);
  existing.costs[1].network = "published";
  existing.costs[1].source = {.grade = Grade::published, .reference = "table 2"};

  const TraceFile both = merged(existing, added, "t.json");

  CHECK(both.source.command == "c && c");
  CHECK(both.costs[0].source == both.source);
  CHECK(both.costs[1].source == existing.costs[1].source);
}

}  // namespace
}  // namespace epochcast::tests
