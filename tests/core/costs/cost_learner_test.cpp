// SPDX-License-Identifier: Apache-2.0
#include "core/costs/cost_learner.hpp"

#include "tests/catch.hpp"
#include "tests/support/fake_fabric.hpp"

namespace epochcast::tests {
namespace {

/// Batches of 4 and 8 samples on some device: 1 s and 3 s, of which a step takes a tenth.
BatchCost two_sizes() {
  CostTrace trace;
  for (const auto& [batch, seconds] : {std::pair{4, 1.0}, std::pair{8, 3.0}}) {
    trace.batches.push_back({.batch = batch,
                             .total_s = {seconds},
                             .load_s = {0},
                             .forward_s = {0.3 * seconds},
                             .backward_s = {0.6 * seconds},
                             .step_s = {0.1 * seconds}});
  }
  return BatchCost(trace);
}

/// Seconds that a learner with so many parts lets pass in `work`.
double seconds_of(std::int64_t accumulate, const std::function<void(CostLearner&)>& work) {
  const Network network = {.name = "net", .layers = {{.parameters = 10}}};
  const BatchCost cost = two_sizes();
  const std::vector<Bucket> buckets = {{.bytes = 40, .backward_share = 1}};
  double seconds = 0;
  static_cast<void>(run_workers(workers_on({0}), [&](Fabric& fabric) {
    CostLearner learner(fabric, network, cost, buckets, std::nullopt, accumulate);
    work(learner);
    seconds = fabric.now_s();
  }));
  return seconds;
}

TEST_CASE("a batch in parts costs what its parts cost, with one step") {
  const auto pass = [](CostLearner& learner) { learner.forward_backward(8); };
  const auto train = [](CostLearner& learner) { learner.train(3, 8); };

  CHECK(seconds_of(1, pass) == Approx(0.9 * 3));
  CHECK(seconds_of(2, pass) == Approx(2 * 0.9));
  CHECK(seconds_of(1, train) == Approx(3 * 3.0));
  CHECK(seconds_of(2, train) == Approx(3 * (2 * 0.9 + 0.1)));
}

TEST_CASE("each epoch begins cold, with its first batch") {
  const Network network = {.name = "net", .layers = {{.parameters = 10}}};
  BatchSamples samples;
  samples.batch = 4;
  samples.total_s = {1};
  samples.cold_start_s = 0.25;
  CostTrace trace;
  trace.batches = {samples};
  const BatchCost cost(trace);
  const std::vector<Bucket> buckets = {{.bytes = 40, .backward_share = 1}};
  static_cast<void>(run_workers(workers_on({0}), [&](Fabric& fabric) {
    CostLearner learner(fabric, network, cost, buckets, std::nullopt);
    const auto seconds_of = [&](const std::function<void()>& work) {
      const double start_s = fabric.now_s();
      work();
      return fabric.now_s() - start_s;
    };
    CHECK(learner.benchmark(4) == Approx(1));  // before any epoch
    for (const std::int64_t epoch : {0, 1}) {
      learner.begin_epoch(epoch);
      CHECK(seconds_of([&] { learner.forward_backward(4); }) == Approx(1.25));
      learner.step();
      CHECK(seconds_of([&] { learner.forward_backward(4); }) == Approx(1));
    }
    learner.begin_epoch(2);
    CHECK(seconds_of([&] { learner.train(5, 4); }) == Approx(5.25));
  }));
}

TEST_CASE("buckets are ready in the last part, and once") {
  int ready = 0;
  const double seconds = seconds_of(
      2, [&](CostLearner& learner) { learner.forward_backward(8, [&](Payload) { ++ready; }); });

  CHECK(ready == 1);
  CHECK(seconds == Approx(2 * 0.9));
}

TEST_CASE("what chance makes of batches beside messages begins with the first bucket") {
  const Network network = {.name = "net", .layers = {{.parameters = 10}}};
  const BatchCost cost = two_sizes();
  const std::vector<Bucket> buckets = {{.bytes = 20, .backward_share = 0.75},
                                       {.bytes = 20, .backward_share = 0.25}};
  std::vector<WorkerInfo> workers = workers_on({0, 1});
  for (WorkerInfo& worker : workers) worker.overlap.batch_spread = {2};
  static_cast<void>(run_workers(workers, [&](Fabric& fabric) {
    constexpr std::uint64_t kSeed = 1;
    CostLearner learner(fabric, network, cost, buckets, kSeed);
    std::vector<double> ready_s;
    learner.forward_backward(4, [&](Payload) { ready_s.push_back(fabric.now_s()); });

    REQUIRE(ready_s.size() == 2);
    CHECK(ready_s[0] == Approx(0.3 + 0.75 * 0.6));
    CHECK(ready_s[1] == Approx(ready_s[0] + 2 * 0.25 * 0.6));
  }));
}

TEST_CASE("parts are as equal as they can be, and sum to the batch") {
  CHECK(part_of(10, 4, 0) + part_of(10, 4, 1) + part_of(10, 4, 2) + part_of(10, 4, 3) == 10);
  for (int i = 0; i < 4; ++i) CHECK((part_of(10, 4, i) == 2 || part_of(10, 4, i) == 3));
}

}  // namespace
}  // namespace epochcast::tests
