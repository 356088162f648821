// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/jobs.hpp"

#include "base/error.hpp"
#include "sim/forecast.hpp"
#include "strategies/strategy.hpp"
#include "tests/sim/in_process.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

/// Batches 2, 8 and 64 at `fixed_s` + batch · `sample_s`, with samples round the median.
CostTrace trace_of(const std::string& device, double fixed_s, double sample_s, double spread) {
  CostTrace trace;
  trace.file = "test.json";
  trace.device = device;
  trace.network = "four-layers";
  trace.input = {8};
  for (const std::int64_t batch : {2, 8, 64}) {
    const double seconds = fixed_s + sample_s * static_cast<double>(batch);
    BatchSamples samples;
    samples.batch = batch;
    samples.total_s = {seconds};
    for (const double off : {-1.0, -0.6, -0.2, 0.2, 0.6, 1.0}) {
      if (spread > 0) samples.total_s.push_back(seconds * (1 + off * spread));
    }
    trace.batches.push_back(samples);
  }
  trace.source.grade = Grade::measured;
  return trace;
}

}  // namespace

Job job_on(const Platform& platform, std::int64_t train_samples, double spread) {
  Job job;
  job.config.batch = 8;
  job.config.epochs = 6;
  job.config.bucket_bytes = 12e6;
  set(job.config, "local-steps", 2);
  set(job.config, "averaging-period", 3);
  job.config.deterministic = spread == 0;
  job.config.repetitions = 10;
  job.platform = platform;
  job.dataset.name = "rows";
  job.dataset.train_samples = train_samples;
  job.dataset.shape = {8};
  job.dataset.sample_bytes = 32;
  job.dataset.classes = 10;
  job.network.name = "four-layers";
  job.network.input = {8};
  job.network.buffers = 1000;
  job.network.layers = {
      {.name = "d", .parameters = 1'000'000, .forward_flops = 1e6, .activation_bytes = 1e3},
      {.name = "c", .parameters = 3'000'000, .forward_flops = 4e6, .activation_bytes = 1e3},
      {.name = "b", .parameters = 5'000'000, .forward_flops = 2e6, .activation_bytes = 1e3},
      {.name = "a", .parameters = 1'000'000, .forward_flops = 3e6, .activation_bytes = 1e3}};
  job.traces = {trace_of("gpu-a", 5e-3, 1e-3, spread), trace_of("cpu-a", 3e-3, 9e-3, spread)};
  return job;
}

Job with_workers(Job job, int ranks, int sessions) {
  for (CostTrace& trace : job.traces) {
    std::vector<BatchSamples> all;
    for (const BatchSamples& samples : trace.batches) {
      for (int session = 0; session < sessions; ++session) {
        for (int rank = 0; rank < ranks; ++rank) {
          BatchSamples& own = all.emplace_back(samples);
          own.session = session;
          own.rank = rank;
          for (double& seconds : own.total_s) seconds *= (1 + 0.2 * rank) * (1 + 0.25 * session);
        }
      }
    }
    trace.batches = std::move(all);
  }
  return job;
}

bool refuses_overlap(const Job& job, const std::string& strategy) {
  try {
    static_cast<void>(workers_of(job, find_strategy(strategy)));
  } catch (const UserError& error) {
    return std::string(error.what()).starts_with("--overlap: ");
  }
  return false;
}

bool depends_on_arrivals(const Strategy& strategy) {
  return strategy.participants == Participants::workers_and_parameter_servers ||
         strategy.name == "ad-psgd";
}

nlohmann::json forecast_json(const Job& job, const std::string& strategy) {
  return in_process(
      [&] { return nlohmann::json(epochcast::to_json(sim::forecast(job, strategy))); });
}

std::vector<RunResult> forecasts(const std::vector<Run>& runs) {
  std::vector<Task> tasks;
  for (const Run& run : runs) {
    tasks.emplace_back([&run] {
      return nlohmann::json(epochcast::to_json(sim::forecast(run.job, run.strategy)));
    });
  }
  std::vector<RunResult> results;
  for (const nlohmann::json& json : in_processes(tasks)) {
    results.push_back(run_from_json(nlohmann::ordered_json(json)));
  }
  return results;
}

RunResult forecast_of(const Job& job, const std::string& strategy) {
  return forecasts({{job, strategy}}).front();
}

}  // namespace epochcast::tests
