// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <numeric>

#include "tests/catch.hpp"
#include "tests/support/set.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

constexpr std::int64_t kGossipBatch = 4;

/// So many workers that make so many iterations an epoch, and three samples more.
StrategyJob gossip_job(int workers, std::int64_t iterations, std::int64_t epochs = 1) {
  return {.workers = workers_on(std::vector<int>(static_cast<std::size_t>(workers), 0)),
          .config = small_config(kGossipBatch, epochs),
          .train_samples = iterations * workers * kGossipBatch + 3,
          .work = {},
          .cost = {.alpha_s = 1e-3, .beta_s_per_byte = 1e-4}};
}

/// The receivers of a worker's parameters, in order.
std::vector<int> receivers(const StrategyRun& run, int rank) {
  std::vector<int> peers;
  for (const FakeCall& call : run.fabric.of(rank, "send"))
    if (call.bytes == kParameterBytes) peers.push_back(call.peer);
  return peers;
}

TEST_CASE("with one worker, gossip and decentralized are sequential SGD, bit for bit") {
  const StrategyRun sequential = run_strategy("sync", gossip_job(1, 9, 2));
  for (const char* strategy : {"gossip", "decentralized"}) {
    CAPTURE(strategy);
    const StrategyRun run = run_strategy(strategy, gossip_job(1, 9, 2));

    CHECK(run.learners[0].starts == sequential.learners[0].starts);
    CHECK(run.learners[0].parameters == sequential.learners[0].parameters);
    CHECK(run.fabric.of(0, "send").empty());
    CHECK(run.reports[0].training.exposed_communication_s == 0);
  }
}

TEST_CASE("gossip sends parameters to the workers at distance 1, 2, 4, ... in turn") {
  const StrategyRun of_5 = run_strategy("gossip", gossip_job(5, 7));
  const StrategyRun of_8 = run_strategy("gossip", gossip_job(8, 4));

  CHECK(receivers(of_5, 0) == std::vector<int>{1, 2, 4, 1, 2, 4, 1});
  CHECK(receivers(of_5, 3) == std::vector<int>{4, 0, 2, 4, 0, 2, 4});
  CHECK(receivers(of_8, 6) == std::vector<int>{7, 0, 2, 7});
}

TEST_CASE("after a whole cycle without gradients, 2^n workers of gossip have their mean") {
  // The paper's appendix: log2(P) exchanges of the exponential graph average exactly.
  for (const int workers : {2, 4, 8, 16}) {
    const int cycle = std::countr_zero(static_cast<unsigned>(workers));
    StrategyJob job = gossip_job(workers, cycle + 1);
    // Only the first iteration has gradients: worker p moves by p + 1.
    job.work.gradient = [=](int rank, std::int64_t position) {
      return position < workers * kGossipBatch ? static_cast<float>(rank + 1) : 0.0F;
    };

    const StrategyRun run = run_strategy("gossip", job);

    const double mean = (workers + 1) / 2.0;
    for (const LearnerLog& learner : run.learners)
      CHECK(learner.starts.back()[0] == static_cast<float>(-mean));
  }
}

TEST_CASE("workers of gossip have own models until the average after each epoch") {
  StrategyJob job = gossip_job(5, 4, 2);
  job.work.gradient = [](int rank, std::int64_t) { return static_cast<float>(rank * rank); };

  const StrategyRun run = run_strategy("gossip", job);

  for (int rank = 0; rank < 5; ++rank) CHECK(run.all_reduces(rank, kParameterBytes).size() == 2);
  CHECK(run.learners[1].starts[3] != run.learners[2].starts[3]);
  CHECK(run.learners[1].starts[4] == run.learners[2].starts[4]);
  // The sum of parameters is that of all steps: 8 of the mean gradient 6.
  CHECK(run.learners[0].parameters[0] == Approx(-8.0 * (0 + 1 + 4 + 9 + 16) / 5));
}

/// Runs gossip with a check of the workers' states after each epoch.
using GossipCheck = std::function<void(Fabric&, double weight, double z, std::int64_t epoch)>;

void run_gossip_with(const StrategyJob& job,
                     const std::function<double(int)>& first_weight,
                     const GossipCheck& check) {
  std::vector<LearnerLog> logs(job.workers.size());
  run_workers(
      job.workers,
      [&](Fabric& fabric) {
        RecordingLearner learner(fabric, job.work, logs[static_cast<std::size_t>(fabric.rank())]);
        Worker worker = {.fabric = fabric,
                         .learner = learner,
                         .sampling = learner,
                         .config = job.config,
                         .train_samples = job.train_samples};
        const auto weight = [&]() -> double& {
          return worker.kept.numbers<double>(0, "push-sum weight", 1).front();
        };
        weight() = first_weight(fabric.rank());
        worker.after_epoch = [&](std::int64_t epoch) {
          const double z = static_cast<double>(values<float>(learner.parameters())[0]);
          check(fabric, weight(), z, epoch);
        };
        find_strategy("gossip").run(worker);
      },
      job.cost);
}

TEST_CASE("push-sum weights of gossip sum to the number of workers, for 1 to 17") {
  for (int workers = 1; workers <= 17; ++workers) {
    for (const std::int64_t iterations : {1, 2, 5}) {
      CAPTURE(workers, iterations);
      const auto check = [&](Fabric& fabric, double weight, double, std::int64_t) {
        const std::vector<double> all = fabric.all_gather_numbers({&weight, 1}, fabric.world());
        CHECK(std::accumulate(all.begin(), all.end(), 0.0) == workers);
        CHECK(weight == 1);  // every worker receives from one
      };
      run_gossip_with(
          gossip_job(workers, iterations, 3), [](int) { return 0; }, check);
    }
  }
}

TEST_CASE("unequal push-sum weights of gossip end equal, and z in the weighted mean") {
  // Without gradients, the sums of w and of w z are kept, and z goes to their ratio. Rank 0's z is
  // broadcast at first, so a step of the first iteration makes z differ.
  for (const int workers : {2, 3, 5, 8, 17}) {
    CAPTURE(workers);
    StrategyJob job = gossip_job(workers, 60, 2);
    job.work.gradient = [=](int rank, std::int64_t position) {
      return position < workers * kGossipBatch ? static_cast<float>(rank + 1) : 0.0F;
    };
    const auto first_weight = [](int rank) { return rank % 2 == 0 ? 1.5 : 0.5; };
    double sum = 0;
    double moved = 0;
    for (int rank = 0; rank < workers; ++rank) {
      sum += first_weight(rank);
      moved += 2.0 * (rank + 1);  // x: the steps of both epochs
    }
    const auto check = [&](Fabric& fabric, double weight, double z, std::int64_t epoch) {
      const std::vector<double> all = fabric.all_gather_numbers({&weight, 1}, fabric.world());
      CHECK(std::accumulate(all.begin(), all.end(), 0.0) == Approx(sum));
      CHECK(weight == Approx(sum / workers));
      // float32, in 120 exchanges
      CHECK(z == Approx(-moved / sum * (epoch == 0 ? 0.5 : 1)).epsilon(1e-4));
    };
    run_gossip_with(job, first_weight, check);
  }
}

TEST_CASE("gossip ends with 1 to 17 workers, and uses each sample of whole iterations once") {
  for (int workers = 1; workers <= 17; ++workers) {
    for (const std::int64_t iterations : {1, 4, 11}) {
      CAPTURE(workers, iterations);
      const StrategyRun run = run_strategy("gossip", gossip_job(workers, iterations, 2));
      const StrategyRun sync = run_strategy("sync", gossip_job(workers, iterations, 2));

      for (std::size_t rank = 0; rank < run.learners.size(); ++rank) {
        CHECK(run.learners[rank].shuffled == sync.learners[rank].shuffled);
        CHECK(run.learners[rank].batches == sync.learners[rank].batches);
        CHECK(run.learners[rank].parameters == run.learners[0].parameters);
      }
    }
  }
}

TEST_CASE("a step of gossip takes the batch, and one message each way") {
  // A message of 8 weights' bytes starts beside that of the parameters; both take at least α.
  for (const int workers : {2, 5}) {
    const StrategyJob job = gossip_job(workers, 6);
    const StrategyRun run = run_strategy("gossip", job);

    const double batch_s = job.work.batch_s(0, kGossipBatch);
    const double message_s = 1e-3 + 1e-4 * kParameterBytes;
    CHECK(run.reports[0].training_s ==
          Approx(6 * (batch_s + message_s) + message_s));  // and the last average
  }
}

TEST_CASE("gossip has no --overlap") {
  JobConfig config;
  config.overlap = Overlap::bucket;
  CHECK_THROWS_WITH(find_strategy("gossip").check(config, DeviceNames(workers_on({0}))),
                    "--overlap: gossip exchanges parameters after the step, when nothing is left "
                    "to compute; use decentralized");
}

}  // namespace
}  // namespace epochcast::tests
