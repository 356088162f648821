// SPDX-License-Identifier: Apache-2.0
#include "analysis/tune/tuning.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/tune/seed_statistics.hpp"
#include "base/statistics/spread.hpp"
#include "base/text/units.hpp"

namespace epochcast {
namespace {

using Fate = CandidateOutcome::Fate;

/// The smallest relative saving of time for which a larger averaging period is rehearsed.
constexpr double kWorthIt = 1e-3;

/// Number of steps of a rung after which the end of the race is checked.
constexpr int kStepsOfRung = 3;

/// "21.3 %, loss 2.104" or "perplexity 41.4, loss 3.722": means over seeds.
std::string learned(Metric metric,
                    const std::vector<double>& values,
                    const std::vector<double>& losses) {
  std::string loss = fmt::format("loss {:.3f}", mean_of(losses));
  if (metric == Metric::loss) return loss;
  const std::string what = metric == Metric::accuracy ? "" : std::string(to_string(metric)) + " ";
  return what + metric_text(metric, mean_of(values)) + ", " + loss;
}

class Tuner {
 public:
  Tuner(const std::vector<Candidate>& candidates,
        const TuningPlan& plan,
        const RehearseTo& rehearse)
      : candidates_(candidates), plan_(plan), rehearse_(rehearse) {
    tuning_.outcomes.resize(candidates.size());
  }

  Tuning run() {
    leave_out_dominated();
    const int rungs = rung_count();
    for (int rung = 1; rung <= rungs && !alive_.empty(); ++rung) {
      const double until_s = plan_.goal.most_s / std::pow(plan_.eta, rungs - rung);
      const int steps = rung > 1 && plan_.goal.target ? kStepsOfRung : 1;
      bool is_over = false;
      for (int step = 1; step <= steps && !is_over; ++step) {
        climb(until_s * std::pow(plan_.eta, static_cast<double>(step) / steps - 1));
        is_over = has_winner();
      }
      if (is_over) {
        give_up_late();
        break;
      }
      if (rung < rungs) halve(until_s);
    }
    judge();
    test_against_chance();
    tuning_.verdict = verdict();
    find_front();
    account();
    return std::move(tuning_);
  }

 private:
  CandidateOutcome& outcome(std::size_t index) { return tuning_.outcomes[index]; }

  void leave_out_dominated() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const Candidate& one = candidates_[i];
      const auto better =
          std::find_if(candidates_.begin(), candidates_.end(), [&](const Candidate& other) {
            return other.family == one.family && other.period < one.period &&
                   other.s_per_sample <= one.s_per_sample * (1 + kWorthIt);
          });
      if (better == candidates_.end() || one.is_default) {
        alive_.push_back(i);
        continue;
      }
      outcome(i).fate = Fate::dominated;
      outcome(i).reason = better->name + " averages more often and takes no longer";
    }
  }

  /// The first rung is as long as an epoch of the fastest candidate, or longer.
  [[nodiscard]] int rung_count() const {
    double fastest_s = plan_.goal.most_s;
    for (const Candidate& one : candidates_) fastest_s = std::min(fastest_s, one.epoch_s);
    constexpr double kRounding = 1e-9;
    const double epochs = plan_.goal.most_s / fastest_s;
    return 1 + static_cast<int>(std::floor(std::log(epochs) / std::log(plan_.eta) + kRounding));
  }

  void climb(double until_s) {
    const std::vector<std::vector<Curve>> curves = rehearse_(alive_, until_s);
    see_metric(curves);
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < alive_.size(); ++i) {
      CandidateOutcome& one = outcome(alive_[i]);
      one.curves = curves[i];
      one.until_s = until_s;
      const bool has_diverged = std::any_of(
          one.curves.begin(), one.curves.end(), [](const Curve& curve) { return curve.empty(); });
      if (has_diverged) {
        one.fate = Fate::diverged;
        one.reason = "the loss became infinite or no number";
      } else {
        left.push_back(alive_[i]);
      }
    }
    alive_ = std::move(left);
    racers_ = alive_;
  }

  void see_metric(const std::vector<std::vector<Curve>>& candidates) {
    if (plan_.goal.target) {
      tuning_.metric = plan_.goal.target->metric;
      return;
    }
    for (const std::vector<Curve>& curves : candidates) {
      for (const Curve& curve : curves) {
        if (!curve.empty()) tuning_.metric = main_metric(curve);
      }
    }
  }

  /// Seconds to the target by seed; for seeds that did not reach it: the rehearsed time, a lower
  /// bound.
  [[nodiscard]] std::vector<double> seconds_of(std::size_t index) const {
    const CandidateOutcome& one = tuning_.outcomes[index];
    std::vector<double> seconds;
    seconds.reserve(one.curves.size());
    for (const Curve& curve : one.curves) {
      seconds.push_back(seconds_to(curve, *plan_.goal.target)
                            .value_or(std::max(one.until_s, curve.back().training_s)));
    }
    return seconds;
  }
  /// Within the seconds of the rung: an epoch that is longer than a rung may reach it later, after
  /// others.
  [[nodiscard]] bool has_reached(std::size_t index) const {
    return seeds_there(index) == plan_.seeds;
  }
  [[nodiscard]] int seeds_there(std::size_t index) const {
    const CandidateOutcome& one = tuning_.outcomes[index];
    if (!plan_.goal.target) return 0;
    return static_cast<int>(
        std::count_if(one.curves.begin(), one.curves.end(), [&](const Curve& curve) {
          const std::optional<double> seconds = seconds_to(curve, *plan_.goal.target);
          return seconds && *seconds <= one.until_s;
        }));
  }
  [[nodiscard]] std::vector<double> values_of(std::size_t index, double seconds) const {
    const std::vector<Curve>& curves = tuning_.outcomes[index].curves;
    std::vector<double> values;
    values.reserve(curves.size());
    for (const Curve& curve : curves) values.push_back(value_at(curve, tuning_.metric, seconds));
    return values;
  }

  /// Infinite without a test.
  [[nodiscard]] std::vector<double> losses_of(std::size_t index, double seconds) const {
    const std::vector<Curve>& curves = tuning_.outcomes[index].curves;
    std::vector<double> losses;
    losses.reserve(curves.size());
    for (const Curve& curve : curves) {
      losses.push_back(value_at(curve, Metric::loss, seconds));
    }
    return losses;
  }

  [[nodiscard]] bool has_winner() const {
    return plan_.goal.target && std::any_of(alive_.begin(), alive_.end(), [&](std::size_t index) {
             return has_reached(index);
           });
  }

  /// Gives up candidates that are neither among the best 1/eta after these seconds, nor possibly
  /// the best.
  void halve(double until_s) {
    if (alive_.empty()) return;
    std::vector<std::vector<double>> values;
    std::vector<std::vector<double>> losses;
    for (const std::size_t index : alive_) {
      values.push_back(values_of(index, until_s));
      losses.push_back(losses_of(index, until_s));
    }
    std::vector<std::size_t> ranked(alive_.size());  // indices into alive_
    std::iota(ranked.begin(), ranked.end(), 0);
    std::stable_sort(ranked.begin(), ranked.end(), [&](std::size_t a, std::size_t b) {
      return is_better(tuning_.metric, mean_of(values[a]), mean_of(values[b]));
    });
    const std::size_t first = ranked.front();
    const auto kept =
        static_cast<std::size_t>(std::ceil(static_cast<double>(ranked.size()) / plan_.eta));
    const std::vector<std::vector<double>> ranks = ranks_by_column(losses);
    const double least = least_significant_difference(ranks, plan_.confidence);
    std::vector<std::size_t> left;
    for (std::size_t place = 0; place < ranked.size(); ++place) {
      const std::size_t one = ranked[place];
      const std::size_t index = alive_[one];
      const bool is_behind =
          is_better(tuning_.metric, mean_of(values[first]), mean_of(values[one]));
      const bool is_worse =
          plan_.seeds == 1 || (is_behind && mean_of(ranks[one]) - mean_of(ranks[first]) > least);
      if (place < kept || candidates_[index].is_default || !is_worse) {
        left.push_back(index);
        continue;
      }
      outcome(index).fate = Fate::given_up;
      outcome(index).reason = "after " + format_seconds(until_s) + " " +
                              learned(tuning_.metric, values[one], losses[one]) + "; " +
                              candidates_[alive_[first]].name + " " +
                              learned(tuning_.metric, values[first], losses[first]);
    }
    std::sort(left.begin(), left.end());
    alive_ = std::move(left);
  }

  /// After the race: gives up candidates without the target for every seed.
  void give_up_late() {
    std::vector<std::size_t> left;
    for (const std::size_t index : alive_) {
      if (has_reached(index) || candidates_[index].is_default) {
        left.push_back(index);
        continue;
      }
      outcome(index).fate = Fate::given_up;
      outcome(index).reason =
          "not there after " + format_seconds(outcome(index).until_s) + " with every seed";
    }
    alive_ = std::move(left);
  }

  /// By seed: see Tuning.
  [[nodiscard]] std::vector<double> objectives_of(std::size_t index) const {
    return plan_.goal.target ? seconds_of(index) : values_of(index, plan_.goal.most_s);
  }
  /// The larger the better.
  [[nodiscard]] std::vector<double> merits_of(std::size_t index) const {
    std::vector<double> merits = objectives_of(index);
    if (plan_.goal.target || tuning_.metric != Metric::accuracy) {
      for (double& merit : merits) merit = -merit;
    }
    return merits;
  }

  void judge() {
    for (const std::size_t index : rehearsed()) outcome(index).seeds_there = seeds_there(index);
    for (const std::size_t index : alive_) {
      if (plan_.goal.target && !has_reached(index)) continue;
      const std::vector<double> objectives = objectives_of(index);
      outcome(index).mean = mean_of(objectives);
      outcome(index).deviation = deviation_of(objectives);
      if (!tuning_.best || mean_of(merits_of(index)) > mean_of(merits_of(*tuning_.best)))
        tuning_.best = index;
    }
    if (!tuning_.best) return;
    for (const std::size_t index : compared()) {
      if (index == *tuning_.best) continue;
      const double confidence = confidence_against(index);
      if (confidence < plan_.confidence) tuning_.tied.push_back(index);
      if (tuning_.runner_up && confidence >= *tuning_.confidence) continue;
      tuning_.runner_up = index;
      tuning_.confidence = confidence;
    }
  }

  /// Candidates for comparison with the best: those of the last rung; with one seed, all that were
  /// rehearsed, since the others were given up without a test.
  [[nodiscard]] std::vector<std::size_t> compared() const {
    return plan_.seeds > 1 ? racers_ : rehearsed();
  }

  [[nodiscard]] std::vector<std::size_t> rehearsed() const {
    std::vector<std::size_t> indices;
    for (std::size_t index = 0; index < candidates_.size(); ++index) {
      const CandidateOutcome& one = tuning_.outcomes[index];
      if (!one.curves.empty() && one.fate != Fate::diverged) indices.push_back(index);
    }
    return indices;
  }

  /// Confidence that the best is better than another one.
  [[nodiscard]] double confidence_against(std::size_t other) const {
    const std::size_t best = *tuning_.best;
    if (plan_.seeds > 1) return confidence_of_more(merits_of(best), merits_of(other));
    constexpr double kUnknown = 0.5;
    if (tuning_.metric != Metric::accuracy) return kUnknown;
    const double until_s =
        std::min(tuning_.outcomes[other].until_s,
                 plan_.goal.target ? objectives_of(best).front() : tuning_.outcomes[best].until_s);
    return confidence_of_more_correct(values_of(best, until_s).front(),
                                      values_of(other, until_s).front(),
                                      candidates_[best].test_samples);
  }

  void test_against_chance() {
    if (tuning_.metric != Metric::accuracy) return;
    const std::vector<std::size_t> tried = rehearsed();
    std::optional<ChanceTest> highest;
    for (const std::size_t index : tried) {
      std::vector<double> accuracies;
      for (const Curve& curve : outcome(index).curves)
        accuracies.push_back(value_of(curve.back(), Metric::accuracy).value_or(0));
      const double accuracy = mean_of(accuracies);
      const bool is_wanted =
          tuning_.best ? index == *tuning_.best : !highest || accuracy > highest->accuracy;
      if (is_wanted) highest = {.candidate = index, .accuracy = accuracy};
    }
    if (!highest) return;
    const Candidate& one = candidates_[highest->candidate];
    if (one.classes < 2 || one.test_samples < 1) return;
    highest->p = std::min(1.0,
                          static_cast<double>(tried.size()) *
                              p_of_chance(highest->accuracy, one.test_samples, one.classes));
    tuning_.chance = highest;
  }

  [[nodiscard]] Verdict verdict() const {
    if (tuning_.chance && tuning_.chance->p > 1 - plan_.confidence) return Verdict::nothing_learned;
    if (!tuning_.best) return Verdict::not_reached;
    return tuning_.tied.empty() ? Verdict::recommended : Verdict::no_difference;
  }

  void find_front() {
    std::vector<FrontPoint> points;
    for (std::size_t index = 0; index < candidates_.size(); ++index) {
      const std::vector<Curve>& curves = outcome(index).curves;
      if (curves.empty() || outcome(index).fate == Fate::diverged) continue;
      for (const CurvePoint& mean : mean_of(curves)) {
        const std::optional<double> value = value_of(mean, tuning_.metric);
        const bool is_late = plan_.goal.target && mean.training_s > outcome(index).until_s;
        if (value && std::isfinite(*value) && !is_late)
          points.push_back({.candidate = index, .seconds = mean.training_s, .value = *value});
      }
    }
    std::sort(points.begin(), points.end(), [this](const FrontPoint& a, const FrontPoint& b) {
      if (a.seconds != b.seconds) return a.seconds < b.seconds;
      return is_better(tuning_.metric, a.value, b.value);
    });
    for (const FrontPoint& point : points) {
      const bool is_new = tuning_.front.empty() ||
                          is_better(tuning_.metric, point.value, tuning_.front.back().value);
      if (is_new) tuning_.front.push_back(point);
    }
  }

  void account() {
    for (std::size_t index = 0; index < candidates_.size(); ++index) {
      for (const Curve& curve : outcome(index).curves)
        tuning_.rehearsed_s += curve.empty() ? 0 : curve.back().training_s;
      const double epoch_s = candidates_[index].epoch_s;
      tuning_.exhaustive_s += plan_.seeds * std::ceil(plan_.goal.most_s / epoch_s) * epoch_s;
    }
  }

  const std::vector<Candidate>& candidates_;
  const TuningPlan& plan_;
  const RehearseTo& rehearse_;
  std::vector<std::size_t> alive_;
  std::vector<std::size_t> racers_;  ///< of the last rung, not diverged
  Tuning tuning_;
};

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::nothing_learned:
      return "nothing learned";
    case Verdict::not_reached:
      return "target not reached";
    case Verdict::no_difference:
      return "no difference";
    case Verdict::recommended:
      return "recommended";
  }
  return "?";
}

Tuning tune(const std::vector<Candidate>& candidates,
            const TuningPlan& plan,
            const RehearseTo& rehearse) {
  return Tuner(candidates, plan, rehearse).run();
}

}  // namespace epochcast
