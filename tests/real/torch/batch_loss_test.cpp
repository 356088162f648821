// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/batch_loss.hpp"

#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

constexpr double kFloat = 1e-6;

TEST_CASE("mse is the mean over a sample's values, then over samples, and classifies nothing") {
  const torch::Tensor values = torch::tensor({{1.0, 3.0}, {0.0, 0.0}});
  const torch::Tensor wanted = torch::tensor({{1.0, 1.0}, {0.0, 2.0}});

  const BatchLoss loss = loss_of(Loss::mse, values, wanted);

  CHECK(loss.loss.item<double>() == Approx(2).epsilon(kFloat));
  CHECK(loss.sample_losses[0].item<double>() == Approx(2).epsilon(kFloat));
  CHECK(std::isnan(loss.correct.item<double>()));
  // One value a sample may be [batch] or [batch, 1].
  CHECK(loss_of(Loss::mse, torch::tensor({{1.0}, {5.0}}), torch::tensor({1.0, 3.0}))
            .loss.item<double>() == Approx(2).epsilon(kFloat));
}

TEST_CASE("binary cross-entropy takes scores before the sigmoid, of classes or of several values") {
  const torch::Tensor scores = torch::tensor({{0.0}, {std::log(3.0)}});

  const BatchLoss loss = loss_of(Loss::binary_cross_entropy, scores, torch::tensor({1, 0}));

  // Probabilities 1/2 and 1/4 of the right answers.
  CHECK(loss.loss.item<double>() == Approx((std::log(2.0) + std::log(4.0)) / 2).epsilon(kFloat));
  CHECK(loss.correct.item<double>() == 0);  // 0 is on neither side
  const BatchLoss both = loss_of(
      Loss::binary_cross_entropy, torch::tensor({{1.0, -1.0}}), torch::tensor({{1.0, 1.0}}));
  CHECK(both.correct.item<double>() == Approx(0.5));
}

TEST_CASE("binary cross-entropy refuses targets that are no probabilities") {
  const torch::Tensor scores = torch::zeros({2, 2});
  CHECK_THROWS_WITH(
      loss_of(Loss::binary_cross_entropy, scores, torch::tensor({{0.0, 1.0}, {0.5, 255.0}})),
      "--loss: binary-cross-entropy is of targets from 0 to 1; the data have 255");
  CHECK_THROWS_WITH(
      loss_of(Loss::binary_cross_entropy, scores, torch::tensor({{0.0, -1.0}, {0.5, 1.0}})),
      "--loss: binary-cross-entropy is of targets from 0 to 1; the data have -1");
}

TEST_CASE("values correspond if they differ in sizes of one, or are a row for each sample") {
  const auto alike = [](const std::vector<std::int64_t>& made,
                        const std::vector<std::int64_t>& wanted) {
    return are_alike(torch::zeros(made), torch::zeros(wanted));
  };
  CHECK(alike({4, 2, 3}, {4, 2, 3}));
  CHECK(alike({4, 6}, {4, 2, 3}));
  CHECK(alike({4, 1}, {4}));
  CHECK(alike({4}, {4, 1}));
  CHECK(alike({4, 1, 3}, {4, 3}));
  CHECK_FALSE(alike({4, 3, 2}, {4, 2, 3}));
  CHECK_FALSE(alike({2, 4}, {4, 2}));
  CHECK_FALSE(alike({4}, {4, 2}));
  CHECK_FALSE(alike({1, 8}, {4, 2}));
  CHECK_FALSE(alike({}, {1}));
}

TEST_CASE("losses are in float32 for every precision of the model") {
  const torch::Tensor labels = torch::tensor({0, 1});
  const torch::Tensor scores = torch::tensor({{1.0, 0.0}, {1.0, 0.0}});

  const BatchLoss loss = loss_of(Loss::cross_entropy, scores.to(torch::kFloat64), labels);

  CHECK(loss.loss.scalar_type() == torch::kFloat32);
  CHECK(loss.sample_losses.scalar_type() == torch::kFloat32);
  CHECK(
      torch::equal(loss.sample_losses, loss_of(Loss::cross_entropy, scores, labels).sample_losses));
}

TEST_CASE("a language model's loss is the mean cross-entropy of all of a sample's tokens") {
  // Two samples of two tokens of three words; all alike but for one.
  torch::Tensor scores = torch::zeros({2, 2, 3});
  scores[1][1][2] = std::log(4.0);
  const torch::Tensor next = torch::tensor({{0, 1}, {1, 2}});

  const BatchLoss loss = loss_of(Loss::language_model, scores, next);

  const double even = std::log(3.0);
  const double likely = std::log(6.0 / 4);
  CHECK(loss.sample_losses[0].item<double>() == Approx(even).epsilon(kFloat));
  CHECK(loss.sample_losses[1].item<double>() == Approx((even + likely) / 2).epsilon(kFloat));
  CHECK(loss.loss.item<double>() == Approx((3 * even + likely) / 4).epsilon(kFloat));
  // The first of the ties counts: one of two in both samples.
  CHECK(loss.correct.item<double>() == Approx(1));
}

TEST_CASE("the automatic loss fits the targets, and unsuitable ones are refused") {
  const Targets classes;
  const Targets values = {.kind = TargetKind::values, .shape = {3}};
  const Targets tokens = {.kind = TargetKind::tokens, .shape = {8}};

  CHECK(chosen_loss(Loss::automatic, classes, 3, "x") == Loss::cross_entropy);
  CHECK(chosen_loss(Loss::automatic, values, 3, "x") == Loss::mse);
  CHECK(chosen_loss(Loss::automatic, tokens, 3, "x") == Loss::language_model);
  CHECK(chosen_loss(Loss::model, tokens, 3, "x") == Loss::model);
  CHECK(outputs_for(Loss::binary_cross_entropy, classes, 2) == 1);
  CHECK(outputs_for(Loss::binary_cross_entropy, values, 3) == 3);
  CHECK_THROWS_WITH(chosen_loss(Loss::cross_entropy, values, 3, "houses"),
                    "--loss: got cross-entropy, but houses has values; expected mse, "
                    "binary-cross-entropy, or model (a model that returns its loss)");
  CHECK(chosen_loss(Loss::binary_cross_entropy, classes, 2, "x") == Loss::binary_cross_entropy);
  CHECK_THROWS_WITH(chosen_loss(Loss::binary_cross_entropy, classes, 3, "flowers"),
                    "--loss: got binary-cross-entropy, but flowers has 3 classes; expected two, "
                    "or cross-entropy");
}

}  // namespace
}  // namespace epochcast::real
