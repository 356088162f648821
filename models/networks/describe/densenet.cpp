// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "models/networks/describe/families.hpp"
#include "models/networks/describe/variant_builder.hpp"

namespace epochcast::describe {
namespace {

constexpr std::int64_t kGrowth = 32;
constexpr std::int64_t kBottleneck = 4 * kGrowth;
constexpr std::array<std::int64_t, 4> kLayers = {6, 12, 24, 16};

/// A dense block. Every layer reads a fresh copy of all maps before it, so the copies grow with the
/// square of the number of layers; what a layer adds is only copied from.
void dense_block(VariantBuilder& net, const std::string& name, std::int64_t layers) {
  for (std::int64_t i = 0; i < layers; ++i) {
    const std::string layer = name + ".denselayer" + std::to_string(i + 1);
    const std::int64_t channels = net.shape()[0];
    net.concatenate(layer + ".concatenate", channels);
    net.batch_norm(layer + ".norm1");
    net.in_place(layer + ".relu1");
    net.convolution(layer + ".conv1", {.channels = kBottleneck, .kernel = 1});
    net.batch_norm(layer + ".norm2");
    net.in_place(layer + ".relu2");
    net.convolution(
        layer + ".conv2", {.channels = kGrowth, .kernel = 3, .padding = 1}, Output::kFreed);
    net.set_shape({channels + kGrowth, net.shape()[1], net.shape()[2]});
  }
  net.concatenate(name + ".concatenate", net.shape()[0]);
}

Variant densenet121(Shape input, bool imagenet_stem) {
  VariantBuilder net(std::move(input),
                     imagenet_stem
                         ? "7x7 stem of stride 2 and max-pool, growth 32"
                         : "3x3 stem of stride 1 without batch norm and max-pool, growth 32, as in "
                           "kuangliu/pytorch-cifar");
  // The pool's input is what its backward pass reads; its output is only copied from.
  if (imagenet_stem) {
    net.convolution("features.conv0", {.channels = 64, .kernel = 7, .stride = 2, .padding = 3});
    net.batch_norm("features.norm0");
    net.in_place("features.relu0");
    net.pool("features.pool0", {.kernel = 3, .stride = 2, .padding = 1}, Output::kFreed);
  } else {
    net.convolution("features.conv0", {.channels = 64, .kernel = 3, .padding = 1}, Output::kFreed);
  }
  for (std::size_t block = 0; block < kLayers.size(); ++block) {
    const std::string number = std::to_string(block + 1);
    dense_block(net, "features.denseblock" + number, kLayers[block]);
    if (block + 1 == kLayers.size()) break;
    const std::string transition = "features.transition" + number;
    net.batch_norm(transition + ".norm");
    net.in_place(transition + ".relu");
    net.convolution(transition + ".conv", {.channels = net.shape()[0] / 2, .kernel = 1});
    net.pool(transition + ".pool", {.kernel = 2, .stride = 2}, Output::kFreed);
  }
  net.batch_norm("features.norm5");
  net.in_place("relu");
  net.global_average_pool("avgpool");
  net.classifier("classifier");
  return net.build();
}

}  // namespace

std::vector<Network> densenet_family() {
  return {{.name = "densenet121",
           .title = "DenseNet-121",
           .reference = "Huang et al., Densely Connected Convolutional Networks, CVPR 2017, "
                        "table 1; layers as in torchvision",
           .variants = {densenet121({3, 32, 32}, false),
                        densenet121({3, 64, 64}, false),
                        densenet121({3, 224, 224}, true)}}};
}

}  // namespace epochcast::describe
