// SPDX-License-Identifier: Apache-2.0
#include "core/costs/cost_learner.hpp"

#include "tests/catch.hpp"
#include "tests/support/fake_fabric.hpp"

namespace epochcast::tests {
namespace {

/// Batches of 4 and 8 samples on some device: 1 s and 3 s, including a step of a tenth.
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

/// Seconds that a learner with this number of parts spends in `work`.
double seconds_of(std::int64_t accumulate, const std::function<void(CostLearner&)>& work) {
  const Network network = {.name = "net", .layers = {{.parameters = 10}}};
  const BatchCost cost = two_sizes();
  const std::vector<Bucket> buckets = {{.bytes = 40, .backward_share = 1}};
  double seconds = 0;
  static_cast<void>(run_workers(workers_on({0}), [&](Fabric& fabric) {
    CostLearner::Options options;
    options.accumulate = accumulate;
    CostLearner learner(fabric, network, cost, buckets, options);
    work(learner);
    seconds = fabric.now_s();
  }));
  return seconds;
}

TEST_CASE("the cost of an accumulated batch is that of its parts, with one step") {
  const auto pass = [](CostLearner& learner) { learner.forward_backward(8); };
  const auto train = [](CostLearner& learner) { learner.train(3, 8); };

  CHECK(seconds_of(1, pass) == Approx(0.9 * 3));
  CHECK(seconds_of(2, pass) == Approx(2 * 0.9));
  CHECK(seconds_of(1, train) == Approx(3 * 3.0));
  CHECK(seconds_of(2, train) == Approx(3 * (2 * 0.9 + 0.1)));
}

TEST_CASE("buckets are ready once, in the last part") {
  int ready = 0;
  const double seconds = seconds_of(
      2, [&](CostLearner& learner) { learner.forward_backward(8, [&](Payload) { ++ready; }); });

  CHECK(ready == 1);
  CHECK(seconds == Approx(2 * 0.9));
}

TEST_CASE("parts are as equal as they can be, and sum to the batch") {
  CHECK(part_of(10, 4, 0) + part_of(10, 4, 1) + part_of(10, 4, 2) + part_of(10, 4, 3) == 10);
  for (int i = 0; i < 4; ++i) CHECK((part_of(10, 4, i) == 2 || part_of(10, 4, i) == 3));
}

}  // namespace
}  // namespace epochcast::tests
