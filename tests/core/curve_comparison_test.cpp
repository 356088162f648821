// SPDX-License-Identifier: Apache-2.0
#include "core/curve_comparison.hpp"

#include <cmath>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

/// Epochs of equal length with this number of samples each, with these test accuracies.
Curve curve_of(const std::vector<double>& accuracies, double epoch_s, double samples) {
  Curve curve;
  for (const double accuracy : accuracies) {
    const auto epoch = static_cast<double>(curve.size() + 1);
    curve.push_back({.epoch = static_cast<std::int64_t>(curve.size()) + 1,
                     .epoch_s = epoch_s,
                     .training_s = epoch * epoch_s,
                     .samples = epoch * samples,
                     .test_loss = 1 - accuracy,
                     .test_accuracy = accuracy});
  }
  return curve;
}

TEST_CASE("jobs whose epochs differ are compared after equal samples and after equal seconds") {
  // A's epochs take 10 s for 1,000 samples, B's 2 s for 500.
  const CurveComparison comparison =
      compare({{.name = "a", .curves = {curve_of({0.2, 0.4, 0.6}, 10, 1000)}},
               {.name = "b", .curves = {curve_of({0.1, 0.2, 0.3, 0.4}, 2, 500)}}},
              std::nullopt);

  CHECK(comparison.samples == 2000);
  CHECK(comparison.seconds == 8);
  const CurveSummary& a = comparison.jobs[0];
  const CurveSummary& b = comparison.jobs[1];
  CHECK(a.at_samples.mean == Approx(0.4));
  CHECK(b.at_samples.mean == Approx(0.4));
  CHECK(a.at_seconds.mean == Approx(0.16));
  CHECK(b.at_seconds.mean == Approx(0.4));
  CHECK(a.sample_s() == Approx(0.01));
  CHECK(b.sample_s() == Approx(0.004));
}

TEST_CASE("cost and energy of a model are those of the cluster until the target") {
  // At 0.5 after 10 and 15 s; the nodes cost 7.20 USD/h and draw 600 W.
  const SeededCurves job = {
      .name = "a",
      .curves = {curve_of({0.25, 0.5}, 5, 10), curve_of({0.2, 0.4, 0.5}, 5, 10)},
      .running = {.price = Price{7.2, "USD"}, .power_w = 600}};
  const LearningTarget half = {.metric = Metric::accuracy, .value = 0.5};

  const CurveSummary summary = compare({job}, half).jobs.at(0);
  CHECK(summary.to_target_cost()->mean == Approx(12.5 * 0.002));
  CHECK(summary.to_target_j()->mean == Approx(12.5 * 600));
  CHECK(summary.to_target_j()->deviation == Approx(600 * 5 / std::sqrt(2)));

  CHECK_FALSE(compare({job}, std::nullopt).jobs.at(0).to_target_cost());
  const SeededCurves unpriced = {.name = "a", .curves = job.curves};
  CHECK_FALSE(compare({unpriced}, half).jobs.at(0).to_target_cost());
}

TEST_CASE("a summary has the best accuracy and its epoch, not only the last") {
  const CurveSummary summary = summary_of(
      {.name = "a",
       .curves = {curve_of({0.2, 0.7, 0.7, 0.5}, 1, 10), curve_of({0.2, 0.3, 0.4, 0.9}, 1, 10)}});

  CHECK(summary.seeds == 2);
  CHECK(summary.test.mean == Approx(0.7));
  CHECK(summary.test.deviation == Approx(0.4 / std::sqrt(2)));
  CHECK(summary.best.mean == Approx(0.8));
  CHECK(summary.best_epoch == 3);  // of 2 and 4
  CHECK(summary.test_loss.mean == Approx(0.3));
}

TEST_CASE("time to an accuracy is over the seeds that reached it, with their number") {
  const std::vector<SeededCurves> jobs = {
      {.name = "a", .curves = {curve_of({0.5, 0.6}, 4, 10), curve_of({0.25, 0.5}, 4, 10)}},
      {.name = "b", .curves = {curve_of({0.1, 0.2}, 4, 10), curve_of({0.1, 0.2}, 4, 10)}}};

  const CurveComparison comparison =
      compare(jobs, LearningTarget{.metric = Metric::accuracy, .value = 0.55});

  CHECK(comparison.jobs[0].reached == 1);
  CHECK(comparison.jobs[0].to_target_s->mean == Approx(6));
  CHECK(comparison.jobs[1].reached == 0);
  CHECK_FALSE(comparison.jobs[1].to_target_s);
}

TEST_CASE("a summary without classification has losses only") {
  Curve curve = curve_of({0.5}, 1, 10);
  curve[0].test_accuracy.reset();

  const CurveComparison comparison = compare({{.name = "gan", .curves = {curve}}}, std::nullopt);

  CHECK(comparison.jobs[0].metric == Metric::loss);
  CHECK(comparison.jobs[0].at_samples.mean == 0.5);
  CHECK(comparison.jobs[0].test_loss.mean == 0.5);
}

TEST_CASE("language models are compared by perplexity, lower is better") {
  Curve curve = curve_of({0.1, 0.2}, 10, 100);
  curve[0].test_perplexity = 8;
  curve[1].test_perplexity = 6;
  const LearningTarget seven = {.metric = Metric::perplexity, .value = 7};

  const CurveComparison comparison = compare({{.name = "gpt", .curves = {curve}}}, seven);

  CHECK(comparison.jobs[0].metric == Metric::perplexity);
  CHECK(comparison.jobs[0].best.mean == 6);
  CHECK(comparison.jobs[0].best_epoch == 2);
  CHECK(comparison.jobs[0].to_target_s->mean == Approx(15));
}

}  // namespace
}  // namespace epochcast::tests
