// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <vector>

#include "real/measure/batches/backward_layers.hpp"
#include "real/torch/networks/network_names.hpp"
#include "real/torch/networks/torch_network.hpp"
#include "tests/catch.hpp"
#include "tests/real/torch/network_cases.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kBatch = 2;
constexpr std::int64_t kClasses = 10;

/// Makes weights differ that are initially zero, which would block gradients.
void disturb_zeros(TorchNetwork& network) {
  const torch::NoGradGuard no_gradients;
  for (torch::Tensor& parameter : network.parameters()) {
    if (!parameter.any().item<bool>()) parameter.normal_(0, 0.01);
  }
}

std::vector<std::string> described_layers(const std::string& name) {
  std::vector<std::string> names;
  const auto variants = described_variants(name);
  for (const auto& layer : variants.at(0).at("layers")) {
    if (!layer.at("tensors").empty()) names.push_back(layer.at("name"));
  }
  return names;
}

void check_steps(const std::vector<std::string>& networks) {
  torch::manual_seed(1);
  for (const std::string& name : networks) {
    CAPTURE(name);
    const Task task = small_task(name, kClasses);
    auto network = make_network(name, task);
    const auto [samples, targets] = random_batch(kBatch, task);
    double ticks = 0;
    BackwardLayers layers(*network, [&] { return ++ticks; });

    const torch::Tensor scores = network->forward(samples);
    const BatchLoss first = network->loss(samples, targets);
    disturb_zeros(*network);
    network->loss(samples, targets).loss.backward();

    Shape sizes = targets.sizes().vec();
    sizes.push_back(kClasses);
    CHECK(scores.sizes().vec() == sizes);
    CHECK(first.sample_losses.sizes().vec() == Shape{kBatch});
    CHECK_FALSE(first.sample_losses.requires_grad());
    // Each half of a GAN has the mean of a guess of the class and one between two. Scores are not
    // quite zero at first: they vary by about 1, and by more in ResNet-101, whose 33 blocks each
    // add to the sum.
    const double guess =
        std::log(static_cast<double>(kClasses)) + (name == "gan" ? std::log(2.0) : 0.0);
    CHECK(first.loss.item<double>() > guess / 2);
    CHECK(first.loss.item<double>() < guess * 2);
    for (const auto& parameter : network->named_parameters()) {
      CAPTURE(parameter.key());
      CHECK(parameter.value().scalar_type() == torch::kFloat32);
      REQUIRE(parameter.value().grad().defined());
      CHECK(parameter.value().grad().isfinite().all().item<bool>());
      CHECK(parameter.value().grad().abs().max().item<float>() > 0);
    }
    std::vector<std::string> names;
    double total_ticks = 0;
    for (const LayerSeconds& layer : layers.seconds(0, ticks)) {
      names.push_back(layer.name);
      total_ticks += layer.seconds;
    }
    CHECK(names == described_layers(name));
    CHECK(total_ticks == ticks);
  }
}

TEST_CASE("the initial loss is that of guessing, and every parameter gets a gradient, in order") {
  check_steps(few_networks());
}

TEST_CASE("the initial loss of every network is that of guessing, and all parameters get gradients",
          "[long]") {
  check_steps(network_names());
}

TEST_CASE("backward shares are the medians over the passes, scaled to sum to 1") {
  const std::vector<std::vector<LayerSeconds>> passes = {
      {{"fc", 1}, {"conv", 2}}, {{"fc", 2}, {"conv", 6}}, {{"fc", 9}, {"conv", 7}}};

  const std::vector<LayerShare> shares = backward_shares(passes);

  REQUIRE(shares.size() == 2);
  CHECK(shares[0].name == "fc");
  CHECK(shares[0].share == 2.0 / (2 + 6));
  CHECK(shares[1].share == 6.0 / (2 + 6));
}

}  // namespace
}  // namespace epochcast::real
