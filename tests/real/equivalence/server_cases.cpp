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
  return trial;
}

void one_worker_is_sequential(int ranks, Findings& findings) {
  const Outcome sequential = run_trial(trial_of("sync", alike(1), kBatch));
  for (const char* strategy : {"ps-sync", "ps-async", "ssp"}) {
    const Outcome served = run_trial(server_trial(strategy, 1, ranks - 1));
    findings.is_identical(served, sequential, strategy);
    findings.is_true(
        served.samples == sequential.samples || served.all_samples(0) == sequential.all_samples(0),
        std::string(strategy) + ": other samples");
  }
}

void rounds_are_sync(int ranks, Findings& findings) {
  const int workers = ranks - 1;
  Trial trial = server_trial("ps-sync", workers, 1);
  trial.train_samples = 4 * workers * kBatch;  // whole rounds
  const Outcome served = run_trial(trial);

  Trial sync = trial_of("sync", alike(workers), kBatch);
  sync.train_samples = trial.train_samples;
  const Outcome reduced = run_trial(sync);
  if (workers == 2) {
    findings.is_identical(served, reduced, "two workers");  // a sum of two has one order
  } else {
    findings.is_near(served, reduced, "parameters");
  }
  findings.ranks_agree(served, "parameters");
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
  for (const char* strategy : {"ps-async", "ssp"}) {
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
      {"ps-sync is sync", {2, 3, 4}, rounds_are_sync},
      {"ssp with bound 0 is ps-sync with the rate of one worker", {3, 4}, bound_0_is_rounds},
      {"asynchronous workers use each sample once an epoch", {2, 3, 4}, samples_once},
  };
}

}  // namespace epochcast::tests
