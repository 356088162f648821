// SPDX-License-Identifier: Apache-2.0
#include "core/costs/overlap_cost.hpp"

#include <utility>
#include <vector>

#include "core/formats/cost_trace.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

/// Samples of a batch of 2 s and an all-reduce of 4 s that slow each other down by these factors.
OverlapSamples slowed_by(const std::vector<double>& batches, double exchanges) {
  OverlapSamples samples;
  for (const double slowdown : batches) {
    samples.batch_alone_s.push_back(2);
    samples.batch_s.push_back(2 * slowdown);
    samples.exchange_alone_s.push_back(4);
    samples.exchange_s.push_back(4 * exchanges);
  }
  return samples;
}

TEST_CASE("the slowdowns of a device are medians of all its samples") {
  OverlapSamples other = slowed_by({1.25, 1.75}, 3);
  other.batch = 64;
  other.session = 1;
  other.rank = 1;
  other.all_reduce = "openmpi";

  const OverlapCost cost = measured_overlap({slowed_by({1.5, 2, 9}, 2), other});

  CHECK(cost.is_known);
  CHECK(cost.batch_slowdown == Approx(1.75).epsilon(1e-12));
  CHECK(cost.exchange_slowdown == 2);
}

TEST_CASE("a device without samples of overlap has no known slowdowns") {
  CHECK_FALSE(measured_overlap({}).is_known);
  CHECK_FALSE(measured_overlap({slowed_by({}, 2)}).is_known);
  CHECK_FALSE(measured_overlap({}).counts());
}

TEST_CASE("a slowdown by overlap is at least 1 and at most 1000") {
  const OverlapCost faster = measured_overlap({slowed_by({0.97}, 0.9)});

  CHECK(faster.is_known);
  CHECK_FALSE(faster.counts());
  CHECK(measured_overlap({slowed_by({1e12}, 1)}).batch_slowdown == 1000);
  CHECK(measured_overlap({slowed_by({1}, 1e300)}).exchange_slowdown == 1000);
}

TEST_CASE("a batch and overlapping messages do not take longer than one after the other") {
  // Messages at a quarter of their speed leave three quarters to the batch.
  const OverlapCost cost = measured_overlap({slowed_by({100, 100, 1}, 4)});

  CHECK(cost.batch_slowdown == Approx(1 / 0.75).epsilon(1e-12));
  CHECK(cost.exchange_slowdown == 4);
}

TEST_CASE("classes of devices that were measured have a default") {
  REQUIRE(overlap_default("cpu") != nullptr);
  CHECK(overlap_default("cpu")->cost.is_known);
  CHECK(overlap_default("cpu")->cost.counts());
  CHECK_FALSE(overlap_default("cpu")->is_charged);
  REQUIRE(overlap_default("gpu") != nullptr);
  CHECK(overlap_default("gpu")->is_charged);
  CHECK(overlap_default("gpu")->most_batch_slowdown >= overlap_default("gpu")->cost.batch_slowdown);
  CHECK(overlap_default("tpu") == nullptr);
}

}  // namespace
}  // namespace epochcast::tests
