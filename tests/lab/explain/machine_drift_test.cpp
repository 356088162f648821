// SPDX-License-Identifier: Apache-2.0
#include "lab/explain/machine_drift.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

RunResult timed_run() {
  RunResult run;
  run.workers = 2;
  run.timed_batches = {{.rank = 0, .before_s = 1, .after_s = 3},
                       {.rank = 1, .before_s = 4, .after_s = 6}};
  run.timed_exchanges =
      TimedExchanges{.all_reduce = "ring", .bytes = 4096, .before_s = {0.25}, .after_s = {0.75}};
  return run;
}

MessageTrace measured() {
  MessageTrace trace;
  trace.node_of_rank = {0, 1};
  trace.costs = {{.kind = "ring-step", .scope = "all", .bytes = 4096, .samples_s = {9}},
                 {.kind = "all-reduce",
                  .scope = "all",
                  .algorithm = "ring",
                  .bytes = 4096,
                  .samples_s = {0.4}}};
  return trace;
}

// 2 s instead of 1, 5 s instead of 4: 1 and 0.25 longer.
TEST_CASE("drift of batches is the mean over ranks of how much longer they took") {
  CHECK(*batch_drift(timed_run(), {1, 4}, 1) == Approx(0.625));
  CHECK(*batch_drift(timed_run(), {1, 0}, 1) == Approx(1));
  CHECK(*batch_drift(timed_run(), {1, 0}, 2) == Approx(0));  // two passes each
  CHECK_FALSE(batch_drift(timed_run(), {0, 0}, 1));
  CHECK_FALSE(batch_drift(RunResult(), {1, 4}, 1));
}

TEST_CASE("drift of exchanges compares the same all-reduce, size and number of ranks") {
  CHECK(*exchange_drift(timed_run(), measured()) == Approx(0.25));
  CHECK_FALSE(exchange_drift(RunResult(), measured()));

  RunResult run = timed_run();
  run.timed_exchanges->bytes = 8192;
  CHECK_FALSE(exchange_drift(run, measured()));
  run = timed_run();
  run.timed_exchanges->all_reduce = "linear";
  CHECK_FALSE(exchange_drift(run, measured()));
  run = timed_run();
  run.workers = 3;
  CHECK_FALSE(exchange_drift(run, measured()));
}

TEST_CASE("drift of a row is the median over the runs that timed something") {
  const auto drift = median_drift({{.batches = 0.1, .exchanges = {}},
                                   {.batches = 0.3, .exchanges = -0.5},
                                   {.batches = 0.2, .exchanges = {}}});

  CHECK(drift == MachineDrift{.batches = 0.2, .exchanges = -0.5});
  CHECK_FALSE(median_drift({MachineDrift()}));
  CHECK_FALSE(median_drift({}));
}

BatchSamples batches_of(std::int64_t rank, double seconds) {
  BatchSamples samples;
  samples.batch = 8;
  samples.rank = rank;
  samples.total_s = {seconds, seconds};
  return samples;
}

TEST_CASE("a trace has the batches of its own ranks, counted from 0") {
  std::vector<CostTrace> traces(2);
  traces[0].device = "cpu";
  traces[0].batches = {batches_of(0, 1), batches_of(1, 2)};
  traces[1].device = "cpu-slowed-3x";
  traces[1].batches = {batches_of(0, 3), batches_of(1, 4)};

  CHECK(calibrated_batches_s(traces, {"cpu", "cpu-slowed-3x", "cpu"}, 8) ==
        std::vector<double>{1, 3, 2});
  CHECK(calibrated_batches_s(traces, {"cpu"}, 16) == std::vector<double>{0});
}

TEST_CASE("ranks have the devices of their nodes, in order") {
  Platform platform;
  const DeviceGroup fast = {.device_class = "cpu", .model = "fast"};
  const DeviceGroup slow = {.device_class = "cpu", .model = "slow"};
  platform.nodes = {{.name = "a", .count = 1, .devices = {slow, fast}, .interconnect = {}},
                    {.name = "b", .count = 2, .devices = {fast}, .interconnect = {}}};

  CHECK(models_of_ranks(platform, {0, 1, 0, 2}) ==
        std::vector<std::string>{"slow", "fast", "fast", "fast"});
}

}  // namespace
}  // namespace epochcast::tests
