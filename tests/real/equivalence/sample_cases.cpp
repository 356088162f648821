// SPDX-License-Identifier: Apache-2.0
// The samples of each worker in an epoch, counted where they are loaded.
#include <algorithm>
#include <set>

#include "core/job/setting_text.hpp"
#include "tests/real/equivalence/findings.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

using SampleSet = std::set<std::int64_t>;

SampleSet set_of(const Samples& samples) { return {samples.begin(), samples.end()}; }

/// The first half of the ranks is twice as fast as the rest.
Trial fast_and_slow_trial(const std::string& strategy, int ranks, std::int64_t batch) {
  Trial trial = trial_of(strategy, alike(ranks), batch);
  std::vector<double> seconds;
  for (int rank = 0; rank < ranks; ++rank) {
    const bool is_fast = 2 * rank < ranks;
    trial.workers[static_cast<std::size_t>(rank)].model = is_fast ? "gpu-a" : "cpu-a";
    seconds.push_back(is_fast ? 1 : 2);
  }
  trial.memory["seconds of batch " + std::to_string(batch)] = seconds;
  trial.memory["seconds of partition 0"] = seconds;
  set(trial.config, "local-steps", 4);       // slow: 2
  set(trial.config, "averaging-period", 5);  // of 12 or 6 iterations
  return trial;
}

/// Distinct samples of an epoch by the papers' formulas: N = 100, P workers, B = 4.
std::int64_t samples_of_epoch(const std::string& strategy, int ranks) {
  const std::int64_t n = 100;
  const std::int64_t joint = ranks * 4;  // hetgrad's G, too: shares are rounded to sum to it
  const std::int64_t half = ranks / 2;
  const std::int64_t rounds = n / (joint * 4);                              // T = N/(P·B·H)
  if (strategy == "local-sgd") return rounds * joint * 4;                   // T·P·B·H
  if (strategy.ends_with("local-sgd")) return rounds * 4 * half * (4 + 2);  // T·B·ΣH_p
  return n / joint * joint;                                                 // K·P·B
}

void each_sample_at_most_once(int ranks, Findings& findings) {
  for (const std::string strategy : {"sync",
                                     "hetgrad",
                                     "hetgrad-unweighted",
                                     "node-based",
                                     "local-sgd",
                                     "unbalanced-local-sgd",
                                     "biased-local-sgd",
                                     "dlb"}) {
    Trial trial = fast_and_slow_trial(strategy, ranks, 4);
    set(trial.config, "sampling", "none");

    const Outcome outcome = run_trial(trial);

    std::vector<SampleSet> epochs;
    for (std::size_t epoch = 0; epoch < 2; ++epoch) {
      const Samples seen = outcome.all_samples(epoch);
      epochs.push_back(set_of(seen));
      const std::int64_t expected = samples_of_epoch(strategy, ranks);
      findings.is_true(static_cast<std::int64_t>(seen.size()) == expected,
                       strategy + ": " + std::to_string(seen.size()) + " samples, not " +
                           std::to_string(expected));
      findings.is_true(epochs.back().size() == seen.size(), strategy + ": a sample is seen twice");
    }
    findings.is_true(outcome.samples[0] != outcome.samples[1], strategy + ": the same order again");
    // The remainder differs, unless there is none.
    findings.is_true(epochs[0] != epochs[1] || epochs[0].size() == 100,
                     strategy + ": the same samples are left out again");
  }
}

/// The samples of fast and slow workers in an epoch.
struct Draw {
  Samples fast, slow;
};

Draw draw_of(const Outcome& outcome, std::size_t epoch) {
  Draw draw;
  const auto& ranks = outcome.samples[epoch];
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    Samples& own = 2 * rank < ranks.size() ? draw.fast : draw.slow;
    own.insert(own.end(), ranks[rank].begin(), ranks[rank].end());
  }
  return draw;
}

/// The `count` samples of highest loss; ties: the lower index.
Samples highest(const std::map<std::int64_t, float>& losses, std::int64_t count) {
  std::vector<std::pair<float, std::int64_t>> sorted;
  for (const auto& [sample, loss] : losses) sorted.emplace_back(-loss, sample);
  std::sort(sorted.begin(), sorted.end());
  Samples samples;
  for (std::int64_t i = 0; i < count; ++i)
    samples.push_back(sorted.at(static_cast<std::size_t>(i)).second);
  return samples;
}

std::int64_t common(const Samples& a, const SampleSet& b) {
  return std::count_if(a.begin(), a.end(), [&](std::int64_t sample) { return b.contains(sample); });
}

struct BiasedCase {
  std::string name;
  std::string sampling = "separated";
  std::string favoured = "fast";
  double alpha = 0.5;
};

void check_draws(const BiasedCase& biased, int ranks, Findings& findings) {
  Trial trial = fast_and_slow_trial("biased-local-sgd", ranks, 4);
  trial.train_samples = 200;
  trial.config.epochs = 3;
  set(trial.config, "sampling", biased.sampling);
  set(trial.config, "high-loss-to", biased.favoured);
  set(trial.config, "alpha", shortest(biased.alpha));

  const Outcome outcome = run_trial(trial);

  const std::int64_t rounds = 200 / (ranks * 4 * 4);
  std::map<std::int64_t, float> losses;  // at the last training
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    const std::string where = biased.name + ", epoch " + std::to_string(epoch + 1) + ": ";
    const Draw draw = draw_of(outcome, epoch);
    const std::int64_t n_fast = rounds * 4 * 4 * ranks / 2;  // T·H_f·B·P_f
    const std::int64_t n_slow = rounds * 2 * 4 * ranks / 2;  // T·H_s·B·P_s
    findings.is_true(std::ssize(draw.fast) == n_fast && std::ssize(set_of(draw.fast)) == n_fast,
                     where + "fast workers do not see n_f distinct samples");
    findings.is_true(std::ssize(draw.slow) == n_slow && std::ssize(set_of(draw.slow)) == n_slow,
                     where + "slow workers do not see n_s distinct samples");
    const std::int64_t both = common(draw.fast, set_of(draw.slow));
    findings.is_true((both == 0) == (biased.sampling == "unified"),
                     where + std::to_string(both) + " samples are seen by fast and slow workers");
    if (epoch > 0) {
      const Samples& favoured = biased.favoured == "fast" ? draw.fast : draw.slow;
      const auto count =
          static_cast<std::int64_t>(biased.alpha * static_cast<double>(favoured.size()));
      const Samples chosen = highest(losses, count);
      findings.is_true(common(chosen, set_of(favoured)) == count,
                       where + "the samples of highest loss are missing");
    }
    for (const auto& [sample, loss] : outcome.losses[epoch]) losses[sample] = loss;
  }
}

void biased_draws(int ranks, Findings& findings) {
  const std::vector<BiasedCase> cases = {
      {.name = "separated"},
      {.name = "alpha 1", .alpha = 1},
      {.name = "high loss to slow", .favoured = "slow"},
      {.name = "unified", .sampling = "unified"},
  };
  for (const BiasedCase& biased : cases) check_draws(biased, ranks, findings);
}

void losses_are_recorded(int ranks, Findings& findings) {
  const Outcome outcome = run_trial(fast_and_slow_trial("biased-local-sgd", ranks, 4));

  for (std::size_t epoch = 0; epoch < 2; ++epoch) {
    const SampleSet seen = set_of(outcome.all_samples(epoch));
    SampleSet recorded;
    for (const auto& [sample, loss] : outcome.losses[epoch]) recorded.insert(sample);
    findings.is_true(recorded == seen, "other losses are recorded than samples seen");
  }
}

}  // namespace

std::vector<Case> sample_cases() {
  return {
      {"an epoch sees its share of samples once, the next one in another order",
       {2, 4},
       each_sample_at_most_once},
      {"biased-local-sgd draws as in the paper", {2, 4}, biased_draws},
      {"biased-local-sgd records a loss for each sample seen", {2, 4}, losses_are_recorded},
  };
}

}  // namespace epochcast::tests
