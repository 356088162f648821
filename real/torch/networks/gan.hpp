// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

class GanGenerator;
class GanDiscriminator;

/// A generator of images of given classes from noise, and a discriminator that distinguishes them
/// from real ones and predicts their class (Odena et al., ICML 2017).
///
/// Moreno-Alvarez et al. (TNNLS 2023, table II) fix a latent of 128, a linear and upsampling
/// generator, and a discriminator of 16, 32, 64 and 128 channels with the label among its outputs.
/// The rest is our choice, after acgan.py of eriklindernoren/PyTorch-GAN: the generator's channels,
/// kernels, dropout, an epsilon of 0.8 in batch norms, the label's embedding as a factor of the
/// noise, and initialisation.
class Gan : public TorchNetwork {
 public:
  /// The discriminator's outputs for a batch of images.
  struct Verdict {
    torch::Tensor reality;  ///< [batch]; the logistic function makes it the probability of "real"
    torch::Tensor classes;  ///< scores [batch, classes]; softmax makes them probabilities
  };

  /// Rows and columns must be multiples of 4, for the generator, which doubles them twice, and at
  /// least 20, so the discriminator's last batch norm has 2 x 2 pixels even for a single image.
  Gan(std::span<const std::int64_t> shape, std::int64_t classes);

  /// The discriminator's scores [batch, classes] of images as the data set delivers them.
  torch::Tensor forward(torch::Tensor samples) override;

  /// In training, the discriminator's loss plus the generator's: one backward pass gives each half
  /// the gradient of its own loss at the current parameters of both, so both halves step at once
  /// (our choice: in acgan.py the generator steps first). Every batch norm sees real and generated
  /// images apart; the discriminator's statistics count the generated ones twice.
  ///
  /// An image's loss is the mean of two cross-entropies: of whether it is real, and of its class.
  /// The discriminator's is the mean over real and generated images; the generator's is that of
  /// generated images taken for real ones. The published code halves the sums L_S + L_C of the
  /// paper (equations 2 and 3) as well. In evaluation the loss is the discriminator's of real
  /// images only. Samples are ranked by, and classified in, real images alone.
  BatchLoss loss(const torch::Tensor& samples, const torch::Tensor& labels) override;

  /// Passes the generator, and its images pass the discriminator.
  std::vector<torch::Tensor> pass_all_layers(const torch::Tensor& samples) override;

  /// None: the classes are in the generator, too.
  std::string classifier() const override { return {}; }

  void set_pixel_levels(const std::vector<PixelLevels>& levels) override;
  torch::Tensor generate(const torch::Tensor& labels, std::uint64_t seed) override;

  /// Images [batch, channels, rows, columns] with values between -1 and 1, of classes `labels`
  /// (int64 [batch]), from noise [batch, latent()] of a normal distribution.
  torch::Tensor images(const torch::Tensor& noise, const torch::Tensor& labels);
  /// The verdict on images with values between -1 and 1.
  Verdict judge(const torch::Tensor& images);
  /// Samples of the data set as images with values between -1 and 1.
  [[nodiscard]] torch::Tensor scaled(const torch::Tensor& samples) const;

  [[nodiscard]] static std::int64_t latent();

 private:
  std::int64_t classes_;
  std::shared_ptr<GanGenerator> generator_;
  std::shared_ptr<GanDiscriminator> discriminator_;
  torch::Tensor middle_;  ///< [1, channels, 1, 1]: halfway between black and white
  torch::Tensor reach_;   ///< [1, channels, 1, 1]: from there to white
};

}  // namespace epochcast::real
