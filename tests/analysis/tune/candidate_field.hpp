// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/tune/tuning.hpp"

namespace epochcast::tests {

inline constexpr LearningTarget kNinety = {.metric = Metric::accuracy, .value = 0.9};

/// Candidates whose accuracy rises as 1 - exp(-rate · seconds), with some noise from seed to seed.
class CandidateField {
 public:
  std::size_t add(const std::string& name, double epoch_s, double rate, double noise = 0) {
    candidates.push_back({.name = name, .epoch_s = epoch_s, .s_per_sample = epoch_s});
    candidates.back().family = candidates.size();
    rates_.push_back(rate);
    noises_.push_back(noise);
    return candidates.size() - 1;
  }

  void test_with(std::int64_t samples, std::int64_t classes) {
    for (Candidate& one : candidates) {
      one.test_samples = samples;
      one.classes = classes;
    }
  }

  [[nodiscard]] Tuning tuned(const TuningPlan& plan) {
    return tune(candidates, plan, [&](const std::vector<Trial>& trials, double until_s) {
      std::vector<Curve> curves;
      for (const Trial& trial : trials) {
        asked[trial.candidate] = until_s;
        curves.push_back(curve(trial.candidate, trial.seed, until_s, plan.goal));
      }
      return curves;
    });
  }

  std::vector<Candidate> candidates;
  std::map<std::size_t, double> asked;   ///< seconds, by candidate: the last time
  std::map<std::size_t, double> caps;    ///< accuracies that are never exceeded
  std::map<std::size_t, double> losses;  ///< by candidate, at any time; else falling
  bool is_of_language = false;           ///< perplexities exist, too
  bool is_classified = true;             ///< accuracies exist

 private:
  [[nodiscard]] Curve curve(std::size_t index, int seed, double until_s, const TuningGoal& goal) {
    if (rates_[index] < 0) return {};
    Curve curve;
    const double luck = 1 + noises_[index] * (seed % 2 == 0 ? 1 : -1) * (1 + 0.1 * seed);
    do {
      CurvePoint point;
      point.epoch = static_cast<std::int64_t>(curve.size()) + 1;
      point.training_s = static_cast<double>(point.epoch) * candidates[index].epoch_s;
      point.test_loss = losses.contains(index) ? losses.at(index)
                                               : std::exp(-rates_[index] * luck * point.training_s);
      if (is_classified)
        point.test_accuracy = 1 - std::exp(-rates_[index] * luck * point.training_s);
      if (caps.contains(index) && 1 - point.test_loss > caps.at(index)) {
        point.test_loss = 1 - caps.at(index);
        point.test_accuracy = caps.at(index);
      }
      if (is_of_language) point.test_perplexity = std::exp(point.test_loss);
      curve.push_back(point);
    } while (curve.back().training_s < until_s &&
             !(goal.target && goal.target->is_met(curve.back())));
    return curve;
  }

  std::vector<double> rates_;
  std::vector<double> noises_;
};

}  // namespace epochcast::tests
