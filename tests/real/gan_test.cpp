// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/gan.hpp"

#include <cmath>
#include <map>
#include <string>

#include "tests/catch.hpp"
#include "tests/real/network_cases.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kBatch = 4;
constexpr std::uint64_t kSeed = 7;

const Shape kImage = {1, 28, 28};

using Gradients = std::map<std::string, torch::Tensor>;

/// The gradients of all parameters whose name starts with `half`; forgets those of all others.
Gradients take_gradients(Gan& gan, const std::string& half) {
  Gradients gradients;
  for (const auto& parameter : gan.named_parameters()) {
    if (parameter.key().rfind(half, 0) == 0) {
      gradients[parameter.key()] = parameter.value().grad().clone();
    }
  }
  gan.zero_grad();
  return gradients;
}

torch::Tensor cross_entropy(const torch::Tensor& scores, double probability) {
  return torch::nn::functional::binary_cross_entropy_with_logits(
      scores, torch::full_like(scores, probability));
}

TEST_CASE("one backward pass gives each half the gradient of its own loss") {
  torch::manual_seed(kSeed);
  Gan gan(kImage);
  gan.eval();  // batch norms with fixed statistics, the same for every pass
  const torch::Tensor images = random_samples(kBatch, kImage);

  torch::manual_seed(kSeed);
  torch::Tensor generated = gan.generate(kBatch).detach();
  (cross_entropy(gan.forward(images), 1) + cross_entropy(gan.forward(generated), 0)).backward();
  Gradients expected = take_gradients(gan, "discriminator");
  torch::manual_seed(kSeed);
  cross_entropy(gan.forward(gan.generate(kBatch)), 1).backward();
  expected.merge(take_gradients(gan, "generator"));

  torch::manual_seed(kSeed);
  gan.loss(images, {}).loss.backward();
  const Gradients both = take_gradients(gan, "");

  REQUIRE(both.size() == expected.size());
  for (const auto& [name, gradient] : both) {
    CAPTURE(name);
    const auto size = expected.at(name).abs().max().item<double>();
    CHECK(size > 0);
    // The same sums of float32 products in another order.
    CHECK(torch::allclose(gradient, expected.at(name), 0, 1e-5 * size));
  }
}

TEST_CASE("in training, too, the discriminator learns nothing from the generator's loss") {
  torch::manual_seed(kSeed);
  Gan gan(kImage);
  const torch::Tensor images = random_samples(kBatch, kImage);

  torch::manual_seed(kSeed);
  torch::Tensor generated = gan.generate(kBatch).detach();
  (cross_entropy(gan.forward(images), 1) + cross_entropy(gan.forward(generated), 0)).backward();
  const Gradients expected = take_gradients(gan, "discriminator");
  torch::manual_seed(kSeed);
  gan.loss(images, {}).loss.backward();

  for (const auto& [name, gradient] : take_gradients(gan, "discriminator")) {
    CAPTURE(name);
    const auto size = expected.at(name).abs().max().item<double>();
    CHECK(torch::allclose(gradient, expected.at(name), 0, 1e-5 * size));
  }
}

TEST_CASE("after a loss every parameter of a GAN can be trained again") {
  Gan gan(kImage);

  static_cast<void>(gan.loss(random_samples(kBatch, kImage), {}));

  for (const torch::Tensor& parameter : gan.parameters()) CHECK(parameter.requires_grad());
}

TEST_CASE("samples are ranked by the discriminator's loss, and none is classified") {
  torch::manual_seed(kSeed);
  Gan gan(kImage);
  gan.eval();
  const torch::Tensor images = random_samples(kBatch, kImage);

  const BatchLoss loss = gan.loss(images, {});

  const torch::Tensor expected = -gan.forward(images).sigmoid().log().flatten();
  CHECK(loss.sample_losses.sizes().vec() == Shape{kBatch});
  CHECK(torch::allclose(loss.sample_losses, expected));
  CHECK_FALSE(loss.correct.defined());
}

TEST_CASE("generated images have the shape of the real ones and values between -1 and 1") {
  for (const Shape& shape : {kImage, Shape{3, 32, 32}}) {
    Gan gan(shape);

    const torch::Tensor images = gan.generate(2);

    CHECK(images.sizes().vec() == Shape{2, shape[0], shape[1], shape[2]});
    CHECK(images.abs().max().item<float>() <= 1);
  }
}

}  // namespace
}  // namespace epochcast::real
