// SPDX-License-Identifier: Apache-2.0
// Strategies that average parameters: where they do so after each step, they are sync.
#include "tests/real/equivalence/findings.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

Trial with_momentum(double momentum, const std::string& strategy, std::vector<WorkerInfo> workers) {
  Trial trial = trial_of(strategy, std::move(workers), kBatch);
  trial.config.learning.optimizer.momentum = momentum;
  return trial;
}

/// Momentum may differ among workers: the mean of θ_p - η·v_p is the mean of θ minus η times the
/// mean of v, and the mean of v_p = m·v_p + g_p follows the mean of g.
constexpr double kMomenta[] = {0, 0.9};

void one_local_step_is_sync(int ranks, Findings& findings) {
  for (const double momentum : kMomenta) {
    Trial trial = with_momentum(momentum, "local-sgd", alike(ranks));
    set(trial.config, "local-steps", 1);

    const Outcome local = run_trial(trial);

    const Outcome sync = run_trial(with_momentum(momentum, "sync", alike(ranks)));
    findings.is_near(local, sync, "momentum " + std::to_string(momentum));
    findings.is_true(local.samples == sync.samples, "samples differ");
    set(trial.config, "local-steps", 2);
    findings.is_far(run_trial(trial), sync, "two local steps");
  }
}

std::vector<std::vector<int>> layouts(int ranks) {
  if (ranks == 2) return {{0, 1}};
  return {{0, 1, 2, 3}, {0, 0, 1, 1}};
}

void averages_each_step_are_sync(int ranks,
                                 Findings& findings,
                                 const std::string& strategy,
                                 const char* period) {
  for (const std::vector<int>& nodes : layouts(ranks)) {
    for (const double momentum : kMomenta) {
      Trial trial = with_momentum(momentum, strategy, alike_on(nodes));
      set(trial.config, period, 1);
      if (strategy == "daso") set(trial.config, "global-delay", 0);

      const Outcome averaged = run_trial(trial);

      const Outcome sync = run_trial(with_momentum(momentum, "sync", alike(ranks)));
      findings.is_near(averaged, sync, "momentum " + std::to_string(momentum));
      findings.is_true(averaged.samples == sync.samples, "samples differ");
      set(trial.config, period, 3);
      findings.is_far(run_trial(trial), sync, "averaging every third step");
    }
  }
}

void averaging_each_step_is_sync(int ranks, Findings& findings) {
  averages_each_step_are_sync(ranks, findings, "node-based", "averaging-period");
}

void exchanges_each_step_are_sync(int ranks, Findings& findings) {
  averages_each_step_are_sync(ranks, findings, "daso", "global-period");
}

/// The exchange overlaps two iterations: nodes continue with older parameters of the others.
void late_exchanges_differ(int ranks, Findings& findings) {
  Trial trial = trial_of("daso", alike_on({0, 0, 1, 1}), kBatch);
  set(trial.config, "global-period", 4);
  set(trial.config, "global-delay", 0);
  const Outcome at_once = run_trial(trial);
  set(trial.config, "global-delay", 2);
  const Outcome late = run_trial(trial);
  findings.is_far(late, at_once, "delay of two iterations");
  findings.is_true(late.samples == at_once.samples, "samples differ");
  findings.ranks_agree(late, std::to_string(ranks) + " ranks");
}

void one_node_is_sync(int ranks, Findings& findings) {
  Trial trial = trial_of("node-based", alike(ranks), kBatch);
  set(trial.config, "averaging-period", 2);

  const Outcome node_based = run_trial(trial);

  // The average of equal parameters differs by its own rounding.
  findings.is_near(node_based, run_trial(trial_of("sync", alike(ranks), kBatch)), "one node");
}

/// Unbalanced or biased, on workers with equal benchmarks.
Trial equally_fast(const std::string& strategy, int ranks) {
  Trial trial = trial_of(strategy, alike(ranks), kBatch);
  trial.config.epochs = 3;  // from the second one on, there are losses for draws
  set(trial.config, "local-steps", 2);
  set(trial.config, "alpha", "0");
  trial.memory["seconds of batch " + std::to_string(kBatch)] =
      std::vector<double>(static_cast<std::size_t>(ranks), 0.01);
  return trial;
}

void no_bias_is_local_sgd(int ranks, Findings& findings) {
  const Outcome local = run_trial(equally_fast("local-sgd", ranks));

  for (const std::string strategy : {"biased-local-sgd", "unbalanced-local-sgd"}) {
    for (const char* sampling : {"none", "separated", "unified"}) {
      Trial trial = equally_fast(strategy, ranks);
      set(trial.config, "sampling", sampling);
      const Outcome outcome = run_trial(trial);
      findings.is_identical(outcome, local, strategy);
      findings.is_true(outcome.samples == local.samples, strategy + ": samples differ");
    }
  }
  Trial trial = equally_fast("biased-local-sgd", ranks);
  set(trial.config, "alpha", "0.5");
  findings.is_far(run_trial(trial), local, "biased sampling");
}

using Settings = std::vector<std::pair<std::string, std::string>>;

/// 15 iterations of 2 ranks, or 7 of 4.
Trial outer(const std::string& strategy, int ranks, const Settings& settings) {
  Trial trial = trial_of(strategy, alike_on(layouts(ranks == 4 ? 4 : 2).back()), kBatch);
  trial.workers.resize(static_cast<std::size_t>(ranks));
  if (ranks == 3) trial.workers = alike(3);
  set(trial.config, "local-steps", 2);
  set(trial.config, "averaging-period", 2);
  for (const auto& [name, value] : settings) set(trial.config, name, value);
  return trial;
}

void outer_rate_1_is_the_average(int ranks, Findings& findings) {
  const Settings slow = {{"slowmo-rate", "1"}, {"slowmo-momentum", "0"}};
  const Settings rate_1 = {{"outer-rate", "1"}, {"outer-momentum", "0"}};
  for (const std::string compression : {"none", "fp16", "int8"}) {
    Settings compressed = {{"compression", compression}};
    const Outcome local = run_trial(outer("local-sgd", ranks, compressed));
    const Outcome nodes = run_trial(outer("node-based", ranks, compressed));
    compressed.insert(compressed.end(), slow.begin(), slow.end());
    compressed.insert(compressed.end(), rate_1.begin(), rate_1.end());
    findings.is_identical(
        run_trial(outer("slowmo", ranks, compressed)), local, "slowmo, " + compression);
    findings.is_identical(
        run_trial(outer("diloco", ranks, compressed)), local, "diloco, " + compression);
    compressed.emplace_back("slowmo-base", "node-based");
    findings.is_identical(
        run_trial(outer("slowmo", ranks, compressed)), nodes, "of node-based, " + compression);
  }
  const Outcome local = run_trial(outer("local-sgd", ranks, {}));
  findings.is_far(run_trial(outer("slowmo", ranks, {})), local, "slowmo with momentum");
  findings.is_far(run_trial(outer("diloco", ranks, {})), local, "diloco with momentum");
}

void ranks_agree_after_outer_steps(int ranks, Findings& findings) {
  const Settings streaming = {{"fragments", "2"}, {"fragment-delay", "1"}, {"local-steps", "4"}};
  for (const std::string compression : {"none", "fp16", "int8", "powersgd"}) {
    for (const char* own_share : {"0", "0.5"}) {
      Settings settings = streaming;
      settings.emplace_back("merge-weight", own_share);
      settings.emplace_back("compression", compression);
      const Outcome outcome = run_trial(outer("diloco", ranks, settings));
      findings.ranks_agree(outcome, "fragments with " + compression);
      findings.is_true(outcome.parameters[0] != outcome.start, "nothing was trained");
    }
  }
  findings.ranks_agree(run_trial(outer("slowmo", ranks, {})), "slowmo");
  findings.ranks_agree(run_trial(outer("local-sgd", ranks, {{"period-rule", "adacomm"}})),
                       "local-sgd with adacomm");
}

}  // namespace

std::vector<Case> parameter_cases() {
  return {
      {"local-sgd with one local step is sync", {2, 4}, one_local_step_is_sync},
      {"node-based that averages after each step is sync", {2, 4}, averaging_each_step_is_sync},
      {"daso that exchanges after each step, without delay, is sync",
       {2, 4},
       exchanges_each_step_are_sync},
      {"late exchanges of daso change parameters, the same in all ranks",
       {4},
       late_exchanges_differ},
      {"node-based on one node is sync", {2, 4}, one_node_is_sync},
      {"biased-local-sgd without bias at equal speeds is local-sgd",
       {1, 2, 4},
       no_bias_is_local_sgd},
      {"slowmo and diloco with rate 1 and no momentum are their base, bit by bit",
       {1, 2, 3, 4},
       outer_rate_1_is_the_average},
      {"all ranks end with the same bits after outer steps",
       {1, 2, 3, 4},
       ranks_agree_after_outer_steps},
  };
}

}  // namespace epochcast::tests
