// SPDX-License-Identifier: Apache-2.0
#include "core/costs/batch_cost.hpp"

#include <algorithm>
#include <cmath>

#include "base/statistics/random.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

CostTrace trace_of(std::vector<BatchSamples> batches) {
  CostTrace trace;
  trace.file = "t.json";
  trace.batches = std::move(batches);
  trace.source.grade = Grade::measured;
  return trace;
}

BatchSamples samples(std::int64_t batch,
                     std::vector<double> seconds,
                     std::int64_t session = 0,
                     std::int64_t rank = 0) {
  return {.batch = batch,
          .session = session,
          .rank = rank,
          .total_s = std::move(seconds),
          .load_s = {},
          .forward_s = {},
          .backward_s = {},
          .step_s = {}};
}

TEST_CASE("the quantile of sorted values is interpolated between their ranks") {
  CHECK(quantile_of({}, 0.5) == 0);
  CHECK(quantile_of({7}, 0.95) == 7);
  CHECK(quantile_of({1, 2, 3, 4, 5}, 0) == 1);
  CHECK(quantile_of({1, 2, 3, 4, 5}, 1) == 5);
  CHECK(quantile_of({1, 2, 3, 4, 5}, 0.3) == Approx(1 + 0.3 * 4).epsilon(1e-15));
  CHECK(median_of({3, 1, 2}) == 2);
  CHECK(median_of({4, 1, 2, 3}) == 2.5);
  CHECK(median_of({}) == 0);
}

TEST_CASE("a measured batch size costs the median of its samples") {
  const BatchCost cost(trace_of({samples(8, {0.3, 0.1, 0.2}), samples(32, {0.9, 0.5})}));

  CHECK(cost.median(8).total_s() == Approx(0.2).epsilon(1e-15));
  CHECK(cost.median(32).total_s() == Approx((0.9 + 0.5) / 2).epsilon(1e-15));
  CHECK_FALSE(cost.is_extrapolated(8));
  CHECK_FALSE(cost.is_extrapolated(32));
  CHECK(cost.measured_batches() == std::vector<std::int64_t>{8, 32});
  CHECK(cost.grade() == Grade::measured);
  CHECK(cost.origin() == "t.json");
}

TEST_CASE("noise spreads a cost around its median, for any worker") {
  const BatchCost cost = BatchCost(0.2, 8).with_noise(0.05);

  std::vector<double> seconds;
  for (int i = 0; i < 256; ++i) seconds.push_back(cost.at(8, i / 256.0).total_s());
  double mean = 0;
  for (const double each : seconds) mean += each / 256;
  double squares = 0;
  for (const double each : seconds) squares += (each - mean) * (each - mean) / 256;

  CHECK(cost.has_spread());
  CHECK(cost.ranks() == 1);
  CHECK(cost.median(8).total_s() == Approx(0.2));
  CHECK(mean == Approx(0.2).epsilon(1e-9));
  CHECK(std::sqrt(squares) == Approx(0.05 * 0.2).epsilon(1e-9));
  CHECK(cost.of_worker(3).has_spread());
}

TEST_CASE("between two measured sizes the cost is on the line that joins them") {
  const BatchCost cost(trace_of({samples(8, {0.2}), samples(32, {0.7}), samples(64, {2})}));

  CHECK(cost.median(20).total_s() == Approx(0.2 + (0.7 - 0.2) * (20 - 8) / (32 - 8)));
  CHECK(cost.median(48).total_s() == Approx(0.7 + (2 - 0.7) * (48 - 32) / (64 - 32)));
  CHECK_FALSE(cost.is_extrapolated(20));
}

TEST_CASE(
    "beyond measured sizes the line through the two nearest ones is extrapolated, with bounds") {
  const BatchCost cost(trace_of({samples(8, {0.2}), samples(32, {0.7}), samples(64, {2})}));

  CHECK(cost.median(4).total_s() == Approx(0.2 - (0.7 - 0.2) * (8 - 4) / (32 - 8)));
  CHECK(cost.median(128).total_s() == Approx(2 + (2 - 0.7) * (128 - 64) / (64 - 32)));
  CHECK(cost.is_extrapolated(4));
  CHECK(cost.is_extrapolated(65));
  // As long as the nearest size, or in proportion to it; the line above is steeper than that.
  CHECK(cost.bounds(4).low == Approx(0.1 / cost.median(4).total_s()));
  CHECK(cost.bounds(4).high == Approx(0.2 / cost.median(4).total_s()));
  CHECK(cost.bounds(128).low == Approx(2 / cost.median(128).total_s()));
  CHECK(cost.bounds(128).high == 1);
  CHECK(cost.bounds(20).low == cost.bounds(20).high);
}

TEST_CASE("an extrapolated cost of a batch never reaches zero") {
  const BatchCost steep(trace_of({samples(8, {0.1}), samples(16, {1})}));
  const BatchCost falling(trace_of({samples(8, {1}), samples(16, {0.5})}));

  CHECK(steep.median(4).total_s() == Approx(0.1 * 4 / 8));  // proportional
  CHECK(falling.median(1000).total_s() > 0);
}

TEST_CASE("a batch of 0 is free") {
  Random random(1);
  const BatchCost cost(trace_of({samples(8, {0.2}), samples(32, {0.7})}));

  CHECK(cost.median(0).total_s() == 0);
  CHECK(cost.at(0, random.uniform()).total_s() == 0);
  CHECK_FALSE(cost.is_extrapolated(0));
}

TEST_CASE("with a single measured size the cost is proportional to the batch") {
  const BatchCost traced(trace_of({samples(16, {0.4, 0.6})}));
  const BatchCost given(0.5, 16);

  for (const std::int64_t batch : {1, 8, 16, 100}) {
    CHECK(traced.median(batch).total_s() == Approx(0.5 * static_cast<double>(batch) / 16));
    CHECK(given.median(batch).total_s() == Approx(0.5 * static_cast<double>(batch) / 16));
    CHECK(given.is_extrapolated(batch) == (batch != 16));
  }
  CHECK(given.grade() == Grade::estimated);
  CHECK(given.origin() == "--batch-seconds");
}

TEST_CASE("at a place of the session the cost is that of the sample at that place") {
  const std::vector<double> seconds = {0.5, 0.1, 0.3, 0.1};
  const BatchCost cost(trace_of({samples(8, seconds)}));

  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const double begin = static_cast<double>(i) / 4;
    CHECK(cost.at(8, begin).total_s() == Approx(seconds[i]).epsilon(1e-12));
    CHECK(cost.at(8, begin + 0.249).total_s() == Approx(seconds[i]).epsilon(1e-12));
  }
  CHECK(cost.samples(8) == 4);
}

TEST_CASE("between sizes equal quantiles are interpolated, so a cost stays between the samples") {
  const BatchCost cost(trace_of({samples(8, {0.1, 0.2}), samples(16, {0.6, 0.3})}));

  // The lower halves joined, or the upper ones; never a lower with an upper.
  CHECK(cost.at(11, 0.2).total_s() == Approx(0.1 + 3.0 / 8 * 0.2));
  CHECK(cost.at(11, 0.7).total_s() == Approx(0.2 + 3.0 / 8 * 0.4));
  // The bounds say when it was.
  CHECK(cost.at(13, 0.2).total_s() == Approx(0.2 + 5.0 / 8 * 0.4));
  CHECK(cost.at(13, 0.7).total_s() == Approx(0.1 + 5.0 / 8 * 0.2));
}

TEST_CASE("a cost has spread when samples of some size differ") {
  CHECK(BatchCost(trace_of({samples(8, {0.1}), samples(16, {0.3, 0.4})})).has_spread());
  CHECK_FALSE(BatchCost(trace_of({samples(8, {0.1, 0.1}), samples(16, {0.3})})).has_spread());
  CHECK_FALSE(BatchCost(0.5, 16).has_spread());
}

TEST_CASE("phases share a batch as their medians do, and add up to it") {
  BatchSamples measured = samples(8, {1.0, 1.2, 0.8});
  measured.load_s = {0.1, 0.1, 0.1};
  measured.forward_s = {0.3, 0.3, 0.2};
  measured.backward_s = {0.4, 0.7, 0.4};
  measured.step_s = {0.2, 0.1, 0.2};
  const BatchCost cost(trace_of({measured}));
  const double sum = 0.1 + 0.3 + 0.4 + 0.2;

  const BatchTimes times = cost.median(16);

  CHECK(times.total_s() == Approx(2.0).epsilon(1e-12));
  CHECK(times.load_s == Approx(2 * 0.1 / sum));
  CHECK(times.forward_s == Approx(2 * 0.3 / sum));
  CHECK(times.backward_s == Approx(2 * 0.4 / sum));
  CHECK(times.step_s == Approx(2 * 0.2 / sum));
}

TEST_CASE("without measured phases backward takes twice as long as forward") {
  const BatchTimes times = BatchCost(0.9, 8).median(8);

  CHECK(times.forward_s == Approx(0.3));
  CHECK(times.backward_s == Approx(0.6));
  CHECK(times.load_s == 0);
  CHECK(times.step_s == 0);
}

/// Two sessions of two ranks; rank 1 and session 3 are slower.
CostTrace trace_by_worker() {
  return trace_of({samples(8, {0.1, 0.1}, 0, 0),
                   samples(8, {0.2, 0.2}, 0, 1),
                   samples(8, {0.3}, 3, 0),
                   samples(8, {0.6}, 3, 1),
                   samples(16, {0.5}, 0, 0),
                   samples(16, {0.7}, 0, 1),
                   samples(16, {1.5}, 3, 0),
                   samples(16, {2.7}, 3, 1)});
}

TEST_CASE("without a choice of worker, samples of all ranks and sessions count alike") {
  const BatchCost cost(trace_by_worker());

  CHECK(cost.sessions() == 2);
  CHECK(cost.ranks() == 2);
  CHECK(cost.measured_batches() == std::vector<std::int64_t>{8, 16});
  CHECK(cost.median(8).total_s() == Approx(0.2));  // of 0.1 0.1 0.2 0.2 0.3 0.6
  CHECK(cost.median(16).total_s() == Approx((0.7 + 1.5) / 2));
}

TEST_CASE("workers take the costs of ranks in turn, in one session or in all") {
  const BatchCost cost(trace_by_worker());

  CHECK(cost.of_worker(0, 0).median(8).total_s() == Approx(0.1));
  CHECK(cost.of_worker(1, 0).median(8).total_s() == Approx(0.2));
  CHECK(cost.of_worker(4, 1).median(8).total_s() == Approx(0.3));
  CHECK(cost.of_worker(5, 3).median(8).total_s() == Approx(0.6));
  CHECK(cost.of_worker(1).median(8).total_s() == Approx(0.2));  // of 0.2 0.2 0.6
  CHECK(cost.of_worker(1).median(16).total_s() == Approx((0.7 + 2.7) / 2));
  CHECK(cost.of_worker(1).grade() == Grade::measured);
  CHECK(cost.of_worker(1).origin() == "t.json");
}

TEST_CASE("sizes are interpolated within one worker and session") {
  const BatchCost cost(trace_by_worker());

  CHECK(cost.of_worker(1, 1).median(12).total_s() == Approx((0.6 + 2.7) / 2));
  CHECK(cost.of_worker(0, 0).median(32).total_s() == Approx(0.5 + 2 * (0.5 - 0.1)));
}

TEST_CASE("a worker draws from its own samples only") {
  const BatchCost cost(trace_of({samples(8, {0.1, 0.2}, 0, 0), samples(8, {0.7, 0.8}, 0, 1)}));
  Random random(1);
  const BatchCost second = cost.of_worker(1, 0);

  for (int i = 0; i < 50; ++i) CHECK(second.at(8, random.uniform()).total_s() > 0.6);
}

TEST_CASE("phases are those of the worker's samples") {
  BatchSamples first = samples(8, {1.0}, 0, 0);
  first.load_s = {0};
  first.forward_s = {0.5};
  first.backward_s = {0.5};
  first.step_s = {0};
  BatchSamples second = samples(8, {1.0}, 0, 1);
  second.load_s = {0.8};
  second.forward_s = {0.1};
  second.backward_s = {0.1};
  second.step_s = {0};
  const BatchCost cost(trace_of({first, second}));

  CHECK(cost.of_worker(0).median(8).load_s == 0);
  CHECK(cost.of_worker(1).median(8).load_s == Approx(0.8));
}

TEST_CASE("costs that a session or rank did not measure are taken from others") {
  const BatchCost cost(trace_of({samples(8, {0.1}, 0, 0),
                                 samples(8, {0.2}, 0, 1),
                                 samples(8, {0.4}, 1, 0),
                                 samples(16, {0.9}, 0, 0),
                                 samples(16, {1.1}, 0, 1)}));

  CHECK(cost.of_worker(1, 1).median(8).total_s() == Approx(0.4));   // one rank for two workers
  CHECK(cost.of_worker(1, 1).median(16).total_s() == Approx(1.1));  // of the other session
  CHECK(cost.of_worker(1, 1).measured_batches() == std::vector<std::int64_t>{8, 16});
}

TEST_CASE("a cost without ranks applies to every worker") {
  const BatchCost traced(trace_of({samples(8, {0.3, 0.1, 0.2})}));
  const BatchCost given(0.5, 8);

  for (const BatchCost& cost : {traced, given}) {
    CHECK(cost.sessions() == 1);
    CHECK(cost.ranks() == 1);
    CHECK(cost.of_worker(7, 5).median(8).total_s() == cost.median(8).total_s());
    CHECK(cost.of_worker(7, 5).of_worker(1).median(8).total_s() == cost.median(8).total_s());
  }
}

}  // namespace
}  // namespace epochcast::tests
