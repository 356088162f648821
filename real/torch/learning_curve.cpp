// SPDX-License-Identifier: Apache-2.0
#include "real/torch/learning_curve.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "strategies/training.hpp"

namespace epochcast::real {
namespace {

/// In Progress::memory: seconds, samples and bytes so far.
constexpr const char* kTotals = "learning curve";

/// None if the sum is NaN.
std::optional<double> mean_over(double sum, double samples) {
  if (std::isnan(sum)) return std::nullopt;
  return sum / samples;
}

}  // namespace

LearningCurve::Passed LearningCurve::passed() {
  const WorkerReport& report = worker_.report;
  const double bytes = report.traffic.intra_node_bytes + report.traffic.inter_node_bytes;
  const Passed passed = {.seconds = report.training_s - counted_s_,
                         .bytes_sent = bytes - counted_bytes_,
                         .dropped = static_cast<double>(report.dropped_samples - counted_dropped_),
                         .is_whole = report.epochs > counted_epochs_};
  counted_s_ = report.training_s;
  counted_epochs_ = report.epochs;
  counted_bytes_ = bytes;
  counted_dropped_ = report.dropped_samples;
  return passed;
}

void LearningCurve::average_statistics() {
  if (worker_.report.has_own_model) return;
  const Payload statistics = learner_.statistics();
  if (statistics.count == 0) return;
  Fabric& fabric = worker_.fabric;
  const bool trains = fabric.self().role == Role::trains;
  const double batch = trains ? static_cast<double>(worker_.report.batch) : 0;
  const std::vector<double> batches = fabric.all_gather_numbers({&batch, 1}, fabric.world());
  const double all = std::accumulate(batches.begin(), batches.end(), 0.0);
  fabric.all_reduce(statistics, batch / all, fabric.world());
}

std::vector<double> LearningCurve::sums_of(const Passed& passed,
                                           const Score& trained,
                                           const Score& tested) const {
  Fabric& fabric = worker_.fabric;
  const std::vector<double> mine = {trained.loss_sum,
                                    trained.correct,
                                    trained.samples,
                                    tested.loss_sum,
                                    tested.correct,
                                    tested.samples,
                                    passed.bytes_sent,
                                    trained.discriminator_loss_sum,
                                    trained.generator_loss_sum,
                                    passed.dropped};
  std::vector<double> sums(mine.size());
  const std::vector<double> all = fabric.all_gather_numbers(mine, fabric.world());
  for (std::size_t i = 0; i < all.size(); ++i) sums[i % mine.size()] += all[i];
  return sums;
}

std::vector<double> LearningCurve::totals() const {
  std::vector<double> totals = worker_.progress.memory[kTotals];
  totals.resize(3);
  return totals;
}

LearningCurve::Part LearningCurve::tested_part() const {
  Fabric& fabric = worker_.fabric;
  // A worker without batches in this epoch (see dlb) has an older model.
  const double mine = fabric.self().role == Role::trains && worker_.report.batch > 0 ? 1 : 0;
  const std::vector<double> all = fabric.all_gather_numbers({&mine, 1}, fabric.world());
  if (mine == 0) return {};
  const auto own = all.begin() + fabric.rank();
  const auto before = static_cast<std::int64_t>(std::accumulate(all.begin(), own, 0.0));
  const auto testers = static_cast<std::int64_t>(std::accumulate(all.begin(), all.end(), 0.0));
  const std::int64_t samples = test_.size();
  return {.begin = samples * before / testers, .end = samples * (before + 1) / testers};
}

CurvePoint LearningCurve::after_epoch(std::int64_t epoch) {
  const Passed now = passed();
  average_statistics();
  const Part part = tested_part();
  const Score tested = part.end > part.begin ? learner_.test(test_, part.begin, part.end) : Score();
  const std::vector<double> sums = sums_of(now, learner_.trained(), tested);
  std::vector<double> sofar = totals();
  sofar[0] += now.seconds;
  sofar[1] += sums[2] - sums[9];
  sofar[2] += sums[6];
  worker_.progress.memory[kTotals] = sofar;
  CurvePoint point = {.epoch = epoch + 1,
                      .training_s = sofar[0],
                      .samples = sofar[1],
                      .bytes_sent = sofar[2],
                      .learning_rate = learner_.learning_rate(),
                      .train_loss = sums[0] / sums[2],
                      .train_accuracy = mean_over(sums[1], sums[2]),
                      .test_loss = sums[3] / sums[5],
                      .test_accuracy = mean_over(sums[4], sums[5]),
                      .discriminator_loss = mean_over(sums[7], sums[2]),
                      .generator_loss = mean_over(sums[8], sums[2])};
  if (now.is_whole) point.epoch_s = now.seconds;
  if (test_.targets().kind == TargetKind::tokens) point.test_perplexity = std::exp(point.test_loss);
  return point;
}

void LearningCurve::after_known_epoch(const CurvePoint& known) {
  constexpr double kRelative = 1e-9;  // other libraries may round otherwise
  const Passed now = passed();
  average_statistics();
  static_cast<void>(tested_part());
  const std::vector<double> sums = sums_of(now, {}, {});
  const std::vector<double> sofar = totals();
  const auto is_as = [](double found, double expected) {
    return std::abs(found - expected) <= kRelative * expected;
  };
  if (!is_as(sofar[0] + now.seconds, known.training_s) ||
      !is_as(sofar[2] + sums[6], known.bytes_sent)) {
    throw RunError("epoch " + std::to_string(known.epoch) + " ends there after " +
                   format_seconds(known.training_s) + " and " + format_bytes(known.bytes_sent) +
                   ", here after " + format_seconds(sofar[0] + now.seconds) + " and " +
                   format_bytes(sofar[2] + sums[6]));
  }
  worker_.progress.memory[kTotals] =
      std::vector<double>{known.training_s, known.samples, known.bytes_sent};
}

}  // namespace epochcast::real
