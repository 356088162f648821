// SPDX-License-Identifier: Apache-2.0
#include "core/costs/worker_costs.hpp"

#include <algorithm>
#include <set>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

WorkerInfo worker(const std::string& model, Role role = Role::trains) {
  WorkerInfo info;
  info.model = model;
  info.device_class = model;
  info.role = role;
  return info;
}

/// One sample of batch 8 per session and rank: 100 · session + rank + 1 seconds.
CostTrace trace_of(const std::string& device, int sessions, int ranks, Grade grade) {
  CostTrace trace;
  trace.device = device;
  trace.source.grade = grade;
  for (int session = 0; session < sessions; ++session) {
    for (int rank = 0; rank < ranks; ++rank) {
      BatchSamples samples;
      samples.batch = 8;
      samples.session = session;
      samples.rank = rank;
      samples.total_s = {100.0 * session + rank + 1};
      trace.batches.push_back(samples);
    }
  }
  return trace;
}

Job job_with(std::vector<CostTrace> traces) {
  Job job;
  job.network.layers = {{.name = "fc", .parameters = 10}};
  job.traces = std::move(traces);
  return job;
}

double seconds(const BatchCost& cost) { return cost.median(8).total_s(); }

TEST_CASE("workers take the ranks measured on their own device in turn") {
  const Job job =
      job_with({trace_of("a", 1, 2, Grade::measured), trace_of("b", 2, 4, Grade::published)});
  const WorkerCosts costs(
      job, {worker("a"), worker("b"), worker("a"), worker("a"), worker("b"), worker("b")});

  CHECK(seconds(costs.of(0, 0)) == Approx(1));
  CHECK(seconds(costs.of(2, 0)) == Approx(2));
  CHECK(seconds(costs.of(3, 0)) == Approx(1));
  CHECK(seconds(costs.of(1, 1)) == Approx(101));
  CHECK(seconds(costs.of(4, 1)) == Approx(102));
  CHECK(seconds(costs.of(5, 1)) == Approx(103));
  CHECK(seconds(costs.of(5)) == Approx((3 + 103) / 2.0));  // the median of both sessions
  CHECK(seconds(costs.of(3, 1)) == Approx(1));             // session 1 modulo the one there is
  CHECK(seconds(costs.of_device(0)) == Approx(1.5));
  CHECK(costs.grade() == Grade::published);
  CHECK(costs.buckets(0).size() == 1);
}

TEST_CASE("servers need no costs and use up no measured rank") {
  const Job job = job_with({trace_of("a", 1, 2, Grade::measured)});
  const WorkerCosts costs(job, {worker("a"), worker("a"), worker("c", Role::sums)});

  CHECK(seconds(costs.of(1)) == Approx(2));
  CHECK(costs.grade() == Grade::measured);
  CHECK_FALSE(costs.has_spread());
}

TEST_CASE("repetitions take the sessions of all devices in turn, in an order given by the seed") {
  const Job job =
      job_with({trace_of("a", 2, 1, Grade::measured), trace_of("b", 6, 1, Grade::measured)});
  const WorkerCosts costs(job, {worker("a"), worker("b")});
  std::set<std::vector<std::size_t>> orders;

  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<std::size_t> order = costs.shuffled_sessions(seed);
    CHECK(order == costs.shuffled_sessions(seed));
    orders.insert(order);
    std::sort(order.begin(), order.end());
    CHECK(order == std::vector<std::size_t>{0, 1, 2, 3, 4, 5});
  }

  CHECK(orders.size() > 10);  // of 720
}

TEST_CASE("16 of many sessions are drawn at random") {
  const Job job = job_with({trace_of("a", 40, 1, Grade::measured)});
  const WorkerCosts costs(job, {worker("a")});
  std::set<std::size_t> drawn;

  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<std::size_t> order = costs.shuffled_sessions(seed);
    CHECK(std::set<std::size_t>(order.begin(), order.end()).size() == 16);
    drawn.insert(order.begin(), order.end());
  }

  CHECK(drawn.size() == 40);  // each is missed by all 20 with a probability of 0.6^20 = 4e-5
}

TEST_CASE("there is spread when a worker's own samples differ, in one session or between them") {
  const auto has_spread = [](int sessions, int ranks) {
    const Job job = job_with({trace_of("a", sessions, ranks, Grade::measured)});
    return WorkerCosts(job, {worker("a"), worker("a")}).has_spread();
  };

  CHECK_FALSE(has_spread(1, 1));
  CHECK_FALSE(has_spread(1, 2));
  CHECK(has_spread(2, 1));
}

}  // namespace
}  // namespace epochcast::tests
