// SPDX-License-Identifier: Apache-2.0
// Strategies that average gradients: all of them are one worker with the joint batch.
#include <algorithm>
#include <numeric>

#include "tests/real/equivalence/findings.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

Outcome one_worker(std::int64_t batch) { return run_trial(trial_of("sync", alike(1), batch)); }

/// Whether the workers together load the samples of one worker, iteration by iteration.
bool load_the_same(const Outcome& many,
                   const std::vector<std::int64_t>& batches,
                   const Outcome& one) {
  for (std::size_t epoch = 0; epoch < one.samples.size(); ++epoch) {
    const Samples& expected = one.samples[epoch][0];
    std::vector<std::int64_t> next(batches.size(), 0);
    Samples joint;
    while (joint.size() < expected.size()) {
      for (std::size_t rank = 0; rank < batches.size(); ++rank) {
        const Samples& own = many.samples[epoch][rank];
        if (next[rank] + batches[rank] > static_cast<std::int64_t>(own.size())) return false;
        const auto from = own.begin() + next[rank];
        joint.insert(joint.end(), from, from + batches[rank]);
        next[rank] += batches[rank];
      }
    }
    if (joint != expected || many.all_samples(epoch).size() != expected.size()) return false;
  }
  return true;
}

void sync_is_one_worker(int ranks, Findings& findings) {
  const std::vector<std::int64_t> batches(static_cast<std::size_t>(ranks), kBatch);

  const Outcome many = run_trial(trial_of("sync", alike(ranks), kBatch));

  const Outcome one = one_worker(ranks * kBatch);
  findings.is_near(many, one, "parameters");
  findings.is_true(load_the_same(many, batches, one), "iterations hold other samples");
  findings.is_far(one_worker(kBatch), one, "another batch");
}

/// HetGrad on workers whose batches of kBatch samples take these seconds.
Trial hetgrad_trial(const std::string& strategy, const std::vector<double>& seconds) {
  Trial trial = trial_of(strategy, alike(static_cast<int>(seconds.size())), kBatch);
  trial.memory["seconds of batch " + std::to_string(kBatch)] = seconds;
  trial.memory["seconds of partition 0"] = std::vector<double>(seconds.size(), 1);
  return trial;
}

struct UnevenCase {
  std::vector<double> seconds;
  std::vector<std::int64_t>
      batches;  ///< G·c_p/Σc with G = P·6 and c_p = max t/t_p, rounded to sum to G
};

const std::vector<UnevenCase>& uneven_cases() {
  static const std::vector<UnevenCase> kCases = {
      {.seconds = {1, 3}, .batches = {9, 3}},               // G = 12, c = 3, 1
      {.seconds = {11, 1}, .batches = {1, 11}},             // G = 12, c = 1, 11
      {.seconds = {1, 30}, .batches = {12, 0}},             // 11.6 and 0.4: one has no samples
      {.seconds = {1, 2, 3, 6}, .batches = {12, 6, 4, 2}},  // G = 24, c = 6, 3, 2, 1
  };
  return kCases;
}

void hetgrad_is_one_worker(int ranks, Findings& findings) {
  for (const UnevenCase& uneven : uneven_cases()) {
    if (static_cast<int>(uneven.seconds.size()) != ranks) continue;

    const Outcome many = run_trial(hetgrad_trial("hetgrad", uneven.seconds));

    const std::int64_t all =
        std::accumulate(uneven.batches.begin(), uneven.batches.end(), std::int64_t{0});
    const Outcome one = one_worker(all);
    findings.is_true(many.batches == uneven.batches, "batches differ");
    findings.is_near(many, one, "parameters with a joint batch of " + std::to_string(all));
    findings.is_true(load_the_same(many, uneven.batches, one), "iterations hold other samples");
  }
}

void unweighted_is_another(int ranks, Findings& findings) {
  for (const UnevenCase& uneven : uneven_cases()) {
    if (static_cast<int>(uneven.seconds.size()) != ranks) continue;

    const Outcome many = run_trial(hetgrad_trial("hetgrad-unweighted", uneven.seconds));

    const Outcome weighted = run_trial(hetgrad_trial("hetgrad", uneven.seconds));
    if (std::count(uneven.batches.begin(), uneven.batches.end(), 0) == ranks - 1) {
      findings.is_identical(many, weighted, "parameters where one worker has all samples");
    } else {
      findings.is_far(many, weighted, "parameters");
    }
    findings.is_true(many.samples == weighted.samples, "samples differ");
  }
  const std::vector<double> equal(static_cast<std::size_t>(ranks), 1);
  findings.is_identical(run_trial(hetgrad_trial("hetgrad-unweighted", equal)),
                        run_trial(hetgrad_trial("hetgrad", equal)),
                        "weights with equal batches");
}

void dlb_is_sync(int ranks, Findings& findings) {
  Trial trial = trial_of("dlb", alike(ranks), kBatch);
  trial.config.epochs = 1;  // later batches follow real time

  const Outcome dlb = run_trial(trial);

  trial.strategy = "sync";
  findings.is_identical(dlb, run_trial(trial), "equal batches");
}

void dlb_is_one_worker(int ranks, Findings& findings) {
  Trial trial = trial_of("dlb", alike(ranks), kBatch);
  trial.delay_s[0] = 0.01;  // three times a batch: the others' take about a tenth of that
  set(trial.config, "least-batch", 0);  // no worker leaves, regardless of its speed

  const Outcome dlb = run_trial(trial);

  findings.is_true(dlb.batches.front() < kBatch, "the slow worker keeps its batch");
  findings.is_near(dlb, one_worker(ranks * kBatch), "parameters");
}

void byteps_is_one_worker(int ranks, Findings& findings) {
  for (int servers = 1; servers < ranks; ++servers) {
    Trial trial = trial_of("byteps", alike(ranks), kBatch);
    for (auto each = trial.workers.end() - servers; each != trial.workers.end(); ++each)
      each->role = Role::sums;
    set(trial.config, "partition-bytes", "10000B");  // 21 partitions of 209 kB

    const Outcome byteps = run_trial(trial);

    const std::string who = std::to_string(servers) + " servers";
    const Outcome one = one_worker((ranks - servers) * kBatch);
    findings.is_near(byteps, one, who);
    findings.ranks_agree(byteps, who);
  }
}

Trial collecting_trial(int ranks, std::int64_t target) {
  Trial trial = trial_of("large-batch", alike(ranks), kBatch);
  set(trial.config, "target-batch", static_cast<int>(target));
  return trial;
}

void large_batch_is_one_worker(int ranks, Findings& findings) {
  const std::int64_t target = 2 * ranks * kBatch;
  const Outcome one = one_worker(target);
  for (const double delay_s : {0.0, 0.01}) {  // of three batches, about
    Trial trial = collecting_trial(ranks, target);
    trial.delay_s[0] = delay_s;

    const Outcome many = run_trial(trial);

    const std::string who = "with a delay of " + std::to_string(delay_s) + " s";
    findings.is_near(many, one, who);
    findings.ranks_agree(many, who);
    for (std::size_t epoch = 0; epoch < one.samples.size(); ++epoch) {
      Samples used = many.all_samples(epoch);
      Samples expected = one.all_samples(epoch);
      std::ranges::sort(used);
      std::ranges::sort(expected);
      findings.is_true(used == expected, who + ": other samples");
    }
  }
}

void delayed_updates_are_older(int ranks, Findings& findings) {
  Trial trial = collecting_trial(ranks, ranks * kBatch);
  const Outcome at_once = run_trial(trial);
  set(trial.config, "delayed-updates", "on");

  const Outcome delayed = run_trial(trial);

  findings.is_far(delayed, at_once, "parameters");
  findings.ranks_agree(delayed, "parameters");
  trial.train_samples = ranks * kBatch;  // one round, after which nothing is delayed
  const Outcome one_round = run_trial(trial);
  set(trial.config, "delayed-updates", "off");
  findings.is_near(one_round, run_trial(trial), "one round");
}

}  // namespace

std::vector<Case> gradient_cases() {
  return {
      {"sync with P workers of batch B is one worker of batch P*B", {2, 4}, sync_is_one_worker},
      {"hetgrad is one worker with the sum of its uneven batches", {2, 4}, hetgrad_is_one_worker},
      {"hetgrad-unweighted is not, unless batches are equal", {2, 4}, unweighted_is_another},
      {"dlb is sync while batches are equal", {2, 4}, dlb_is_sync},
      {"dlb is one worker with the joint batch at any speeds", {2, 4}, dlb_is_one_worker},
      {"byteps is one worker with the joint batch of those that train",
       {2, 4},
       byteps_is_one_worker},
      {"large-batch is one worker with the target batch at any speeds",
       {1, 2, 4},
       large_batch_is_one_worker},
      {"delayed updates of large-batch are older in all rounds but the last",
       {1, 2, 4},
       delayed_updates_are_older},
  };
}

}  // namespace epochcast::tests
