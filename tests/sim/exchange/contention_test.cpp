// SPDX-License-Identifier: Apache-2.0
// Computing and exchanging at the same time takes longer than either alone.
#include <map>
#include <string>

#include "strategies/strategy.hpp"
#include "tests/catch.hpp"
#include "tests/sim/clusters.hpp"
#include "tests/sim/equal_results.hpp"
#include "tests/sim/jobs.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

using Catch::Matchers::WithinRel;

/// A device's batches are slowed down by this factor during exchanges, and exchanges during
/// batches.
void cost_overlap(CostTrace& trace, double batch_slowdown, double exchange_slowdown) {
  trace.overlap = {{.batch = 8,
                    .all_reduce = "ring",
                    .bytes = 12e6,
                    .batch_alone_s = {1},
                    .batch_s = {batch_slowdown},
                    .exchange_alone_s = {1},
                    .exchange_s = {exchange_slowdown}}};
}

/// Two workers; 20 ms of forward, then four buckets after 20 ms each; a bucket takes 10 ms.
Job four_buckets() {
  Job job = job_on(plain_star(2, {}), 2 * 8 * 3);
  job.config.overlap = Overlap::bucket;
  job.config.exchange_seconds = {{"all", 0.01}};
  CostTrace& trace = job.traces.front();
  trace.batches = {{.batch = 8,
                    .total_s = {0.1},
                    .load_s = {0},
                    .forward_s = {0.02},
                    .backward_s = {0.08},
                    .step_s = {0}}};
  for (const char* const layer : {"d", "c", "b", "a"})
    trace.backward_layers.push_back({.name = layer, .share = 0.25});
  return job;
}

TEST_CASE("free overlap hides all buckets but the last") {
  const RunResult result = forecast_of(four_buckets(), "sync");

  CHECK_THAT(result.epoch_s, WithinRel(3 * 0.11, 1e-9));
}

TEST_CASE("buckets and overlapping computation slow each other down") {
  Job job = four_buckets();
  cost_overlap(job.traces.front(), 1.5, 2);

  const RunResult result = forecast_of(job, "sync");

  // A bucket in progress for 20 ms leaves 20 / 1.5 ms of the next part of backward done.
  const double part_s = 0.02 + (0.02 - 0.02 / 1.5);
  CHECK_THAT(result.phases.compute_s, WithinRel(3 * (0.02 + 0.02 + 3 * part_s), 1e-9));
  CHECK_THAT(result.phases.exposed_communication_s, WithinRel(3 * 0.01, 1e-9));
  CHECK_THAT(result.epoch_s, WithinRel(3 * (0.04 + 3 * part_s + 0.01), 1e-9));
}

TEST_CASE("a bucket that outlasts backward continues at full speed") {
  Job job = four_buckets();
  job.config.exchange_seconds = {{"all", 0.1}};
  cost_overlap(job.traces.front(), 1, 2);

  const RunResult result = forecast_of(job, "sync");

  // 60 ms of backward let 30 ms of the first bucket pass; the other 370 are without computation.
  CHECK_THAT(result.epoch_s, WithinRel(3 * (0.04 + 0.06 + 0.37), 1e-9));
  CHECK_THAT(result.phases.compute_s, WithinRel(3 * 0.1, 1e-9));
}

TEST_CASE("a bucket is slowed by the computing member with the largest slowdown") {
  Job job = four_buckets();
  job.platform = mixed(1, 1, 1, pcie(), nullptr);
  job.traces.back() = job.traces.front();
  job.traces.back().device = "cpu-a";
  cost_overlap(job.traces.front(), 1, 1);
  cost_overlap(job.traces.back(), 1, 4);
  job.config.exchange_seconds = {{"all", 0.02}};

  const RunResult result = forecast_of(job, "sync");

  // The first bucket has made 60 / 4 = 15 ms of progress when backward ends; three and a quarter
  // are left.
  CHECK_THAT(result.epoch_s, WithinRel(3 * (0.04 + 0.06 + 0.005 + 0.06), 1e-9));
}

TEST_CASE("without overlap there is no slowdown") {
  Job job = four_buckets();
  job.config.overlap = Overlap::none;
  const RunResult free = forecast_of(job, "sync");
  cost_overlap(job.traces.front(), 1.5, 2);

  CHECK(forecast_of(job, "sync").epoch_s == free.epoch_s);
}

void check_acceleration(const std::vector<Platform>& platforms) {
  std::vector<Run> runs;
  for (const Platform& platform : platforms) {
    for (const Strategy& strategy : strategies()) {
      const auto workers = static_cast<std::int64_t>(
          place(platform, {}, {}, kAllTrain, [](const WorkerInfo&) { return 1.0; }).size());
      Job job = job_on(platform, 50 * workers + 3);
      if (strategy.participants == kWithServers && platform.nodes.front().devices.size() < 2)
        continue;  // no device that could aggregate
      job.config.overlap = Overlap::bucket;
      if (refuses_overlap(job, std::string(strategy.name))) continue;
      set(job.config, "local-steps", 1);
      cost_overlap(job.traces.front(), 1.2, 1.3);
      cost_overlap(job.traces.back(), 1.7, 2.5);
      for (const bool exact : {false, true}) {
        job.config.exact = exact;
        runs.push_back({job, std::string(strategy.name)});
      }
    }
  }

  const std::vector<RunResult> results = forecasts(runs);

  for (std::size_t i = 0; i < runs.size(); i += 2) {
    CAPTURE(runs[i].strategy, runs[i].job.platform.nodes.front().count);
    check_alike(runs[i].strategy, results[i], results[i + 1]);
  }
}

TEST_CASE("overlap with a cost is forecast as by full simulation") {
  check_acceleration({mixed(2, 1, 1, pcie(), star())});
}

TEST_CASE("overlap with a cost on larger clusters is forecast as by full simulation", "[long]") {
  check_acceleration({mixed(4, 2, 1, pcie(), fat_tree()),
                      mixed(3, 2, 1, nvlink(), star()),
                      mixed(4, 1, 0, pcie(), star())});
}

/// A strategy whose exchanges overlap computing, with its settings.
struct Overlapping {
  const char* strategy;
  Overlap overlap;
  std::map<std::string, std::string> settings;
};

TEST_CASE("overlap with a cost slows strategies in halves down, by its factor at most") {
  constexpr double kSlowdown = 1.5;
  const std::vector<Overlapping> cases = {{"fsdp", Overlap::none, {{"sharding", "full-shard"}}},
                                          {"fsdp", Overlap::none, {{"sharding", "shard-grad-op"}}},
                                          {"fsdp", Overlap::none, {{"sharding", "hybrid-shard"}}},
                                          {"zero", Overlap::bucket, {}},
                                          {"sync", Overlap::dear, {}}};
  std::vector<Run> runs;
  for (const Overlapping& each : cases) {
    Job job = job_on(mixed(2, 1, 1, pcie(), star()), 50 * 4 * 8 + 3);
    job.config.overlap = each.overlap;
    for (const auto& [name, value] : each.settings) set(job.config, name, value);
    runs.push_back({job, each.strategy});
    for (CostTrace& trace : job.traces) cost_overlap(trace, kSlowdown, kSlowdown);
    runs.push_back({job, each.strategy});
    job.config.exact = true;
    runs.push_back({job, each.strategy});
  }

  const std::vector<RunResult> results = forecasts(runs);

  for (std::size_t i = 0; i < runs.size(); i += 3) {
    const Overlapping& each = cases[i / 3];
    CAPTURE(each.strategy, each.settings);
    CHECK(results[i + 1].epoch_s > 1.01 * results[i].epoch_s);
    CHECK(results[i + 1].epoch_s < kSlowdown * results[i].epoch_s);
    check_equal(results[i + 1], results[i + 2]);
  }
}

/// The platform states these slowdowns of its first device.
void state_overlap(Job& job, double batch_slowdown, double exchange_slowdown) {
  job.platform.nodes.front().devices.front().overlap =
      DeviceOverlap{.batch_slowdown = batch_slowdown,
                    .exchange_slowdown = exchange_slowdown,
                    .source = {.grade = Grade::estimated, .method = "a guess"}};
}

TEST_CASE("slowdowns that the platform states count if the trace has none") {
  Job measured = four_buckets();
  measured.config.exchange_seconds.clear();
  measured.platform.source.grade = Grade::measured;
  measured.platform.network->source.grade = Grade::measured;
  Job stated = measured;
  cost_overlap(measured.traces.front(), 1.5, 2);
  state_overlap(stated, 1.5, 2);
  const RunResult expected = forecast_of(measured, "sync");
  const RunResult result = forecast_of(stated, "sync");

  CHECK_THAT(result.epoch_s, WithinRel(expected.epoch_s, 1e-12));
  CHECK(result.notes.empty());
  CHECK(expected.input_grade == Grade::measured);
  CHECK(result.input_grade == Grade::estimated);
  state_overlap(measured, 100, 100);
  CHECK(forecast_of(measured, "sync").epoch_s == expected.epoch_s);
}

TEST_CASE("a forecast has a note if the overlap cost is unknown, with the default of CPUs") {
  Job job = four_buckets();
  job.config.exchange_seconds.clear();
  const RunResult free = forecast_of(job, "sync");
  Job on_cpus = job;
  on_cpus.platform.nodes.front().devices.front().device_class = "cpu";
  const RunResult of_cpus = forecast_of(on_cpus, "sync");
  cost_overlap(job.traces.front(), 1.5, 2);
  const RunResult known = forecast_of(job, "sync");
  const std::string note =
      "the slowdown by overlap was not measured on gpu-a: overlap is taken as free";

  CHECK(free.notes ==
        std::vector<std::string>{
            note + "; the default for class gpu, which calibrate writes, is 1.1 for batches and 1 "
                   "for exchanges"});
  CHECK(of_cpus.notes ==
        std::vector<std::string>{
            note + "; the default for class cpu, which calibrate writes, is 2.1 for batches and "
                   "1.4 for exchanges"});
  CHECK(of_cpus.epoch_s == free.epoch_s);
  CHECK(known.notes.empty());
}

}  // namespace
}  // namespace epochcast::tests
