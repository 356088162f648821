// SPDX-License-Identifier: Apache-2.0
// One worker is nothing but LibTorch.
#include "tests/real/equivalence/findings.hpp"
#include "tests/real/equivalence/plain_training.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

void compare_with_libtorch(const Trial& trial, Findings& findings) {
  const Outcome outcome = run_trial(trial);

  std::vector<Samples> order;
  const std::int64_t trained = trial.train_samples / trial.config.batch * trial.config.batch;
  for (const auto& epoch : outcome.samples)  // the first loads were for a benchmark
    order.emplace_back(epoch[0].end() - trained, epoch[0].end());
  Outcome plain = outcome;
  plain.parameters = {train_plainly(trial, order)};
  const std::string what = trial.strategy + ", batch " + std::to_string(trial.config.batch) +
                           ", momentum " +
                           std::to_string(*trial.config.learning.optimizer.momentum);
  findings.is_identical(outcome, plain, what);
}

void one_rank_is_libtorch(int, Findings& findings) {
  for (const std::int64_t batch : {1, 8, 12}) {  // 1/12 is not exact in binary
    for (const double momentum : {0.0, 0.9}) {
      Trial trial = trial_of("sync", alike(1), batch);
      trial.config.learning.optimizer.momentum = momentum;
      compare_with_libtorch(trial, findings);
    }
  }
}

void every_strategy_alone_is_libtorch(int, Findings& findings) {
  for (const std::string strategy : {"hetgrad",
                                     "hetgrad-unweighted",
                                     "dlb",
                                     "node-based",
                                     "local-sgd",
                                     "unbalanced-local-sgd",
                                     "biased-local-sgd",
                                     "slowmo",
                                     "diloco"}) {
    Trial trial = trial_of(strategy, alike(1), 12);
    set(trial.config, "local-steps", 4);
    set(trial.config, "slowmo-momentum", 0);
    set(trial.config, "outer-momentum", 0);
    set(trial.config, "outer-rate", 1);
    compare_with_libtorch(trial, findings);  // own benchmarks have no effect
  }
  Trial trial = trial_of("sync", alike(1), 12);
  trial.config.overlap = Overlap::bucket;
  trial.config.bucket_bytes = 1000;
  compare_with_libtorch(trial, findings);
}

}  // namespace

std::vector<Case> plain_cases() {
  return {
      {"sync on one rank is a plain LibTorch loop", {1}, one_rank_is_libtorch},
      {"so is every strategy on one rank", {1}, every_strategy_alone_is_libtorch},
  };
}

}  // namespace epochcast::tests
