// SPDX-License-Identifier: Apache-2.0
#include "strategies/period_rule.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "core/job/setting_value.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

constexpr Names<PeriodRule, 4> kRules = {{{"constant", PeriodRule::constant},
                                          {"qsr", PeriodRule::qsr},
                                          {"adacomm", PeriodRule::adacomm},
                                          {"stl-sgd", PeriodRule::stl_sgd}}};

constexpr StrategySettingOf kPeriodRule(
    "period-rule",
    "constant|qsr|adacomm|stl-sgd",
    "how the steps between averagings change: not; with 1/rate^2; with the root of the loss; with "
    "1/rate",
    "constant",
    "stl-sgd",
    value::Name{kRules});

constexpr double kLeastAlpha = 1e-6;
constexpr double kLargestAlpha = 1e6;
constexpr StrategySettingOf kQsrAlpha(
    "qsr-alpha",
    "NUMBER",
    "--period-rule qsr: averages every max(H, (NUMBER/rate)^2) steps",
    "0.2",
    "0.9",
    value::Number{kLeastAlpha, kLargestAlpha, "a number from 1e-6 to 1e6"});

/// Numbers that are whole but for the rounding of a quotient.
constexpr double kRounding = 1e-9;

/// Its ratio with a loss is negative.
constexpr double kUnknownLoss = -1;
constexpr std::int64_t kMostEpochs = 100'000;

std::string name_of_losses(std::int64_t epoch) {
  return "loss of epoch " + std::to_string(epoch + 1);
}

}  // namespace

const StrategySetting& period_rule_setting() { return kPeriodRule; }

const StrategySetting& qsr_alpha_setting() { return kQsrAlpha; }

bool has_constant_period(const JobConfig& config) {
  return kPeriodRule.of(config) == PeriodRule::constant;
}

bool period_follows_rate(const JobConfig& config) {
  const PeriodRule rule = kPeriodRule.of(config);
  return rule == PeriodRule::qsr || rule == PeriodRule::stl_sgd;
}

std::string period_note(const JobConfig& config, const Strategy& strategy) {
  if (kPeriodRule.of(config) != PeriodRule::adacomm || !strategy.has(kPeriodRule.name)) return {};
  return "--period-rule adacomm: the loss is unknown here, so the period stays as it begins; "
         "training averages more often as the loss falls";
}

Periods::Periods(Worker& worker, const Limits& limits)
    : worker_(worker),
      rule_(kPeriodRule.of(worker.config)),
      alpha_(kQsrAlpha.of(worker.config)),
      rate_(worker.config.learning.rate),
      limits_(limits) {
  rate_.epochs = worker.config.epochs;
  if (rule_ != PeriodRule::constant && rate_.epochs > kMostEpochs)
    throw UserError("--period-rule: got " + std::to_string(rate_.epochs) +
                    " epochs, whose periods are listed; expected at most " +
                    std::to_string(kMostEpochs));
}

double Periods::of_losses(std::int64_t epoch) const {
  const auto base = static_cast<double>(limits_.base);
  if (epoch == 0) return base;
  const auto& memory = worker_.progress.memory;
  const auto first = memory.find(name_of_losses(0));
  const auto last = memory.find(name_of_losses(epoch - 1));
  if (first == memory.end() || last == memory.end()) return base;
  const double ratio = last->second.values().front() / first->second.values().front();
  return ratio >= 0 && std::isfinite(ratio) ? std::ceil(std::sqrt(ratio) * base * (1 - kRounding))
                                            : base;
}

std::int64_t Periods::of(std::int64_t epoch) const {
  const auto base = static_cast<double>(limits_.base);
  const double rate = rate_.without_warmup(epoch);
  const auto unlimited = [&] {
    switch (rule_) {
      case PeriodRule::constant:
        break;
      case PeriodRule::qsr:
        return std::max(base, std::pow(alpha_ / rate, 2));
      case PeriodRule::stl_sgd:
        return base * rate_.without_warmup(0) / rate;
      case PeriodRule::adacomm:
        return of_losses(epoch);
    }
    return base;
  };
  if (rule_ == PeriodRule::constant) return limits_.base;
  double period = unlimited();
  // A rate of 0 gives infinity, or NaN if it was 0 from the beginning.
  const auto most = static_cast<double>(limits_.steps);
  if (std::isnan(period)) period = base;
  period = std::min(std::floor(period * (1 + kRounding)), most);
  return std::max(static_cast<std::int64_t>(period), std::min(limits_.least, limits_.steps));
}

std::vector<std::int64_t> Periods::changes(std::int64_t first) const {
  std::vector<std::int64_t> changes;
  if (rule_ == PeriodRule::constant || rule_ == PeriodRule::adacomm) return changes;
  for (std::int64_t epoch = first + 1; epoch < worker_.config.epochs; ++epoch)
    if (of(epoch) != of(epoch - 1)) changes.push_back(epoch);
  return changes;
}

void Periods::end_epoch(std::int64_t epoch) const {
  if (rule_ != PeriodRule::adacomm) return;
  static_cast<void>(remembered(worker_, name_of_losses(epoch), [&]() -> SharedNumbers {
    const LossSum own = worker_.learner.loss_sum();
    const std::vector<double> numbers = {own.sum, own.samples};
    const SharedNumbers all = worker_.fabric.all_gather_numbers(numbers, worker_.fabric.world());
    const auto mean = all.follow([](const std::vector<double>& values) {
      double sum = 0;
      double samples = 0;
      for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
        sum += values[i];
        samples += values[i + 1];
      }
      const double loss = sum / samples;
      return std::isfinite(loss) ? loss : kUnknownLoss;
    });
    return std::vector<double>{*mean};
  }));
}

Rounds Periods::rounds(std::int64_t epoch) const {
  const std::int64_t period = of(epoch);
  const bool has_rest = limits_.rest == Rest::always ||
                        (limits_.rest == Rest::unless_constant && rule_ != PeriodRule::constant);
  return {.steps = period,
          .count = limits_.steps / period,
          .rest = has_rest ? limits_.steps % period : 0};
}

Periods::Mean Periods::mean(std::int64_t first) const {
  const std::int64_t last =
      rule_ == PeriodRule::constant ? first + 1 : std::max(first, worker_.config.epochs);
  Mean mean;
  for (std::int64_t epoch = first; epoch < last; ++epoch) {
    const Rounds own = rounds(epoch);
    mean.iterations += own.iterations();
    mean.averagings += own.averagings();
  }
  if (mean.averagings == 0) return mean;
  mean.steps = rule_ == PeriodRule::constant
                   ? limits_.base
                   : (mean.iterations + mean.averagings / 2) / mean.averagings;
  mean.iterations /= last - first;
  mean.averagings /= last - first;
  return mean;
}

}  // namespace epochcast
