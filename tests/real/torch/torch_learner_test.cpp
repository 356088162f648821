// SPDX-License-Identifier: Apache-2.0
#include "real/torch/torch_learner.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "strategies/settings.hpp"
#include "tests/catch.hpp"
#include "tests/real/test_device.hpp"
#include "tests/real/torch/network_cases.hpp"
#include "tests/real/torch/tiny_data.hpp"
#include "tests/support/fake_fabric.hpp"

namespace epochcast::real {
namespace {

using tests::test_device;
using tests::TinyData;
using Values = std::vector<float>;

constexpr std::int64_t kSamples = 24;
constexpr std::int64_t kBatch = 4;
constexpr std::int64_t kBatches = kSamples / kBatch;

Values copy_of(const Payload& payload) { return {payload.values.begin(), payload.values.end()}; }

LearnerSettings settings_of(const std::string& network, const std::string& optimizer = "sgd") {
  return {.network = network,
          .optimizer = {.name = optimizer},
          .learning_rate = {.base = 0.01},
          .first_bucket_bytes = 1000,
          .bucket_bytes = 20000};
}

/// What a learner needs, for a network on tiny data.
struct Setup {
  explicit Setup(const std::string& network, std::int64_t bad_sample = -1)
      : data(kSamples, small_shape(network), bad_sample) {}

  TinyData data;
};

/// Runs `test` on a fabric whose clock only moves when it is told to.
void alone(const std::function<void(Fabric&)>& test) {
  static_cast<void>(tests::run_workers(tests::workers_on({0}), [&](Fabric& fabric) {
    torch::set_num_threads(1);  // a setting of each thread; additions in one order
    test(fabric);
  }));
}

void begin(TorchLearner& learner, std::int64_t epoch) {
  learner.begin_epoch(epoch);
  learner.use_shuffled({.offset = 0, .length = kBatch, .stride = kBatch, .count = kBatches});
}

TEST_CASE("buckets are ready once, in order, with final gradients, while backward goes on") {
  for (const std::string network : {"small-cnn", "resnet20", "lstm", "shufflenetv2-1x", "gan"}) {
    CAPTURE(network);
    alone([&](Fabric& fabric) {
      const Setup setup(network);
      TorchLearner learner(fabric, setup.data, settings_of(network), test_device());
      begin(learner, 0);
      const std::vector<Payload> buckets = learner.buckets();
      REQUIRE(buckets.size() > 2);
      std::vector<const float*> order;
      std::vector<Values> at_ready;
      Values first;  // gradients when the first bucket was ready

      learner.forward_backward(kBatch, [&](Payload bucket) {
        order.push_back(bucket.values.data());
        at_ready.push_back(copy_of(bucket));
        if (first.empty()) first = copy_of(learner.gradients());
      });

      const Values final = copy_of(learner.gradients());
      CHECK(first != final);
      REQUIRE(order.size() == buckets.size());
      for (std::size_t i = 0; i < buckets.size(); ++i) {
        CHECK(order[i] == buckets[i].values.data());
        CHECK(at_ready[i] == copy_of(buckets[i]));
        CHECK(buckets[i].bytes == 4.0 * static_cast<double>(buckets[i].values.size()));
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
    const Values zeros(learner.gradients().values.size(), 0.F);
    REQUIRE(copy_of(learner.gradients()) != zeros);

    learner.forward_backward(0);
    CHECK(copy_of(learner.gradients()) == zeros);
    learner.forward_backward(kBatch);
    learner.forward_backward(0, [&](Payload bucket) {
      ++pieces;
      CHECK(std::ranges::count(bucket.values, 0.F) == std::ssize(bucket.values));
    });
    CHECK(pieces == std::ssize(learner.buckets()));
    CHECK(fabric.now_s() == 0);
  });
}

TEST_CASE("a batch in parts has the gradient of the whole, and buckets once it is there") {
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

TEST_CASE("gradients above the norm are scaled down to it before the step, and others are left") {
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

TEST_CASE("in a warm-up each step has its own learning rate, also where there are no samples") {
  alone([](Fabric& fabric) {
    const Setup setup("small-cnn");
    LearnerSettings settings = settings_of("small-cnn");
    settings.learning_rate = {.base = 0.06, .warmup = 1};
    TorchLearner busy(fabric, setup.data, settings, test_device());
    TorchLearner idle(fabric, setup.data, settings, test_device());
    begin(busy, 0);
    idle.begin_epoch(0);
    idle.use_shuffled({.offset = 0, .length = 0, .stride = kBatch, .count = kBatches});
    for (int step = 1; step <= kBatches; ++step) {
      busy.train(1, kBatch);
      idle.forward_backward(0);
      idle.step();
      CHECK(busy.learning_rate() == Approx(0.01 * step));
      CHECK(idle.learning_rate() == busy.learning_rate());
    }
  });
}

struct Resumed {
  std::string network;
  std::string optimizer;
};

TEST_CASE("a learner that loads goes on bit for bit, in the middle of an epoch") {
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

TEST_CASE("what is damaged or of another network is not loaded") {
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

/// Texts of the word 1, whose next words are 0.
class TinyTexts : public DataSource {
 public:
  explicit TinyTexts(std::int64_t tokens) : shape_({tokens}) {}

  std::int64_t size() const override { return 20; }
  const std::vector<std::int64_t>& shape() const override { return shape_; }
  std::int64_t classes() const override { return kWords; }
  Targets targets() const override { return {.kind = TargetKind::tokens, .shape = shape_}; }
  std::int64_t load(std::int64_t index,
                    std::optional<std::uint64_t>,
                    std::span<float> sample) const override {
    loaded_.push_back(index);
    std::ranges::fill(sample, 1.F);
    return 0;
  }
  void load_targets(std::int64_t, std::span<float> targets) const override {
    std::ranges::fill(targets, 0.F);
  }
  /// Samples that were loaded, in their order.
  [[nodiscard]] const std::vector<std::int64_t>& loaded() const { return loaded_; }

  static constexpr std::int64_t kWords = 5;

 private:
  std::vector<std::int64_t> shape_;
  mutable std::vector<std::int64_t> loaded_;
};

TEST_CASE("every text is tested once, in batches whose scores fit into memory") {
  for (const std::int64_t tokens : {16, 128}) {  // 128 and 16 of them in a batch
    alone([&](Fabric& fabric) {
      const TinyTexts texts(tokens);
      TorchLearner learner(fabric, texts, settings_of("gpt-char"), test_device());

      const Score score = learner.test(texts, 3, 20);

      CHECK(score.samples == 17);
      CHECK(score.loss_sum == Approx(17 * std::log(double{TinyTexts::kWords})).epsilon(0.2));
      std::vector<std::int64_t> expected(17);
      std::iota(expected.begin(), expected.end(), 3);
      CHECK(texts.loaded() == expected);
    });
  }
}

TEST_CASE("what LibTorch cannot compute is told in a line, with what the samples are") {
  const TinyTexts texts(8);
  alone([&](Fabric& fabric) {
    TorchLearner learner(fabric, texts, settings_of("gpt-char"), test_device());
    class Beyond : public TinyTexts {
     public:
      using TinyTexts::TinyTexts;
      std::int64_t load(std::int64_t,
                        std::optional<std::uint64_t>,
                        std::span<float> sample) const override {
        std::ranges::fill(sample, 7.F);
        return 0;
      }
    };
    CHECK_THROWS_WITH(
        learner.test(Beyond(8), 0, 2),
        "LibTorch cannot compute a batch of 2 samples of 8, with numbers from 7 to 7: "
        "index out of range in self");
  });
}

TEST_CASE("warm-up, benchmarks and tests leave no trace in the training") {
  // Batch norm; random numbers in each batch.
  const std::string network = GENERATE("resnet20", "gan");
  alone([&](Fabric& fabric) {
    const Setup setup(network);
    const Pace tenth = [](double, std::string_view) { return 0.1; };
    const auto train = [&](bool is_disturbed) {
      TorchLearner learner(fabric, setup.data, settings_of(network), test_device(), tenth);
      if (is_disturbed) {
        learner.warm_up(1000 * kSamples);  // more than there are
        learner.warm_up(kBatch);
        static_cast<void>(learner.benchmark(kBatch));
      }
      begin(learner, 0);
      for (int i = 0; i < kBatches; ++i) {
        learner.train(1, kBatch);
        if (!is_disturbed) continue;
        CHECK(learner.test(setup.data, 0, 5).samples == 5);
        CHECK(learner.generate({2, 0}).values.size() == (network == "gan" ? 2 * 28 * 28 : 0));
      }
      CHECK(learner.trained().samples == kSamples);
      return copy_of(learner.parameters());
    };

    CHECK(train(true) == train(false));
  });
}

TEST_CASE("a benchmark ends even on a clock that stands still") {
  alone([](Fabric& fabric) {
    const Setup setup("small-cnn");
    TorchLearner learner(fabric, setup.data, settings_of("small-cnn"), test_device());

    CHECK(learner.benchmark(1) == 0);
  });
}

TEST_CASE("a slow pace passes on the fabric's clock, piece by piece") {
  alone([](Fabric& fabric) {
    const Setup setup("small-cnn");
    std::string pieces;
    const Pace pace = [&](double real_s, std::string_view what) {
      CHECK(real_s == 0);  // on a clock that stands still
      pieces += std::string(what) + " ";
      return what == "forward" ? 1.0 : what == "backward" ? 2.0 : 4.0;
    };
    TorchLearner learner(fabric, setup.data, settings_of("small-cnn"), test_device(), pace);
    begin(learner, 0);

    learner.train(2, kBatch);

    CHECK(pieces == "forward backward step forward backward step ");
    CHECK(fabric.now_s() == 14);
    CHECK(fabric.phases().compute_s == 14);
    CHECK(learner.benchmark(kBatch) == 7);
  });
}

/// What training on data with a bad sample ends with.
std::string failure(double learning_rate, std::int64_t bad_sample) {
  std::string text;
  alone([&](Fabric& fabric) {
    const Setup setup("small-cnn", bad_sample);
    LearnerSettings settings = settings_of("small-cnn");
    settings.learning_rate.base = learning_rate;
    TorchLearner learner(fabric, setup.data, settings, test_device());
    try {
      for (int i = 0; i < 3; ++i) {
        begin(learner, 2);
        learner.train(kBatches, kBatch);
      }
    } catch (const RunError& error) {
      text = error.what();
    }
  });
  return text;
}

TEST_CASE("a loss that is no number ends the training with advice") {
  const std::vector<std::int64_t> order =
      shuffled_samples(kSamples, mix_seed(mix_seed(1, 1), 2));  // of seed 1, epoch 2

  CHECK(failure(0.01, order[5]) ==
        "rank 0: the loss is nan in epoch 3, after 8 samples of it; lower --learning-rate (now "
        "0.01) or check the data");
  CHECK(failure(0.01, order[0]).find(", after 4 samples of it;") != std::string::npos);
  CHECK(failure(1e30, -1).find("; lower --learning-rate (now 1e+30)") != std::string::npos);
  CHECK(failure(0.01, -1).empty());
}

TEST_CASE("training beyond the share is our bug") {
  alone([](Fabric& fabric) {
    const Setup setup("small-cnn");
    TorchLearner learner(fabric, setup.data, settings_of("small-cnn"), test_device());
    begin(learner, 0);
    learner.train(kBatches, kBatch);

    CHECK_THROWS_AS(learner.train(1, 1), std::logic_error);
  });
}

}  // namespace
}  // namespace epochcast::real
