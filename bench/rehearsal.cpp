// SPDX-License-Identifier: Apache-2.0
// The overhead of a rehearsal over the same batches in LibTorch alone: time, and memory per
// additional worker. Each side runs in its own process, in turns; nothing fails because of a time.
#include "rehearse/rehearsal.hpp"

#include <cstdint>
#include <cstdio>
#include <exception>
#include <list>
#include <string>
#include <vector>

#include "bench/plain_loop.hpp"
#include "bench/program.hpp"
#include "bench/report.hpp"
#include "core/costs/batch_cost.hpp"
#include "core/formats/network.hpp"
#include "real/torch/memory.hpp"
#include "real/torch/training_setup.hpp"
#include "strategies/settings.hpp"

namespace epochcast::bench {
namespace {

constexpr int kRepetitions = 7;
constexpr double kMiB = 1048576;

/// Synchronous training on nodes with a GPU each.
JobConfig job_config(const std::string& network,
                     int workers,
                     std::int64_t batch,
                     std::int64_t iterations) {
  JobConfig config;
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
           {"platform", "deep-est-esb"},
           {"nodes", std::to_string(workers)},
           {"network", network},
           {"dataset", "cifar10"},
           {"data", "procedural"},
           {"strategy", "sync"},
           {"batch", std::to_string(batch)},
           {"epochs", "1"},
           {"train-samples", std::to_string(workers * batch * iterations)},
           {"test-samples", "1"},
           {"augment", "off"},
           {"learning-rate", std::to_string(PlainLoop::kLearningRate)},
           {"batch-seconds", "gpu=1ms"},
           {"deterministic", "on"}}) {
    all_settings().set(config, name, value, name);
  }
  return config;
}

void run_rehearsal(const JobConfig& config) {
  const Catalog catalog = Catalog::standard();
  const real::DataSplit data = real::training_data(config, real::training_dataset(config, catalog));
  static_cast<void>(rehearse(load_job(config, catalog), data, "cpu", 1, {}));
}

/// The same number of models, trained in turns.
void run_plain(const JobConfig& config) {
  torch::set_num_threads(1);
  const real::DataSplit data =
      real::training_data(config, real::training_dataset(config, Catalog::standard()));
  std::list<PlainLoop> loops;
  for (int worker = 0; worker < *config.nodes; ++worker)
    loops.emplace_back(config.network, config.batch, *data.train).begin_block(worker);
  const std::int64_t iterations = data.train->size() / (config.batch * *config.nodes);
  for (std::int64_t i = 0; i < iterations; ++i) {
    for (PlainLoop& loop : loops) loop.iterate();
  }
}

void compare_times(const std::string& network, int workers, std::int64_t batch) {
  constexpr std::int64_t kFew = 2;
  constexpr std::int64_t kMany = 12;
  const JobConfig few = job_config(network, workers, batch, kFew);
  const JobConfig many = job_config(network, workers, batch, kMany);
  std::vector<double> ratios;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    // The difference excludes starting the programs and loading the data.
    const auto per_batch = [&](const auto& run) {
      const double few_s = run_forked([&] { run(few); }).processor_s;
      return run_forked([&] { run(many); }).processor_s - few_s;
    };
    const double plain_s = per_batch(run_plain);
    ratios.push_back(per_batch(run_rehearsal) / plain_s);
  }
  report("rehearsal / plain LibTorch, " + network + ", " + std::to_string(workers) +
             " workers, batch " + std::to_string(batch),
         ratios,
         {.bound = 1.05, .is_minimum = false, .format = "%.3f"},
         "processor time");
}

void compare_memory(const std::string& network) {
  constexpr int kFew = 2;
  constexpr int kMany = 10;
  const double few = run_forked([&] { run_rehearsal(job_config(network, kFew, 2, 3)); }).peak_bytes;
  const double many =
      run_forked([&] { run_rehearsal(job_config(network, kMany, 2, 3)); }).peak_bytes;
  const Catalog catalog = Catalog::standard();
  const double parameters =
      load_job(job_config(network, kFew, 2, 3), catalog).network.gradient_bytes();
  const double each = (many - few) / (kMany - kFew);
  report("memory of a further worker / its parameters, gradients, momentum, " + network,
         {each / (3 * parameters)},
         {.bound = 1.0, .is_minimum = false, .format = "%.3f"},
         std::to_string(static_cast<int>(each / kMiB)) + " MiB");
}

}  // namespace
}  // namespace epochcast::bench

int main() {
  epochcast::real::keep_freed_memory();
  try {
    epochcast::bench::compare_times("small-cnn", 8, 32);
    epochcast::bench::compare_times("resnet20", 4, 16);
    epochcast::bench::compare_times("resnet20", 4, 32);
    epochcast::bench::compare_memory("resnet18");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "epochcast-bench-rehearsal: %s\n", error.what());
    return 1;
  }
}
