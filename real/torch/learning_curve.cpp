// SPDX-License-Identifier: Apache-2.0
#include "real/torch/learning_curve.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "strategies/training.hpp"

namespace epochcast::real {
namespace {

std::optional<double> share(double correct, double samples) {
  if (std::isnan(correct)) return std::nullopt;
  return correct / samples;
}

}  // namespace

CurvePoint LearningCurve::after_epoch(std::int64_t epoch) {
  Fabric& fabric = worker_.fabric;
  const WorkerReport& report = worker_.report;
  const double epoch_s = report.training_s - counted_s_;
  const bool is_whole = report.epochs > counted_epochs_;
  const double bytes = report.traffic.intra_node_bytes + report.traffic.inter_node_bytes;
  // Every trainer tests a part with its own model: they differ in BatchNorm statistics at most.
  const std::int64_t trainers = std::max(1, trainer_count(fabric));
  const std::int64_t samples = test_.size();
  Score tested;
  if (fabric.self().role == Role::trains) {
    tested = learner_.test(
        test_, samples * fabric.rank() / trainers, samples * (fabric.rank() + 1) / trainers);
  }
  const Score trained = learner_.trained();
  const std::vector<double> mine = {trained.loss_sum,
                                    trained.correct,
                                    trained.samples,
                                    tested.loss_sum,
                                    tested.correct,
                                    tested.samples,
                                    bytes - counted_bytes_};
  std::vector<double> sums(mine.size());
  const std::vector<double> all = fabric.all_gather(mine, fabric.world());
  for (std::size_t i = 0; i < all.size(); ++i) sums[i % mine.size()] += all[i];
  counted_s_ = report.training_s;
  counted_epochs_ = report.epochs;
  counted_bytes_ = bytes;

  std::vector<double> totals = worker_.progress.memory["learning curve"];
  totals.resize(3);
  totals[0] += epoch_s;
  totals[1] += sums[2];
  totals[2] += sums[6];
  worker_.progress.memory["learning curve"] = totals;
  CurvePoint point = {.epoch = epoch + 1,
                      .training_s = totals[0],
                      .samples = totals[1],
                      .bytes_sent = totals[2],
                      .learning_rate = learner_.learning_rate(),
                      .train_loss = sums[0] / sums[2],
                      .train_accuracy = share(sums[1], sums[2]),
                      .test_loss = sums[3] / sums[5],
                      .test_accuracy = share(sums[4], sums[5])};
  if (is_whole) point.epoch_s = epoch_s;
  return point;
}

}  // namespace epochcast::real
