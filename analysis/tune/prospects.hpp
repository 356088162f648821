// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "analysis/tune/tuning.hpp"

namespace epochcast {

/// How many times as long a setting needs to learn as much as another one, from the beginnings of
/// their curves: the seconds after which it has its lowest test loss, over those after which the
/// other one had that loss (interpolated between tests). 0: it cannot be said, since the other one
/// has never had it. `untrained`: the loss before training.
///
/// A curve is so extrapolated by another setting's that has learned more, stretched in time, as
/// Chandrashekaran and Lane (ECML PKDD 2017) extrapolate by curves of earlier trainings. Parametric
/// curves (Domhan et al., IJCAI 2015) cannot foresee the plateaus of a common network and data set.
[[nodiscard]] double stretch_of(const Curve& curve, const Curve& other, double untrained);

/// What the candidates of a race may come to.
class Prospects {
 public:
  /// Of the candidates `some`, which have been rehearsed with the first seed at least.
  Prospects(const std::vector<CandidateOutcome>& outcomes,
            const std::vector<std::size_t>& some,
            const TuningPlan& plan,
            Metric metric);

  /// The best one so far: of those that have finished with a seed, or, if none has, that with the
  /// lowest loss after the same time.
  [[nodiscard]] std::size_t ahead() const { return ahead_; }
  /// The probability that a candidate's objective, its mean over seeds, is better than that of the
  /// one ahead.
  [[nodiscard]] double chance_of(std::size_t index) const;
  /// stretch_of() against the one ahead; none once the candidate has finished with a seed.
  [[nodiscard]] std::optional<double> stretch(std::size_t index) const;

 private:
  struct Known {
    std::vector<double> objectives = {};  ///< of seeds that are finished
    double under_way_s = 0;               ///< of training with the seed that is not; 0: none is
    [[nodiscard]] bool has_any() const { return !objectives.empty(); }
  };
  /// Of the mean over all seeds. The deviation is relative to it.
  struct Estimate {
    double mean = 0;
    double deviation = 0;
  };

  [[nodiscard]] Known known_of(const CandidateOutcome& outcome) const;
  [[nodiscard]] std::size_t find_ahead() const;
  [[nodiscard]] double deviation_between_seeds() const;
  [[nodiscard]] Estimate estimate_of(const Known& known) const;

  const std::vector<CandidateOutcome>& outcomes_;
  const TuningPlan& plan_;
  Metric metric_;
  std::map<std::size_t, Known> known_;
  double untrained_ = 0;  ///< loss
  double deviation_ = 0;  ///< between seeds, relative
  std::size_t ahead_ = 0;
};

}  // namespace epochcast
