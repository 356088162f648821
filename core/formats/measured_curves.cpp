// SPDX-License-Identifier: Apache-2.0
#include "core/formats/measured_curves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/json/json_file.hpp"
#include "base/json/json_input.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCurvesSchema = "epochcast.curves/1";

Json to_json(const MeasuredTest& test) {
  Json json = {{"samples", test.samples}};
  if (test.loss) json["loss"] = *test.loss;
  if (test.accuracy) json["accuracy"] = *test.accuracy;
  if (test.perplexity) json["perplexity"] = *test.perplexity;
  return json;
}

/// A finite number from `low` to `high`.
double read_value(const JsonInput& input, double low, double high) {
  const nlohmann::json& value = input.value();
  const double number = value.is_number() ? value.get<double>() : -1;
  if (std::isfinite(number) && number >= low && number <= high) return number;
  input.fail(high == 1 ? "a share, 0 to 1" : "a number that is not negative");
  return low;
}

MeasuredTest read_test(JsonInput input) {
  constexpr double kLargest = 1e18;
  MeasuredTest test = {.samples = read_value(input.at("samples"), 0, kLargest)};
  const auto read = [&](const char* key, double high) -> std::optional<double> {
    const auto value = input.maybe(key);
    return value ? std::optional(read_value(*value, 0, high)) : std::nullopt;
  };
  test.loss = read("loss", kLargest);
  test.accuracy = read("accuracy", 1);
  test.perplexity = read("perplexity", kLargest);
  if (!test.loss && !test.accuracy && !test.perplexity)
    input.fail("a loss, an accuracy or a perplexity");
  input.finish();
  return test;
}

std::vector<MeasuredTest> read_run_of_tests(const JsonInput& input) {
  std::vector<MeasuredTest> tests;
  for (const JsonInput& element : input.elements(1)) {
    const MeasuredTest test = read_test(element);
    if (!tests.empty() && test.samples <= tests.back().samples)
      element.fail("more samples than at the test before");
    tests.push_back(test);
  }
  return tests;
}

}  // namespace

Json to_json(const MeasuredCurves& curves) {
  Json settings = Json::object();
  for (const SettingText& setting : curves.settings) settings[setting.name] = setting.value;
  Json runs = Json::array();
  for (const auto& tests : curves.runs) {
    Json run = Json::array();
    for (const MeasuredTest& test : tests) run.push_back(to_json(test));
    runs.push_back(std::move(run));
  }
  return {{"schema", kCurvesSchema},
          {"network", curves.network},
          {"dataset", curves.dataset},
          {"strategy", curves.strategy},
          {"settings", std::move(settings)},
          {"batch", curves.batch},
          {"workers", curves.workers},
          {"source", to_json(curves.source)},
          {"runs", std::move(runs)}};
}

MeasuredCurves load_measured_curves(const std::filesystem::path& file) {
  const nlohmann::json document = read_json_file(file);
  Problems problems(file.string());
  JsonInput top = open_document(document, kCurvesSchema, problems);
  MeasuredCurves curves;
  curves.network = top.at("network").identifier();
  curves.dataset = top.at("dataset").identifier();
  curves.strategy = top.at("strategy").identifier();
  for (const JsonInput& setting : top.at("settings").members())
    curves.settings.push_back({setting.name(), setting.string()});
  curves.batch = top.at("batch").integer(1);
  curves.workers = top.at("workers").integer(1);
  curves.source = read_source(top.at("source"));
  for (const JsonInput& run : top.at("runs").elements(1))
    curves.runs.push_back(read_run_of_tests(run));
  top.finish();
  problems.throw_if_any();
  return curves;
}

const MeasuredCurves* curves_of(const CurveJob& job, const std::vector<MeasuredCurves>& all) {
  const auto is_it = [&](const MeasuredCurves& curves) {
    return curves.network == job.network && curves.dataset == job.dataset &&
           curves.strategy == job.strategy && curves.batch == job.batch &&
           curves.workers == job.workers &&
           std::ranges::all_of(curves.settings, [&](const SettingText& setting) {
             return std::ranges::count(job.settings, setting) > 0;
           });
  };
  const auto found = std::ranges::find_if(all, is_it);
  return found == all.end() ? nullptr : &*found;
}

std::optional<double> samples_to(const MeasuredCurves& curves, const LearningTarget& target) {
  double sum = 0;
  for (const std::vector<MeasuredTest>& tests : curves.runs) {
    const auto samples = samples_to(timed_curve(tests, 1), target);
    if (!samples) return std::nullopt;
    sum += *samples;
  }
  return sum / static_cast<double>(curves.runs.size());
}

Curve timed_curve(const std::vector<MeasuredTest>& tests, double seconds_per_sample) {
  Curve curve;
  for (const MeasuredTest& test : tests)
    curve.push_back({.epoch = static_cast<std::int64_t>(curve.size()) + 1,
                     .training_s = test.samples * seconds_per_sample,
                     .samples = test.samples,
                     .test_loss = test.loss.value_or(std::numeric_limits<double>::quiet_NaN()),
                     .test_accuracy = test.accuracy,
                     .test_perplexity = test.perplexity});
  return curve;
}

}  // namespace epochcast
