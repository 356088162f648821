// SPDX-License-Identifier: Apache-2.0
#include "analysis/tune/tuning.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "analysis/tune/seed_statistics.hpp"
#include "core/spread.hpp"
#include "core/units.hpp"

namespace epochcast {
namespace {

using Fate = CandidateOutcome::Fate;

/// Averaging more rarely has to save more than this share of the time to be worth a rehearsal.
constexpr double kWorthIt = 1e-3;

/// How often the rehearsals of a rung stop to see whether the race is over.
constexpr int kStepsOfRung = 3;

/// "21.3 %, loss 2.104": means over seeds.
std::string learned(const std::vector<double>& accuracies, const std::vector<double>& losses) {
  return format_percent(mean_of(accuracies), 1) + fmt::format(", loss {:.3f}", mean_of(losses));
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
      const int steps = rung > 1 && plan_.goal.target_accuracy ? kStepsOfRung : 1;
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

  /// Seconds to the target by seed; those that did not reach it: what they were rehearsed for,
  /// which is less.
  [[nodiscard]] std::vector<double> seconds_of(std::size_t index) const {
    const CandidateOutcome& one = tuning_.outcomes[index];
    std::vector<double> seconds;
    seconds.reserve(one.curves.size());
    for (const Curve& curve : one.curves) {
      seconds.push_back(seconds_to(curve, *plan_.goal.target_accuracy)
                            .value_or(std::max(one.until_s, curve.back().training_s)));
    }
    return seconds;
  }
  /// Within the seconds of the rung: an epoch that is longer than a rung may get there later, and
  /// the others might be there before.
  [[nodiscard]] bool has_reached(std::size_t index) const {
    const CandidateOutcome& one = tuning_.outcomes[index];
    return std::all_of(one.curves.begin(), one.curves.end(), [&](const Curve& curve) {
      const std::optional<double> seconds = seconds_to(curve, *plan_.goal.target_accuracy);
      return seconds && *seconds <= one.until_s;
    });
  }
  [[nodiscard]] std::vector<double> accuracies_of(std::size_t index, double seconds) const {
    const std::vector<Curve>& curves = tuning_.outcomes[index].curves;
    std::vector<double> accuracies;
    accuracies.reserve(curves.size());
    for (const Curve& curve : curves) accuracies.push_back(accuracy_at(curve, seconds));
    return accuracies;
  }

  /// Infinite where it is none.
  [[nodiscard]] std::vector<double> losses_of(std::size_t index, double seconds) const {
    const std::vector<Curve>& curves = tuning_.outcomes[index].curves;
    std::vector<double> losses;
    losses.reserve(curves.size());
    for (const Curve& curve : curves) {
      const double loss = loss_at(curve, seconds);
      losses.push_back(std::isnan(loss) ? std::numeric_limits<double>::infinity() : loss);
    }
    return losses;
  }

  [[nodiscard]] bool has_winner() const {
    return plan_.goal.target_accuracy &&
           std::any_of(
               alive_.begin(), alive_.end(), [&](std::size_t index) { return has_reached(index); });
  }

  /// Gives up who is neither among the best 1/eta after so many seconds, nor might be the best.
  void halve(double until_s) {
    if (alive_.empty()) return;
    std::vector<std::vector<double>> accuracies;
    std::vector<std::vector<double>> losses;
    for (const std::size_t index : alive_) {
      accuracies.push_back(accuracies_of(index, until_s));
      losses.push_back(losses_of(index, until_s));
    }
    std::vector<std::size_t> ranked(alive_.size());  // indices into alive_
    std::iota(ranked.begin(), ranked.end(), 0);
    std::stable_sort(ranked.begin(), ranked.end(), [&](std::size_t a, std::size_t b) {
      return mean_of(accuracies[a]) > mean_of(accuracies[b]);
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
      const bool is_behind = mean_of(accuracies[one]) < mean_of(accuracies[first]);
      const bool is_worse =
          plan_.seeds == 1 || (is_behind && mean_of(ranks[one]) - mean_of(ranks[first]) > least);
      if (place < kept || candidates_[index].is_default || !is_worse) {
        left.push_back(index);
        continue;
      }
      outcome(index).fate = Fate::given_up;
      outcome(index).reason =
          "after " + format_seconds(until_s) + " " + learned(accuracies[one], losses[one]) + "; " +
          candidates_[alive_[first]].name + " " + learned(accuracies[first], losses[first]);
    }
    std::sort(left.begin(), left.end());
    alive_ = std::move(left);
  }

  /// After the race: whoever has not come by now with every seed.
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

  /// The larger the better.
  [[nodiscard]] std::vector<double> merits_of(std::size_t index) const {
    if (!plan_.goal.target_accuracy) return accuracies_of(index, plan_.goal.most_s);
    std::vector<double> merits = seconds_of(index);
    for (double& seconds : merits) seconds = -seconds;
    return merits;
  }

  void judge() {
    for (const std::size_t index : alive_) {
      if (plan_.goal.target_accuracy && !has_reached(index)) continue;
      const std::vector<double> merits = merits_of(index);
      outcome(index).mean = std::abs(mean_of(merits));
      outcome(index).deviation = deviation_of(merits);
      if (!tuning_.best || mean_of(merits) > mean_of(merits_of(*tuning_.best)))
        tuning_.best = index;
    }
    if (!tuning_.best) return;
    for (const std::size_t index : racers_) {
      if (index == *tuning_.best) continue;
      const double confidence = confidence_of_more(merits_of(*tuning_.best), merits_of(index));
      if (tuning_.runner_up && confidence >= *tuning_.confidence) continue;
      tuning_.runner_up = index;
      tuning_.confidence = confidence;
    }
  }

  void find_front() {
    std::vector<FrontPoint> points;
    for (std::size_t index = 0; index < candidates_.size(); ++index) {
      const std::vector<Curve>& curves = outcome(index).curves;
      if (curves.empty() || outcome(index).fate == Fate::diverged) continue;
      for (const CurvePoint& mean : mean_of(curves)) {
        points.push_back({.candidate = index,
                          .seconds = mean.training_s,
                          .accuracy = mean.test_accuracy.value_or(0)});
      }
    }
    std::sort(points.begin(), points.end(), [](const FrontPoint& a, const FrontPoint& b) {
      return std::tuple(a.seconds, -a.accuracy) < std::tuple(b.seconds, -b.accuracy);
    });
    double best = -1;
    for (const FrontPoint& point : points) {
      if (point.accuracy <= best) continue;
      best = point.accuracy;
      tuning_.front.push_back(point);
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
  std::vector<std::size_t> racers_;  ///< who was rehearsed last, and did not diverge
  Tuning tuning_;
};

}  // namespace

Tuning tune(const std::vector<Candidate>& candidates,
            const TuningPlan& plan,
            const RehearseTo& rehearse) {
  return Tuner(candidates, plan, rehearse).run();
}

}  // namespace epochcast
