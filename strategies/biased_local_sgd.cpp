// SPDX-License-Identifier: Apache-2.0
// Biased local SGD (arXiv 2508.08540): unbalanced steps, samples drawn by their losses, parameters
// weighted by steps.
#include <array>

#include "core/job/setting_value.hpp"
#include "strategies/local_steps.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

/// How samples are drawn.
enum class Sampling {
  none,       ///< no bias: the shuffled data set, dealt evenly
  separated,  ///< fast and slow workers draw independently; a sample may be drawn by both
  unified,    ///< disjoint draws, with one more synchronisation
};
enum class Favoured { fast, slow };

constexpr Names<Sampling, 3> kSamplings = {
    {{"none", Sampling::none}, {"separated", Sampling::separated}, {"unified", Sampling::unified}}};
constexpr Names<Favoured, 2> kFavoured = {{{"fast", Favoured::fast}, {"slow", Favoured::slow}}};

constexpr StrategySettingOf kAlpha(
    "alpha",
    "SHARE",
    "biased local SGD: share of samples taken by highest loss, 0 to 1",
    "0.5",
    "0.25",
    value::Number{0, 1, "a share from 0 to 1"});
constexpr StrategySettingOf kSampling("sampling",
                                      "none|separated|unified",
                                      "biased local SGD: how samples are drawn",
                                      "separated",
                                      "unified",
                                      value::Name{kSamplings});
constexpr StrategySettingOf kWeightedAggregation(
    "weighted-aggregation",
    "on|off",
    "biased local SGD: weight parameters by local steps",
    "on",
    "off",
    value::Switch{});
constexpr StrategySettingOf kHighLossTo(
    "high-loss-to",
    "fast|slow",
    "biased local SGD: workers that get the samples of highest loss",
    "fast",
    "slow",
    value::Name{kFavoured});

/// This worker's samples. Samples drawn for fast workers come before those for slow workers; each
/// class divides its own part.
Share drawn_share_of(const Worker& worker, const LocalSteps& local, std::int64_t rounds) {
  const auto rank = static_cast<std::size_t>(worker.fabric.rank());
  const std::int64_t batch = worker.config.step_batch();
  const bool is_fast = local.is_fast[rank];
  const std::int64_t first = is_fast ? 0 : local.fast * rounds;
  return {.offset = (first + local.before[rank]) * batch,
          .length = local.steps[rank] * batch,
          .stride = (is_fast ? local.fast : local.slow) * batch,
          .count = rounds};
}

/// Gathers losses, draws next epoch's samples on rank 0, and broadcasts them.
void draw_samples(Worker& worker, const BiasedDraw& draw) {
  Fabric& fabric = worker.fabric;
  const std::int64_t samples = draw.fast_samples + draw.slow_samples;
  fabric.gather(worker.sampling.recorded_losses(),
                worker.sampling.gathered_losses(samples),
                0,
                fabric.world());
  if (fabric.rank() == 0) worker.sampling.draw(draw);
  if (draw.disjoint) fabric.barrier(fabric.world());  // the slow draw waits for the fast one
  fabric.broadcast(worker.sampling.drawn_indices(draw), 0, fabric.world());
}

void run_biased_local_sgd(Worker& worker) {
  const JobConfig& config = worker.config;
  const Sampling sampling = kSampling.of(config);
  const bool is_weighted = kWeightedAggregation.of(config);
  const UnequalRounds rounds(worker);
  const auto rank = static_cast<std::size_t>(worker.fabric.rank());
  const auto weight = [&](const LocalSteps& local) {
    return is_weighted ? static_cast<double>(local.steps[rank]) / static_cast<double>(local.total())
                       : 1.0 / trainer_count(worker.fabric);
  };
  const auto draw = [&](const LocalSteps& local, std::int64_t count) -> BiasedDraw {
    return {.fast_samples = count * local.fast * config.step_batch(),
            .slow_samples = count * local.slow * config.step_batch(),
            .alpha = kAlpha.of(config),
            .high_loss_to_slow = kHighLossTo.of(config) == Favoured::slow,
            .disjoint = sampling == Sampling::unified,
            .local_steps = local.steps};
  };
  rounds.report();

  worker.averages_parameters = true;
  train_epochs(
      worker,
      [&](std::int64_t epoch) {
        const std::shared_ptr<const LocalSteps> local = rounds.steps(epoch);
        const std::int64_t count = rounds.count(epoch);
        if (sampling == Sampling::none) {
          worker.learner.use_shuffled(share_of(worker, *local, count));
        } else {
          draw_samples(worker, draw(*local, count));
          worker.sampling.use_drawn(drawn_share_of(worker, *local, count));
        }
        rounds.run(epoch, weight(*local));
        rounds.end_epoch(epoch);
      },
      rounds.changes());
  rounds.report();  // losses are known now
}

}  // namespace

Strategy biased_local_sgd_strategy() {
  static const std::array<const StrategySetting*, 7> own = {&local_steps_setting(),
                                                            &kAlpha,
                                                            &kSampling,
                                                            &kWeightedAggregation,
                                                            &kHighLossTo,
                                                            &period_rule_setting(),
                                                            &qsr_alpha_setting()};
  return {.name = "biased-local-sgd",
          .summary =
              "unbalanced, with loss-based sampling and weighted averaging (--alpha, --sampling)",
          .source = "arXiv 2508.08540",
          .exchanges_gradients = false,
          .compressed = "differences of parameters",
          .settings = own,
          .period = &kLocalStepsPeriod,
          .check = check_local_steps,
          .run = run_biased_local_sgd};
}

}  // namespace epochcast
