// SPDX-License-Identifier: Apache-2.0
// Forecasts of jobs that compress: skipped iterations, bytes and time of kernels.
#include "compression/compression.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/costs/kernel_cost.hpp"
#include "results/result.hpp"
#include "strategies/strategy.hpp"
#include "tests/catch.hpp"
#include "tests/sim/clusters.hpp"
#include "tests/sim/equal_results.hpp"
#include "tests/sim/jobs.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

constexpr std::int64_t kJobBatch = 32;
constexpr std::int64_t kJobIterations = 8;

/// Four workers on two nodes, eight iterations an epoch, three epochs.
Job compressing_job(const std::string& compression) {
  Job job = job_on(mixed(2, 2, 0, pcie(), star()), 4 * kJobBatch * kJobIterations);
  job.config.batch = kJobBatch;
  job.config.epochs = 3;
  job.config.deterministic = true;
  for (Layer& layer : job.network.layers) layer.tensors = {{1000, layer.parameters / 1000}};
  set(job.config, "compression", compression);
  if (compression == "powersgd") set(job.config, "powersgd-start", 0);
  if (compression == "onebit") set(job.config, "onebit-freeze-step", 0);
  return job;
}

TEST_CASE("a job that ends before its compression begins says so") {
  Job job = compressing_job("onebit");
  const auto notes_with = [&](int first) {
    set(job.config, "onebit-freeze-step", first);
    const std::vector<std::string> notes = forecast_of(job, "sync").notes;
    return std::count(notes.begin(),
                      notes.end(),
                      "--compression onebit compresses nothing: it begins after " +
                          std::to_string(first) +
                          " exchanges, the job has 24 "
                          "(--onebit-freeze-step)");
  };

  CHECK(notes_with(23) == 0);
  CHECK(notes_with(24) == 1);
  set(job.config, "onebit-freeze-step", 20);
  const std::vector<std::string> notes = forecast_of(job, "sync").notes;
  CHECK(
      std::count(notes.begin(),
                 notes.end(),
                 "--compression onebit: 20 of 24 exchanges travel whole (--onebit-freeze-step); 0 "
                 "forecasts the rest") == 1);
}

TEST_CASE("compressing jobs are forecast as by full simulation, also with a warm-up") {
  std::vector<Run> runs;
  const auto add = [&](Job job, const std::string& strategy) {
    for (const bool exact : {false, true}) {
      job.config.exact = exact;
      runs.push_back({job, strategy});
    }
  };
  for (const CompressionMethod& method : compressions()) {
    for (const Overlap overlap : {Overlap::none, Overlap::bucket}) {
      Job job = compressing_job(std::string(method.name));
      job.config.overlap = overlap;
      add(job, "sync");
    }
  }
  for (const int start : {1, 3, 8, 11, 16, 20, 24}) {
    Job job = compressing_job("onebit");
    set(job.config, "onebit-freeze-step", start);
    add(job, "sync");
    if (start != 11) continue;
    set(job.config, "averaging-period", 4);
    set(job.config, "compress-in-nodes", "on");
    add(job, "node-based");
    set(job.config, "local-steps", 2);
    set(job.config, "local-from", 1);
    add(job, "local-sgd");
    add(job, "post-local-sgd");
  }

  const std::vector<RunResult> results = forecasts(runs);

  for (std::size_t i = 0; i < runs.size(); i += 2) {
    CAPTURE(runs[i].strategy, runs[i].job.config.compression, runs[i].job.config.overlap);
    CAPTURE(runs[i].job.config.of_strategies);
    check_equal(results[i], results[i + 1]);
  }
}

TEST_CASE("the bytes of an epoch are those that each method states") {
  std::vector<Run> runs;
  for (const CompressionMethod& method : compressions())
    runs.push_back({compressing_job(std::string(method.name)), "sync"});

  const std::vector<RunResult> results = forecasts(runs);

  for (std::size_t i = 0; i < runs.size(); ++i) {
    CAPTURE(runs[i].job.config.compression);
    TensorShapes tensors;
    const Network& network = runs[i].job.network;
    for (auto layer = network.layers.rbegin(); layer != network.layers.rend(); ++layer)
      tensors.insert(tensors.end(), layer->tensors.begin(), layer->tensors.end());
    const double stated =
        make_compression(runs[i].job.config, 0)->wire_bytes(network.parameters(), 4, tensors);

    CHECK(results[i].intra_node_bytes + results[i].inter_node_bytes ==
          Approx(kJobIterations * stated));
  }
}

TEST_CASE("kernels of compressions take the time of their bytes") {
  const Job job = compressing_job("fp16");
  const auto values = static_cast<double>(job.network.parameters());
  Run whole = {job, "sync"};
  whole.job.config.compression = "none";
  const std::vector<RunResult> results = forecasts({{job, "sync"}, whole});

  // 6 bytes for each value, twice.
  CHECK(results[0].phases.compute_s - results[1].phases.compute_s ==
        Approx(kJobIterations * 12 * values / kGpuMovedBytesPerSecond));
  CHECK(results[0].input_grade == Grade::estimated);
  CHECK(
      std::count_if(results[0].notes.begin(), results[0].notes.end(), [](const std::string& note) {
        return note.starts_with("compressing takes ") &&
               note.ends_with(
                   " of a step, estimated from memory traffic; `epochcast measure batches "
                   "--compression fp16` replaces it");
      }) == 1);
}

TEST_CASE("measured kernels take the place of estimated ones") {
  Job job = compressing_job("fp16");
  const double moved_bytes = 6 * static_cast<double>(job.network.parameters());
  for (CostTrace& trace : job.traces)
    for (const std::string kernel : {"compress", "decompress"})
      trace.kernels.push_back(
          {.compression = "fp16", .kernel = kernel, .moved_bytes = moved_bytes, .seconds = {0.25}});
  Job whole = job;
  whole.config.compression = "none";

  const std::vector<RunResult> results = forecasts({{job, "sync"}, {whole, "sync"}});

  CHECK(results[0].phases.compute_s - results[1].phases.compute_s ==
        Approx(kJobIterations * 2 * 0.25));
  CHECK(results[0].input_grade == results[1].input_grade);
}

}  // namespace
}  // namespace epochcast::tests
