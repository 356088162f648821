// SPDX-License-Identifier: Apache-2.0
#include "analysis/tune/race.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "analysis/tune/prospects.hpp"
#include "base/text/units.hpp"

namespace epochcast {
namespace {

using Fate = CandidateOutcome::Fate;

/// The smallest relative saving of time for which a larger averaging period is rehearsed.
constexpr double kWorthIt = 1e-3;
/// Ratio of the seconds of successive steps.
constexpr double kStep = 1.44;

class Racing {
 public:
  Racing(const std::vector<Candidate>& candidates,
         const TuningPlan& plan,
         const RehearseTo& rehearse)
      : candidates_(candidates), plan_(plan), rehearse_(rehearse) {
    race_.outcomes.resize(candidates.size());
    rivals_.resize(candidates.size());
  }

  Race run() {
    leave_out_dominated();
    double from_s = plan_.goal.most_s;
    for (const Candidate& one : candidates_) from_s = std::min(from_s, one.epoch_s);
    for (int seed = 0; seed < plan_.seeds && !alive_.empty();) {
      run_seed(seed, from_s);
      // Candidates that are back have trained for less.
      seed = std::exchange(are_some_back_, false) ? 0 : seed + 1;
    }
    race_.finalists = std::move(alive_);
    return std::move(race_);
  }

 private:
  CandidateOutcome& outcome(std::size_t index) { return race_.outcomes[index]; }

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

  void run_seed(int seed, double from_s) {
    for (double until_s = from_s;; until_s *= kStep) {
      // The last step is not shorter than the others.
      if (until_s * std::sqrt(kStep) > plan_.goal.most_s) until_s = plan_.goal.most_s;
      climb(seed, until_s);
      give_up_late(seed);
      if (are_some_back_) return;
      give_up_hopeless(until_s);
      if (until_s >= plan_.goal.most_s || open_trials(seed, plan_.goal.most_s).empty()) return;
    }
  }

  /// Of the candidates in the race that have neither trained for so long nor reached the target.
  [[nodiscard]] std::vector<Trial> open_trials(int seed, double until_s) const {
    std::vector<Trial> open;
    for (const std::size_t index : alive_) {
      const std::vector<Curve>& curves = race_.outcomes[index].curves;
      const auto place = static_cast<std::size_t>(seed);
      const bool is_there = place < curves.size() &&
                            (curves[place].back().training_s >= until_s ||
                             (plan_.goal.target && seconds_to(curves[place], *plan_.goal.target)));
      if (!is_there) open.push_back({index, seed});
    }
    return open;
  }

  void climb(int seed, double until_s) {
    const std::vector<Trial> trials = open_trials(seed, until_s);
    if (trials.empty()) return;
    const std::vector<Curve> curves = rehearse_(trials, until_s);
    for (std::size_t i = 0; i < trials.size(); ++i) {
      CandidateOutcome& one = outcome(trials[i].candidate);
      if (curves[i].empty()) {
        one.fate = Fate::diverged;
        one.reason = "the loss became infinite or no number";
        drop(trials[i].candidate);
        continue;
      }
      one.curves.resize(std::max(one.curves.size(), static_cast<std::size_t>(seed) + 1));
      one.curves[static_cast<std::size_t>(seed)] = curves[i];
      if (!metric_)
        metric_ = plan_.goal.target ? plan_.goal.target->metric : main_metric(curves[i]);
    }
    race_.metric = metric_.value_or(Metric::accuracy);
  }

  void give_up_hopeless(double until_s) {
    if (alive_.size() < 2) return;
    const Prospects prospects(race_.outcomes, alive_, plan_, race_.metric);
    const std::size_t ahead = prospects.ahead();
    std::vector<std::size_t> left;
    for (const std::size_t index : alive_) {
      if (index == ahead || prospects.chance_of(index) >= 1 - plan_.confidence) {
        left.push_back(index);
        continue;
      }
      outcome(index).fate = Fate::given_up;
      rivals_[index] = ahead;
      outcome(index).stretch = prospects.stretch(index);
      outcome(index).reason = reason_of(outcome(index), until_s, candidates_[ahead].name);
    }
    alive_ = std::move(left);
  }

  [[nodiscard]] static std::string reason_of(const CandidateOutcome& outcome,
                                             double until_s,
                                             const std::string& ahead) {
    const std::string after = "after " + format_seconds(until_s);
    if (outcome.stretch)
      return after + fmt::format(", it learns as much as {} in {:.1f} times its time",
                                 ahead,
                                 *outcome.stretch);
    const std::size_t seeds = outcome.curves.size();
    return after + (seeds == 1 ? " with a seed" : fmt::format(" with {} seeds", seeds)) + ", " +
           ahead + " is better";
  }

  /// Gives up candidates that have trained for all of the time with this seed, without the target.
  void give_up_late(int seed) {
    if (!plan_.goal.target) return;
    for (const std::size_t index : std::vector<std::size_t>(alive_)) {
      const Curve& curve = outcome(index).curves[static_cast<std::size_t>(seed)];
      const std::optional<double> seconds = seconds_to(curve, *plan_.goal.target);
      if (seconds ? *seconds <= plan_.goal.most_s : curve.back().training_s < plan_.goal.most_s)
        continue;
      outcome(index).fate = Fate::given_up;
      outcome(index).reason =
          "not there after " + format_seconds(plan_.goal.most_s) + " with every seed";
      drop(index);
    }
  }

  /// Takes a candidate that has failed out of the race, and those back that were given up for it.
  void drop(std::size_t failed) {
    std::erase(alive_, failed);
    for (std::size_t index = 0; index < rivals_.size(); ++index) {
      if (rivals_[index] != failed) continue;
      rivals_[index].reset();
      outcome(index).fate = Fate::finalist;
      outcome(index).reason.clear();
      outcome(index).stretch.reset();
      alive_.push_back(index);
      are_some_back_ = true;
    }
    std::sort(alive_.begin(), alive_.end());
  }

  const std::vector<Candidate>& candidates_;
  const TuningPlan& plan_;
  const RehearseTo& rehearse_;
  std::vector<std::size_t> alive_;
  std::vector<std::optional<std::size_t>> rivals_;  ///< for which a candidate was given up
  bool are_some_back_ = false;
  std::optional<Metric> metric_;
  Race race_;
};

}  // namespace

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
