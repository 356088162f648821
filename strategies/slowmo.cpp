// SPDX-License-Identifier: Apache-2.0
// SlowMo (Wang et al., ICLR 2020, arXiv 1910.00643): a strategy that averages parameters
// periodically, and after each average a step with slow momentum (algorithm 1):
//     u' = beta u + (theta_t - mean) / gamma,  theta = theta_t - alpha gamma u'
// with the parameters theta_t after the last such step and the learning rate gamma. The optimizers'
// own states stay as they are ("maintain").
//
// [reading] Bases with unequal steps or weights: theta_t - mean is what their average moves.
#include <algorithm>
#include <numeric>
#include <vector>

#include "core/job/setting_value.hpp"
#include "strategies/averaging.hpp"
#include "strategies/local_steps.hpp"
#include "strategies/node_based.hpp"

namespace epochcast {

Strategy local_sgd_strategy();
Strategy unbalanced_local_sgd_strategy();
Strategy biased_local_sgd_strategy();
Strategy post_local_sgd_strategy();

namespace {

enum class Base { local_sgd, node_based, unbalanced_local_sgd, biased_local_sgd, post_local_sgd };
constexpr Names<Base, 5> kBases = {{{"local-sgd", Base::local_sgd},
                                    {"node-based", Base::node_based},
                                    {"unbalanced-local-sgd", Base::unbalanced_local_sgd},
                                    {"biased-local-sgd", Base::biased_local_sgd},
                                    {"post-local-sgd", Base::post_local_sgd}}};

constexpr double kBelowOne = 1 - 0x1p-53;  // the largest
constexpr double kLargestRate = 1e6;

constexpr StrategySettingOf kBase(
    "slowmo-base",
    "STRATEGY",
    "slowmo: strategy whose averages, every --local-steps, it follows: local-sgd, node-based, "
    "unbalanced-local-sgd, biased-local-sgd or post-local-sgd",
    "local-sgd",
    "node-based",
    value::Name{kBases});
constexpr StrategySettingOf kMomentum("slowmo-momentum",
                                      "NUMBER",
                                      "slowmo: beta, decay of the slow momentum",
                                      "0.7",
                                      "0.5",
                                      value::Number{0, kBelowOne, "a number from 0 to below 1"});
constexpr StrategySettingOf kRate("slowmo-rate",
                                  "NUMBER",
                                  "slowmo: alpha, slow learning rate",
                                  "1",
                                  "0.5",
                                  value::Number{0, kLargestRate, "a number from 0 to 1e6"});

/// γ: the mean rate of the workers' last local steps. It is the same for all but where they make
/// unequal numbers of steps and the rate changes with each.
double fast_rate_of(Worker& worker) {
  const double own = worker.learner.learning_rate();
  const Base base = kBase.of(worker.config);
  if (base != Base::unbalanced_local_sgd && base != Base::biased_local_sgd) return own;
  const std::vector<double> all =
      worker.fabric.all_gather_numbers({&own, 1}, worker.fabric.world());
  return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

/// Written with the average, so that alpha = 1 and beta = 0 leave it, bit by bit:
/// theta = mean + (1 - alpha) (theta_t - mean) - alpha gamma beta u.
OuterStep slow_momentum(double momentum, double rate) {
  return [momentum, rate](Worker& worker,
                          const ParameterRange& range,
                          std::span<float> averaged,
                          std::span<const float> common,
                          double bytes) {
    const std::size_t count = trained_count(worker, range, averaged);
    const std::span<float> slow = worker.kept.numbers<float>(range.index, "momentum", count);
    const double fast_rate = fast_rate_of(worker);
    if (fast_rate > 0) {
      for (std::size_t i = 0; i < count; ++i) {
        const auto mean = static_cast<double>(averaged[i]);
        const auto before = static_cast<double>(slow[i]);
        const double moved = static_cast<double>(common[i]) - mean;
        averaged[i] =
            static_cast<float>(mean + (1 - rate) * moved - rate * fast_rate * momentum * before);
        slow[i] = static_cast<float>(momentum * before + moved / fast_rate);
      }
    }
    worker.learner.kernel("outer step", kOuterStepPasses * bytes);
  };
}

/// The common parameters and the slow momentum.
StateShares state_shares(const JobConfig&, std::span<const WorkerInfo>) { return {.vectors = 2}; }

void run_base(Worker& worker) {
  switch (kBase.of(worker.config)) {
    case Base::local_sgd:
      return local_sgd_strategy().run(worker);
    case Base::node_based:
      return run_node_based(worker, equal_steps(worker).base);
    case Base::unbalanced_local_sgd:
      return unbalanced_local_sgd_strategy().run(worker);
    case Base::biased_local_sgd:
      return biased_local_sgd_strategy().run(worker);
    case Base::post_local_sgd:
      return post_local_sgd_strategy().run(worker);
  }
}

void run_slowmo(Worker& worker) {
  worker.outer_step = slow_momentum(kMomentum.of(worker.config), kRate.of(worker.config));
  run_base(worker);
}

/// Its own, and those of its bases but node-based, whose period is --local-steps here.
std::vector<const StrategySetting*> own_settings() {
  std::vector<const StrategySetting*> own = {&local_steps_setting(),
                                             &kBase,
                                             &kMomentum,
                                             &kRate,
                                             &period_rule_setting(),
                                             &qsr_alpha_setting()};
  for (const Strategy& base : {biased_local_sgd_strategy(), post_local_sgd_strategy()})
    for (const StrategySetting* setting : base.settings)
      if (!std::ranges::count(own, setting)) own.push_back(setting);
  return own;
}

}  // namespace

Strategy slowmo_strategy() {
  static const std::vector<const StrategySetting*> own = own_settings();
  return {.name = "slowmo",
          .summary = "slow momentum after each average of a strategy (--slowmo-base)",
          .source = "Wang et al., ICLR 2020",
          .compressed = "differences of parameters",
          .settings = own,
          .state_shares = state_shares,
          .period = &kLocalStepsPeriod,
          .check = check_local_steps,
          .run = run_slowmo};
}

}  // namespace epochcast
