// SPDX-License-Identifier: Apache-2.0
#include "analysis/tune/race.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

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

class Racing {
 public:
  Racing(const std::vector<Candidate>& candidates,
         const TuningPlan& plan,
         const RehearseTo& rehearse)
      : candidates_(candidates), plan_(plan), rehearse_(rehearse) {
    race_.outcomes.resize(candidates.size());
  }

  Race run() {
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
    race_.finalists = std::move(alive_);
    return std::move(race_);
  }

 private:
  CandidateOutcome& outcome(std::size_t index) { return race_.outcomes[index]; }

  [[nodiscard]] bool has_reached(std::size_t index) const {
    return seeds_there(race_.outcomes[index], plan_) == plan_.seeds;
  }

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
    race_.racers = alive_;
  }

  void see_metric(const std::vector<std::vector<Curve>>& candidates) {
    if (plan_.goal.target) {
      race_.metric = plan_.goal.target->metric;
      return;
    }
    for (const std::vector<Curve>& curves : candidates) {
      for (const Curve& curve : curves) {
        if (!curve.empty()) race_.metric = main_metric(curve);
      }
    }
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
      values.push_back(values_after(outcome(index), race_.metric, until_s));
      losses.push_back(values_after(outcome(index), Metric::loss, until_s));
    }
    std::vector<std::size_t> ranked(alive_.size());  // indices into alive_
    std::iota(ranked.begin(), ranked.end(), 0);
    std::stable_sort(ranked.begin(), ranked.end(), [&](std::size_t a, std::size_t b) {
      return is_better(race_.metric, mean_of(values[a]), mean_of(values[b]));
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
      const bool is_behind = is_better(race_.metric, mean_of(values[first]), mean_of(values[one]));
      const bool is_worse =
          plan_.seeds == 1 || (is_behind && mean_of(ranks[one]) - mean_of(ranks[first]) > least);
      if (place < kept || candidates_[index].is_default || !is_worse) {
        left.push_back(index);
        continue;
      }
      outcome(index).fate = Fate::given_up;
      outcome(index).reason = "after " + format_seconds(until_s) + " " +
                              learned(race_.metric, values[one], losses[one]) + "; " +
                              candidates_[alive_[first]].name + " " +
                              learned(race_.metric, values[first], losses[first]);
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

  const std::vector<Candidate>& candidates_;
  const TuningPlan& plan_;
  const RehearseTo& rehearse_;
  std::vector<std::size_t> alive_;
  Race race_;
};

}  // namespace

int seeds_there(const CandidateOutcome& outcome, const TuningPlan& plan) {
  if (!plan.goal.target) return 0;
  return static_cast<int>(
      std::count_if(outcome.curves.begin(), outcome.curves.end(), [&](const Curve& curve) {
        const std::optional<double> seconds = seconds_to(curve, *plan.goal.target);
        return seconds && *seconds <= outcome.until_s;
      }));
}

std::vector<double> values_after(const CandidateOutcome& outcome, Metric metric, double seconds) {
  std::vector<double> values;
  values.reserve(outcome.curves.size());
  for (const Curve& curve : outcome.curves) values.push_back(value_at(curve, metric, seconds));
  return values;
}

Race race(const std::vector<Candidate>& candidates,
          const TuningPlan& plan,
          const RehearseTo& rehearse) {
  return Racing(candidates, plan, rehearse).run();
}

}  // namespace epochcast
