// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/networks/describe/families.hpp"
#include "models/networks/describe/variant_builder.hpp"

namespace epochcast::describe {
namespace {

constexpr std::int64_t kNoise = 100;

/// The widths of the hidden layers, widest (and smallest map) first, and that map's size.
struct Levels {
  std::vector<std::int64_t> widths;
  std::int64_t smallest;
};

void generator(VariantBuilder& net, const Levels& levels, std::int64_t image_channels) {
  net.set_shape({kNoise, 1, 1});
  int index = 0;
  const auto next = [&index] { return "generator.main." + std::to_string(index++); };
  for (std::size_t i = 0; i < levels.widths.size(); ++i) {
    const Convolution first = {.channels = levels.widths[i], .kernel = levels.smallest};
    const Convolution doubling = {
        .channels = levels.widths[i], .kernel = 4, .stride = 2, .padding = 1};
    net.transposed_convolution(next(), i == 0 ? first : doubling);
    net.batch_norm(next());
    net.in_place(next());
  }
  net.transposed_convolution(next(),
                             {.channels = image_channels, .kernel = 4, .stride = 2, .padding = 1});
  net.pointwise(next());
}

void discriminator(VariantBuilder& net, const Levels& levels) {
  int index = 0;
  const auto next = [&index] { return "discriminator.main." + std::to_string(index++); };
  for (std::size_t i = levels.widths.size(); i-- > 0;) {
    net.convolution(next(), {.channels = levels.widths[i], .kernel = 4, .stride = 2, .padding = 1});
    // As in Radford et al., the discriminator's first layer has no batch norm.
    if (i + 1 < levels.widths.size()) net.batch_norm(next());
    net.in_place(next());
  }
  net.convolution(next(), {.channels = 1, .kernel = levels.smallest});
  net.pointwise(next());
}

Variant gan(const Shape& input, const Levels& levels) {
  const std::int64_t image_channels = input[0];
  VariantBuilder net(
      input,
      "DCGAN-like, noise of 100, " + std::to_string(levels.widths.size() + 1) +
          " layers each; one pass through generator and discriminator: a training step that "
          "shows the discriminator real and generated images and then trains the generator "
          "passes through the discriminator three times");
  generator(net, levels, image_channels);
  if (net.shape() != input) throw std::logic_error("the generator misses the size of the images");
  discriminator(net, levels);
  return net.build();
}

}  // namespace

std::vector<Network> gan_family() {
  return {{.name = "gan",
           .title = "DCGAN-like generator and discriminator",
           .reference = "Radford et al., Unsupervised Representation Learning with DCGAN, "
                        "ICLR 2016, section 3; fewer layers for smaller images",
           .variants = {gan({1, 28, 28}, {.widths = {128, 64}, .smallest = 7}),
                        gan({3, 32, 32}, {.widths = {256, 128, 64}, .smallest = 4})}}};
}

}  // namespace epochcast::describe
