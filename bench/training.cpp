// SPDX-License-Identifier: Apache-2.0
// The overhead of our training loop over the same loop written directly in LibTorch, on one rank
// with one thread. Blocks of iterations alternate between the two; nothing fails because of a time.
#include "strategies/training.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/plain_loop.hpp"
#include "bench/report.hpp"
#include "core/costs/batch_cost.hpp"
#include "core/formats/network.hpp"
#include "real/data/data_source.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/mpi_fabric.hpp"
#include "real/torch/memory.hpp"
#include "real/torch/torch_learner.hpp"

namespace epochcast::bench {
namespace {

constexpr std::uint64_t kSeed = 1;

/// Precomputed samples: loading one is a copy in both loops.
class HeldSource : public real::DataSource {
 public:
  HeldSource(const real::DataSource& source, std::int64_t size)
      : shape_(source.shape()), classes_(source.classes()) {
    const std::vector<std::int64_t>& shape = source.shape();
    sample_size_ = static_cast<std::size_t>(shape[0] * shape[1] * shape[2]);
    values_.resize(static_cast<std::size_t>(size) * sample_size_);
    for (std::int64_t i = 0; i < size; ++i) {
      const std::size_t begin = static_cast<std::size_t>(i) * sample_size_;
      labels_.push_back(source.load(i, {}, std::span(values_).subspan(begin, sample_size_)));
    }
  }

  [[nodiscard]] std::int64_t size() const override {
    return static_cast<std::int64_t>(labels_.size());
  }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const override { return shape_; }
  [[nodiscard]] std::int64_t classes() const override { return classes_; }
  std::int64_t load(std::int64_t index,
                    std::optional<std::uint64_t> /*variant*/,
                    std::span<float> sample) const override {
    const auto number = static_cast<std::size_t>(index);
    std::copy_n(&values_[number * sample_size_], sample_size_, sample.begin());
    return labels_[number];
  }

 private:
  std::vector<std::int64_t> shape_;
  std::int64_t classes_;
  std::size_t sample_size_ = 0;
  std::vector<float> values_;
  std::vector<std::int64_t> labels_;
};

struct Job {
  std::string network;
  std::int64_t batch = 32;
  std::int64_t block = 5;  ///< iterations at a time
  int blocks = 10;         ///< of either loop, besides the warm-up

  /// Samples of a block.
  [[nodiscard]] std::int64_t samples() const { return batch * block; }
};

/// The inner loop of strategies/sync.cpp.
class OurLoop {
 public:
  OurLoop(const Job& job, const real::DataSource& data)
      : job_(job),
        fabric_({WorkerInfo{}}, {.algorithm = "ring", .servers = {}}),
        learner_(fabric_, data, settings(job), torch::kCPU),
        worker_({.fabric = fabric_, .learner = learner_, .sampling = learner_, .config = config_}) {
  }

  void begin_block(std::int64_t block) {
    learner_.begin_epoch(block);
    learner_.use_shuffled(
        {.offset = 0, .length = job_.batch, .stride = job_.batch, .count = job_.block});
  }
  void iterate() {
    all_reduce_gradients(worker_, job_.batch, 1.0, fabric_.world());
    learner_.step();
  }

 private:
  static real::LearnerSettings settings(const Job& job) {
    real::LearnerSettings settings;
    settings.network = job.network;
    settings.optimizer = {.name = "sgd", .momentum = PlainLoop::kMomentum, .weight_decay = 0};
    settings.learning_rate.base = PlainLoop::kLearningRate;
    settings.augment = false;
    settings.seed = kSeed;
    return settings;
  }

  const Job& job_;
  JobConfig config_;
  real::MpiFabric fabric_;
  real::TorchLearner learner_;
  Worker worker_;
};

/// Times of iterations. On a busy machine, processor time is more reliable than the clock.
struct Times {
  std::vector<double> seconds;
  std::vector<double> processor_s;

  void add(const Times& more) {
    seconds.insert(seconds.end(), more.seconds.begin(), more.seconds.end());
    processor_s.insert(processor_s.end(), more.processor_s.begin(), more.processor_s.end());
  }
};

double processor_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Each iteration of a block.
template <typename Loop>
Times run_block(Loop& loop, const Job& job, std::int64_t block) {
  loop.begin_block(block);
  Times times;
  for (std::int64_t i = 0; i < job.block; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const double processor_start_s = processor_s();
    loop.iterate();
    times.processor_s.push_back(processor_s() - processor_start_s);
    times.seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return times;
}

void compare(const Job& job, const real::DataSource& source) {
  const HeldSource data(source, job.samples());
  OurLoop our_loop(job, data);
  PlainLoop plain_loop(job.network, job.batch, data);
  Times ours, plain;
  std::vector<double> ratios;
  for (std::int64_t block = 0; block <= job.blocks; ++block) {
    const bool is_odd = block % 2 != 0;  // the first loop alternates, too
    Times second;
    if (is_odd) second = run_block(plain_loop, job, block);
    const Times first = run_block(our_loop, job, block);
    if (!is_odd) second = run_block(plain_loop, job, block);
    if (block == 0) continue;  // warm-up
    ours.add(first);
    plain.add(second);
    ratios.push_back(median_of(first.seconds) / median_of(second.seconds));
  }
  const std::string title = job.network + ", batch " + std::to_string(job.batch);
  const auto milliseconds = [](std::vector<double> seconds) {
    for (double& each : seconds) each *= 1e3;
    return seconds;
  };
  show(title + ", ours: ms", milliseconds(ours.seconds), "%.1f");
  show(title + ", plain LibTorch: ms", milliseconds(plain.seconds), "%.1f");
  char overall[96];
  std::snprintf(overall,
                sizeof(overall),
                "ratio of medians %.3f, of processor time %.3f",
                median_of(ours.seconds) / median_of(plain.seconds),
                median_of(ours.processor_s) / median_of(plain.processor_s));
  report(title + ", ours / plain, by block",
         ratios,
         {.bound = 1.03, .is_minimum = false, .format = "%.3f"},
         overall);
}

void run() {
  torch::set_num_threads(1);
  Dataset dataset;
  dataset.name = dataset.title = "bench";
  dataset.shape = {3, 32, 32};
  dataset.classes = 10;
  dataset.train_samples = dataset.test_samples = 1024;
  const real::DataSplit data = real::procedural_data(dataset, kSeed);
  compare({.network = "resnet20", .batch = 32, .block = 5, .blocks = 16}, *data.train);
  compare({.network = "resnet20", .batch = 128, .block = 2, .blocks = 12}, *data.train);
  compare({.network = "resnet18", .batch = 32, .block = 1, .blocks = 12}, *data.train);
}

}  // namespace
}  // namespace epochcast::bench

int main(int count, char** arguments) {
  epochcast::real::keep_freed_memory();
  try {
    const epochcast::real::MpiSession session(&count, &arguments);
    epochcast::bench::run();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "epochcast-bench-training: %s\n", error.what());
    return 1;
  }
}
