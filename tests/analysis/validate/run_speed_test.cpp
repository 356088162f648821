// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/run_speed.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

using Seconds = std::vector<double>;

/// Two ranks, two batch sizes; forward and backward take half of a batch each.
TraceFile two_ranks() {
  CostTrace costs;
  costs.network = "tiny";
  for (const std::int64_t batch : {4, 8}) {
    for (const std::int64_t rank : {0, 1}) {
      const double half_s = static_cast<double>(batch) * static_cast<double>(rank + 1);
      BatchSamples samples;
      samples.batch = batch;
      samples.rank = rank;
      samples.total_s = {2 * half_s, 2 * half_s, 4 * half_s};
      samples.load_s = samples.step_s = {0, 0, 0};
      samples.forward_s = samples.backward_s = {half_s, half_s, 2 * half_s};
      samples.warmup_s = {10 * half_s};
      costs.batches.push_back(samples);
    }
  }
  OverlapSamples beside;
  beside.batch = 4;
  beside.batch_alone_s = {3};
  beside.batch_s = {6};
  costs.overlap = {beside};
  TraceFile trace;
  trace.costs = {costs};
  return trace;
}

/// Ranks at those speeds after they trained, and at another one before.
TraceFile at_speeds_of(const TraceFile& trace,
                       std::int64_t batch,
                       const std::vector<double>& batch_s) {
  std::vector<TimedRank> timed;
  for (const double seconds : batch_s) timed.push_back({.before_s = 7, .after_s = seconds});
  return at_speeds(trace, batch, timed, &TimedRank::after_s);
}

TEST_CASE("a rank's batches of all sizes follow the median of those that were timed") {
  const CostTrace costs = at_speeds_of(two_ranks(), 4, {12, 4}).costs.front();

  REQUIRE(costs.batches.size() == 4);
  CHECK(costs.batches[0].total_s == Seconds{12, 12, 24});
  CHECK(costs.batches[0].forward_s == Seconds{6, 6, 12});
  CHECK(costs.batches[0].backward_s == Seconds{6, 6, 12});
  CHECK(costs.batches[0].warmup_s == Seconds{60});
  CHECK(costs.batches[1].total_s == Seconds{4, 4, 8});
  CHECK(costs.batches[2].total_s == Seconds{24, 24, 48});
  CHECK(costs.batches[3].total_s == Seconds{8, 8, 16});
  CHECK(costs.overlap == two_ranks().costs.front().overlap);
}

TEST_CASE("a rank that timed nothing, or another size, keeps what was measured") {
  const TraceFile measured = two_ranks();

  CHECK(at_speeds_of(measured, 4, {0, 0}) == measured);
  CHECK(at_speeds_of(measured, 4, {}) == measured);
  CHECK(at_speeds_of(measured, 5, {1, 1}) == measured);
  const CostTrace costs = at_speeds_of(measured, 8, {32}).costs.front();
  CHECK(costs.batches[0].total_s == Seconds{16, 16, 32});
  CHECK(costs.batches[1].total_s == measured.costs.front().batches[1].total_s);
}

/// Three nodes on which all-reduces were measured; a run of all three timed rings of 8 MB.
Platform platform_of_three() {
  MessageCosts costs;
  const auto measured = [&](const char* algorithm, double bytes, double seconds, int ranks) {
    costs.all_reduces.push_back({.algorithm = algorithm,
                                 .bytes = bytes,
                                 .measured_s = seconds,
                                 .forecast_s = 1,
                                 .ranks = ranks});
  };
  measured("ring", 4e6, 0.5, 3);
  measured("ring", 8e6, 1, 3);
  measured("ring", 8e6, 1, 2);
  measured("binary-tree", 8e6, 1, 3);
  Platform platform;
  platform.network = Interlink();
  platform.network->messages = costs;
  return platform;
}

std::vector<double> at_speed_of(const std::string& all_reduce,
                                double bytes,
                                const Seconds& before_s,
                                const Seconds& after_s) {
  RunResult run;
  run.workers = 3;
  run.timed_exchanges = {
      .all_reduce = all_reduce, .bytes = bytes, .before_s = before_s, .after_s = after_s};
  std::vector<double> seconds;
  const Platform platform = at_exchange_speed(platform_of_three(), run);
  for (const MeasuredAllReduce& each : platform.network->messages->all_reduces)
    seconds.push_back(each.measured_s);
  return seconds;
}

TEST_CASE("all-reduces of all sizes follow those that a run timed, by their algorithm and ranks") {
  CHECK(at_speed_of("ring", 8e6, {1.25}, {1.75}) == Seconds{0.75, 1.5, 1, 1});
  // A stall among many tells of no other exchange.
  Seconds many(20, 1.5);
  many.back() = 100;
  CHECK(at_speed_of("ring", 8e6, many, {1.5}) == Seconds{0.75, 1.5, 1, 1});
}

TEST_CASE("without an exchange that was measured and timed all-reduces stay as they are") {
  const Seconds as_measured = {0.5, 1, 1, 1};

  CHECK(at_speed_of("linear", 8e6, {2}, {2}) == as_measured);
  CHECK(at_speed_of("ring", 6e6, {2}, {2}) == as_measured);
  CHECK(at_speed_of("ring", 8e6, {}, {2}) == as_measured);
  CHECK(at_speed_of("ring", 8e6, {2}, {}) == as_measured);
  CHECK(at_exchange_speed(platform_of_three(), {}) == platform_of_three());
}

}  // namespace
}  // namespace epochcast::tests
