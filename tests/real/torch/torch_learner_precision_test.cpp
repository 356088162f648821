// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process/diverged.hpp"
#include "real/torch/torch_learner.hpp"
#include "tests/catch.hpp"
#include "tests/real/torch/learner_setup.hpp"

namespace epochcast::real {
namespace {

/// Settings with a scale of the loss.
LearnerSettings scaled(LossScaler::State state) {
  LearnerSettings settings = settings_of("small-cnn");
  settings.loss_scaler = LossScaler(state);
  return settings;
}

/// A step with a gradient that is not finite, as another rank's would make it.
void step_with(float gradient, TorchLearner& learner) {
  learner.forward_backward(kBatch);
  values<float>(learner.gradients())[0] = gradient;
  learner.step();
}

void step_with_infinity(TorchLearner& learner) {
  step_with(std::numeric_limits<float>::infinity(), learner);
}

TEST_CASE("mixed precision trains: the loss falls, near to that of float32, and not the same") {
  std::vector<Precision> precisions = {Precision::bfloat16};
  if (test_device() != "cpu") precisions.push_back(Precision::float16);
  for (const Precision precision : precisions) {
    alone([&](Fabric& fabric) {
      const Setup setup("small-cnn");
      const auto losses_in = [&](Precision each) {
        LearnerSettings settings = settings_of("small-cnn");
        settings.precision = each;
        if (each == Precision::float16) settings.loss_scaler = LossScaler();
        TorchLearner learner(fabric, setup.data, settings, test_device());
        std::vector<double> losses;
        for (std::int64_t epoch = 0; epoch < 8; ++epoch) {
          begin(learner, epoch);
          learner.train(kBatches, kBatch);
          losses.push_back(learner.trained().loss_sum / learner.trained().samples);
        }
        losses.push_back(learner.test(setup.data, 0, kSamples).loss_sum / kSamples);
        return losses;
      };
      const std::vector<double> exact = losses_in(Precision::float32);

      const std::vector<double> mixed = losses_in(precision);

      CHECK(mixed.back() < mixed.front() / 2);
      // A bfloat16 has 8 bits: the losses of the first epoch differ in the third digit.
      CHECK(mixed.front() == Approx(exact.front()).epsilon(0.02));
      CHECK(mixed.front() != exact.front());
      CHECK(losses_in(precision) == mixed);
    });
  }
}

TEST_CASE("a scale of the loss changes no bit of float32 training") {
  alone([](Fabric& fabric) {
    const Setup setup("resnet20");
    const auto parameters_with = [&](std::optional<LossScaler> scaler, bool has_buckets) {
      LearnerSettings settings = settings_of("resnet20");
      settings.loss_scaler = scaler;
      settings.accumulate = 2;
      settings.clip_norm = 1;
      TorchLearner learner(fabric, setup.data, settings, test_device());
      begin(learner, 0);
      for (int i = 0; i < 3; ++i) {
        if (has_buckets) {
          learner.forward_backward(kBatch, [](Payload) {});
        } else {
          learner.forward_backward(kBatch);
        }
        learner.step();
      }
      return copy_of(learner.parameters());
    };

    const Values without = parameters_with({}, false);

    CHECK(parameters_with(LossScaler(), false) == without);
    CHECK(parameters_with(LossScaler(), true) == without);
  });
}

TEST_CASE("a step with an infinite or undefined gradient is skipped with a scale of the loss") {
  alone([](Fabric& fabric) {
    const Setup setup("small-cnn");
    TorchLearner learner(fabric, setup.data, scaled({.scale = 65536}), test_device());
    begin(learner, 0);
    learner.train(1, kBatch);
    const Values before = copy_of(learner.parameters());

    step_with_infinity(learner);
    step_with(std::numeric_limits<float>::quiet_NaN(), learner);
    CHECK(copy_of(learner.parameters()) == before);

    learner.train(1, kBatch);
    CHECK(copy_of(learner.parameters()) != before);
    CHECK(std::isfinite(copy_of(learner.parameters())[0]));
  });
}

TEST_CASE("a learner whose gradients are not finite at any scale of the loss has diverged") {
  alone([](Fabric& fabric) {
    const Setup setup("small-cnn");
    TorchLearner learner(fabric, setup.data, scaled({.scale = 2}), test_device());
    begin(learner, 0);

    step_with_infinity(learner);
    CHECK_THROWS_AS(step_with_infinity(learner), Diverged);
  });
}

TEST_CASE("with a scale of the loss, a loss that is not finite skips the step and is not counted") {
  alone([](Fabric& fabric) {
    const Setup setup("small-cnn", 0);
    TorchLearner learner(fabric, setup.data, scaled({.scale = 65536}), test_device());
    begin(learner, 0);

    for (int i = 0; i < kBatches; ++i) {
      learner.forward_backward(kBatch);
      learner.step();
    }

    CHECK(learner.trained().samples == kSamples - kBatch);
    CHECK(std::isfinite(learner.trained().loss_sum));
    CHECK(std::isfinite(copy_of(learner.parameters())[0]));
  });
}

TEST_CASE("a loaded learner goes on with the scale of the loss and the count of finite steps") {
  alone([](Fabric& fabric) {
    const Setup setup("small-cnn");
    const auto resumed = [&](LossScaler::State state, int steps) {
      TorchLearner saved(fabric, setup.data, scaled(state), test_device());
      begin(saved, 0);
      saved.train(steps, kBatch);
      auto fresh = std::make_unique<TorchLearner>(
          fabric, setup.data, scaled({.scale = 65536}), test_device());
      fresh->load(saved.save());
      return fresh;
    };
    const auto halvings_left = [](TorchLearner& learner) {
      for (int halvings = 0;; ++halvings) {
        try {
          begin(learner, 1);
          step_with_infinity(learner);
        } catch (const Diverged&) {
          return halvings;
        }
      }
    };

    CHECK(halvings_left(*resumed({.scale = 4}, 1)) == 2);
    // The 2000th finite step comes after loading.
    const auto learner = resumed({.scale = 4, .finite_steps = 1998}, 1);
    learner->train(1, kBatch);
    CHECK(halvings_left(*learner) == 3);
  });
}

}  // namespace
}  // namespace epochcast::real
