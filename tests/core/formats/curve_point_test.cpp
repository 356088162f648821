// SPDX-License-Identifier: Apache-2.0
#include "core/formats/curve_point.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("a point of a curve is read back as it was written, and its text has the same values") {
  const CurvePoint point = {.epoch = 3,
                            .epoch_s = 1.5,
                            .training_s = 4.5,
                            .samples = 300,
                            .bytes_sent = 1e9,
                            .learning_rate = 0.1,
                            .train_loss = 1.25,
                            .train_accuracy = 0.5,
                            .test_loss = 1.5,
                            .test_accuracy = {}};

  const nlohmann::json json = to_json(point);
  Problems problems("metrics");
  CHECK(to_json(read_curve_point(JsonInput(json, "", problems))) == to_json(point));
  CHECK(problems.empty());
  CHECK(to_json(point).at("test_accuracy").is_null());
  CHECK(text_of(point, 10) ==
        "epoch 3/10: 1.50 s, loss 1.2500, accuracy 50.00 %; test loss 1.5000");
}

TEST_CASE("a GAN's point has the losses of both halves, another network's has no such keys") {
  const CurvePoint point = {.epoch = 1,
                            .train_loss = 1.5,
                            .train_accuracy = 0.5,
                            .test_loss = 1.25,
                            .test_accuracy = 0.25,
                            .discriminator_loss = 1.125,
                            .generator_loss = 2.5};
  CurvePoint other = point;
  other.discriminator_loss.reset();
  other.generator_loss.reset();

  const nlohmann::json json = to_json(point);
  Problems problems("metrics");
  const CurvePoint again = read_curve_point(JsonInput(json, "", problems));

  CHECK(json.at("discriminator_loss") == 1.125);
  CHECK(again.discriminator_loss == 1.125);
  CHECK(again.generator_loss == 2.5);
  CHECK(problems.empty());
  CHECK_FALSE(to_json(other).contains("generator_loss"));
  CHECK(text_of(point, 2) ==
        "epoch 1/2: loss 1.5000, accuracy 50.00 %, discriminator loss 1.1250, generator loss "
        "2.5000; test loss 1.2500, accuracy 25.00 %");
  CHECK(mean_of({{point}, {point}})[0].generator_loss == 2.5);
  CHECK_FALSE(mean_of({{point}, {other}})[0].generator_loss);
}

TEST_CASE("an infinite perplexity is null in JSON, a missing one has no key") {
  CurvePoint point = {.epoch = 1, .test_loss = 800, .test_perplexity = std::exp(800)};
  const auto read_back = [&] {
    const nlohmann::json json = nlohmann::json::parse(to_json(point).dump());
    Problems problems("metrics");
    return read_curve_point(JsonInput(json, "", problems));
  };

  CHECK(read_back() == point);
  CHECK(std::isinf(*read_back().test_perplexity));
  point.test_perplexity.reset();
  CHECK_FALSE(read_back().test_perplexity);
}

TEST_CASE("an impossible curve is refused") {
  const auto [key, value, complaint] = GENERATE(table<std::string, std::string, std::string>({
      {"epoch", "3", "got 3; expected a whole number from 2 to 2"},
      {"epoch_s", "-5", "got -5; expected a number of at least 0"},
      {"training_s", "0.5", "got 0.5; expected a number of at least 1"},
      {"test_accuracy", "1.5", "got 1.5; expected a number from 0 to 1"},
      {"train_loss", "\"low\"", "got \"low\"; expected a number"},
      {"generator_loss", "\"low\"", "got \"low\"; expected a number"},
      {"samples", "null", "got null; expected a number of at least 0"},
  }));
  CAPTURE(key, value);
  const Curve curve = {{.epoch = 1, .epoch_s = 1, .training_s = 1, .samples = 8},
                       {.epoch = 2, .epoch_s = 1, .training_s = 2, .samples = 16}};
  nlohmann::json json = to_json(curve);
  Problems none("kept.json");
  CHECK(read_curve(JsonInput(json, "/curve", none)).size() == 2);
  CHECK(none.empty());

  json[1][key] = nlohmann::json::parse(value);
  Problems problems("kept.json");
  static_cast<void>(read_curve(JsonInput(json, "/curve", problems)));

  CHECK_THROWS_WITH(problems.throw_if_any(), "kept.json: /curve/1/" + key + ": " + complaint);
}

TEST_CASE("a mean curve is as long as the shortest, and lacks figures that one of them lacks") {
  const Curve a = {
      {.epoch = 1, .training_s = 2, .train_accuracy = {}, .test_loss = 1, .test_accuracy = 0.25},
      {.epoch = 2, .training_s = 4, .train_accuracy = {}, .test_accuracy = 0.5}};
  const Curve b = {{.epoch = 1,
                    .epoch_s = 4,
                    .training_s = 4,
                    .train_accuracy = {},
                    .test_loss = 3,
                    .test_accuracy = 0.75}};

  const Curve mean = mean_of({a, b});

  REQUIRE(mean.size() == 1);
  CHECK(mean[0].epoch == 1);
  CHECK(mean[0].training_s == 3);
  CHECK(mean[0].test_loss == 2);
  CHECK(mean[0].test_accuracy == 0.5);
  CHECK_FALSE(mean[0].epoch_s);
  CHECK(mean_of({b})[0].epoch_s == 4.0);
}

}  // namespace
}  // namespace epochcast::tests
