// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/networks/describe/families.hpp"
#include "models/networks/describe/variant_builder.hpp"

namespace epochcast::describe {
namespace {

constexpr std::int64_t kLatent = 128;
constexpr std::array<std::int64_t, 4> kDiscriminatorChannels = {16, 32, 64, 128};

Convolution convolution_of(std::int64_t channels, std::int64_t stride = 1) {
  return {.channels = channels, .kernel = 3, .stride = stride, .padding = 1, .bias = true};
}

/// From noise and a class to an image.
void generator(VariantBuilder& net, const Shape& image) {
  const std::string name = "generator.";
  // A lookup computes nothing; the noise it is multiplied by needs no gradient.
  net.append(
      {.name = name + "label_emb", .tensors = {{name + "label_emb.weight", {kClasses, kLatent}}}},
      {kLatent});
  net.pointwise(name + "mul");
  net.linear(name + "l1.0", 128 * (image[1] / 4) * (image[2] / 4));
  net.set_shape({128, image[1] / 4, image[2] / 4});
  int index = 0;
  const auto next = [&] { return name + "conv_blocks." + std::to_string(index++); };
  net.batch_norm(next());
  for (const std::int64_t channels : {128, 64}) {
    net.upsample(next(), 2);
    net.convolution(next(), convolution_of(channels));
    net.batch_norm(next());
    net.in_place(next());
  }
  net.convolution(next(), convolution_of(image[0]));
  net.pointwise(next());
}

/// From an image to two outputs: whether it is real, and its class.
void discriminator(VariantBuilder& net) {
  const std::string name = "discriminator.";
  int index = 0;
  const auto next = [&] { return name + "conv_blocks." + std::to_string(index++); };
  for (const std::int64_t channels : kDiscriminatorChannels) {
    net.convolution(next(), convolution_of(channels, 2));
    net.in_place(next());
    net.pointwise(next());
    if (channels != kDiscriminatorChannels.front()) net.batch_norm(next());
  }
  net.flatten();
  const Shape features = net.shape();
  net.linear(name + "adv_layer.0", 1);
  net.set_shape(features);
  net.classifier(name + "aux_layer.0");
}

Variant gan(const Shape& input) {
  VariantBuilder net(
      input,
      "latent 128, linear and upsampling generator, discriminator of 16-32-64-128 channels with "
      "the "
      "label among its outputs, as TNNLS 2023, table II, prints; the generator's channels, "
      "kernels, "
      "dropout and the label's embedding are readings, from acgan.py of "
      "eriklindernoren/PyTorch-GAN. "
      "One pass through generator and discriminator: a training step that shows the discriminator "
      "real and generated images and then trains the generator passes through the discriminator "
      "three times");
  generator(net, input);
  if (net.shape() != input) throw std::logic_error("the generator misses the size of the images");
  discriminator(net);
  return net.build();
}

}  // namespace

std::vector<Network> gan_family() {
  return {{.name = "gan",
           .title = "Auxiliary classifier GAN: generator and discriminator",
           .reference = "Moreno-Alvarez et al., TNNLS 2023, table II; Odena et al., Conditional "
                        "Image Synthesis with Auxiliary Classifier GANs, ICML 2017",
           .variants = {gan({1, 28, 28}), gan({3, 32, 32})}}};
}

}  // namespace epochcast::describe
