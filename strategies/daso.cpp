// SPDX-License-Identifier: Apache-2.0
// DASO (Coquelin et al., Journal of Big Data 2022, arXiv 2104.05588): gradients are averaged inside
// the node every iteration. Every B iterations, one worker of each node takes part in an exchange
// of parameters that overlaps the next S iterations. Then the node continues with
// (2 S x + Σ_n x_n) / (2 S + n) of its own newer parameters x and those sent by the n nodes.
//
// [reading] The same worker of a node, its first one, takes part in every exchange; in the paper
// they take turns, which moves as many bytes. B and S are constant within an epoch; the paper
// shortens them when the loss stops falling. Every epoch ends with a blocking average of all nodes,
// as the paper's last epochs do.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "core/job/setting_value.hpp"
#include "strategies/period_rule.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

constexpr StrategySettingOf kGlobalPeriod("global-period",
                                          "ITERATIONS",
                                          "daso: B, iterations between exchanges of all nodes",
                                          "4",
                                          "8",
                                          value::Count{1});
constexpr StrategySettingOf kGlobalDelay(
    "global-delay",
    "ITERATIONS",
    "daso: S, iterations that such an exchange overlaps; at most --global-period",
    "1",
    "0",
    value::Count{0});

std::optional<std::int64_t> global_period(const JobConfig& config) {
  return kGlobalPeriod.of(config);
}

constexpr Period kDasoPeriod = {.setting = &kGlobalPeriod, .symbol = "B", .value = global_period};

void check_daso(const JobConfig& config, const DeviceNames&) {
  if (kGlobalDelay.of(config) > kGlobalPeriod.of(config))
    throw UserError("--global-delay: got " + std::to_string(kGlobalDelay.of(config)) +
                    "; expected at most the --global-period, " +
                    std::to_string(kGlobalPeriod.of(config)));
}

bool exchanges_overlap(const JobConfig& config) { return kGlobalDelay.of(config) > 0; }

/// The first worker of each node. Their exchanges need not wait for those inside nodes.
const Communicator& first_of_nodes(Fabric& fabric) {
  std::vector<int> first;
  std::vector<int> nodes;
  const std::span<const WorkerInfo> workers = fabric.workers();
  for (std::size_t rank = 0; rank < workers.size(); ++rank) {
    if (std::ranges::find(nodes, workers[rank].node) != nodes.end()) continue;
    nodes.push_back(workers[rank].node);
    first.push_back(static_cast<int>(rank));
  }
  AllReduceChoice all_reduce = fabric.world().all_reduce;
  all_reduce.stream = 1;
  const bool is_first = std::ranges::find(first, fabric.rank()) != first.end();
  return is_first ? fabric.communicator(std::move(first), all_reduce) : fabric.node();
}

/// The exchanges between nodes, of a worker of one.
class NodeExchange {
 public:
  explicit NodeExchange(Worker& worker)
      : worker_(worker),
        leader_(worker.fabric.node().ranks.front()),
        among_(first_of_nodes(worker.fabric)) {}

  /// Averages all nodes now.
  void average() {
    start();
    finish(0);
  }

  /// Sends the worker's parameters, if it is the first of its node.
  void start() {
    if (!takes_part()) return;
    const Payload parameters = worker_.learner.parameters();
    const std::span<const float> own = values<float>(parameters);
    sum_.assign(own.begin(), own.end());
    sent_ = parameters;
    if (parameters.has_numbers()) sent_.data = std::as_writable_bytes(std::span(sum_));
    worker_.learner.kernel("copy", 2 * parameters.bytes());
    // Nodes count by their workers; 1 if they have as many.
    const double weight = static_cast<double>(among_.size()) * worker_.fabric.node().size() /
                          trainer_count(worker_.fabric);
    request_ = worker_.fabric.start_all_reduce(sent_, weight, among_);
  }

  /// Continues with these and its own ones of `delay` iterations later.
  void finish(std::int64_t delay) {
    Fabric& fabric = worker_.fabric;
    const Payload parameters = worker_.learner.parameters();
    if (takes_part()) {
      fabric.wait(request_);
      const double own_weight = 2 * static_cast<double>(delay);
      const double all = own_weight + among_.size();
      const std::span<float> own = values<float>(parameters);
      for (std::size_t i = 0; i < own.size(); ++i) {
        own[i] = static_cast<float>(
            (own_weight * static_cast<double>(own[i]) + static_cast<double>(sum_[i])) / all);
      }
      worker_.learner.kernel("mix", (delay > 0 ? 3 : 2) * parameters.bytes());
    }
    fabric.broadcast(parameters, leader_, fabric.node());
  }

 private:
  [[nodiscard]] bool takes_part() const { return worker_.fabric.rank() == leader_; }

  Worker& worker_;
  int leader_;
  const Communicator& among_;
  std::vector<float> sum_;
  Payload sent_;
  Request request_;
};

void run_daso(Worker& worker) {
  Fabric& fabric = worker.fabric;
  const std::int64_t batch = worker.config.step_batch();
  const int workers = trainer_count(fabric);
  const std::int64_t iterations = iterations_per_epoch(worker.train_samples, workers * batch);
  const std::int64_t delay = kGlobalDelay.of(worker.config);
  const Periods periods(worker,
                        {.base = std::min(kGlobalPeriod.of(worker.config), iterations),
                         .steps = iterations,
                         .rest = Rest::always});
  const bool is_one_node = fabric.node().size() == workers;
  for (const std::string_view setting : {kGlobalPeriod.name, kGlobalDelay.name}) {
    if (is_one_node && worker.config.of_strategies.contains(std::string(setting)))
      throw UserError("--" + std::string(setting) +
                      ": one node has no exchanges between nodes; leave it out");
  }
  const auto report = [&] {
    const Periods::Mean mean = periods.mean();
    worker.report.batch = batch;
    worker.report.local_steps = is_one_node ? 1 : mean.steps;
    worker.report.iterations_per_epoch = iterations;
    worker.report.samples_per_epoch = batch * iterations;
    worker.report.rounds_per_epoch =
        is_one_node ? iterations : mean.averagings + (delay > 0 ? 1 : 0);
  };
  report();

  NodeExchange exchange(worker);
  const auto iterate = [&] {
    all_reduce_gradients(worker, batch, 1.0 / fabric.node().size(), fabric.node());
    worker.learner.step();
  };
  const auto run_round = [&](std::int64_t steps) {
    const std::int64_t overlapped = is_one_node ? 0 : std::min(steps, delay);
    repeat(worker, fabric.node(), steps - overlapped, [&](std::int64_t) { iterate(); });
    if (is_one_node) return;
    exchange.start();
    // Iterations beside an exchange differ from those without: no loop to extrapolate.
    for (std::int64_t i = 0; i < overlapped; ++i) iterate();
    exchange.finish(overlapped);
  };
  train_epochs(
      worker,
      [&](std::int64_t epoch) {
        const Rounds rounds = periods.rounds(epoch);
        use_equal_share(worker, 1, iterations);
        repeat(
            worker, fabric.world(), rounds.count, [&](std::int64_t) { run_round(rounds.steps); });
        if (rounds.rest > 0) run_round(rounds.rest);
        if (!is_one_node && delay > 0) exchange.average();
        periods.end_epoch(epoch);
      },
      periods.changes());
  report();  // losses are known now
}

}  // namespace

Strategy daso_strategy() {
  static const std::array<const StrategySetting*, 4> own = {
      &kGlobalPeriod, &kGlobalDelay, &period_rule_setting(), &qsr_alpha_setting()};
  return {.name = "daso",
          .summary =
              "gradients inside nodes; parameters between nodes every B, overlapped "
              "(--global-period, --global-delay)",
          .source = "arXiv 2104.05588",
          .keeps_gradients_in_nodes = true,
          .compressed = "gradients inside nodes",
          .settings = own,
          .overlaps_averages = exchanges_overlap,
          .period = &kDasoPeriod,
          .check = check_daso,
          .run = run_daso};
}

}  // namespace epochcast
