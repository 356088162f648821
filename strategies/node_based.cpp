// SPDX-License-Identifier: Apache-2.0
// Node-based communication (Moreno-Alvarez et al., TNNLS 2023): gradients are averaged inside the
// node every iteration, parameters over all workers every K' iterations and at the end of the
// epoch.
#include <array>

#include "base/error.hpp"
#include "core/job/setting_value.hpp"
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

constexpr std::array<const StrategySetting*, 3> kSettings = {
    &kAveragingPeriod, &kAveragingOrder, &kCompressInNodes};

void check_compressed_nodes(const JobConfig& config, const DeviceNames&) {
  if (kCompressInNodes.of(config) && config.compression == "none")
    throw UserError("--compress-in-nodes: needs a --compression");
}

std::optional<std::int64_t> averaging_period(const JobConfig& config) {
  if (!kAveragingPeriod.is_set(config)) return std::nullopt;
  return kAveragingPeriod.of(config);
}

constexpr Period kPeriod = {
    .setting = &kAveragingPeriod, .symbol = "K'", .value = averaging_period};

void run_node_based(Worker& worker) {
  Fabric& fabric = worker.fabric;
  const std::int64_t batch = worker.config.step_batch();
  const int workers = trainer_count(fabric);
  const std::int64_t iterations = iterations_per_epoch(worker.train_samples, workers * batch);
  const std::int64_t period = averaging_period(worker.config).value_or(iterations);
  if (period > iterations) {
    throw UserError("--averaging-period: got " + std::to_string(period) + "; an epoch has " +
                    std::to_string(iterations) + " iterations, so at most that");
  }
  worker.report.batch = batch;
  worker.report.local_steps = period;
  worker.report.iterations_per_epoch = iterations;
  worker.report.samples_per_epoch = batch * iterations;
  // On one node every exchange of gradients is among all workers.
  worker.report.rounds_per_epoch =
      fabric.node().size() == workers ? iterations : (iterations + period - 1) / period;

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
  train_epochs(worker, [&](std::int64_t) {
    use_equal_share(worker, 1, iterations);
    repeat(worker, fabric.world(), iterations / period, [&](std::int64_t) {
      iterate_and_average(period);
    });
    if (iterations % period > 0) iterate_and_average(iterations % period);
  });
}

}  // namespace

Strategy node_based_strategy() {
  return {
      .name = "node-based",
      .summary = "gradients inside nodes, parameters between nodes every K' (--averaging-period)",
      .source = "TNNLS 2023",
      .keeps_gradients_in_nodes = true,
      .compressed = "differences of parameters; gradients with `--compress-in-nodes`",
      .settings = kSettings,
      .rehearsed =
          "9.8 ± 4.4 points less accurate than sync, with small-cnn on computed images, 16 "
          "workers, 10 epochs (docs/rehearsals.md)",
      .period = &kPeriod,
      .check = check_compressed_nodes,
      .run = run_node_based};
}

}  // namespace epochcast
