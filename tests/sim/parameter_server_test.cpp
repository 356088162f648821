// SPDX-License-Identifier: Apache-2.0
// Messages in the order of their arrival, and the strategies that need it.
#include <numeric>

#include "strategies/strategy.hpp"
#include "tests/catch.hpp"
#include "tests/sim/clusters.hpp"
#include "tests/support/recording_learner.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

constexpr std::int64_t kBatch = 4;

const sim::SimOptions kEveryBatch = {.acceleration = sim::Acceleration::none,
                                     .fixed_exchange = std::nullopt};

void require(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

/// Batches of worker p take `batch_s[p % size]`; `check` is called with the report of each rank.
Program training(const std::string& strategy,
                 const std::vector<double>& batch_s,
                 std::int64_t batches,
                 const std::function<void(const Fabric&, const WorkerReport&)>& check) {
  return [=](Fabric& fabric) {
    TestWork work;
    work.batch_s = [&](int rank, std::int64_t) {
      return batch_s[static_cast<std::size_t>(rank) % batch_s.size()];
    };
    LearnerLog log;
    RecordingLearner learner(fabric, work, log);
    JobConfig config;
    config.strategy = strategy;
    config.batch = kBatch;
    config.epochs = 2;
    set(config, "staleness-bound", 1);
    set(config, "local-steps", 1);
    Worker worker = {.fabric = fabric,
                     .learner = learner,
                     .sampling = learner,
                     .config = config,
                     .train_samples = batches * kBatch};
    find_strategy(strategy).run(worker);
    check(fabric, worker.report);
  };
}

TEST_CASE("simulated staleness of ps-async is that of the calculation by hand") {
  // tests/strategies/parameter_server_test.cpp has it; messages take microseconds here.
  const auto check = [](const Fabric& fabric, const WorkerReport& report) {
    if (fabric.rank() < 2) return;
    require(report.updates_by_staleness == std::vector<std::int64_t>{8, 4, 2, 2}, "staleness");
  };
  CHECK_NOTHROW(observe(mixed(1, 2, 1, pcie(), nullptr),
                        training("ps-async", {1, 2.6}, 8, check),
                        {},
                        "ring",
                        kWithServers));
}

TEST_CASE("simulated parameter servers end with 1 to 17 workers and 1 to 3 servers",
          "[exhaustive]") {
  for (const std::string strategy :
       {"ps-sync", "ps-async", "ssp", "backup-workers", "gssp", "fedbuff"}) {
    for (int workers = 1; workers <= 17; ++workers) {
      if (strategy == "backup-workers" && workers == 1) continue;  // no one to wait for
      const int servers = 1 + workers % 3;
      CAPTURE(strategy, workers, servers);
      const std::int64_t batches = 2 * workers + 1;
      const auto check = [&](const Fabric& fabric, const WorkerReport& report) {
        if (fabric.rank() != workers) return;
        const auto& counts = report.updates_by_staleness;
        const std::int64_t updates = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
        require(updates > 0, "updates");
        if (strategy == "ps-async") require(updates == 2 * batches, "updates of two epochs");
      };
      CHECK_NOTHROW(observe(mixed(1, workers, servers, pcie(), nullptr),
                            training(strategy, {0.1, 0.13, 0.07}, batches, check),
                            kEveryBatch,
                            "ring",
                            kWithServers));
    }
  }
}

TEST_CASE("accelerated parameter servers take the time of all batches", "[exhaustive]") {
  // Deal and loop watches omit batches; the fabric states 2 % at 95 % confidence.
  for (const std::string strategy :
       {"ps-sync", "ps-async", "ssp", "backup-workers", "gssp", "fedbuff"}) {
    CAPTURE(strategy);
    const auto check = [](const Fabric&, const WorkerReport&) {};
    const Program program = training(strategy, {0.1, 0.1, 0.2}, 3000, check);
    const Platform platform = mixed(1, 6, 2, pcie(), nullptr);
    const Observed fast = observe(platform, program, {}, "ring", kWithServers);
    const Observed all = observe(platform, program, kEveryBatch, "ring", kWithServers);

    CHECK(fast.last_s() == Approx(all.last_s()).epsilon(0.01));
    // The first n gradients come in bursts: 3000 do not suffice to know their mean time to 2 %.
    if (strategy != "backup-workers") CHECK(fast.messages < 7 * all.messages / 10);
    for (std::size_t rank = 0; rank < all.phases.size(); ++rank) {
      CHECK(fast.phases[rank].total_s() == Approx(fast.now_s[rank]));
      CHECK(fast.phases[rank].compute_s ==
            Approx(all.phases[rank].compute_s).epsilon(0.02).margin(0.01 * all.last_s()));
    }
  }
}

/// Rank 0's phases; rank 1 begins to send a message of 1 s on the link after 2 s.
TEST_CASE("a wait for a message is blocked until its sender begins, then exposed") {
  for (const bool waits_for_any : {false, true}) {
    const Observed seen = observe(plain_star(2, {.bytes_per_s = 1e9}), [=](Fabric& fabric) {
      const Payload payload = floats_of_bytes(1e9);
      if (fabric.rank() == 1) {
        fabric.compute(2, "being late");
        fabric.wait(fabric.start_send(0, payload));
        return;
      }
      const std::vector<Request> requests = {nullptr, fabric.start_receive(1, payload)};
      if (waits_for_any) {
        require(fabric.wait_any(requests) == 1, "the only one that is not null");
      } else {
        fabric.wait(requests[1]);
      }
    });

    CHECK(seen.phases[0].blocked_s == Approx(2));
    CHECK(seen.phases[0].exposed_communication_s == Approx(1).epsilon(1e-4));  // latency
    CHECK(seen.phases[1].blocked_s == 0);
  }
}

TEST_CASE("of messages that end together, wait_any returns the lowest index first") {
  for (const double late_s : {0.0, 5.0}) {  // of the receiver
    const Observed seen = observe(plain_star(5, {}), [=](Fabric& fabric) {
      const Payload payload = floats_of_bytes(1e6);
      if (fabric.rank() > 0) {
        fabric.wait(fabric.start_send(0, payload));
        return;
      }
      std::vector<Request> requests;
      for (int from = 4; from > 0; --from) requests.push_back(fabric.start_receive(from, payload));
      fabric.compute(late_s, "being late");
      for (std::size_t i = 0; i < 4; ++i) {
        require(fabric.wait_any(requests) == i, "the next index");
        requests[i] = nullptr;
      }
    });
    CHECK(seen.now_s[0] >= late_s);
  }
}

TEST_CASE("wait_any returns messages that have ended by their ends, not by their indices") {
  CHECK_NOTHROW(observe(plain_star(4, {}), [](Fabric& fabric) {
    const Payload payload = floats_of_bytes(1000);
    if (fabric.rank() > 0) {
      fabric.compute(4 - fabric.rank(), "being late");
      fabric.wait(fabric.start_send(0, payload));
      return;
    }
    std::vector<Request> requests;
    for (int from = 1; from < 4; ++from) requests.push_back(fabric.start_receive(from, payload));
    fabric.compute(10, "being later");
    for (const std::size_t expected : {2, 1, 0}) {
      require(fabric.wait_any(requests) == expected, "the order of sending");
      requests[expected] = nullptr;
    }
    require(fabric.now_s() == 10, "no time passes");
  }));
}

}  // namespace
}  // namespace epochcast::tests
