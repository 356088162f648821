// SPDX-License-Identifier: Apache-2.0
// --period-rule: steps between averagings that change during training, for every strategy that
// averages parameters periodically.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strategies/strategy.hpp"

namespace epochcast {

enum class PeriodRule { constant, qsr, adacomm, stl_sgd };

/// --period-rule, and --qsr-alpha.
[[nodiscard]] const StrategySetting& period_rule_setting();
[[nodiscard]] const StrategySetting& qsr_alpha_setting();

/// Whether the job's period is the same in every epoch.
[[nodiscard]] bool has_constant_period(const JobConfig& config);
/// Whether the job's period depends on the learning rate.
[[nodiscard]] bool period_follows_rate(const JobConfig& config);
/// The reason why the forecast's period is not that of training; empty if it is.
[[nodiscard]] std::string period_note(const JobConfig& config, const Strategy& strategy);

/// The averagings of an epoch.
struct Rounds {
  std::int64_t steps = 1;  ///< of a round, which ends with an averaging
  std::int64_t count = 0;  ///< such rounds
  std::int64_t rest = 0;   ///< steps of a shorter round after them; 0: there is none

  [[nodiscard]] std::int64_t iterations() const { return count * steps + rest; }
  [[nodiscard]] std::int64_t averagings() const { return count + (rest > 0 ? 1 : 0); }
};

/// Whether an epoch's steps after its last whole round are made, or left out.
enum class Rest {
  never,
  unless_constant,  ///< with a rule, whose rounds may be almost as long as an epoch
  always,
};

/// The rounds of each epoch of a job.
///
/// A period is constant within an epoch [reading: papers may change it after any averaging], at
/// least 1 and at most the steps of an epoch. With H the job's own and η_e the learning rate at the
/// beginning of epoch e, after the warm-up's end in the warm-up:
/// - qsr (Gu et al., ICLR 2024, arXiv 2310.14423, equation 2): max(H, ⌊(α/η_e)²⌋).
/// - stl-sgd (Shen et al., AAAI 2021, arXiv 2006.06377, algorithm 2, workers with equal data): H is
///   doubled when η is halved: ⌊H·η_0/η_e⌋ [reading: for any schedule].
/// - adacomm (Wang & Joshi, SysML 2019, arXiv 1810.08313): ⌈√(F_(e-1)/F_0)·H⌉, with F_e the mean
///   loss of epoch e's training samples [reading: their interval is an epoch]. In worlds without
///   losses H.
class Periods {
 public:
  struct Limits {
    std::int64_t base = 1;   ///< H
    std::int64_t steps = 1;  ///< of an epoch, of the fastest worker
    Rest rest = Rest::unless_constant;
    std::int64_t least = 1;  ///< the shortest period that the strategy can make
  };
  /// The worker outlives this. Throws a UserError for more epochs than periods can be listed of.
  Periods(Worker& worker, const Limits& limits);

  /// Steps between averagings.
  [[nodiscard]] std::int64_t of(std::int64_t epoch) const;
  [[nodiscard]] Rounds rounds(std::int64_t epoch) const;
  /// The epochs from `first` on whose period is known and differs from that of the one before, for
  /// train_epochs().
  [[nodiscard]] std::vector<std::int64_t> changes(std::int64_t first = 0) const;
  /// After the last exchange of an epoch: workers exchange their losses, if the rule needs them.
  void end_epoch(std::int64_t epoch) const;

  /// The mean epoch from `first` on, as far as periods are known.
  struct Mean {
    std::int64_t steps = 1;  ///< between averagings
    std::int64_t iterations = 0;
    std::int64_t averagings = 0;
  };
  [[nodiscard]] Mean mean(std::int64_t first = 0) const;

 private:
  [[nodiscard]] double of_losses(std::int64_t epoch) const;

  Worker& worker_;
  PeriodRule rule_;
  double alpha_;
  LearningRateSchedule rate_;
  Limits limits_;
};

}  // namespace epochcast
