// SPDX-License-Identifier: Apache-2.0
#include "real/measure/sampling/sampling.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

std::vector<double> one_to(int last) {
  std::vector<double> values(static_cast<std::size_t>(last));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST_CASE("the median's confidence interval runs between two order statistics") {
  // n = 100: floor(50 - 9.8) = 40 and ceil(51 + 9.8) = 61; the median of 1..100 is 50.5.
  CHECK(median_interval_width(one_to(100)) == Approx((61 - 40) / 50.5).epsilon(1e-12));
  // n = 30: floor(15 - 5.37) = 9 and ceil(16 + 5.37) = 22; the median is 15.5.
  CHECK(median_interval_width(one_to(30)) == Approx((22 - 9) / 15.5).epsilon(1e-12));
  CHECK(median_interval_width(one_to(6)) == Approx((6 - 1) / 3.5).epsilon(1e-12));
  CHECK(std::isinf(median_interval_width(one_to(5))));
}

TEST_CASE(
    "a point ends when its median is certain, its time is up, or it has the most samples allowed") {
  const SamplingRule rule = {
      .min_samples = 6, .max_samples = 8, .max_s = 10, .confidence_width = 0.01};
  SampleLog steady(rule, 100);
  SampleLog scattered(rule, 100);
  for (int i = 0; i < 6; ++i) {
    CHECK_FALSE(steady.is_enough(1000));  // fewer than the minimum, at any time
    steady.add(2.0, 2.0);
    scattered.add(1.0 + i, 1.0 + i);
  }

  CHECK(steady.is_enough(101));
  CHECK_FALSE(scattered.is_enough(109.9));
  CHECK(scattered.is_enough(110));
  scattered.add(9, 9);
  scattered.add(10, 10);
  CHECK(scattered.is_enough(101));
}

TEST_CASE("a sample is preempted when its wall time exceeds its CPU time by more than 3 %") {
  SampleLog log({}, 0);

  CHECK(log.add(1.029, 1.0));
  CHECK(log.preempted() == 0);
  CHECK(log.add(1.031, 1.0));
  CHECK(log.preempted() == 1);
  CHECK(log.kept_s().size() == 2);
  CHECK(log.dropped() == 0);
}

TEST_CASE("preempted samples are repeated on request, unless preemption cannot be detected") {
  SampleLog dropping({.drop_preempted = true}, 0);
  SampleLog on_gpu({.drop_preempted = true, .detects_preemption = false}, 0);

  CHECK_FALSE(dropping.add(2.0, 1.0));
  CHECK(dropping.kept_s().empty());
  CHECK(dropping.dropped() == 1);
  CHECK(on_gpu.add(2.0, 1.0));
}

TEST_CASE("a machine too busy to measure is given up") {
  SampleLog log({.min_samples = 2, .max_s = 10, .drop_preempted = true}, 0);
  log.add(1.0, 1.0);
  for (int i = 0; i < 6; ++i) log.add(2.0, 1.0);

  CHECK_FALSE(log.is_enough(9));
  CHECK_THROWS_WITH(
      log.is_enough(10),
      "only 1 of 7 batches ran undisturbed by other processes; measure on an idle machine, with "
      "fewer --threads, or without --drop-preempted");
  CHECK_THROWS_AS(log.is_enough(10), RunError);
}

}  // namespace
}  // namespace epochcast::real
