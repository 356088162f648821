// SPDX-License-Identifier: Apache-2.0
// Parameter servers: one worker is sequential SGD, rounds are synchronous SGD.
#include <algorithm>

#include "tests/real/equivalence/findings.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

Trial server_trial(const std::string& strategy, int workers, int servers) {
  Trial trial = trial_of(strategy, alike(workers + servers), kBatch);
  for (auto each = trial.workers.end() - servers; each != trial.workers.end(); ++each)
    each->role = Role::sums;
  // gssp's groups; its benchmark would load samples.
  std::vector<double>& seconds = trial.memory["seconds of workers"];
  for (int rank = 0; rank < workers + servers; ++rank) seconds.push_back(1 + rank);
  return trial;
}

void one_worker_is_sequential(int ranks, Findings& findings) {
  const Outcome sequential = run_trial(trial_of("sync", alike(1), kBatch));
  for (const char* strategy : {"ps-sync", "ps-async", "ssp", "backup-workers", "gssp"}) {
    Trial trial = server_trial(strategy, 1, ranks - 1);
    set(trial.config, "backup-workers", 0);
    const Outcome served = run_trial(trial);
    findings.is_identical(served, sequential, strategy);
    findings.is_true(
        served.samples == sequential.samples || served.all_samples(0) == sequential.all_samples(0),
        std::string(strategy) + ": other samples");
  }
}

void rounds_are_sync(int ranks, Findings& findings) {
  for (int servers = 1; servers < ranks; ++servers) {
    const int workers = ranks - servers;
    Trial sync = trial_of("sync", alike(workers), kBatch);
    sync.train_samples = 4 * workers * kBatch;  // whole rounds
    const Outcome reduced = run_trial(sync);
    for (const std::string strategy : {"ps-sync", "backup-workers", "gssp"}) {
      Trial trial = server_trial(strategy, workers, servers);
      trial.train_samples = sync.train_samples;
      set(trial.config, "backup-workers", 0);
      if (workers > 1) set(trial.config, "group-tolerance", "1e6");  // one group
      trial.delay_s[0] = 0.002;
      const Outcome served = run_trial(trial);
      if (workers <= 2) {
        findings.is_identical(served, reduced, strategy);  // a sum of two has one order
      } else {
        findings.is_near(served, reduced, strategy);
      }
      findings.ranks_agree(served, strategy);
    }
  }
}

/// Gradients of the slow worker are dropped, unless it happens to be among the first.
void late_gradients_are_dropped(int ranks, Findings& findings) {
  const int workers = ranks - 1;
  Trial trial = server_trial("backup-workers", workers, 1);
  trial.delay_s[0] = 0.02;
  const Outcome served = run_trial(trial);
  findings.ranks_agree(served, "backup-workers");
  for (std::size_t epoch = 0; epoch < served.samples.size(); ++epoch) {
    const auto updates = 100 / ((workers - 1) * kBatch);
    findings.is_true(static_cast<std::int64_t>(served.all_samples(epoch).size()) >
                         updates * (workers - 1) * kBatch,
                     "no batch was in vain");
  }
}

/// A buffer of one push: each push moves the server by as much as the worker has moved.
void pushes_of_one_worker_are_its_steps(int ranks, Findings& findings) {
  Trial steps = trial_of("local-sgd", alike(1), kBatch);
  set(steps.config, "local-steps", 4);
  const Outcome sequential = run_trial(steps);
  Trial trial = server_trial("fedbuff", 1, ranks - 1);
  set(trial.config, "local-steps", 4);
  // Parameters, plus a difference of them, are rounded.
  findings.is_near(run_trial(trial), sequential, "fedbuff");
  set(trial.config, "server-rate", "0.5");
  findings.is_far(run_trial(trial), sequential, "half of the server's rate");
}

/// Each gradient is an update of its own, so the learning rate is divided by the workers.
void bound_0_is_rounds(int ranks, Findings& findings) {
  const int workers = ranks - 1;
  Trial rounds = server_trial("ps-sync", workers, 1);
  rounds.config.learning.optimizer.momentum = 0;
  Trial bounded = rounds;
  bounded.strategy = "ssp";
  set(bounded.config, "staleness-bound", 0);
  rounds.train_samples = bounded.train_samples = 4 * workers * kBatch;
  const Outcome expected = run_trial(rounds);
  findings.is_far(run_trial(bounded), expected, "the same learning rate");

  bounded.config.learning.rate.base /= workers;
  findings.is_near(run_trial(bounded), expected, "the rate of one worker");
}

void samples_once(int ranks, Findings& findings) {
  for (const char* strategy : {"ps-async", "ssp", "gssp"}) {
    for (int servers = 1; servers < ranks; ++servers) {
      Trial trial = server_trial(strategy, ranks - servers, servers);
      trial.delay_s[0] = 0.002;
      const Outcome served = run_trial(trial);
      for (std::size_t epoch = 0; epoch < served.samples.size(); ++epoch) {
        Samples all = served.all_samples(epoch);
        std::ranges::sort(all);
        findings.is_true(static_cast<std::int64_t>(all.size()) == 100 / kBatch * kBatch,
                         std::string(strategy) + ": the number of samples");
        findings.is_true(std::ranges::adjacent_find(all) == all.end(),
                         std::string(strategy) + ": a sample twice");
      }
      findings.ranks_agree(served, strategy);
    }
  }
}

}  // namespace

std::vector<Case> server_cases() {
  return {
      {"a single worker of parameter servers is sequential SGD", {2, 3}, one_worker_is_sequential},
      {"rounds through parameter servers are sync", {2, 3, 4}, rounds_are_sync},
      {"late gradients are dropped", {3, 4}, late_gradients_are_dropped},
      {"pushes of one worker are its steps", {2, 3}, pushes_of_one_worker_are_its_steps},
      {"ssp with bound 0 is ps-sync with the rate of one worker", {3, 4}, bound_0_is_rounds},
      {"asynchronous workers use each sample once an epoch", {2, 3, 4}, samples_once},
  };
}

}  // namespace epochcast::tests
