// SPDX-License-Identifier: Apache-2.0
// Node-based communication (Moreno-Alvarez et al., TNNLS 2023): gradients are averaged inside the
// node every iteration, parameters over all workers every K' iterations and at the end of the
// epoch.
#include "strategies/node_based.hpp"

#include <array>

#include "base/error.hpp"
#include "core/job/setting_value.hpp"
#include "strategies/averaging.hpp"
#include "strategies/period_rule.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

constexpr StrategySettingOf kAveragingPeriod(
    "averaging-period",
    "ITERATIONS",
    "node-based: K', iterations between averagings of all nodes (default: an epoch)",
    "",
    "50",
    value::Count{1});

/// The order of the node's gradient and of averaging all parameters in the last iteration of a
/// period.
enum class AveragingOrder {
  applied,  ///< apply, then average: afterwards all workers have the same parameters
  printed,  ///< average, then apply, as algorithm 2 of the paper prints it
};
constexpr Names<AveragingOrder, 2> kOrders = {
    {{"applied", AveragingOrder::applied}, {"printed", AveragingOrder::printed}}};

constexpr StrategySettingOf kAveragingOrder(
    "averaging-order",
    "applied|printed",
    "node-based: apply the node's gradient, then average all parameters; or, as printed, the other "
    "way round",
    "applied",
    "printed",
    value::Name{kOrders});

constexpr StrategySettingOf kCompressInNodes(
    "compress-in-nodes",
    "on|off",
    "node-based: --compression of gradients inside nodes, too, not of averages alone",
    "off",
    "on",
    value::Switch{});

void check_node_based(const JobConfig& config, const DeviceNames&) {
  if (kCompressInNodes.of(config) && config.compression == "none")
    throw UserError("--compress-in-nodes: needs a --compression");
  if (period_follows_rate(config) && !kAveragingPeriod.is_set(config))
    throw UserError(
        "--period-rule: node-based needs an --averaging-period that can grow; the "
        "default, an epoch, is the longest");
}

std::optional<std::int64_t> averaging_period(const JobConfig& config) {
  if (!kAveragingPeriod.is_set(config)) return std::nullopt;
  return kAveragingPeriod.of(config);
}

constexpr Period kPeriod = {
    .setting = &kAveragingPeriod, .symbol = "K'", .value = averaging_period};

}  // namespace

void run_node_based(Worker& worker, std::optional<std::int64_t> base) {
  Fabric& fabric = worker.fabric;
  const std::int64_t batch = worker.config.step_batch();
  const int workers = trainer_count(fabric);
  const std::int64_t iterations = iterations_per_epoch(worker.train_samples, workers * batch);
  const Periods periods(
      worker, {.base = base.value_or(iterations), .steps = iterations, .rest = Rest::always});
  const auto report = [&] {
    const Periods::Mean mean = periods.mean();
    worker.report.batch = batch;
    worker.report.local_steps = mean.steps;
    worker.report.iterations_per_epoch = iterations;
    worker.report.samples_per_epoch = batch * iterations;
    // On one node every exchange of gradients is among all workers.
    worker.report.rounds_per_epoch = fabric.node().size() == workers ? iterations : mean.averagings;
  };
  report();

  const bool compresses_in_nodes = kCompressInNodes.of(worker.config);
  const auto node_gradient = [&] {
    const double weight = 1.0 / fabric.node().size();
    if (compresses_in_nodes) {
      all_reduce_gradients(worker, batch, weight, fabric.node());
    } else {
      all_reduce_whole_gradients(worker, batch, weight, fabric.node());
    }
  };
  const auto average = [&] { average_parameters(worker, 1.0 / workers); };
  const bool applies_last = kAveragingOrder.of(worker.config) == AveragingOrder::printed;
  worker.report.has_own_model = applies_last && fabric.node().size() < workers;
  const auto iterate_and_average = [&](std::int64_t count) {
    repeat(worker, fabric.node(), applies_last ? count - 1 : count, [&](std::int64_t) {
      node_gradient();
      worker.learner.step();
    });
    if (applies_last) node_gradient();
    average();
    if (applies_last) worker.learner.step();
  };
  worker.averages_parameters = true;
  train_epochs(
      worker,
      [&](std::int64_t epoch) {
        const Rounds rounds = periods.rounds(epoch);
        use_equal_share(worker, 1, iterations);
        repeat(worker, fabric.world(), rounds.count, [&](std::int64_t) {
          iterate_and_average(rounds.steps);
        });
        if (rounds.rest > 0) iterate_and_average(rounds.rest);
        periods.end_epoch(epoch);
      },
      periods.changes());
  report();  // losses are known now
}

namespace {

void run(Worker& worker) {
  const std::optional<std::int64_t> period = averaging_period(worker.config);
  const std::int64_t iterations = iterations_per_epoch(
      worker.train_samples, trainer_count(worker.fabric) * worker.config.step_batch());
  if (period.value_or(1) > iterations) {
    throw UserError("--averaging-period: got " + std::to_string(*period) + "; an epoch has " +
                    std::to_string(iterations) + " iterations, so at most that");
  }
  run_node_based(worker, period);
}

}  // namespace

Strategy node_based_strategy() {
  static const std::array<const StrategySetting*, 5> own = {&kAveragingPeriod,
                                                            &kAveragingOrder,
                                                            &kCompressInNodes,
                                                            &period_rule_setting(),
                                                            &qsr_alpha_setting()};
  return {
      .name = "node-based",
      .summary = "gradients inside nodes, parameters between nodes every K' (--averaging-period)",
      .source = "TNNLS 2023",
      .keeps_gradients_in_nodes = true,
      .compressed = "differences of parameters; gradients with `--compress-in-nodes`",
      .settings = own,
      .rehearsed =
          "9.8 ± 4.4 points less accurate than sync, with small-cnn on computed images, 16 "
          "workers, 10 epochs (docs/rehearsals.md)",
      .period = &kPeriod,
      .check = check_node_based,
      .run = run};
}

}  // namespace epochcast
