// SPDX-License-Identifier: Apache-2.0
#include "real/torch/torch_learner.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/statistics/random.hpp"
#include "strategies/settings.hpp"
#include "tests/catch.hpp"
#include "tests/real/torch/learner_setup.hpp"

namespace epochcast::real {
namespace {

TEST_CASE("buckets are ready once, in order, with final gradients, during backward") {
  for (const std::string network : {"small-cnn", "resnet20", "lstm", "shufflenetv2-1x", "gan"}) {
    CAPTURE(network);
    alone([&](Fabric& fabric) {
      const Setup setup(network);
      TorchLearner learner(fabric, setup.data, settings_of(network), test_device());
      begin(learner, 0);
      const std::vector<Payload> buckets = learner.buckets();
      REQUIRE(buckets.size() > 2);
      std::vector<const void*> order;
      std::vector<Values> at_ready;
      Values first;  // gradients when the first bucket was ready

      learner.forward_backward(kBatch, [&](Payload bucket) {
        order.push_back(bucket.data.data());
        at_ready.push_back(copy_of(bucket));
        if (first.empty()) first = copy_of(learner.gradients());
      });

      const Values final = copy_of(learner.gradients());
      CHECK(first != final);
      REQUIRE(order.size() == buckets.size());
      for (std::size_t i = 0; i < buckets.size(); ++i) {
        CHECK(order[i] == buckets[i].data.data());
        CHECK(at_ready[i] == copy_of(buckets[i]));
        CHECK(buckets[i].element == Element::float32);
        CHECK(buckets[i].bytes() == static_cast<double>(buckets[i].data.size()));
      }
    });
  }
}

TEST_CASE("gradients are the same with and without buckets, and of one batch only") {
  alone([](Fabric& fabric) {
    const Setup setup("small-cnn");
    TorchLearner learner(fabric, setup.data, settings_of("small-cnn"), test_device());
    begin(learner, 0);
    learner.forward_backward(kBatch);
    const Values first = copy_of(learner.gradients());
    learner.forward_backward(kBatch);
    const Values second = copy_of(learner.gradients());
    begin(learner, 0);

    learner.forward_backward(kBatch, [](Payload) {});
    CHECK(copy_of(learner.gradients()) == first);
    learner.forward_backward(kBatch, [](Payload) {});
    CHECK(copy_of(learner.gradients()) == second);
    CHECK(first != second);
  });
}

TEST_CASE("a batch of no samples leaves zero gradients, in every bucket, at no cost") {
  alone([](Fabric& fabric) {
    const Setup setup("small-cnn");
    int pieces = 0;
    TorchLearner learner(fabric, setup.data, settings_of("small-cnn"), test_device());
    begin(learner, 0);
    learner.forward_backward(kBatch);
    const Values zeros(values<float>(learner.gradients()).size(), 0.F);
    REQUIRE(copy_of(learner.gradients()) != zeros);

    learner.forward_backward(0);
    CHECK(copy_of(learner.gradients()) == zeros);
    learner.forward_backward(kBatch);
    learner.forward_backward(0, [&](Payload bucket) {
      ++pieces;
      CHECK(std::ranges::count(values<float>(bucket), 0.F) == bucket.count);
    });
    CHECK(pieces == std::ssize(learner.buckets()));
    CHECK(fabric.now_s() == 0);
  });
}

TEST_CASE("a batch in parts has the gradient of the whole, and buckets after the last part") {
  alone([](Fabric& fabric) {
    const Setup setup("small-cnn");
    LearnerSettings settings = settings_of("small-cnn");
    TorchLearner whole(fabric, setup.data, settings, test_device());
    settings.accumulate = 3;  // 1, 1 and 2 samples
    TorchLearner parted(fabric, setup.data, settings, test_device());
    begin(whole, 0);
    begin(parted, 0);
    whole.forward_backward(kBatch);
    const Values expected = copy_of(whole.gradients());
    int ready = 0;

    parted.forward_backward(kBatch, [&](Payload) { ++ready; });

    const Values found = copy_of(parted.gradients());
    CHECK(ready == std::ssize(parted.buckets()));
    REQUIRE(found.size() == expected.size());
    double worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
      worst = std::max(worst, std::abs(double{found[i]} - expected[i]));
    CHECK(worst < 1e-6);
    CHECK(parted.trained().samples == kBatch);
    CHECK(parted.trained().loss_sum == Approx(whole.trained().loss_sum));
  });
}

TEST_CASE("gradients above the norm are scaled down to it before the step, others are unchanged") {
  alone([](Fabric& fabric) {
    const Setup setup("small-cnn");
    const auto moved = [&](std::optional<double> clip_norm) {
      LearnerSettings settings = settings_of("small-cnn");
      settings.optimizer.momentum = 0;
      settings.clip_norm = clip_norm;
      TorchLearner learner(fabric, setup.data, settings, test_device());
      begin(learner, 0);
      const Values before = copy_of(learner.parameters());
      learner.train(1, kBatch);
      const Values after = copy_of(learner.parameters());
      double sum = 0;
      for (std::size_t i = 0; i < before.size(); ++i)
        sum += (double{after[i]} - before[i]) * (double{after[i]} - before[i]);
      return std::sqrt(sum) / 0.01;  // the learning rate
    };

    const double norm = moved({});
    CHECK(moved(norm / 4) == Approx(norm / 4).epsilon(1e-3));
    CHECK(moved(4 * norm) == Approx(norm).epsilon(1e-3));
  });
}

TEST_CASE("in a warm-up each step has its own learning rate, also with dealt samples or none") {
  alone([](Fabric& fabric) {
    const Setup setup("small-cnn");
    LearnerSettings settings = settings_of("small-cnn");
    settings.learning_rate = {.base = 0.06, .warmup = 1};
    TorchLearner busy(fabric, setup.data, settings, test_device());
    TorchLearner idle(fabric, setup.data, settings, test_device());
    TorchLearner dealt(fabric, setup.data, settings, test_device());
    begin(busy, 0);
    dealt.begin_epoch(0);
    idle.begin_epoch(0);
    idle.use_shuffled({.offset = 0, .length = 0, .stride = kBatch, .count = kBatches});
    for (int step = 1; step <= kBatches; ++step) {
      busy.train(1, kBatch);
      idle.forward_backward(0);
      idle.step();
      CHECK(busy.learning_rate() == Approx(0.01 * step));
      CHECK(idle.learning_rate() == busy.learning_rate());
      for (int half = 0; half < 2; ++half) {
        const std::int64_t position = (2 * (step - 1) + half) * kBatch / 2;
        dealt.use_shuffled({.offset = position,
                            .length = kBatch / 2,
                            .stride = kBatch,
                            .count = 1,
                            .epoch_begin = (step - 1.0) / kBatches,
                            .epoch_end = static_cast<double>(step) / kBatches});
        dealt.forward_backward(kBatch / 2);
      }
      dealt.step();
      CHECK(dealt.learning_rate() == busy.learning_rate());
      CHECK(dealt.epoch_share() == Approx(static_cast<double>(step) / kBatches));
    }
  });
}

struct Resumed {
  std::string network;
  std::string optimizer;
};

TEST_CASE("a loaded learner continues bit for bit in the middle of an epoch") {
  // Momentum; batch norm and a second moment; random numbers; three more optimizers.
  for (const Resumed& resumed : {Resumed{"small-cnn", "sgd"},
                                 Resumed{"resnet20", "adam"},
                                 Resumed{"gan", "adam"},
                                 Resumed{"vgg16", "sgd"},
                                 Resumed{"lstm", "rmsprop"},
                                 Resumed{"small-cnn", "adamw"},
                                 Resumed{"small-cnn", "adabelief"},
                                 Resumed{"small-cnn", "angulargrad"}}) {
    CAPTURE(resumed.network, resumed.optimizer);
    alone([&](Fabric& fabric) {
      const Setup setup(resumed.network);
      LearnerSettings settings = settings_of(resumed.network, resumed.optimizer);
      settings.learning_rate = {.kind = LearningRateKind::cosine, .base = 0.01, .epochs = 2};
      const auto finish = [](TorchLearner& learner) {
        learner.train(kBatches - 2, kBatch);
        Values losses = copy_of(learner.recorded_losses());
        begin(learner, 1);
        learner.train(1, kBatch);
        losses.push_back(static_cast<float>(learner.learning_rate()));
        return losses;
      };
      TorchLearner learner(fabric, setup.data, settings, test_device());
      begin(learner, 0);
      learner.train(2, kBatch);
      const std::string bytes = learner.save();
      const Values losses = finish(learner);

      TorchLearner fresh(fabric, setup.data, settings, test_device());
      begin(fresh, 0);
      fresh.train(1, kBatch);
      fresh.load(bytes);
      const Values losses_again = finish(fresh);

      CHECK(std::memcmp(losses.data(), losses_again.data(), 4 * losses.size()) == 0);
      CHECK(copy_of(fresh.parameters()) == copy_of(learner.parameters()));
      CHECK(fresh.trained().loss_sum == learner.trained().loss_sum);
      CHECK(fresh.epoch_share() == learner.epoch_share());
    });
  }
}

TEST_CASE("a damaged state, or one of another network, is not loaded") {
  alone([](Fabric& fabric) {
    const Setup setup("small-cnn");
    TorchLearner learner(fabric, setup.data, settings_of("small-cnn"), test_device());
    TorchLearner other(fabric, setup.data, settings_of("resnet20"), test_device());
    const std::string bytes = learner.save();

    CHECK_THROWS_AS(other.load(bytes), RunError);
    CHECK_THROWS_AS(learner.load(bytes.substr(0, bytes.size() / 2)), RunError);
    CHECK_THROWS_AS(learner.load(""), RunError);
  });
}

}  // namespace
}  // namespace epochcast::real
