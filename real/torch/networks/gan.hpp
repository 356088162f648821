// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

/// Whether Gan makes images of this shape [channels, rows, columns]: 28 x 28 or 32 x 32 pixels.
[[nodiscard]] bool is_gan_image(std::span<const std::int64_t> shape);

/// A generator of images from noise and a discriminator that tells them from real ones (Radford et
/// al., ICLR 2016, section 3, with fewer layers); trained on images without their labels.
class Gan : public TorchNetwork {
 public:
  /// The shape must satisfy is_gan_image().
  explicit Gan(std::span<const std::int64_t> shape);

  /// The discriminator's scores [batch, 1] of images; the logistic function turns a score into the
  /// probability that the image is real.
  torch::Tensor forward(torch::Tensor samples) override;

  /// The discriminator's loss (cross-entropy of real images and of as many generated ones) plus the
  /// generator's (that of generated images taken for real ones). One backward pass gives each half
  /// the gradient of its own loss at the current parameters of both, so both halves step at once.
  /// Every batch norm sees real and generated images apart; the discriminator's statistics count
  /// the generated ones twice, as in other implementations.
  BatchLoss loss(const torch::Tensor& samples, const torch::Tensor& labels) override;

  std::string classifier() const override { return {}; }

  /// Images [batch, channels, rows, columns] with values between -1 and 1, made of uniform noise
  /// from the default generator of the network's device.
  torch::Tensor generate(std::int64_t batch);

 private:
  std::shared_ptr<torch::nn::Module> discriminator_;
  torch::nn::Sequential generator_layers_ = nullptr;
  torch::nn::Sequential discriminator_layers_ = nullptr;
};

}  // namespace epochcast::real
