// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/curve_html.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/pages/escaped_html.hpp"
#include "analysis/pages/page.hpp"
#include "base/statistics/spread.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

struct Figure {
  const char* name;
  std::optional<double> (*value)(const CurvePoint& point);
};

constexpr Figure kFigures[] = {
    {"test_accuracy", [](const CurvePoint& p) { return p.test_accuracy; }},
    {"test_perplexity", [](const CurvePoint& p) { return p.test_perplexity; }},
    {"test_loss", [](const CurvePoint& p) { return std::optional(p.test_loss); }},
    {"train_loss", [](const CurvePoint& p) { return std::optional(p.train_loss); }},
    {"discriminator_loss", [](const CurvePoint& p) { return p.discriminator_loss; }},
    {"generator_loss", [](const CurvePoint& p) { return p.generator_loss; }}};

/// One epoch of all seeds; stopped seeds keep their last value.
Json point_of(const std::vector<Curve>& curves, std::size_t epoch) {
  double seconds = 0;
  double bytes = 0;
  int running = 0;
  for (const Curve& curve : curves) {
    if (curve.size() <= epoch) continue;
    seconds += curve[epoch].training_s;
    bytes += curve[epoch].bytes_sent;
    ++running;
  }
  Json point = {{"epoch", epoch + 1},
                {"training_s", seconds / running},
                {"bytes_sent", bytes / running},
                {"seeds", curves.size()}};
  for (const Figure& figure : kFigures) {
    std::vector<double> values;
    for (const Curve& curve : curves) {
      const std::optional<double> value = figure.value(curve[std::min(epoch, curve.size() - 1)]);
      if (value && std::isfinite(*value)) values.push_back(*value);
    }
    if (values.size() < curves.size()) continue;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    point["low"][figure.name] = *low;
    point["high"][figure.name] = *high;
    point[figure.name] = mean_of(values);
  }
  return point;
}

Json curve_of(const SeededCurves& job) {
  std::vector<Curve> curves;
  std::size_t epochs = 0;
  for (const Curve& curve : job.curves) {
    if (curve.empty()) continue;  // diverged in the first epoch
    curves.push_back(curve);
    epochs = std::max(epochs, curve.size());
  }
  Json points = Json::array();
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) points.push_back(point_of(curves, epoch));
  return {{"name", job.name}, {"points", std::move(points)}};
}

}  // namespace

std::string curve_html(const std::vector<SeededCurves>& jobs, const CurvePage& page) {
  Json data = {{"curves", Json::array()}, {"target", nullptr}, {"marked", page.shown_first}};
  for (const SeededCurves& job : jobs) data["curves"].push_back(curve_of(job));
  if (page.target)
    data["target"] = {{"metric", to_string(page.target->metric)}, {"value", page.target->value}};
  std::string body;
  if (!page.findings.empty()) body += "<pre>" + escaped_html(page.findings) + "</pre>\n";
  body +=
      "<p>Training was real: every worker's batches, gradients and parameters. Time is that of "
      "the simulated cluster.</p>\n";
  return page_html(page.title, page.command, body, {{.name = "curves", .data = std::move(data)}});
}

}  // namespace epochcast
