// SPDX-License-Identifier: Apache-2.0
#include "real/torch/learning_curve.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "tests/catch.hpp"
#include "tests/real/torch/learner_setup.hpp"
#include "tests/support/set.hpp"

namespace epochcast::real {
namespace {

JobConfig config_of(const std::string& strategy) {
  JobConfig config;
  config.strategy = strategy;
  return config;
}

/// Trains on two workers; after each epoch, with the worker and its curve.
using AfterEpoch = std::function<void(Worker& worker, LearningCurve& curve, std::int64_t epoch)>;

void train(const std::string& network, const JobConfig& config, const AfterEpoch& after_epoch) {
  const TinyData data(kSamples, small_shape(network));
  static_cast<void>(tests::run_workers(tests::workers_on({0, 1}), [&](Fabric& fabric) {
    torch::set_num_threads(1);
    TorchLearner learner(fabric, data, settings_of(network), test_device());
    Worker worker = {.fabric = fabric,
                     .learner = learner,
                     .sampling = learner,
                     .config = config,
                     .train_samples = kSamples};
    LearningCurve curve(worker, learner, data);
    worker.after_epoch = [&](std::int64_t epoch) { after_epoch(worker, curve, epoch); };
    find_strategy(config.strategy).run(worker);
  }));
}

/// BatchNorm's statistics of two workers around the test after each of two epochs.
struct Statistics {
  std::array<std::vector<Values>, 2> before, after;  ///< by rank, then epoch
};

Statistics statistics_of(JobConfig config) {
  config.batch = kBatch;
  config.epochs = 2;
  Statistics seen;
  train("resnet20", config, [&](Worker& worker, LearningCurve& curve, std::int64_t epoch) {
    const auto rank = static_cast<std::size_t>(worker.fabric.rank());
    auto& learner = dynamic_cast<TorchLearner&>(worker.learner);
    seen.before[rank].push_back(copy_of(learner.statistics()));
    static_cast<void>(curve.after_epoch(epoch));
    seen.after[rank].push_back(copy_of(learner.statistics()));
  });
  return seen;
}

TEST_CASE("one model is tested with the mean of all workers' BatchNorm statistics") {
  const Statistics seen = statistics_of(config_of("sync"));

  for (const std::size_t epoch : {0, 1}) {
    CHECK(seen.before[0][epoch] != seen.before[1][epoch]);
    CHECK(seen.after[0][epoch] == seen.after[1][epoch]);
  }
}

TEST_CASE("models that differ are tested with their own BatchNorm statistics") {
  const Statistics seen = statistics_of(config_of("one-shot"));

  CHECK(seen.after[0][0] == seen.before[0][0]);
  CHECK(seen.after[1][0] == seen.before[1][0]);
  CHECK(seen.after[0][0] != seen.after[1][0]);
  CHECK(seen.after[0][1] == seen.after[1][1]);  // one model, after the last epoch

  JobConfig config = config_of("node-based");
  tests::set(config, "averaging-order", "printed");
  const Statistics printed = statistics_of(config);
  for (const std::size_t epoch : {0, 1}) {
    CHECK(printed.after[0][epoch] == printed.before[0][epoch]);
    CHECK(printed.after[1][epoch] == printed.before[1][epoch]);
  }
}

TEST_CASE("workers that trained in an epoch test its model, on all of the test set") {
  JobConfig config = config_of("sync");
  config.batch = kBatch;
  config.epochs = 1;
  std::array<CurvePoint, 2> points;  // with the second worker's model, and without
  for (const bool has_left : {false, true}) {
    train("small-cnn", config, [&](Worker& worker, LearningCurve& curve, std::int64_t epoch) {
      if (has_left && worker.fabric.rank() == 1) {  // as with dlb
        worker.report.batch = 0;
        const Payload model = worker.learner.parameters();
        std::ranges::fill(values<float>(model), 0.0F);
      }
      const CurvePoint point = curve.after_epoch(epoch);
      if (worker.fabric.rank() == 0) points[has_left ? 1 : 0] = point;
    });
  }

  CHECK(points[1].test_accuracy == points[0].test_accuracy);
  // Losses are added in another order.
  CHECK_THAT(points[1].test_loss, Catch::Matchers::WithinRel(points[0].test_loss, 1e-5));
}

}  // namespace
}  // namespace epochcast::real
