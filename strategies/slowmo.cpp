// SPDX-License-Identifier: Apache-2.0
// SlowMo (Wang et al., ICLR 2020, arXiv 1910.00643): a strategy that averages parameters
// periodically, and after each average a step with slow momentum (algorithm 1):
//     u' = beta u + (theta_t - mean) / gamma,  theta = theta_t - alpha gamma u'
// with the parameters theta_t after the last such step and the learning rate gamma. The optimizers'
// own states stay as they are ("maintain").
#include <array>

#include "core/job/setting_value.hpp"
#include "strategies/averaging.hpp"
#include "strategies/local_sgd.hpp"
#include "strategies/local_steps.hpp"
#include "strategies/node_based.hpp"

namespace epochcast {
namespace {

enum class Base { local_sgd, node_based };
constexpr Names<Base, 2> kBases = {
    {{"local-sgd", Base::local_sgd}, {"node-based", Base::node_based}}};

constexpr double kBelowOne = 1 - 0x1p-53;  // the largest
constexpr double kLargestRate = 1e6;

constexpr StrategySettingOf kBase(
    "slowmo-base",
    "local-sgd|node-based",
    "slowmo: strategy whose averages, every --local-steps, it follows",
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
    const double fast_rate = worker.learner.learning_rate();
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

void run_slowmo(Worker& worker) {
  worker.outer_step = slow_momentum(kMomentum.of(worker.config), kRate.of(worker.config));
  if (kBase.of(worker.config) == Base::local_sgd) {
    run_local_sgd(worker);
  } else {
    run_node_based(worker, equal_steps(worker).base);
  }
}

}  // namespace

Strategy slowmo_strategy() {
  static const std::array<const StrategySetting*, 6> own = {&local_steps_setting(),
                                                            &kBase,
                                                            &kMomentum,
                                                            &kRate,
                                                            &period_rule_setting(),
                                                            &qsr_alpha_setting()};
  return {.name = "slowmo",
          .summary = "local SGD or node-based with slow momentum after averages (--slowmo-base)",
          .source = "Wang et al., ICLR 2020",
          .keeps_gradients_in_nodes = true,
          .compressed = "differences of parameters",
          .settings = own,
          .state_shares = state_shares,
          .period = &kLocalStepsPeriod,
          .check = check_local_steps,
          .run = run_slowmo};
}

}  // namespace epochcast
