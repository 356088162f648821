// SPDX-License-Identifier: Apache-2.0
#include "sim/forecast_uncertainty.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/catch.hpp"
#include "tests/sim/clusters.hpp"
#include "tests/sim/jobs.hpp"

namespace epochcast::tests {
namespace {

/// Nodes of `gpus` GPUs whose messages were measured on a cluster of such nodes, with no
/// uncertainty there.
Job job_on_measured(int nodes, int gpus, const MeasuredOn& measured_on) {
  const MessageCosts costs = {.regimes = {{.latency_s = 20e-6, .bytes_per_s = 5e7}},
                              .measured_on = measured_on};
  Platform cluster = mixed(nodes, gpus, 0, shared_memory(), star());
  cluster.source.grade = Grade::measured;
  cluster.network->messages = costs;
  cluster.network->source.grade = Grade::measured;
  for (NodeGroup& group : cluster.nodes) {
    if (!group.interconnect) continue;
    group.interconnect->messages = costs;
    group.interconnect->source.grade = Grade::measured;
  }
  Job job = job_on(cluster, 2560);
  job.config.deterministic = false;
  return job;
}

bool says_extrapolated(const RunResult& run) {
  return std::any_of(run.notes.begin(), run.notes.end(), [](const std::string& note) {
    return note.find("extrapolated") != std::string::npos;
  });
}

}  // namespace

TEST_CASE("given seconds of an exchange apply to each bucket, with a note") {
  Job job = job_on(mixed(2, 1, 0, shared_memory(), star()), 2560);
  job.config.exchange_seconds = {{"all", 1.0}};
  const RunResult whole = forecast_of(job, "sync");
  job.config.overlap = Overlap::bucket;
  job.config.bucket_bytes = job.config.first_bucket_bytes = 1;
  const RunResult cut = forecast_of(job, "sync");
  const std::string note = "--exchange-seconds is taken for each bucket, not for all of them";

  CHECK(cut.phases.exposed_communication_s > 2 * whole.phases.exposed_communication_s);
  CHECK(std::count(cut.notes.begin(), cut.notes.end(), note) == 1);
  CHECK(std::count(whole.notes.begin(), whole.notes.end(), note) == 0);
}

/// Eight GPUs whose batches are estimated from a data sheet.
Job job_from_data_sheet() {
  Job job = job_on(mixed(1, 8, 0, pcie(), nullptr), 2560);
  job.config.deterministic = false;
  for (CostTrace& trace : job.traces) {
    trace.source.grade = Grade::estimated;
    trace.error_note = "estimated";
  }
  return job;
}

TEST_CASE("the interval of estimated batches reaches up to the slowest of all workers") {
  Job job = job_from_data_sheet();

  const RunResult run = forecast_of(job, "sync");

  REQUIRE(run.epoch_s_interval);
  CHECK(run.epoch_s_interval->low_s == run.epoch_s);
  // The expected maximum of 8 normal numbers is 1.43 by Blom's formula.
  CHECK(run.epoch_s_interval->high_s - run.epoch_s ==
        Approx(0.02 * 1.434 * run.phases.compute_s).epsilon(0.01));
  job.config.deterministic = true;
  CHECK_FALSE(forecast_of(job, "sync").epoch_s_interval);
}

TEST_CASE("the interval of estimated batches has the error of nine in ten estimates") {
  Job job = job_from_data_sheet();
  for (CostTrace& trace : job.traces) trace.error_factor = 1.25;

  const RunResult run = forecast_of(job, "sync");

  REQUIRE(run.epoch_s_interval);
  const double compute_s = run.phases.compute_s;
  CHECK(run.epoch_s_interval->low_s == Approx(run.epoch_s - 0.2 * compute_s));
  CHECK(run.epoch_s_interval->high_s - run.epoch_s ==
        Approx(std::hypot(0.25, 0.02 * 1.434) * compute_s).epsilon(0.001));
}

TEST_CASE("batches given by hand overlap as those of data sheets") {
  Job job = job_from_data_sheet();
  job.config.overlap = Overlap::bucket;
  job.config.bucket_bytes = job.config.first_bucket_bytes = 1e6;
  job.config.batch_seconds = {{"gpu", 0.02}};
  Job free = job;
  free.platform.nodes.front().devices.front().overlap = DeviceOverlap{.source = {}};

  const RunResult run = forecast_of(job, "sync");
  const double free_s = forecast_of(free, "sync").epoch_s;

  CHECK(run.epoch_s > free_s);
  REQUIRE(run.epoch_s_interval);
  CHECK(run.epoch_s_interval->low_s <= free_s * (1 + 1e-9));  // a sum rounds
  CHECK(run.epoch_s_interval->high_s > run.epoch_s);
  CHECK(
      std::count(run.notes.begin(),
                 run.notes.end(),
                 "the slowdown by overlap was not measured on gpu-a: batches beside exchanges are "
                 "taken as 1.1 times as long") == 1);
}

TEST_CASE("stated noise of batches makes the slowest worker decide, in the forecast itself") {
  Job job = job_from_data_sheet();
  const double equal_s = forecast_of(job, "sync").epoch_s;
  job.config.repetitions = 20;

  job.platform.nodes.front().devices.front().batch_noise =
      BatchNoise{.deviation = 0.1, .source = {}};
  const RunResult noisy = forecast_of(job, "sync");

  // 14 % of 13 ms of computing on average, beside 7 ms of exchange.
  CHECK(noisy.epoch_s > 1.05 * equal_s);
  CHECK(noisy.epoch_s < 1.15 * equal_s);
}

TEST_CASE("overlap on GPUs of data sheets is charged, between nothing and the most published") {
  Job job = job_from_data_sheet();
  job.config.overlap = Overlap::bucket;
  job.config.bucket_bytes = job.config.first_bucket_bytes = 1e6;
  Job free = job;
  free.platform.nodes.front().devices.front().overlap = DeviceOverlap{.source = {}};
  Job most = free;
  most.platform.nodes.front().devices.front().overlap->batch_slowdown = 1.4;

  const std::string strategy = GENERATE("sync", "zero", "fsdp");
  CAPTURE(strategy);
  const RunResult charged = forecast_of(job, strategy);
  const double free_s = forecast_of(free, strategy).epoch_s;
  const double most_s = forecast_of(most, strategy).epoch_s;

  CHECK(charged.epoch_s > free_s);
  CHECK(charged.epoch_s < most_s);
  REQUIRE(charged.epoch_s_interval);
  CHECK(charged.epoch_s_interval->low_s <= free_s * (1 + 1e-9));  // a sum rounds
  CHECK(charged.epoch_s_interval->high_s >= most_s);
  const std::string note =
      "the slowdown by overlap was not measured on gpu-a: batches beside exchanges are taken as "
      "1.1 times as long";
  CHECK(std::count(charged.notes.begin(), charged.notes.end(), note) == 1);
}

TEST_CASE("a note reports that the library's all-reduce was not measured among as many ranks") {
  const std::string note =
      "all-reduce openmpi was not measured among 6 ranks: it follows the decision table of Open "
      "MPI 4.1";
  const auto has_note = [&](const Job& job) {
    const std::vector<std::string> notes = forecast_of(job, "sync").notes;
    return std::count(notes.begin(), notes.end(), note) == 1;
  };
  Job job = job_on_measured(3, 2, {3, 2});
  CHECK_FALSE(has_note(job));
  job.config.all_reduce = "openmpi";
  CHECK(has_note(job));
  job.platform.network->messages->all_reduces = {
      {.algorithm = "openmpi", .bytes = 1e6, .measured_s = 1, .forecast_s = 1, .ranks = 6}};
  CHECK_FALSE(has_note(job));
}

TEST_CASE("a note reports whether an all-reduce was measured, if others were") {
  const std::string measured = "all-reduce ring among 6 ranks takes measured times";
  const std::string simulated =
      "all-reduce ring was not measured among 6 ranks: its messages are simulated";
  const auto notes_with = [](const std::vector<MeasuredAllReduce>& all_reduces) {
    Job job = job_on_measured(3, 2, {3, 2});
    job.config.all_reduce = "ring";
    job.platform.network->messages->all_reduces = all_reduces;
    return forecast_of(job, "sync").notes;
  };
  MeasuredAllReduce known = {
      .algorithm = "ring", .bytes = 1e6, .measured_s = 1, .forecast_s = 1, .ranks = 6};
  CHECK(notes_with({}).empty());
  CHECK(notes_with({known}) == std::vector<std::string>{measured});
  known.ranks = 4;
  CHECK(notes_with({known}) == std::vector<std::string>{simulated});
  known = {.algorithm = "linear", .bytes = 1e6, .measured_s = 1, .forecast_s = 1, .ranks = 6};
  CHECK(notes_with({known}) == std::vector<std::string>{simulated});
}

TEST_CASE("an unmeasured all-reduce of the MPI library has a wider interval") {
  Job job = job_on_measured(3, 2, {3, 2});
  job.config.all_reduce = "openmpi";
  const RunResult run = forecast_of(job, "sync");

  REQUIRE(run.epoch_s_interval);
  const double exchange_s = run.phases.exposed_communication_s;
  CHECK(run.epoch_s_interval->high_s ==
        Approx(run.epoch_s + exchange_s * std::expm1(1.6449 * kUnmeasuredLibraryDeviation)));
}

TEST_CASE("a job on the measured cluster, or on fewer of its nodes, is of grade measured") {
  const int nodes = GENERATE(2, 3);
  const RunResult run = forecast_of(job_on_measured(nodes, 2, {3, 2}), "sync");

  CHECK(run.input_grade == Grade::measured);
  CHECK_FALSE(run.epoch_s_interval);
  CHECK_FALSE(says_extrapolated(run));
}

TEST_CASE(
    "with more nodes or other ranks per node than were measured, a forecast is extrapolated") {
  const MeasuredOn measured_on = GENERATE(MeasuredOn{2, 2}, MeasuredOn{3, 1}, MeasuredOn{3, 4});
  const RunResult run = forecast_of(job_on_measured(3, 2, measured_on), "sync");

  CHECK(run.input_grade == Grade::extrapolated);
  REQUIRE(run.epoch_s_interval);
  const double exchange_s = run.phases.exposed_communication_s;
  CHECK(run.epoch_s_interval->high_s ==
        Approx(run.epoch_s + exchange_s * std::expm1(1.6449 * kExtrapolationDeviation)));
  CHECK(says_extrapolated(run));
}

TEST_CASE("the note has the measured and the requested cluster") {
  const RunResult run = forecast_of(job_on_measured(3, 1, {2, 1}), "sync");

  CHECK(run.notes == std::vector<std::string>{
                         "messages were measured on 2 nodes of 1 rank, this job has 3 nodes "
                         "of 1 rank: extrapolated"});
}

TEST_CASE(
    "a batch beyond the measured sizes is extrapolated: between constant and proportional time") {
  Job job = job_on_measured(2, 1, {2, 1});
  job.config.batch = 128;  // measured: 2, 8 and 64

  const RunResult run = forecast_of(job, "sync");

  CHECK(run.input_grade == Grade::extrapolated);
  REQUIRE(run.epoch_s_interval);
  // A batch of 64 takes 69 ms, one of 128 is forecast to take 133 ms, in proportion 138 ms.
  const double compute_s = run.phases.compute_s;
  CHECK(run.epoch_s_interval->low_s == Approx(run.epoch_s - compute_s * (1 - 69.0 / 133)));
  CHECK(run.epoch_s_interval->high_s == Approx(run.epoch_s + compute_s * (138.0 / 133 - 1)));
}

TEST_CASE("the interval covers the bounds of the slowest worker's batches") {
  Job job = job_on(mixed(1, 8, 1, pcie(), nullptr), 2880);
  job.config.deterministic = false;
  job.config.batch = 32;
  std::erase_if(job.traces.back().batches, [](const auto& each) { return each.batch > 8; });

  const RunResult run = forecast_of(job, "sync");

  // The CPU's batch of 8 takes 75 ms, one of 32 is forecast to take 291 ms, in proportion 300 ms.
  const auto cpu = std::find_if(run.by_device.begin(), run.by_device.end(), [](const auto& each) {
    return each.device_class == "cpu";
  });
  REQUIRE(cpu != run.by_device.end());
  REQUIRE(run.epoch_s_interval);
  CHECK(run.epoch_s_interval->high_s - run.epoch_s ==
        Approx(cpu->phases.compute_s * (300.0 / 291 - 1)).epsilon(0.001));
}

TEST_CASE("a forecast of one worker does not depend on message costs") {
  const RunResult run = forecast_of(job_on_measured(1, 1, {2, 2}), "sync");

  CHECK(run.input_grade == Grade::measured);
  CHECK_FALSE(says_extrapolated(run));
}

TEST_CASE("a deterministic forecast has no interval, but the grade") {
  Job job = job_on_measured(3, 1, {2, 1});
  job.config.deterministic = true;

  const RunResult run = forecast_of(job, "sync");

  CHECK(run.input_grade == Grade::extrapolated);
  CHECK_FALSE(run.epoch_s_interval);
}

}  // namespace epochcast::tests
