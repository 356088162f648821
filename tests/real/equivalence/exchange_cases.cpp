// SPDX-License-Identifier: Apache-2.0
// The exchange of gradients does not change the result, and all ranks have the same.
#include "collectives/registry.hpp"
#include "tests/real/equivalence/findings.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

/// One epoch of four steps is enough if only additions are reordered.
Trial short_trial(const std::string& strategy, const std::vector<int>& node_of_rank) {
  Trial trial = trial_of(strategy, alike_on(node_of_rank), kBatch);
  trial.config.epochs = 1;
  return trial;
}

std::vector<int> two_nodes(int ranks) {
  std::vector<int> nodes;
  for (int rank = 0; rank < ranks; ++rank) nodes.push_back(2 * rank / ranks);
  return nodes;
}

/// Two numbers have one sum in any order; more have several.
void compare(const Outcome& a, const Outcome& b, const std::string& what, Findings& findings) {
  if (a.parameters.size() <= 2) {
    findings.is_identical(a, b, what);
  } else {
    findings.is_near(a, b, what);
  }
  findings.ranks_agree(a, what);
}

void buckets_are_sync(int ranks, Findings& findings) {
  const Outcome whole = run_trial(short_trial("sync", two_nodes(ranks)));
  for (const double bucket_bytes : {1.0, 8000.0, 1e9}) {
    Trial trial = short_trial("sync", two_nodes(ranks));
    trial.config.overlap = Overlap::bucket;
    trial.config.first_bucket_bytes = bucket_bytes / 2;
    trial.config.bucket_bytes = bucket_bytes;

    const Outcome buckets = run_trial(trial);

    // small-cnn: four biases, and weights of 1200, 48000, 2400 and 450 numbers, from the last on.
    const std::int64_t expected = bucket_bytes < 2 ? 8 : bucket_bytes < 1e6 ? 4 : 1;
    findings.is_true(buckets.buckets == expected,
                     std::to_string(buckets.buckets) + " buckets, not " + std::to_string(expected));
    compare(buckets, whole, std::to_string(expected) + " buckets", findings);
  }
}

void zero_is_sync(int ranks, Findings& findings) {
  for (const std::string optimizer : {"sgd", "adamw"}) {
    Trial trial = trial_of("sync", alike_on(two_nodes(ranks)), kBatch);
    set(trial.config, "optimizer", optimizer);
    const Outcome sync = run_trial(trial);
    trial.strategy = "zero";
    findings.is_identical(run_trial(trial), sync, "zero with " + optimizer);
    trial.config.overlap = Overlap::bucket;
    trial.config.first_bucket_bytes = trial.config.bucket_bytes = 8000;
    const Outcome zero = run_trial(trial);
    trial.strategy = "sync";
    findings.is_identical(zero, run_trial(trial), "zero in buckets with " + optimizer);
  }
}

void dear_is_buckets(int ranks, Findings& findings) {
  for (const std::string optimizer : {"sgd", "adamw"}) {
    Trial trial = trial_of("sync", alike_on(two_nodes(ranks)), kBatch);
    set(trial.config, "optimizer", optimizer);
    trial.config.overlap = Overlap::bucket;
    trial.config.first_bucket_bytes = trial.config.bucket_bytes = 8000;
    const Outcome buckets = run_trial(trial);
    trial.config.overlap = Overlap::dear;
    findings.is_identical(run_trial(trial), buckets, "dear with " + optimizer);
  }
}

void hetgrad_buckets_are_hetgrad(int ranks, Findings& findings) {
  Trial trial = short_trial("hetgrad", two_nodes(ranks));
  std::vector<double> seconds(static_cast<std::size_t>(ranks), 1);
  seconds[0] = 30;  // too slow for a single sample: it leaves, with its buckets
  trial.memory["seconds of batch " + std::to_string(kBatch)] = seconds;
  trial.memory["seconds of partition 0"] = seconds;
  const Outcome whole = run_trial(trial);
  trial.config.overlap = Overlap::bucket;
  trial.config.first_bucket_bytes = trial.config.bucket_bytes = 8000;

  const Outcome buckets = run_trial(trial);

  findings.is_true(buckets.batches[0] == 0, "the slow worker has samples");
  compare(buckets, whole, "a worker without samples", findings);
}

void algorithms_are_ring(int ranks, Findings& findings) {
  const Outcome ring = run_trial(short_trial("sync", two_nodes(ranks)));
  for (const AllReduceName& algorithm : all_reduce_names()) {
    Trial trial = short_trial("sync", two_nodes(ranks));
    trial.config.all_reduce = algorithm.name;

    const Outcome outcome = run_trial(trial);

    compare(outcome, ring, trial.config.all_reduce, findings);
  }
}

void ranks_agree(int ranks, Findings& findings) {
  std::vector<double> seconds;
  for (int rank = 0; rank < ranks; ++rank) seconds.push_back(rank == 0 ? 1 : 2);
  for (const std::string strategy : {"sync",
                                     "hetgrad",
                                     "hetgrad-unweighted",
                                     "dlb",
                                     "node-based",
                                     "local-sgd",
                                     "unbalanced-local-sgd",
                                     "biased-local-sgd"}) {
    Trial trial = trial_of(strategy, alike_on(two_nodes(ranks)), kBatch);
    trial.workers[0].model = "cpu-b";
    set(trial.config, "local-steps", 2);
    set(trial.config, "averaging-period", 3);  // of four iterations
    trial.memory["seconds of batch " + std::to_string(kBatch)] = seconds;
    trial.memory["seconds of partition 0"] = seconds;

    const Outcome outcome = run_trial(trial);

    findings.ranks_agree(outcome, strategy);
    findings.is_true(outcome.parameters[0] != outcome.start, strategy + ": nothing was trained");
  }
}

void all_start_from_rank_0(int ranks, Findings& findings) {
  for (const std::string strategy : {"sync", "hetgrad", "node-based", "local-sgd"}) {
    Trial trial = short_trial(strategy, two_nodes(ranks));
    set(trial.config, "local-steps", 2);
    const std::vector<double> seconds(static_cast<std::size_t>(ranks), 1);
    trial.memory["seconds of batch " + std::to_string(kBatch)] = seconds;
    trial.memory["seconds of partition 0"] = seconds;
    const Outcome equal = run_trial(trial);
    trial.is_start_equal = false;

    const Outcome outcome = run_trial(trial);

    findings.is_identical(outcome, equal, strategy);
  }
}

}  // namespace

std::vector<Case> exchange_cases() {
  return {
      {"sync in buckets is sync", {2, 4}, buckets_are_sync},
      {"zero is sync, bit by bit after many steps", {1, 2, 4}, zero_is_sync},
      {"sync with dear is sync in buckets, bit by bit", {1, 2, 4}, dear_is_buckets},
      {"hetgrad in buckets is hetgrad, also without samples", {2, 4}, hetgrad_buckets_are_hetgrad},
      {"sync is the same with every all-reduce algorithm", {2, 3, 4}, algorithms_are_ring},
      {"all ranks start from rank 0's parameters", {2, 4}, all_start_from_rank_0},
      {"all ranks end with the same bits", {2, 3, 4}, ranks_agree},
  };
}

}  // namespace epochcast::tests
