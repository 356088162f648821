// SPDX-License-Identifier: Apache-2.0
#include "core/curve_point.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/units.hpp"

namespace epochcast {
namespace {

std::string number(const char* format, double value) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string learned(double loss, const std::optional<double>& accuracy) {
  std::string text = "loss " + number("%.4f", loss);
  if (accuracy) text += ", accuracy " + number("%.2f %%", 100 * *accuracy);
  return text;
}

nlohmann::ordered_json maybe(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

std::optional<double> maybe(const nlohmann::ordered_json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<double>();
}

/// JSON has no way to write what is not finite but null.
double number_from(const nlohmann::ordered_json& value) {
  return maybe(value).value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

nlohmann::ordered_json to_json(const CurvePoint& point) {
  return {{"epoch", point.epoch},
          {"epoch_s", maybe(point.epoch_s)},
          {"training_s", point.training_s},
          {"samples", point.samples},
          {"bytes_sent", point.bytes_sent},
          {"learning_rate", point.learning_rate},
          {"train_loss", point.train_loss},
          {"train_accuracy", maybe(point.train_accuracy)},
          {"test_loss", point.test_loss},
          {"test_accuracy", maybe(point.test_accuracy)}};
}

CurvePoint curve_point_from_json(const nlohmann::ordered_json& json) {
  return {.epoch = json.at("epoch"),
          .epoch_s = maybe(json.at("epoch_s")),
          .training_s = json.at("training_s"),
          .samples = json.at("samples"),
          .bytes_sent = json.at("bytes_sent"),
          .learning_rate = json.at("learning_rate"),
          .train_loss = number_from(json.at("train_loss")),
          .train_accuracy = maybe(json.at("train_accuracy")),
          .test_loss = number_from(json.at("test_loss")),
          .test_accuracy = maybe(json.at("test_accuracy"))};
}

std::string text_of(const CurvePoint& point, std::int64_t epochs) {
  return "epoch " + std::to_string(point.epoch) + "/" + std::to_string(epochs) + ": " +
         (point.epoch_s ? format_seconds(*point.epoch_s) + ", " : std::string()) +
         learned(point.train_loss, point.train_accuracy) + "; test " +
         learned(point.test_loss, point.test_accuracy);
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
    for (std::optional<double> CurvePoint::*figure :
         {&CurvePoint::epoch_s, &CurvePoint::train_accuracy, &CurvePoint::test_accuracy}) {
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

double accuracy_at(const Curve& curve, double seconds) {
  double before_s = 0;
  double before = 0;
  for (const CurvePoint& point : curve) {
    const double now = point.test_accuracy.value_or(0);
    if (point.training_s >= seconds) {
      const double share = (seconds - before_s) / (point.training_s - before_s);
      return before + share * (now - before);
    }
    before_s = point.training_s;
    before = now;
  }
  return before;
}

double loss_at(const Curve& curve, double seconds) {
  const auto after = std::find_if(curve.begin(), curve.end(), [&](const CurvePoint& point) {
    return point.training_s >= seconds;
  });
  if (after == curve.begin()) return curve.front().test_loss;
  const CurvePoint& before = *(after - 1);
  if (after == curve.end()) return before.test_loss;
  const double share = (seconds - before.training_s) / (after->training_s - before.training_s);
  return before.test_loss + share * (after->test_loss - before.test_loss);
}

std::optional<double> seconds_to(const Curve& curve, double accuracy) {
  double before_s = 0;
  double before = 0;
  for (const CurvePoint& point : curve) {
    const double now = point.test_accuracy.value_or(0);
    if (now >= accuracy) {
      const double share = now > before ? std::max(0.0, (accuracy - before) / (now - before)) : 1;
      return before_s + share * (point.training_s - before_s);
    }
    before_s = point.training_s;
    before = now;
  }
  return std::nullopt;
}

}  // namespace epochcast
