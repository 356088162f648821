// SPDX-License-Identifier: Apache-2.0
#include "real/data/procedural_tokens.hpp"

#include <cmath>
#include <map>

#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

Dataset texts_of(std::int64_t vocabulary, std::int64_t tokens) {
  Dataset dataset;
  dataset.name = dataset.title = "texts";
  dataset.train_samples = 400;
  dataset.test_samples = 10;
  dataset.shape = {tokens};
  dataset.classes = vocabulary;
  dataset.are_tokens = true;
  dataset.targets = {.kind = TargetKind::tokens, .shape = {tokens}};
  return dataset;
}

struct Text {
  std::vector<float> tokens;
  std::vector<float> targets;
};

Text text_at(const DataSource& data, std::int64_t index) {
  const auto size = static_cast<std::size_t>(data.shape()[0]);
  Text text = {std::vector<float>(size), std::vector<float>(size)};
  static_cast<void>(data.load(index, {}, text.tokens));
  data.load_targets(index, text.targets);
  return text;
}

/// Mean surprise, in nats, of tokens given the counted frequencies after each context.
template <typename Context>
double surprise(const DataSource& data, const Context& context) {
  std::map<std::int64_t, std::map<float, double>> counts;
  for (std::int64_t i = 0; i < data.size(); ++i) {
    const Text text = text_at(data, i);
    for (std::size_t at = 1; at < text.tokens.size(); ++at)
      ++counts[context(text.tokens, at)][text.targets[at]];
  }
  double sum = 0;
  double all = 0;
  for (const auto& [_, next] : counts) {
    double total = 0;
    for (const auto& [token, count] : next) total += count;
    for (const auto& [token, count] : next) sum -= count * std::log(count / total);
    all += total;
  }
  return sum / all;
}

TEST_CASE("targets of procedural tokens are the tokens one further on, within the vocabulary") {
  const DataSplit split = procedural_data(texts_of(50, 32), 1);
  CHECK(split.train->size() == 400);
  CHECK(split.test->size() == 10);
  CHECK(split.train->targets().kind == TargetKind::tokens);
  for (const DataSource* half : {split.train.get(), split.test.get()}) {
    for (std::int64_t i = 0; i < 10; ++i) {
      const Text text = text_at(*half, i);
      for (std::size_t at = 0; at < 32; ++at) {
        CHECK(text.targets[at] >= 0);
        CHECK(text.targets[at] < 50);
        if (at > 0) CHECK(text.tokens[at] == text.targets[at - 1]);
      }
    }
  }
}

TEST_CASE("procedural texts depend on seed, half and index, and their language on the seed alone") {
  const DataSplit one = procedural_data(texts_of(50, 32), 1);
  const DataSplit again = procedural_data(texts_of(50, 32), 1);
  const DataSplit other = procedural_data(texts_of(50, 32), 2);

  CHECK(text_at(*one.train, 3).tokens == text_at(*again.train, 3).tokens);
  CHECK(text_at(*one.train, 3).tokens != text_at(*one.train, 4).tokens);
  CHECK(text_at(*one.train, 3).tokens != text_at(*one.test, 3).tokens);
  CHECK(text_at(*one.train, 3).tokens != text_at(*other.train, 3).tokens);
}

TEST_CASE("longer contexts predict the next token better") {
  const DataSplit split = procedural_data(texts_of(16, 128), 1);
  const DataSource& data = *split.train;

  const double by_frequency = surprise(data, [](const auto&, std::size_t) { return 0; });
  const double by_last = surprise(data, [](const std::vector<float>& tokens, std::size_t at) {
    return static_cast<std::int64_t>(tokens[at]);
  });
  const double by_two = surprise(data, [](const std::vector<float>& tokens, std::size_t at) {
    return static_cast<std::int64_t>(16 * tokens[at - 1] + tokens[at]);
  });

  CHECK(by_last < by_frequency - 0.2);
  CHECK(by_two < by_last - 0.2);
}

TEST_CASE("there are no procedural values, and no numbers that are no tokens") {
  Dataset values = texts_of(4, 32);
  values.targets = {.kind = TargetKind::values, .shape = {4}};
  CHECK_THROWS_WITH(procedural_data(values, 1),
                    "texts: procedural data are images and texts, with classes, or texts with "
                    "tokens");
}

}  // namespace
}  // namespace epochcast::real
