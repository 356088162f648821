// SPDX-License-Identifier: Apache-2.0
#include "real/torch/autocast.hpp"

#include <string>
#include <vector>

#include "real/torch/networks/network_names.hpp"
#include "real/torch/networks/scripted_network.hpp"
#include "tests/catch.hpp"
#include "tests/real/torch/network_cases.hpp"
#include "tests/real/torch/scripted_models.hpp"

namespace epochcast::real {
namespace {

BatchLoss loss_in(Precision precision,
                  TorchNetwork& network,
                  const torch::Tensor& samples,
                  const torch::Tensor& targets) {
  const Autocast autocast(precision, torch::kCPU);
  return network.loss(samples, targets);
}

void check_networks_in_bfloat16(const std::vector<std::string>& networks) {
  constexpr std::int64_t kSamples = 2;
  constexpr std::int64_t kTargets = 10;
  torch::manual_seed(1);
  for (const std::string& name : networks) {
    CAPTURE(name);
    const Task task = small_task(name, kTargets);
    auto network = make_network(name, task);
    const auto [samples, targets] = random_batch(kSamples, task);

    const BatchLoss loss = loss_in(Precision::bfloat16, *network, samples, targets);
    loss.loss.backward();

    CHECK(loss.loss.scalar_type() == torch::kFloat32);
    CHECK(loss.sample_losses.scalar_type() == torch::kFloat32);
    for (const auto& parameter : network->named_parameters()) {
      CAPTURE(parameter.key());
      CHECK(parameter.value().scalar_type() == torch::kFloat32);
      REQUIRE(parameter.value().grad().defined());
      CHECK(parameter.value().grad().scalar_type() == torch::kFloat32);
      CHECK(parameter.value().grad().isfinite().all().item<bool>());
    }
  }
}

TEST_CASE("networks have losses, parameters and gradients in float32 under autocast") {
  check_networks_in_bfloat16(few_networks());
}

TEST_CASE("every network has losses, parameters and gradients in float32 under autocast",
          "[long]") {
  check_networks_in_bfloat16(network_names());
}

TEST_CASE("scores are bfloat16 under autocast, and float32 with the same bits after it") {
  torch::manual_seed(1);
  const Task task = small_task("small-cnn", 10);
  auto network = make_network("small-cnn", task);
  const torch::Tensor samples = random_batch(2, task).samples;
  const torch::Tensor before = network->forward(samples);

  torch::Tensor scores;
  {
    const Autocast autocast(Precision::bfloat16, torch::kCPU);
    scores = network->forward(samples);
  }

  CHECK(scores.scalar_type() == torch::kBFloat16);
  CHECK(torch::equal(network->forward(samples), before));
}

TEST_CASE("parameters are cast again after they have changed") {
  torch::manual_seed(1);
  const Task task = small_task("small-cnn", 10);
  auto network = make_network("small-cnn", task);
  const auto [samples, targets] = random_batch(2, task);
  const auto loss = [&, &samples = samples, &targets = targets] {
    return loss_in(Precision::bfloat16, *network, samples, targets).loss.item<float>();
  };
  const float before = loss();

  const torch::NoGradGuard no_gradients;
  for (torch::Tensor& parameter : network->parameters()) parameter.mul_(2);

  CHECK(loss() != before);
}

TEST_CASE("a TorchScript model computes as an eager one under autocast, also after float32") {
  const Saved saved(usual());
  ScriptedNetwork network(saved.file(), classification(kRows, 2));
  const torch::Tensor samples = torch::randn({8, 1, 1, 3});
  const torch::Tensor targets = torch::tensor({0, 1, 1, 0, 1, 0, 0, 1}, torch::kInt64);
  const auto parameter = [&](const std::string& name) { return network.named_parameters()[name]; };
  // BatchNorm in training does not depend on its statistics.
  const auto eager = [&] {
    const Autocast autocast(Precision::bfloat16, torch::kCPU);
    torch::Tensor maps = torch::linear(
        samples.flatten(1), parameter("body.first.weight"), parameter("body.first.bias"));
    maps = torch::batch_norm(maps,
                             parameter("norm.weight"),
                             parameter("norm.bias"),
                             torch::zeros({4}),
                             torch::ones({4}),
                             true,
                             0.1,
                             1e-5,
                             false);
    const torch::Tensor scores =
        torch::linear(torch::relu(maps), parameter("head.weight"), parameter("head.bias"));
    return loss_of(Loss::cross_entropy, scores, targets).loss;
  };
  eager().backward();
  std::vector<torch::Tensor> expected;
  for (torch::Tensor& each : network.parameters()) {
    expected.push_back(each.grad().clone());
    each.mutable_grad().zero_();
  }

  constexpr int kPasses = 4;  // LibTorch optimizes a graph after its first runs
  for (int pass = 0; pass < kPasses; ++pass) {
    const torch::Tensor loss = loss_in(Precision::bfloat16, network, samples, targets).loss;
    CHECK(loss.item<float>() == eager().item<float>());
    loss.backward();
    std::size_t next = 0;
    for (torch::Tensor& each : network.parameters()) {
      CHECK(torch::equal(each.grad(), expected[next++]));
      each.mutable_grad().zero_();
    }
    loss_in(Precision::float32, network, samples, targets).loss.backward();
    for (torch::Tensor& each : network.parameters()) each.mutable_grad().zero_();
  }
}

}  // namespace
}  // namespace epochcast::real
