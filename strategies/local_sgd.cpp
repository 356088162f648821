// SPDX-License-Identifier: Apache-2.0
// Local SGD (Stich, ICLR 2019), and unbalanced and biased local SGD (arXiv 2508.08540).
#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "core/costs/batch_cost.hpp"
#include "core/error.hpp"
#include "core/job/placement.hpp"
#include "strategies/partition.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

/// Who counts as fast, and how many steps everybody makes between averagings.
struct LocalSteps {
  std::vector<bool> is_fast;         ///< by rank
  std::vector<std::int64_t> steps;   ///< H_p by rank
  std::vector<std::int64_t> begins;  ///< of the steps, when they lie one after the other
  std::vector<std::int64_t> before;  ///< by rank: steps of lower ranks of its class
  std::int64_t fast = 0;             ///< steps of all fast workers
  std::int64_t slow = 0;             ///< of all others
  std::int64_t most = 0;             ///< of one worker

  [[nodiscard]] std::int64_t total() const { return fast + slow; }
};

/// One figure per device model: equal devices must not get unequal steps because a benchmark is
/// noisy.
std::map<std::string, double> seconds_by_model(const Fabric& fabric,
                                               const std::vector<double>& seconds) {
  std::map<std::string, std::vector<double>> all;
  for (std::size_t rank = 0; rank < seconds.size(); ++rank) {
    all[fabric.workers()[rank].model].push_back(seconds[rank]);
  }
  std::map<std::string, double> medians;
  for (auto& [model, values] : all) medians[model] = median_of(std::move(values));
  return medians;
}

/// The steps that --local-steps gives this worker by hand, if it does.
const std::int64_t* steps_by_hand(const JobConfig& config, const WorkerInfo& worker, bool is_fast) {
  for (const std::string& key :
       {worker.model, worker.device_class, std::string(is_fast ? "fast" : "slow")}) {
    const auto found = config.local_steps_by_class.find(key);
    if (found != config.local_steps_by_class.end()) return &found->second;
  }
  return nullptr;
}

/// H_p = max(1, ⌊H·t_min/t_p⌋), unless set by hand. `all`: everybody's seconds, by rank.
LocalSteps unbalanced_steps(const Fabric& fabric,
                            const JobConfig& config,
                            const std::vector<double>& all) {
  check_local_steps(config, fabric.workers());
  const std::map<std::string, double> seconds = seconds_by_model(fabric, all);
  double fastest_s = std::numeric_limits<double>::infinity();
  for (const auto& [model, t] : seconds) fastest_s = std::min(fastest_s, t);
  LocalSteps local;
  for (const WorkerInfo& info : fabric.workers()) {
    const double ratio = fastest_s / seconds.at(info.model);
    const bool is_fast = ratio >= 1;
    const std::int64_t* by_hand = steps_by_hand(config, info, is_fast);
    // Times in a whole ratio must give whole steps although their quotient is not exact in binary.
    const auto balanced =
        static_cast<std::int64_t>(static_cast<double>(config.local_steps) * ratio * (1 + 1e-9));
    const std::int64_t steps = by_hand != nullptr ? *by_hand : std::max<std::int64_t>(1, balanced);
    std::int64_t& of_class = is_fast ? local.fast : local.slow;
    local.is_fast.push_back(is_fast);
    local.steps.push_back(steps);
    local.before.push_back(of_class);
    of_class += steps;
    local.most = std::max(local.most, steps);
  }
  local.begins = begins_of(local.steps);
  return local;
}

/// The same on what everybody's batches take now.
std::shared_ptr<const LocalSteps> unbalanced_steps(Worker& worker) {
  return benchmark_all(worker, worker.config.batch).follow([&](const std::vector<double>& all) {
    return unbalanced_steps(worker.fabric, worker.config, all);
  });
}

/// One epoch: T rounds of local steps and a weighted average of parameters.
void run_rounds(Worker& worker, std::int64_t rounds, std::int64_t steps, double weight) {
  Fabric& fabric = worker.fabric;
  repeat(worker, fabric.world(), rounds, [&](std::int64_t) {
    worker.learner.train(steps, worker.config.batch);
    fabric.all_reduce(worker.learner.parameters(), weight, fabric.world());
  });
}

void report_rounds(Worker& worker,
                   std::int64_t rounds,
                   std::int64_t steps,
                   std::int64_t most_steps) {
  worker.report.batch = worker.config.batch;
  worker.report.local_steps = steps;
  worker.report.iterations_per_epoch = rounds * most_steps;
  worker.report.rounds_per_epoch = rounds;
  worker.report.samples_per_epoch = rounds * steps * worker.config.batch;
}

/// This worker's samples when everybody takes H_p·B in turn, round by round.
Share share_of(const Worker& worker, const LocalSteps& local, std::int64_t rounds) {
  const auto rank = static_cast<std::size_t>(worker.fabric.rank());
  const std::int64_t batch = worker.config.batch;
  return {.offset = local.begins[rank] * batch,
          .length = local.steps[rank] * batch,
          .stride = local.total() * batch,
          .count = rounds};
}

/// The same for an order in which what was drawn for all fast workers comes before what was drawn
/// for slow ones: each class deals its own part.
Share drawn_share_of(const Worker& worker, const LocalSteps& local, std::int64_t rounds) {
  const auto rank = static_cast<std::size_t>(worker.fabric.rank());
  const std::int64_t batch = worker.config.batch;
  const bool is_fast = local.is_fast[rank];
  const std::int64_t first = is_fast ? 0 : local.fast * rounds;
  return {.offset = (first + local.before[rank]) * batch,
          .length = local.steps[rank] * batch,
          .stride = (is_fast ? local.fast : local.slow) * batch,
          .count = rounds};
}

/// Gathers losses, draws next epoch's samples on rank 0, tells everybody.
void draw_samples(Worker& worker, const BiasedDraw& draw) {
  Fabric& fabric = worker.fabric;
  const std::int64_t samples = draw.fast_samples + draw.slow_samples;
  fabric.gather(
      worker.learner.recorded_losses(), worker.learner.gathered_losses(samples), 0, fabric.world());
  if (fabric.rank() == 0) worker.learner.draw(draw);
  if (draw.disjoint) fabric.barrier(fabric.world());  // the slow draw waits for the fast one
  fabric.broadcast(worker.learner.drawn_indices(draw), 0, fabric.world());
}

}  // namespace

void run_local_sgd(Worker& worker) {
  const int workers = trainer_count(worker.fabric);
  const std::int64_t steps = worker.config.local_steps;
  const std::int64_t rounds =
      rounds_per_epoch(worker.train_samples, workers, worker.config.batch, steps);
  report_rounds(worker, rounds, steps, steps);

  train_epochs(worker, [&](std::int64_t) {
    use_equal_share(worker, steps, rounds);
    run_rounds(worker, rounds, steps, 1.0 / workers);
  });
}

void run_unbalanced_local_sgd(Worker& worker) {
  const int workers = trainer_count(worker.fabric);
  const std::shared_ptr<const LocalSteps> local = unbalanced_steps(worker);
  const std::int64_t steps = local->steps[static_cast<std::size_t>(worker.fabric.rank())];
  const std::int64_t rounds =
      rounds_per_epoch(worker.train_samples, workers, worker.config.batch, local->most);
  const Share share = share_of(worker, *local, rounds);
  report_rounds(worker, rounds, steps, local->most);

  train_epochs(worker, [&](std::int64_t) {
    worker.learner.use_shuffled(share);
    run_rounds(worker, rounds, steps, 1.0 / workers);
  });
}

void run_biased_local_sgd(Worker& worker) {
  const JobConfig& config = worker.config;
  const int workers = trainer_count(worker.fabric);
  const std::shared_ptr<const LocalSteps> local = unbalanced_steps(worker);
  const std::int64_t steps = local->steps[static_cast<std::size_t>(worker.fabric.rank())];
  const std::int64_t rounds =
      rounds_per_epoch(worker.train_samples, workers, config.batch, local->most);
  const Share share = config.sampling == Sampling::none ? share_of(worker, *local, rounds)
                                                        : drawn_share_of(worker, *local, rounds);
  const double weight = config.weighted_aggregation
                            ? static_cast<double>(steps) / static_cast<double>(local->total())
                            : 1.0 / workers;
  const BiasedDraw draw = {.fast_samples = rounds * local->fast * config.batch,
                           .slow_samples = rounds * local->slow * config.batch,
                           .alpha = config.alpha,
                           .high_loss_to_slow = config.high_loss_to == Favoured::slow,
                           .disjoint = config.sampling == Sampling::unified,
                           .local_steps = local->steps};
  report_rounds(worker, rounds, steps, local->most);

  train_epochs(worker, [&](std::int64_t) {
    if (config.sampling == Sampling::none) {
      worker.learner.use_shuffled(share);
    } else {
      draw_samples(worker, draw);
      worker.learner.use_drawn(share);
    }
    run_rounds(worker, rounds, steps, weight);
  });
}

}  // namespace epochcast
