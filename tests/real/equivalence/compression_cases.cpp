// SPDX-License-Identifier: Apache-2.0
// Compressed exchanges in real training: agreement of all ranks, and limits that equal no
// compression.
#include "compression/compression.hpp"
#include "tests/real/equivalence/findings.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

/// A trial with this compression from its first step on.
Trial compressed(const std::string& strategy, int ranks, const std::string& compression) {
  Trial trial = trial_of(strategy, alike(ranks), kBatch);
  set(trial.config, "compression", compression);
  if (compression == "powersgd") set(trial.config, "powersgd-start", 0);
  if (compression == "onebit") set(trial.config, "onebit-freeze-step", 0);
  if (strategy == "local-sgd") set(trial.config, "local-steps", 2);
  return trial;
}

void ranks_agree_with_compression(int ranks, Findings& findings) {
  for (const CompressionMethod& method : compressions()) {
    const std::string name(method.name);
    Trial buckets = compressed("sync", ranks, name);
    buckets.config.overlap = Overlap::bucket;
    buckets.config.first_bucket_bytes = 1000;
    buckets.config.bucket_bytes = 20e3;
    findings.ranks_agree(run_trial(compressed("sync", ranks, name)), name);
    findings.ranks_agree(run_trial(buckets), name + " in buckets");
    findings.ranks_agree(run_trial(compressed("local-sgd", ranks, name)), name + " of differences");
  }
}

void all_values_are_no_compression(int ranks, Findings& findings) {
  for (const std::string method : {"topk", "gtopk", "oktopk", "gaussiank"}) {
    Trial trial = compressed("sync", ranks, method);
    set(trial.config, "compression-ratio", 1);
    const Outcome all = run_trial(trial);
    findings.is_near(
        all, run_trial(trial_of("sync", alike(ranks), kBatch)), method + " with k = n");
  }
  findings.is_far(run_trial(compressed("sync", ranks, "topk")),
                  run_trial(trial_of("sync", alike(ranks), kBatch)),
                  "topk of 1 %");
}

}  // namespace

std::vector<Case> compression_cases() {
  return {{"all ranks end with the same bits, with every compression",
           {2, 3, 4},
           ranks_agree_with_compression},
          {"sparse compressions that keep all values are none",
           {2, 3, 4},
           all_values_are_no_compression}};
}

}  // namespace epochcast::tests
