// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/catch.hpp"
#include "tests/support/set.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

constexpr std::int64_t kPeerBatch = 4;
constexpr const char* kTopologies[] = {"exponential", "ring", "exponential-ring", "complete"};

/// One worker per entry, on that node, that makes so many iterations an epoch.
StrategyJob topology_job(const std::vector<int>& nodes,
                         const std::string& topology,
                         std::int64_t iterations,
                         std::int64_t epochs = 1) {
  StrategyJob job = {
      .workers = workers_on(nodes),
      .config = small_config(kPeerBatch, epochs),
      .train_samples = iterations * static_cast<std::int64_t>(nodes.size()) * kPeerBatch + 3,
      .work = {},
      .cost = {.alpha_s = 1e-3, .beta_s_per_byte = 1e-4}};
  set(job.config, "topology", topology);
  return job;
}

std::vector<int> one_node_of(int workers) {
  return std::vector<int>(static_cast<std::size_t>(workers), 0);
}

using Groups = std::vector<std::vector<int>>;

/// The groups of a worker's averages, in order. It may have none in an iteration.
Groups groups_in(const StrategyRun& run, int rank) {
  Groups all;
  for (const FakeCall& call : run.all_reduces(rank, kGradientBytes)) {
    CHECK(call.weight == 1.0 / static_cast<double>(call.ranks.size()));
    all.push_back(call.ranks);
  }
  return all;
}

TEST_CASE("on the exponential graph, workers average with those that differ in bit 0, 1, ...") {
  const StrategyRun of_4 =
      run_strategy("decentralized", topology_job(one_node_of(4), "exponential", 3));
  CHECK(groups_in(of_4, 0) == Groups{{0, 1}, {0, 2}, {0, 1}});
  CHECK(groups_in(of_4, 3) == Groups{{2, 3}, {1, 3}, {2, 3}});

  const StrategyRun of_5 =
      run_strategy("decentralized", topology_job(one_node_of(5), "exponential", 4));
  CHECK(groups_in(of_5, 0) == Groups{{0, 1}, {0, 2}, {0, 4}, {0, 1}});
  CHECK(groups_in(of_5, 3) == Groups{{2, 3}, {1, 3}, {2, 3}});  // 7 does not exist
  CHECK(groups_in(of_5, 4) == Groups{{0, 4}});
}

TEST_CASE("on the ring, workers average with the right and the left neighbour in turn") {
  const StrategyRun of_4 = run_strategy("decentralized", topology_job(one_node_of(4), "ring", 3));
  CHECK(groups_in(of_4, 0) == Groups{{0, 1}, {0, 3}, {0, 1}});
  CHECK(groups_in(of_4, 1) == Groups{{0, 1}, {1, 2}, {0, 1}});

  const StrategyRun of_5 = run_strategy("decentralized", topology_job(one_node_of(5), "ring", 2));
  CHECK(groups_in(of_5, 0) == Groups{{0, 1}});
  CHECK(groups_in(of_5, 3) == Groups{{2, 3}, {3, 4}});
  CHECK(groups_in(of_5, 4) == Groups{{3, 4}});
}

TEST_CASE("on the exponential ring, half of the pairs of nodes average, the others within nodes") {
  // Decent-DP's alternating-exp-ring of 4 nodes: node pairs (0,1), then (2,3); (0,2), then (1,3).
  const std::vector<int> nodes = {0, 0, 1, 1, 2, 2, 3, 3};
  const StrategyRun run = run_strategy("decentralized", topology_job(nodes, "exponential-ring", 4));

  CHECK(groups_in(run, 0) == Groups{{0, 1}, {0, 1, 2, 3}, {0, 1}, {0, 1, 4, 5}});
  CHECK(groups_in(run, 3) == Groups{{2, 3}, {0, 1, 2, 3}, {2, 3, 6, 7}, {2, 3}});
  CHECK(groups_in(run, 6) == Groups{{4, 5, 6, 7}, {6, 7}, {2, 3, 6, 7}, {6, 7}});
}

TEST_CASE("all workers of a node, and of the complete graph, average in every iteration") {
  const StrategyRun node =
      run_strategy("decentralized", topology_job(one_node_of(3), "exponential-ring", 2));
  CHECK(groups_in(node, 1) == Groups{{0, 1, 2}, {0, 1, 2}});
  const StrategyRun all = run_strategy("decentralized", topology_job({0, 1, 1}, "complete", 2));
  CHECK(groups_in(all, 2) == Groups{{0, 1, 2}, {0, 1, 2}});
}

TEST_CASE("decentralized steps from the peers' mean, with the gradient of the own parameters") {
  for (const char* topology : kTopologies) {
    CAPTURE(topology);
    StrategyJob job = topology_job({0, 0, 1, 1}, topology, 7);
    job.work.gradient = [](int rank, std::int64_t position) {
      const std::int64_t iteration = position / (4 * kPeerBatch);
      return static_cast<float>((rank + 1) * (iteration + 2));
    };

    const StrategyRun run = run_strategy("decentralized", job);

    std::vector<double> x(4, 0);  // the first parameter of each worker
    for (std::size_t k = 0; k < 7; ++k) {
      std::vector<double> next(4, 0);
      for (std::size_t rank = 0; rank < 4; ++rank) {
        CHECK(run.learners[rank].starts[k][0] == static_cast<float>(x[rank]));  // exact
        const std::vector<int> group = groups_in(run, static_cast<int>(rank)).at(k);
        for (const int peer : group)
          next[rank] += x[static_cast<std::size_t>(peer)] / static_cast<double>(group.size());
        next[rank] -= static_cast<double>((rank + 1) * (k + 2));
      }
      x = next;
    }
    // All average at the end.
    CHECK(run.learners[1].parameters[0] == Approx((x[0] + x[1] + x[2] + x[3]) / 4));
  }
}

TEST_CASE("decentralized keeps BatchNorm statistics until the average after each epoch") {
  const StrategyRun run =
      run_strategy("decentralized", topology_job(one_node_of(2), "exponential", 4, 2));

  CHECK(run.all_reduces(0, kGradientBytes).size() == 2 * 4);
  CHECK(run.all_reduces(0, kParameterBytes).size() == 2);
  CHECK(run.reports[0].rounds_per_epoch == 4);
}

TEST_CASE("an iteration of decentralized takes the longer of its batch and its exchange") {
  const double exchange_s = 1e-3 + 1e-4 * kGradientBytes;
  const double last_s = 1e-3 + 1e-4 * kParameterBytes;
  for (const double batch_s : {exchange_s / 2, 3 * exchange_s}) {
    for (const char* topology : kTopologies) {
      CAPTURE(topology, batch_s);
      StrategyJob job = topology_job({0, 0, 1, 1}, topology, 6);
      job.work.batch_s = [=](int, std::int64_t) { return batch_s; };

      const StrategyRun run = run_strategy("decentralized", job);

      CHECK(run.reports[0].training_s == Approx(6 * std::max(batch_s, exchange_s) + last_s));
    }
  }
}

TEST_CASE("a fast worker of decentralized waits for its peers alone") {
  // Worker 3 takes 1 s, the others 0.1 s. On the ring, 3 pairs with 2, then with 0.
  StrategyJob job = topology_job(one_node_of(4), "ring", 2);
  job.cost = {};
  job.work.batch_s = [](int rank, std::int64_t) { return rank == 3 ? 1.0 : 0.1; };

  const StrategyRun run = run_strategy("decentralized", job);

  // All begin together; the second exchange of 0 begins when 3 has made its first batch.
  const std::vector<FakeCall> first = run.all_reduces(0, kGradientBytes);
  CHECK(first[1].ranks == std::vector<int>{0, 3});
  CHECK(run.reports[0].training.blocked_s == Approx(2 - 2 * 0.1));
  CHECK(run.reports[3].training.blocked_s == 0);
}

TEST_CASE("decentralized ends with 1 to 17 workers, and uses the samples of sync") {
  for (const char* topology : kTopologies) {
    for (int workers = 1; workers <= 17; ++workers) {
      for (const std::int64_t iterations : {1, 4, 11}) {
        CAPTURE(topology, workers, iterations);
        std::vector<int> nodes;
        for (int rank = 0; rank < workers; ++rank) nodes.push_back(rank / 3);
        const StrategyJob job = topology_job(nodes, topology, iterations, 2);
        const StrategyRun run = run_strategy("decentralized", job);
        const StrategyRun sync = run_strategy("sync", job);

        for (std::size_t rank = 0; rank < run.learners.size(); ++rank) {
          CHECK(run.learners[rank].shuffled == sync.learners[rank].shuffled);
          CHECK(run.learners[rank].batches == sync.learners[rank].batches);
          CHECK(run.learners[rank].parameters == run.learners[0].parameters);
        }
      }
    }
  }
}

TEST_CASE("decentralized has no --overlap, as it overlaps by itself") {
  JobConfig config;
  config.overlap = Overlap::bucket;
  CHECK_THROWS_WITH(find_strategy("decentralized").check(config, DeviceNames(workers_on({0}))),
                    "--overlap: the exchange of decentralized overlaps computing by itself");
}

}  // namespace
}  // namespace epochcast::tests
