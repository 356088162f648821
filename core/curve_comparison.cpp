// SPDX-License-Identifier: Apache-2.0
#include "core/curve_comparison.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

namespace epochcast {
namespace {

std::vector<double> each_of(const std::vector<Curve>& curves,
                            const std::function<double(const Curve&)>& figure) {
  std::vector<double> values;
  std::transform(curves.begin(), curves.end(), std::back_inserter(values), figure);
  return values;
}

nlohmann::ordered_json json_of(const Spread& spread) {
  return {{"mean", spread.mean}, {"deviation", spread.deviation}};
}

Spread times(double factor, const Spread& spread) {
  return {.mean = factor * spread.mean, .deviation = factor * spread.deviation};
}

nlohmann::ordered_json json_or_null(const std::optional<Spread>& spread) {
  return spread ? json_of(*spread) : nlohmann::ordered_json();
}

}  // namespace

std::optional<Spread> CurveSummary::to_target_cost() const {
  if (!to_target_s || !running.price) return std::nullopt;
  return times(running.price->of(1), *to_target_s);
}

std::optional<Spread> CurveSummary::to_target_j() const {
  if (!to_target_s || !running.power_w) return std::nullopt;
  return times(*running.power_w, *to_target_s);
}

CurveSummary summary_of(const SeededCurves& job) {
  const std::vector<Curve>& curves = job.curves;
  const auto last = [&](double CurvePoint::*figure) {
    return each_of(curves, [=](const Curve& curve) { return curve.back().*figure; });
  };
  CurveSummary summary;
  summary.name = job.name;
  summary.seeds = curves.size();
  summary.running = job.running;
  summary.epochs = mean_of(
      each_of(curves, [](const Curve& curve) { return static_cast<double>(curve.back().epoch); }));
  summary.training_s = mean_of(last(&CurvePoint::training_s));
  summary.samples = mean_of(last(&CurvePoint::samples));
  summary.bytes_sent = mean_of(last(&CurvePoint::bytes_sent));
  summary.test_loss = spread_of(last(&CurvePoint::test_loss));
  summary.metric = main_metric(curves.front());
  const auto value = [&](const CurvePoint& point) {
    return value_of(point, summary.metric).value_or(std::numeric_limits<double>::quiet_NaN());
  };
  const auto best = [&](const Curve& curve) { return best_of(curve, summary.metric); };
  summary.test =
      spread_of(each_of(curves, [&](const Curve& curve) { return value(curve.back()); }));
  summary.best = spread_of(each_of(curves, [&](const Curve& curve) { return value(best(curve)); }));
  summary.best_epoch = mean_of(
      each_of(curves, [&](const Curve& curve) { return static_cast<double>(best(curve).epoch); }));
  return summary;
}

CurveComparison compare(const std::vector<SeededCurves>& jobs,
                        const std::optional<LearningTarget>& target) {
  CurveComparison comparison;
  comparison.samples = comparison.seconds = std::numeric_limits<double>::infinity();
  for (const SeededCurves& job : jobs) {
    for (const Curve& curve : job.curves) {
      comparison.samples = std::min(comparison.samples, curve.back().samples);
      comparison.seconds = std::min(comparison.seconds, curve.back().training_s);
    }
  }
  for (const SeededCurves& job : jobs) {
    CurveSummary summary = summary_of(job);
    summary.at_samples = spread_of(each_of(job.curves, [&](const Curve& curve) {
      return value_after(curve, summary.metric, comparison.samples);
    }));
    summary.at_seconds = spread_of(each_of(job.curves, [&](const Curve& curve) {
      return value_at(curve, summary.metric, comparison.seconds);
    }));
    std::vector<double> reached_s;
    for (const Curve& curve : job.curves) {
      const auto seconds = target ? seconds_to(curve, *target) : std::nullopt;
      if (seconds) reached_s.push_back(*seconds);
    }
    summary.reached = reached_s.size();
    if (!reached_s.empty()) summary.to_target_s = spread_of(reached_s);
    comparison.jobs.push_back(std::move(summary));
  }
  return comparison;
}

nlohmann::ordered_json to_json(const CurveComparison& comparison) {
  nlohmann::ordered_json jobs = nlohmann::ordered_json::array();
  for (const CurveSummary& job : comparison.jobs) {
    const std::string metric(to_string(job.metric));
    jobs.push_back({{"job", job.name},
                    {"seeds", job.seeds},
                    {"epochs", job.epochs},
                    {"training_s", job.training_s},
                    {"samples", job.samples},
                    {"bytes_sent", job.bytes_sent},
                    {"test_loss", json_of(job.test_loss)},
                    {"metric", metric},
                    {"test_" + metric, json_of(job.test)},
                    {"best_test_" + metric, json_of(job.best)},
                    {"best_epoch", job.best_epoch},
                    {metric + "_at_samples", json_of(job.at_samples)},
                    {metric + "_at_seconds", json_of(job.at_seconds)},
                    {"seeds_at_target", job.reached},
                    {"target_s", json_or_null(job.to_target_s)}});
    if (job.running.price) {
      jobs.back()["currency"] = job.running.price->currency;
      jobs.back()["target_cost"] = json_or_null(job.to_target_cost());
    }
    if (job.running.power_w) jobs.back()["target_energy_j"] = json_or_null(job.to_target_j());
  }
  return {{"samples", comparison.samples}, {"seconds", comparison.seconds}, {"jobs", jobs}};
}

}  // namespace epochcast
