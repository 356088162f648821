// SPDX-License-Identifier: Apache-2.0
// The work around a learner's steps: tests, warm-up, benchmarks, pace, and errors.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/process/diverged.hpp"
#include "base/statistics/random.hpp"
#include "real/torch/torch_learner.hpp"
#include "tests/catch.hpp"
#include "tests/real/torch/learner_setup.hpp"

namespace epochcast::real {
namespace {

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
  /// The loaded samples, in their order.
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

TEST_CASE("an error of LibTorch is reported in a line, with the range of the samples") {
  const TinyTexts texts(8);
  alone([&](Fabric& fabric) {
    // A GPU could not be used any more in this process.
    TorchLearner learner(fabric, texts, settings_of("gpt-char"), torch::kCPU);
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

TEST_CASE("batches that are only timed do not diverge") {
  alone([](Fabric& fabric) {
    const Setup setup("small-cnn");
    LearnerSettings settings = settings_of("small-cnn");
    settings.learning_rate.base = 1e20;
    TorchLearner learner(fabric, setup.data, settings, test_device());
    begin(learner, 0);

    CHECK_FALSE(learner.timed_batches(kBatch).empty());
    CHECK_THROWS_AS(learner.train(kBatches, kBatch), Diverged);
  });
}

TEST_CASE("warm-up, benchmarks and tests do not change the training") {
  // Batch norm; random numbers in each batch.
  const std::string network = GENERATE("resnet20", "gan");
  alone([&](Fabric& fabric) {
    const Setup setup(network);
    const Pace tenth = [](const Piece&) { return 0.1; };
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

TEST_CASE("a benchmark ends even if the clock does not advance") {
  alone([](Fabric& fabric) {
    const Setup setup("small-cnn");
    TorchLearner learner(fabric, setup.data, settings_of("small-cnn"), test_device());

    CHECK(learner.benchmark(1) == 0);
  });
}

TEST_CASE("the time of a slow pace passes on the fabric's clock, piece by piece") {
  alone([](Fabric& fabric) {
    const Setup setup("small-cnn");
    std::string pieces;
    const Pace pace = [&](const Piece& piece) {
      CHECK(piece.real_s == 0);  // on a clock that does not advance
      pieces += std::string(piece.what) + " ";
      return piece.what == "forward" ? 1.0 : piece.what == "backward" ? 2.0 : 4.0;
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

/// The examples given to a pace, by the samples that go through the network together.
struct ShownPieces {
  std::map<std::int64_t, std::set<std::size_t>> examples;
  std::map<std::int64_t, std::vector<std::string>> others;

  Pace pace() {
    return [this](const Piece& piece) {
      if (piece.is_example) {
        if (piece.end == piece.begin + 1) examples[piece.samples].insert(piece.begin);
      } else {
        others[piece.samples].push_back(std::string(piece.what) + " " +
                                        std::to_string(piece.begin) + "-" +
                                        std::to_string(piece.end));
      }
      return 0.1;
    };
  }
};

TEST_CASE("a pace gets examples of every piece, at two sizes") {
  constexpr std::int64_t kTwice = 2 * kBatch;
  const std::int64_t parts = GENERATE(1, 2);
  CAPTURE(parts);
  alone([&](Fabric& fabric) {
    const Setup setup("small-cnn");
    LearnerSettings settings = settings_of("small-cnn");
    settings.accumulate = parts;
    ShownPieces shown;
    TorchLearner learner(fabric, setup.data, settings, test_device(), shown.pace());
    const std::size_t buckets = learner.buckets().size();
    REQUIRE(buckets > 1);

    learner.warm_up(kTwice);

    std::set<std::size_t> all;
    for (std::size_t number = 0; number < buckets + 3; ++number) all.insert(number);
    CHECK(shown.examples.at(kTwice / parts) == all);
    CHECK(shown.examples.at(kTwice / 4 / parts) == all);
    CHECK(shown.examples.size() == 2);

    shown.others.clear();
    begin(learner, 0);
    learner.train(1, kTwice);
    const std::string backward =
        "backward 1-" + std::to_string(buckets + 2);  // all buckets, and the end
    const std::string step =
        "step " + std::to_string(buckets + 2) + "-" + std::to_string(buckets + 3);
    std::vector<std::string> expected;
    for (std::int64_t i = 0; i < parts; ++i)
      expected.insert(expected.end(), {"forward 0-1", backward});
    expected.push_back(step);
    CHECK(shown.others.at(kTwice / parts) == expected);
  });
}

TEST_CASE("a benchmark gives examples at full speed before it times slow batches") {
  alone([](Fabric& fabric) {
    const Setup setup("small-cnn");
    ShownPieces shown;
    TorchLearner learner(fabric, setup.data, settings_of("small-cnn"), test_device(), shown.pace());

    CHECK(learner.benchmark(3) == Approx(0.3));  // forward, backward, step

    CHECK(shown.examples.at(3).size() == learner.buckets().size() + 3);
    CHECK(shown.others.at(3).size() > 30);
  });
}

/// The error of training on data with a bad sample.
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

TEST_CASE("a loss of NaN ends the training with advice") {
  const std::vector<std::int64_t> order =
      shuffled_samples(kSamples, mix_seed(mix_seed(1, 1), 2));  // of seed 1, epoch 2

  CHECK(failure(0.01, order[5]) ==
        "rank 0: the loss is nan in epoch 3, after 8 samples of it; lower --learning-rate (now "
        "0.01) or check the data");
  CHECK(failure(0.01, order[0]).find(", after 4 samples of it;") != std::string::npos);
  CHECK(failure(1e30, -1).find("; lower --learning-rate (now 1e+30)") != std::string::npos);
  CHECK(failure(0.01, -1).empty());
}

TEST_CASE("training beyond the share throws a logic_error") {
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
