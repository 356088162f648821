// SPDX-License-Identifier: Apache-2.0
#include "analysis/chakra/execution_trace.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "sim/forecast.hpp"
#include "strategies/strategy.hpp"
#include "tests/analysis/chakra/traces.hpp"
#include "tests/catch.hpp"
#include "tests/sim/in_process.hpp"
#include "tests/sim/jobs.hpp"

namespace epochcast::tests {
namespace {

/// A forecast of the job, with its traces written to the folder.
RunResult write_traces(const Job& job, const std::string& strategy, const TraceFolder& folder) {
  const nlohmann::json json = in_process([&] {
    Recording recording;
    const RunResult run = sim::forecast(job, strategy, nullptr, nullptr, &recording);
    write_execution_traces(std::move(recording), folder.path(), strategy);
    return nlohmann::json(epochcast::to_json(run));
  });
  return run_from_json(nlohmann::ordered_json(json));
}

RecordedAction compute(double seconds) {
  RecordedAction action;
  action.name = "compute";
  action.seconds = seconds;
  return action;
}

TEST_CASE("a file is the metadata and a node per action, in the attributes that ASTRA-sim reads") {
  RecordedAction all_reduce;
  all_reduce.kind = RecordedKind::all_reduce;
  all_reduce.name = "all-reduce";
  all_reduce.bytes = 1e6;
  all_reduce.group = 1;
  all_reduce.start_s = 0.25;
  all_reduce.after = {0};
  RecordedAction broadcast = all_reduce;
  broadcast.kind = RecordedKind::broadcast;
  broadcast.group = 0;
  broadcast.peer = 2;
  broadcast.seconds = 0.5;
  broadcast.after = {0, 1};
  Recording recording;
  recording.by_rank = {{compute(0.25), all_reduce, broadcast}};
  recording.groups = {{0, 1, 2}, {0, 2}};
  const TraceFolder folder;

  write_execution_traces(recording, folder.path() / "new", "job");

  std::filesystem::rename(folder.path() / "new/job.0.et", folder.path() / "job.0.et");
  const RankTrace trace = folder.read("job").at(0);
  CHECK(trace.metadata.version() == "0.0.4");
  REQUIRE(trace.nodes.size() == 3);
  CHECK(trace.nodes[0].ShortDebugString() ==
        R"(id: 1 name: "compute" type: COMP_NODE duration_micros: 250000 )"
        R"(attr { name: "is_cpu_op" bool_val: false })");
  CHECK(trace.nodes[1].ShortDebugString() ==
        R"(id: 2 name: "all-reduce" type: COMM_COLL_NODE data_deps: 1 start_time_micros: 250000 )"
        R"(attr { name: "is_cpu_op" bool_val: false } )"
        R"(attr { name: "comm_type" int64_val: 0 } attr { name: "comm_size" int64_val: 1000000 } )"
        R"(attr { name: "involved_dim" bool_list { values: true values: true values: true )"
        R"(values: true } } attr { name: "pg_name" string_val: "1" })");
  CHECK(integer(trace.nodes[2], "comm_type") == chakra::BROADCAST);
  CHECK(integer(trace.nodes[2], "comm_src") == 2);
  CHECK(trace.nodes[2].duration_micros() == 500000);
  CHECK_FALSE(has(trace.nodes[2], "pg_name"));
}

// ASTRA-sim divides a collective by its splits and its members.
TEST_CASE("a collective is never too small to be cut into chunks") {
  const auto bytes_of = [](RecordedKind kind, double bytes, int members) {
    RecordedAction action;
    action.kind = kind;
    action.bytes = bytes;
    Recording recording;
    recording.by_rank = {{action}};
    recording.groups = {{}};
    for (int rank = 0; rank < members; ++rank) recording.groups[0].push_back(rank);
    const TraceFolder folder;
    write_execution_traces(recording, folder.path(), "job");
    return integer(folder.read("job").at(0).nodes.at(0), "comm_size");
  };

  CHECK(bytes_of(RecordedKind::barrier, 0, 4) == 4096);
  CHECK(bytes_of(RecordedKind::barrier, 0, 100) == 6400);
  CHECK(bytes_of(RecordedKind::all_gather, 8, 4) == 4096);
  CHECK(bytes_of(RecordedKind::all_reduce, 10000, 4) == 10000);
}

// Wire format, field by field: a reader of another implementation of protobuf must find the same.
TEST_CASE("the bytes are those of Chakra's schema") {
  Recording recording;
  recording.by_rank = {{compute(3e-6)}};
  recording.groups = {{0}};
  const TraceFolder folder;

  write_execution_traces(recording, folder.path(), "job");

  std::ifstream in(folder.path() / "job.0.et", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::string metadata =
      "\x0a\x05"
      "0.0.4";
  const std::string attribute = "\x0a\x09is_cpu_op\xd8\x01" + std::string(1, '\0');
  const std::string node =
      "\x08\x01\x12\x07"
      "compute\x18\x04\x38\x03\x52" +
      std::string(1, static_cast<char>(attribute.size())) + attribute;
  CHECK(bytes ==
        static_cast<char>(metadata.size()) + metadata + static_cast<char>(node.size()) + node);
  CHECK(folder.groups("job") == "{}\n");
}

TEST_CASE("durations are whole microseconds whose sum does not drift") {
  Recording recording;
  recording.by_rank = {std::vector<RecordedAction>(1000, compute(0.4e-6))};
  recording.groups = {{0}};
  const TraceFolder folder;

  write_execution_traces(recording, folder.path(), "job");

  CHECK(computed_us(folder.read("job").at(0)) == 400);
}

TEST_CASE("sync on two nodes: computing, one all-reduce and a step per iteration, on both ranks") {
  constexpr int kIterations = 5;
  constexpr int kEpochs = 2;
  Job job = job_on(mixed(2, 1, 0, pcie(), star()), kIterations * 2 * 8);
  job.config.epochs = kEpochs;
  const TraceFolder folder;

  const RunResult run = write_traces(job, "sync", folder);
  const std::vector<RankTrace> ranks = folder.read("sync");

  const BatchTimes times = BatchCost(job.traces[0]).median(8);
  const int parts =
      (times.load_s + times.forward_s > 0) + (times.backward_s > 0) + (times.step_s > 0);
  REQUIRE(parts >= 2);
  REQUIRE(ranks.size() == 2);
  for (const RankTrace& rank : ranks) {
    CHECK(count(rank, chakra::COMP_NODE) == parts * kIterations * kEpochs);
    // Besides: the first broadcast and two barriers, before the first epoch and after the last.
    CHECK(count(rank, chakra::COMM_COLL_NODE) == kIterations * kEpochs + 3);
    CHECK(count(rank, chakra::COMM_SEND_NODE) == 0);
    // Cumulated times are rounded to the microsecond.
    CHECK(computed_us(rank) == Approx(run.phases.compute_s * kEpochs * 1e6).margin(0.51));
    std::int64_t reduced_bytes = 0;
    for (const chakra::Node& node : rank.nodes) {
      if (node.name() == "all-reduce") reduced_bytes += integer(node, "comm_size");
    }
    CHECK(reduced_bytes == 4 * 10'000'000LL * kIterations * kEpochs);
  }
  // No overlap: with free exchanges, the job takes the computing time of one rank.
  CHECK(play_us(ranks, folder.groups("sync")) == Approx(computed_us(ranks[0])));
}

TEST_CASE("recording does not change a forecast") {
  for (const double spread : {0.0, 0.1}) {
    const Job job = job_on(mixed(2, 2, 1, pcie(), star()), 8 * 6 * 8, spread);
    const TraceFolder folder;

    const RunResult recorded = write_traces(job, "node-based", folder);

    const RunResult plain = run_from_json(nlohmann::ordered_json(forecast_json(job, "node-based")));
    CHECK(recorded.rounds_per_epoch == plain.rounds_per_epoch);
    if (spread == 0) {
      // Equal iterations are summed, not run: only rounding differs.
      CHECK(recorded.epoch_s == Approx(plain.epoch_s).epsilon(1e-9));
    } else {
      // The first pass has more collectives, and later ones replay others.
      CHECK(recorded.epoch_s > plain.epoch_s_interval->low_s);
      CHECK(recorded.epoch_s < plain.epoch_s_interval->high_s);
    }
  }
}

TEST_CASE("the traces of every strategy run to their end, in program order") {
  for (const Strategy& strategy : strategies()) {
    for (const Overlap overlap : {Overlap::none, Overlap::bucket}) {
      CAPTURE(strategy.name, overlap);
      Job job = job_on(mixed(2, 2, 1, pcie(), star()), 6 * 8 * 8);
      job.config.epochs = 2;
      job.config.overlap = overlap;
      const std::string name(strategy.name);
      if (refuses_overlap(job, name)) continue;
      const TraceFolder folder;

      const RunResult run = write_traces(job, name, folder);
      const std::vector<RankTrace> ranks = folder.read(name);

      CHECK(ranks.size() == static_cast<std::size_t>(run.workers));
      double longest_us = 0;
      for (const RankTrace& rank : ranks) {
        REQUIRE_FALSE(rank.nodes.empty());
        for (std::size_t i = 0; i < rank.nodes.size(); ++i) {
          CHECK(rank.nodes[i].id() == i + 1);
          std::set<std::uint64_t> seen;
          for (const std::uint64_t id : rank.nodes[i].data_deps()) {
            CHECK(id <= i);  // backwards: no cycle
            CHECK(seen.insert(id).second);
          }
        }
        longest_us = std::max(longest_us, computed_us(rank));
      }
      const double played_us = play_us(ranks, folder.groups(name));
      CHECK(played_us >= longest_us);
      // A job takes no longer than with exchanges that take time.
      const double job_us = 1e6 * (run.startup_s + run.epoch_s * static_cast<double>(run.epochs));
      CHECK(played_us <= job_us * (1 + 1e-6) + static_cast<double>(ranks.size()));
    }
  }
}

TEST_CASE("nodes that exchange on their own are process groups") {
  Job job = job_on(mixed(2, 2, 0, pcie(), star()), 8 * 4 * 8);
  job.config.epochs = 1;
  const TraceFolder folder;

  write_traces(job, "node-based", folder);

  CHECK(folder.groups("node-based") == "{\"1\":[0,1],\"2\":[2,3]}\n");
  for (const RankTrace& rank : folder.read("node-based")) {
    CHECK(std::ranges::any_of(rank.nodes, [](const auto& node) { return has(node, "pg_name"); }));
  }
}

TEST_CASE("a folder that cannot be made is an error") {
  Recording recording;
  recording.by_rank = {{compute(1)}};
  const TraceFolder folder;
  std::ofstream(folder.path() / "file") << "not a folder";

  CHECK_THROWS_AS(write_execution_traces(recording, folder.path() / "file/such", "job"), RunError);
}

}  // namespace
}  // namespace epochcast::tests
