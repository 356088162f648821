// SPDX-License-Identifier: Apache-2.0
#include "core/formats/curve_point.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/json/json_number.hpp"
#include "base/json/or_null.hpp"
#include "base/statistics/spread.hpp"
#include "base/text/units.hpp"

namespace epochcast {
namespace {

std::string halves(const CurvePoint& point) {
  if (!point.discriminator_loss || !point.generator_loss) return "";
  return fmt::format(", discriminator loss {:.4f}, generator loss {:.4f}",
                     *point.discriminator_loss,
                     *point.generator_loss);
}

std::string learned(double loss, const std::optional<double>& accuracy) {
  std::string text = fmt::format("loss {:.4f}", loss);
  if (accuracy) text += ", accuracy " + format_percent(*accuracy, 2);
  return text;
}

constexpr double kMost = std::numeric_limits<double>::max();
constexpr double kLeast = std::numeric_limits<double>::lowest();

std::optional<double> read_maybe(const JsonInput& input, double low, double high) {
  if (input.value().is_null()) return std::nullopt;
  return read_number(input, low, high);
}

/// Of a language model's points; null where it is infinite.
std::optional<double> read_perplexity(JsonInput& point) {
  const auto figure = point.maybe("test_perplexity");
  if (!figure) return std::nullopt;
  return read_maybe(*figure, 0, kMost).value_or(std::numeric_limits<double>::infinity());
}

/// A figure that most points lack.
std::optional<double> read_figure(JsonInput& point, const char* key, double least) {
  const auto figure = point.maybe(key);
  return figure ? read_maybe(*figure, least, kMost) : std::nullopt;
}

/// JSON writes numbers that are not finite as null.
double read_loss(const JsonInput& input) {
  return read_maybe(input, kLeast, kMost).value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

nlohmann::ordered_json to_json(const CurvePoint& point) {
  nlohmann::ordered_json json = {{"epoch", point.epoch},
                                 {"epoch_s", or_null(point.epoch_s)},
                                 {"training_s", point.training_s},
                                 {"samples", point.samples},
                                 {"bytes_sent", point.bytes_sent},
                                 {"learning_rate", point.learning_rate},
                                 {"train_loss", point.train_loss},
                                 {"train_accuracy", or_null(point.train_accuracy)},
                                 {"test_loss", point.test_loss},
                                 {"test_accuracy", or_null(point.test_accuracy)}};
  if (point.test_perplexity) json["test_perplexity"] = *point.test_perplexity;
  if (point.discriminator_loss) json["discriminator_loss"] = *point.discriminator_loss;
  if (point.generator_loss) json["generator_loss"] = *point.generator_loss;
  return json;
}

nlohmann::ordered_json to_json(const Curve& curve) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const CurvePoint& point : curve) points.push_back(to_json(point));
  return points;
}

CurvePoint read_curve_point(JsonInput input) {
  return {.epoch = input.at("epoch").integer(1),
          .epoch_s = read_maybe(input.at("epoch_s"), 0, kMost),
          .training_s = read_number(input.at("training_s"), 0),
          .samples = read_number(input.at("samples"), 0),
          .bytes_sent = read_number(input.at("bytes_sent"), 0),
          .learning_rate = read_number(input.at("learning_rate"), 0),
          .train_loss = read_loss(input.at("train_loss")),
          .train_accuracy = read_maybe(input.at("train_accuracy"), 0, 1),
          .test_loss = read_loss(input.at("test_loss")),
          .test_accuracy = read_maybe(input.at("test_accuracy"), 0, 1),
          .test_perplexity = read_perplexity(input),
          .discriminator_loss = read_figure(input, "discriminator_loss", kLeast),
          .generator_loss = read_figure(input, "generator_loss", kLeast)};
}

Curve read_curve(const JsonInput& input) {
  Curve curve;
  double training_s = 0;
  for (JsonInput& element : input.elements()) {
    const auto epoch = static_cast<std::int64_t>(curve.size()) + 1;
    const CurvePoint point = read_curve_point(element);
    static_cast<void>(element.at("epoch").integer(epoch, epoch));
    static_cast<void>(read_number(element.at("training_s"), training_s));
    training_s = point.training_s;
    curve.push_back(point);
  }
  return curve;
}

std::string text_of(const CurvePoint& point, std::int64_t epochs) {
  return "epoch " + std::to_string(point.epoch) + "/" + std::to_string(epochs) + ": " +
         (point.epoch_s ? format_seconds(*point.epoch_s) + ", " : std::string()) +
         learned(point.train_loss, point.train_accuracy) + halves(point) + "; test " +
         learned(point.test_loss, point.test_accuracy) +
         (point.test_perplexity ? fmt::format(", perplexity {:.4g}", *point.test_perplexity) : "");
}

Curve mean_of(const std::vector<Curve>& curves) {
  std::size_t epochs = curves.front().size();
  for (const Curve& curve : curves) epochs = std::min(epochs, curve.size());
  const auto count = static_cast<double>(curves.size());
  Curve means(curves.front().begin(), curves.front().begin() + static_cast<std::ptrdiff_t>(epochs));
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    CurvePoint& point = means[epoch];
    for (double CurvePoint::*figure : {&CurvePoint::training_s,
                                       &CurvePoint::samples,
                                       &CurvePoint::bytes_sent,
                                       &CurvePoint::learning_rate,
                                       &CurvePoint::train_loss,
                                       &CurvePoint::test_loss}) {
      double sum = 0;
      for (const Curve& curve : curves) sum += curve[epoch].*figure;
      point.*figure = sum / count;
    }
    for (std::optional<double> CurvePoint::*figure : {&CurvePoint::epoch_s,
                                                      &CurvePoint::train_accuracy,
                                                      &CurvePoint::test_accuracy,
                                                      &CurvePoint::test_perplexity,
                                                      &CurvePoint::discriminator_loss,
                                                      &CurvePoint::generator_loss}) {
      std::optional<double> sum = 0.0;
      for (const Curve& curve : curves) {
        const std::optional<double>& value = curve[epoch].*figure;
        sum = sum && value ? std::optional(*sum + *value) : std::nullopt;
      }
      point.*figure = sum ? std::optional(*sum / count) : std::nullopt;
    }
  }
  return means;
}

}  // namespace epochcast
