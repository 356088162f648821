// SPDX-License-Identifier: Apache-2.0
#include "core/formats/learning_metric.hpp"

#include <cmath>
#include <limits>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

/// Two epochs of 10 s.
Curve two_epochs() {
  Curve curve(2);
  curve[0].training_s = 10;
  curve[0].test_accuracy = 0.4;
  curve[0].test_loss = 2;
  curve[1].training_s = 20;
  curve[1].test_accuracy = 0.6;
  curve[1].test_loss = 1;
  return curve;
}

TEST_CASE("test metrics and the time to a target are interpolated between epochs") {
  const Curve curve = two_epochs();

  CHECK(value_at(curve, Metric::accuracy, 5) == Approx(0.2));
  CHECK(value_at(curve, Metric::accuracy, 15) == Approx(0.5));
  CHECK(value_at(curve, Metric::accuracy, 99) == Approx(0.6));
  CHECK(value_at(curve, Metric::loss, 5) == 2);
  CHECK(value_at(curve, Metric::loss, 17.5) == Approx(1.25));
  CHECK(value_at(curve, Metric::loss, 99) == 1);
  CHECK(*seconds_to(curve, {.metric = Metric::accuracy, .value = 0.5}) == Approx(15));
  CHECK(*seconds_to(curve, {.metric = Metric::accuracy, .value = 0.2}) == Approx(5));
  CHECK_FALSE(seconds_to(curve, {.metric = Metric::accuracy, .value = 0.7}));
  CHECK(*seconds_to(curve, {.metric = Metric::loss, .value = 1.5}) == Approx(15));
  CHECK(*seconds_to(curve, {.metric = Metric::loss, .value = 2}) == Approx(10));
  CHECK_FALSE(seconds_to(curve, {.metric = Metric::loss, .value = 0.9}));
}

TEST_CASE("a loss of NaN is worse than any number, and meets no target") {
  Curve curve = two_epochs();
  curve[1].test_loss = std::numeric_limits<double>::quiet_NaN();

  CHECK(best_of(curve, Metric::loss).epoch == curve[0].epoch);
  CHECK(best_of(curve, Metric::loss).test_loss == 2);
  CHECK_FALSE(LearningTarget{.metric = Metric::loss, .value = 9}.is_met(curve[1]));
  CHECK(LearningTarget{.metric = Metric::loss, .value = 9}.is_met(curve[0]));
}

TEST_CASE("the main metric of a curve is perplexity if it has any, else accuracy, else the loss") {
  Curve curve = two_epochs();
  CHECK(main_metric(curve) == Metric::accuracy);
  curve[0].test_perplexity = std::exp(2.0);
  CHECK(main_metric(curve) == Metric::perplexity);
  curve[0].test_perplexity.reset();
  curve[0].test_accuracy.reset();
  CHECK(main_metric(curve) == Metric::loss);
}

}  // namespace
}  // namespace epochcast::tests
