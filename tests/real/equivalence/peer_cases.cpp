// SPDX-License-Identifier: Apache-2.0
// Exchanges with few peers, and in rounds of time: where all workers are peers, or train one step,
// they are sync.
#include <algorithm>

#include "tests/real/equivalence/findings.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

constexpr const char* kPeerTopologies[] = {"exponential", "ring", "exponential-ring", "complete"};

Trial peer_trial(const std::string& strategy, int ranks, const std::string& topology) {
  Trial trial = trial_of(strategy, alike(ranks), kBatch);
  if (ranks == 4) trial.workers = alike_on({0, 0, 1, 1});
  set(trial.config, "topology", topology);
  return trial;
}

void alone_is_sequential(int, Findings& findings) {
  const Outcome sequential = run_trial(trial_of("sync", alike(1), kBatch));
  for (const std::string strategy : {"gossip", "decentralized", "ad-psgd"}) {
    const Outcome outcome = run_trial(peer_trial(strategy, 1, "exponential"));
    findings.is_identical(outcome, sequential, strategy);
    findings.is_true(outcome.samples == sequential.samples, strategy + ": samples differ");
  }
}

/// The mean after every step, with momenta of their own: see one_local_step_is_sync().
void gossip_of_two_is_sync(int ranks, Findings& findings) {
  for (const double momentum : {0.0, 0.9}) {
    Trial trial = peer_trial("gossip", ranks, "exponential");
    trial.config.learning.optimizer.momentum = momentum;
    Trial sync = trial_of("sync", alike(ranks), kBatch);
    sync.config.learning.optimizer.momentum = momentum;

    const Outcome outcome = run_trial(trial);

    const Outcome expected = run_trial(sync);
    findings.is_near(outcome, expected, "momentum " + std::to_string(momentum));
    findings.is_true(outcome.samples == expected.samples, "samples differ");
    findings.ranks_agree(outcome, "two ranks");
  }
}

/// All ranks begin with the same parameters and end with their average, so a single step is that
/// by the mean gradient.
void one_step_is_sync(int ranks, Findings& findings) {
  Trial sync = trial_of("sync", alike(ranks), kBatch);
  sync.config.epochs = 1;
  sync.train_samples = ranks * kBatch;
  const Outcome expected = run_trial(sync);
  for (const std::string strategy : {"gossip", "decentralized"}) {
    for (const char* topology : kPeerTopologies) {
      Trial trial = peer_trial(strategy, ranks, topology);
      trial.config.epochs = 1;
      trial.train_samples = sync.train_samples;
      const Outcome outcome = run_trial(trial);
      findings.is_near(outcome, expected, strategy + ", " + topology);
      trial.train_samples *= 2;
      findings.is_far(run_trial(trial), expected, "two steps");
    }
  }
}

/// Without momentum, the average after K steps is the start less K mean gradients at the workers'
/// own parameters: with few peers these differ from those of all.
void peers_matter(int, Findings& findings) {
  const Outcome complete = run_trial(peer_trial("decentralized", 4, "complete"));
  for (const char* topology : {"exponential", "ring"}) {
    const Outcome outcome = run_trial(peer_trial("decentralized", 4, topology));
    findings.is_far(outcome, complete, topology);
    findings.is_true(outcome.samples == complete.samples, "samples differ");
    findings.ranks_agree(outcome, topology);
  }
  const Outcome gossip = run_trial(peer_trial("gossip", 4, "exponential"));
  findings.is_far(gossip, complete, "gossip");
  findings.ranks_agree(gossip, "gossip");
  findings.is_true(gossip.samples == complete.samples, "samples of gossip differ");
}

/// Two ranks are each other's only peer in all of these.
void topologies_of_two_are_one(int ranks, Findings& findings) {
  const Outcome complete = run_trial(peer_trial("decentralized", ranks, "complete"));
  for (const char* topology : kPeerTopologies)
    findings.is_identical(
        run_trial(peer_trial("decentralized", ranks, topology)), complete, topology);
  findings.is_far(run_trial(trial_of("sync", alike(ranks), kBatch)), complete, "sync");
}

/// Rounds of time-synced; without an outer step if the rate is 1.
Trial timed_trial(int ranks, const char* sync_seconds, const char* rate) {
  Trial trial = trial_of("time-synced", alike(ranks), kBatch);
  trial.train_samples = 6 * ranks * kBatch;
  set(trial.config, "sync-seconds", sync_seconds);
  set(trial.config, "outer-rate", rate);
  if (std::string(rate) == "1") set(trial.config, "outer-momentum", "0");
  return trial;
}

/// Each worker makes one batch of each round, and together those of an iteration of sync. Momenta
/// of their own: see one_local_step_is_sync().
void shortest_rounds_are_sync(int ranks, Findings& findings) {
  // The owner of each batch depends on time. With it, the order of additions varies from run to
  // run, and momentum carries a rounding that crosses a kink of the network through many steps.
  for (const double momentum : ranks == 2 ? std::vector{0.0, 0.9} : std::vector{0.0}) {
    Trial trial = timed_trial(ranks, "1us", "1");
    trial.config.learning.optimizer.momentum = momentum;
    Trial sync = trial;
    sync.strategy = "sync";

    const Outcome expected = run_trial(sync);
    findings.is_near(run_trial(trial), expected, "momentum " + std::to_string(momentum));
    set(trial.config, "outer-momentum", "0.5");
    findings.is_far(run_trial(trial), expected, "outer momentum");
  }
}

void is_dealt_once(const Trial& trial, Findings& findings, const std::string& what) {
  const Outcome outcome = run_trial(trial);
  findings.ranks_agree(outcome, what);
  for (std::size_t epoch = 0; epoch < outcome.samples.size(); ++epoch) {
    Samples all = outcome.all_samples(epoch);
    std::ranges::sort(all);
    findings.is_true(static_cast<std::int64_t>(all.size()) == trial.train_samples &&
                         std::ranges::adjacent_find(all) == all.end(),
                     what + ": not every sample once");
  }
}

void dealt_samples_once(int ranks, Findings& findings) {
  for (const char* sync_seconds : {"2ms", "20ms", "1000s"}) {
    Trial trial = timed_trial(ranks, sync_seconds, "0.7");
    trial.delay_s[0] = 0.002;
    is_dealt_once(trial, findings, sync_seconds);
  }
  // A slow active worker, and a slow passive one.
  for (const int slow : {0, std::min(1, ranks - 1)}) {
    Trial trial = peer_trial("ad-psgd", ranks, "exponential");
    trial.train_samples = 6 * ranks * kBatch;
    trial.delay_s[slow] = 0.002;
    is_dealt_once(trial, findings, "ad-psgd, slow rank " + std::to_string(slow));
  }
}

void timed_alone_is_sequential(int, Findings& findings) {
  const Trial trial = timed_trial(1, "5ms", "1");
  Trial sync = trial;
  sync.strategy = "sync";
  findings.is_identical(run_trial(trial), run_trial(sync), "one rank");
}

}  // namespace

std::vector<Case> peer_cases() {
  return {
      {"peers on one rank are sequential SGD", {1, 2}, alone_is_sequential},
      {"gossip of two ranks is sync", {2}, gossip_of_two_is_sync},
      {"a single step of gossip or decentralized is sync", {2, 3, 4}, one_step_is_sync},
      {"all topologies of two ranks are the same, bit by bit", {2}, topologies_of_two_are_one},
      {"with few peers, four ranks train otherwise, and end with the same bits", {4}, peers_matter},
      {"time-synced with rounds of one batch is sync", {2, 4}, shortest_rounds_are_sync},
      {"time-synced and ad-psgd train on every sample once an epoch",
       {1, 2, 3, 4},
       dealt_samples_once},
      {"time-synced without outer step is sequential on one rank", {1}, timed_alone_is_sequential},
  };
}

}  // namespace epochcast::tests
