// SPDX-License-Identifier: Apache-2.0
#include "real/measure/batches/trace_file.hpp"

#include "base/error.hpp"
#include "base/json/json_text.hpp"
#include "core/formats/cost_trace.hpp"
#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

TraceFile header(const std::string& command) {
  return {.name = "t",
          .title = "A trace",
          .device = "some-cpu",
          .source = {.grade = Grade::measured,
                     .machine = "Some CPU, 2 cores",
                     .date = "2026-11-21",
                     .command = command,
                     .versions = {{"libtorch", "1.13.0"}},
                     .note = "note of " + command},
          .costs = {}};
}

NetworkCosts costs(const std::string& network, std::int64_t batch, double forward_s) {
  const BatchTiming timing = {
      .load_s = 0.25, .forward_s = forward_s, .backward_s = 0.5, .step_s = 0.125};
  return {.network = network,
          .input = {3, 32, 32},
          .batches = {{.batch = batch, .samples = {timing, timing}}}};
}

TraceFile trace(const std::string& command, const NetworkCosts& cost) {
  return make_trace(header(command), std::vector<NetworkCosts>{cost}, Precision::float32);
}

TraceFile reread(const TraceFile& trace) {
  return parse_trace(nlohmann::json::parse(json_text(to_json(trace))), "t.json");
}

TEST_CASE("a trace reads as documented") {
  NetworkCosts cost = costs("resnet20", 4, 1.0 / 3);
  cost.backward_layers = {{.name = "linear", .share = 0.25}, {.name = "conv1", .share = 0.75}};

  CHECK(json_text(to_json(trace("measure", cost))) == R"({
  "schema": "epochcast.trace/1",
  "name": "t",
  "title": "A trace",
  "source": {
    "grade": "measured",
    "machine": "Some CPU, 2 cores",
    "date": "2026-11-21",
    "command": "measure",
    "versions": {"libtorch": "1.13.0"},
    "note": "note of measure"
  },
  "device": "some-cpu",
  "costs": [
    {
      "network": "resnet20",
      "input": [3, 32, 32],
      "precision": "float32",
      "batches": [
        {
          "batch": 4,
          "seconds": [1.208333, 1.208333],
          "load_seconds": [0.25, 0.25],
          "forward_seconds": [0.3333333, 0.3333333],
          "backward_seconds": [0.5, 0.5],
          "step_seconds": [0.125, 0.125]
        }
      ],
      "backward_layers": [{"name": "linear", "share": 0.25}, {"name": "conv1", "share": 0.75}]
    }
  ]
}
)");
}

TEST_CASE("a trace records the precision, and costs in several are kept apart") {
  const std::vector<NetworkCosts> cost = {costs("resnet20", 4, 1)};
  const TraceFile half = make_trace(header("second"), cost, Precision::bfloat16);
  CHECK(reread(half).costs.at(0).precision == Precision::bfloat16);

  const TraceFile both =
      reread(merged(trace("first", cost[0]), make_trace(half, {}, Precision::bfloat16), "t.json"));

  REQUIRE(both.costs.size() == 2);
  CHECK(both.costs[0].precision == Precision::float32);
  CHECK(both.costs[1].precision == Precision::bfloat16);
}

TEST_CASE("long lists of samples are wrapped and read back unchanged") {
  NetworkCosts cost = costs("resnet20", 4, 0.1);
  for (int i = 1; i <= 50; ++i) cost.batches[0].samples.push_back({.load_s = 0.01 * i});

  const TraceFile file = reread(trace("measure", cost));

  REQUIRE(file.costs.size() == 1);
  REQUIRE(file.costs[0].batches[0].load_s.size() == 52);
  for (std::size_t i = 1; i <= 50; ++i) {
    CHECK(file.costs[0].batches[0].load_s[i + 1] ==
          Approx(0.01 * static_cast<double>(i)).epsilon(1e-7));
  }
}

TEST_CASE("every entry has its rank") {
  NetworkCosts cost = costs("resnet20", 4, 1);
  cost.batches.push_back(cost.batches[0]);
  cost.batches[1].rank = 1;

  const TraceFile written = trace("measure", cost);

  CHECK(to_json(written).at("costs")[0].at("batches")[0].at("rank") == 0);
  const TraceFile file = reread(written);
  REQUIRE(file.costs[0].batches.size() == 2);
  CHECK(file.costs[0].batches[1].rank == 1);
}

TEST_CASE("merging adds a session to existing costs, and joins commands") {
  NetworkCosts by_rank = costs("resnet20", 4, 3);
  by_rank.batches.push_back(by_rank.batches[0]);
  by_rank.batches[1].rank = 1;
  const TraceFile first =
      merged(trace("a", costs("resnet20", 4, 1)), trace("b", costs("resnet20", 2, 2)), "t.json");

  const TraceFile all = merged(
      merged(first, trace("c", by_rank), "t.json"), trace("d", costs("small-cnn", 8, 4)), "t.json");

  const TraceFile file = reread(all);
  REQUIRE(file.costs.size() == 2);
  const std::vector<epochcast::BatchSamples>& batches = file.costs[0].batches;
  REQUIRE(batches.size() == 4);
  CHECK(batches[0].batch == 2);
  CHECK(batches[0].session == 1);
  CHECK(batches[0].forward_s[0] == 2);
  CHECK(batches[1].batch == 4);
  CHECK(batches[1].session == 0);
  CHECK(batches[1].forward_s[0] == 1);
  CHECK(batches[2].session == 2);
  CHECK(batches[2].rank == 0);
  CHECK(batches[2].forward_s[0] == 3);
  CHECK(batches[3].session == 2);
  CHECK(batches[3].rank == 1);
  CHECK(file.costs[1].network == "small-cnn");
  CHECK(file.costs[1].batches[0].session == 0);
  CHECK(file.source.command == "a && b && c && d");
  CHECK(file.source.note == "note of a | note of b | note of c | note of d");
}

TEST_CASE("costs of another machine or device are not merged") {
  const TraceFile existing = trace("a", costs("resnet20", 4, 1));
  TraceFile added = existing;
  added.device = "other-cpu";

  CHECK_THROWS_WITH(merged(existing, added, "t.json"),
                    "t.json: /device: got \"some-cpu\"; expected \"other-cpu\", as measured now "
                    "(write to another file)");
  added = existing;
  added.source.versions["libtorch"] = "2.1.0";
  CHECK_THROWS_AS(merged(existing, added, "t.json"), UserError);
}

TEST_CASE("the note has the method of sampling and the number of disturbed samples") {
  MeasureSettings settings;
  settings.rule.drop_preempted = true;
  settings.layers_batch = 16;
  const std::vector<NetworkCosts> costs = {
      {.network = "n",
       .batches = {{.batch = 1, .samples = {{}, {}}, .dropped = 3},
                   {.batch = 2, .samples = {{}}}}}};

  CHECK(sampling_note(settings, costs) ==
        "3 batches kept after 5 of warm-up per point, until the 95 % confidence interval of the "
        "median was within "
        "1 % (at least 30 batches; at most 500, or 30 s); 3 more were preempted (wall time more "
        "than 3 % over CPU "
        "time) and measured again; backward_layers at batch 16; optimizer sgd, procedural "
        "samples");
}

TEST_CASE("the note has the number of ranks that measured at the same time") {
  MeasureSettings settings;
  settings.ranks = 3;  // regardless of the file's: slowed ones differ

  CHECK_THAT(sampling_note(settings, std::vector<NetworkCosts>()),
             Catch::Contains("; 3 ranks at the same time, each computing until all had enough;"));
}

}  // namespace
}  // namespace epochcast::real
