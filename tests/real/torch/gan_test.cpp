// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/gan.hpp"

#include <cmath>
#include <map>
#include <string>

#include "tests/catch.hpp"
#include "tests/real/torch/network_cases.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kImages = 4;
constexpr std::int64_t kKinds = 5;
constexpr std::uint64_t kSeed = 7;

const Shape kImage = {1, 28, 28};

using Gradients = std::map<std::string, torch::Tensor>;

/// The gradients of all parameters whose name starts with `half`; clears those of all others.
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

torch::Tensor labels_of_batch() { return torch::arange(kImages, torch::kInt64) % kKinds; }

/// Odena et al., equations 2 and 3, negative and halved: the mean of two cross-entropies.
torch::Tensor half_loss(const Gan::Verdict& verdict, double reality, const torch::Tensor& labels) {
  const torch::Tensor source = torch::nn::functional::binary_cross_entropy_with_logits(
      verdict.reality, torch::full_like(verdict.reality, reality));
  return (source + torch::nn::functional::cross_entropy(verdict.classes, labels)) / 2;
}

/// The losses of both halves, computed independently of Gan::loss() with the same random numbers.
struct Halves {
  torch::Tensor discriminator;
  torch::Tensor generator;
};

Halves losses_of_halves(Gan& gan, const torch::Tensor& samples, const torch::Tensor& labels) {
  torch::manual_seed(kSeed);
  const torch::Tensor wanted = torch::randint(kKinds, {kImages}, torch::kInt64);
  const torch::Tensor images = gan.images(torch::randn({kImages, Gan::latent()}), wanted);
  const torch::Tensor real = half_loss(gan.judge(samples), 1, labels);
  const torch::Tensor generated = half_loss(gan.judge(images.detach()), 0, wanted);
  return {.discriminator = (real + generated) / 2,
          .generator = half_loss(gan.judge(images), 1, wanted)};
}

TEST_CASE("one backward pass gives each half of a GAN the gradient of its own loss") {
  torch::manual_seed(kSeed);
  Gan gan(kImage, kKinds);
  const torch::Tensor samples = random_samples(kImages, kImage);
  const torch::Tensor labels = labels_of_batch();

  const Halves apart = losses_of_halves(gan, samples, labels);
  apart.discriminator.backward();
  Gradients expected = take_gradients(gan, "discriminator");
  losses_of_halves(gan, samples, labels).generator.backward();
  expected.merge(take_gradients(gan, "generator"));

  torch::manual_seed(kSeed);
  const BatchLoss loss = gan.loss(samples, labels);
  loss.loss.backward();
  const Gradients both = take_gradients(gan, "");

  CHECK(loss.discriminator.item<double>() == Approx(apart.discriminator.item<double>()));
  CHECK(loss.generator.item<double>() == Approx(apart.generator.item<double>()));
  REQUIRE(both.size() == expected.size());
  for (const auto& [name, gradient] : both) {
    CAPTURE(name);
    const auto size = expected.at(name).abs().max().item<double>();
    CHECK(size > 0);
    // The same sums of float32 products in another order; biases before a batch norm are only
    // rounding errors.
    CHECK(torch::allclose(gradient, expected.at(name), 0, 1e-4 * size + 1e-7));
  }
}

TEST_CASE("after a loss every parameter of a GAN can be trained again") {
  Gan gan(kImage, kKinds);

  static_cast<void>(gan.loss(random_samples(kImages, kImage), labels_of_batch()));

  for (const torch::Tensor& parameter : gan.parameters()) CHECK(parameter.requires_grad());
}

TEST_CASE("a GAN's samples are ranked by the discriminator's loss and classified by its label") {
  torch::manual_seed(kSeed);
  Gan gan(kImage, kKinds);
  gan.eval();
  const torch::Tensor samples = random_samples(kImages, kImage);
  const torch::Tensor scores = gan.forward(samples);
  torch::Tensor labels = scores.argmax(1);
  labels[0] = (labels[0] + 1) % kKinds;  // one of four is wrong

  const BatchLoss loss = gan.loss(samples, labels);

  const torch::Tensor likely = scores.softmax(1).gather(1, labels.unsqueeze(1)).flatten();
  const torch::Tensor expected = -(gan.judge(samples).reality.sigmoid().log() + likely.log()) / 2;
  CHECK(torch::allclose(loss.sample_losses, expected));
  CHECK(loss.correct.item<std::int64_t>() == kImages - 1);
}

TEST_CASE("a tested GAN draws no random numbers") {
  Gan gan(kImage, kKinds);
  gan.eval();
  const torch::Tensor samples = random_samples(kImages, kImage);
  torch::manual_seed(kSeed);
  const torch::Tensor expected = torch::rand({1});

  torch::manual_seed(kSeed);
  const BatchLoss loss = gan.loss(samples, labels_of_batch());
  static_cast<void>(gan.generate(labels_of_batch(), 1));

  CHECK(torch::equal(torch::rand({1}), expected));
  CHECK_FALSE(loss.generator.defined());
}

TEST_CASE("generated images are black to white, of the wanted shape, class and seed") {
  for (const Shape& shape : {kImage, Shape{3, 32, 32}}) {
    torch::manual_seed(kSeed);
    Gan gan(shape, kKinds);
    gan.eval();
    const torch::Tensor labels = labels_of_batch();

    const torch::Tensor images = gan.generate(labels, 1);

    CHECK(images.sizes().vec() == Shape{kImages, shape[0], shape[1], shape[2]});
    CHECK(images.min().item<float>() >= 0);
    CHECK(images.max().item<float>() <= 1);
    CHECK(torch::equal(gan.generate(labels, 1), images));
    CHECK_FALSE(torch::equal(gan.generate(labels, 2), images));
    CHECK_FALSE(torch::equal(gan.generate(labels.flip(0), 1), images));
  }
}

TEST_CASE("black is -1 and white is 1 for a GAN, for any data set") {
  Gan gan(Shape{3, 20, 20}, kKinds);
  gan.set_pixel_levels(
      {{.black = -2, .white = 2}, {.black = 0, .white = 1}, {.black = 1, .white = 3}});
  const torch::Tensor black = torch::tensor({-2.0F, 0.0F, 1.0F}).view({1, 3, 1, 1});
  const torch::Tensor white = torch::tensor({2.0F, 1.0F, 3.0F}).view({1, 3, 1, 1});

  CHECK(torch::equal(gan.scaled(black), torch::full({1, 3, 1, 1}, -1.0F)));
  CHECK(torch::equal(gan.scaled(white), torch::full({1, 3, 1, 1}, 1.0F)));
}

TEST_CASE("a GAN learns: both losses change, and the discriminator classifies") {
  // Two classes of flat images, dark and bright: any network with a batch norm distinguishes them.
  torch::manual_seed(kSeed);
  Gan gan(kImage, 2);
  torch::optim::Adam optimizer(gan.parameters(),
                               torch::optim::AdamOptions(0.002).betas({0.5, 0.999}));
  const torch::Tensor labels = torch::arange(16, torch::kInt64) % 2;
  const torch::Tensor samples =
      (labels.view({-1, 1, 1, 1}) - 0.5) + 0.1 * torch::randn({16, 1, 28, 28});
  const BatchLoss first = gan.loss(samples, labels);

  BatchLoss last = first;
  for (int step = 0; step < 40; ++step) {
    optimizer.zero_grad();
    last = gan.loss(samples, labels);
    last.loss.backward();
    optimizer.step();
  }

  for (const BatchLoss& loss : {first, last}) {
    CHECK(std::isfinite(loss.discriminator.item<double>()));
    CHECK(std::isfinite(loss.generator.item<double>()));
  }
  CHECK(last.discriminator.item<double>() < first.discriminator.item<double>());
  CHECK(last.generator.item<double>() != first.generator.item<double>());
  gan.eval();
  CHECK(gan.loss(samples, labels).correct.item<std::int64_t>() == 16);
}

}  // namespace
}  // namespace epochcast::real
