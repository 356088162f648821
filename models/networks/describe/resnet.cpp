// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "models/networks/describe/families.hpp"
#include "models/networks/describe/variant_builder.hpp"

namespace epochcast::describe {
namespace {

enum class Block { kBasic, kBottleneck };

struct Depth {
  std::string layers;
  Block block;
  std::array<std::int64_t, 4> blocks;
};

/// A residual block as torchvision has it (v1.5: the stride of a bottleneck is in its 3x3
/// convolution).
void residual_block(VariantBuilder& net,
                    const std::string& name,
                    Block block,
                    std::int64_t width,
                    std::int64_t stride) {
  const Shape input = net.shape();
  const std::int64_t channels = block == Block::kBottleneck ? 4 * width : width;
  const Convolution strided = {.channels = width, .kernel = 3, .stride = stride, .padding = 1};
  if (block == Block::kBasic) {
    net.convolution(name + ".conv1", strided);
    net.batch_norm(name + ".bn1");
    net.in_place(name + ".relu1");
    net.convolution(name + ".conv2", {.channels = width, .kernel = 3, .padding = 1});
    net.batch_norm(name + ".bn2");
  } else {
    net.convolution(name + ".conv1", {.channels = width, .kernel = 1});
    net.batch_norm(name + ".bn1");
    net.in_place(name + ".relu1");
    net.convolution(name + ".conv2", strided);
    net.batch_norm(name + ".bn2");
    net.in_place(name + ".relu2");
    net.convolution(name + ".conv3", {.channels = channels, .kernel = 1});
    net.batch_norm(name + ".bn3");
  }
  if (stride != 1 || input[0] != channels) {
    net.set_shape(input);
    net.convolution(name + ".downsample.0", {.channels = channels, .kernel = 1, .stride = stride});
    // Its output is only added, and an addition's backward pass reads nothing.
    net.batch_norm(name + ".downsample.1", Output::kFreed);
  }
  net.add(name + ".add", Output::kFreed);
  net.in_place(name + ".relu");
}

Variant resnet(const Depth& depth, Shape input, bool imagenet_stem) {
  VariantBuilder net(std::move(input),
                     imagenet_stem ? "7x7 stem of stride 2 and max-pool"
                                   : "3x3 stem of stride 1, no max-pool (CIFAR)");
  if (imagenet_stem) {
    net.convolution("conv1", {.channels = 64, .kernel = 7, .stride = 2, .padding = 3});
  } else {
    net.convolution("conv1", {.channels = 64, .kernel = 3, .padding = 1});
  }
  net.batch_norm("bn1");
  net.in_place("relu");
  if (imagenet_stem) net.pool("maxpool", {.kernel = 3, .stride = 2, .padding = 1});
  for (std::size_t stage = 0; stage < depth.blocks.size(); ++stage) {
    const std::int64_t width = std::int64_t{64} << stage;
    for (std::int64_t b = 0; b < depth.blocks[stage]; ++b) {
      const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(b);
      residual_block(net, name, depth.block, width, stage > 0 && b == 0 ? 2 : 1);
    }
  }
  net.global_average_pool("avgpool");
  net.classifier("fc");
  return net.build();
}

/// A block of ResNet-20. Its shortcut has no parameters: option A subsamples and pads channels with
/// zeros.
void small_residual_block(VariantBuilder& net,
                          const std::string& name,
                          std::int64_t channels,
                          std::int64_t stride) {
  net.convolution(name + ".conv1",
                  {.channels = channels, .kernel = 3, .stride = stride, .padding = 1});
  net.batch_norm(name + ".bn1");
  net.in_place(name + ".relu1");
  net.convolution(name + ".conv2", {.channels = channels, .kernel = 3, .padding = 1});
  net.batch_norm(name + ".bn2");
  net.add(name + ".add", Output::kFreed);
  net.in_place(name + ".relu");
}

Variant resnet20() {
  VariantBuilder net({3, 32, 32},
                     "option A: shortcuts subsample and pad with zeros, without parameters "
                     "(1x1 convolutions with batch norm, option B, would add 2,752; the code "
                     "published with arXiv 2508.08540 uses those)");
  net.convolution("conv1", {.channels = 16, .kernel = 3, .padding = 1});
  net.batch_norm("bn1");
  net.in_place("relu");
  for (std::int64_t stage = 0; stage < 3; ++stage) {
    for (std::int64_t b = 0; b < 3; ++b) {
      const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(b);
      small_residual_block(net, name, std::int64_t{16} << stage, stage > 0 && b == 0 ? 2 : 1);
    }
  }
  net.global_average_pool("avgpool");
  net.classifier("linear");
  return net.build();
}

}  // namespace

std::vector<Network> resnet_family() {
  const std::array<Depth, 4> depths = {{{"18", Block::kBasic, {2, 2, 2, 2}},
                                        {"34", Block::kBasic, {3, 4, 6, 3}},
                                        {"50", Block::kBottleneck, {3, 4, 6, 3}},
                                        {"101", Block::kBottleneck, {3, 4, 23, 3}}}};
  std::vector<Network> networks;
  for (const Depth& depth : depths) {
    networks.push_back({.name = "resnet" + depth.layers,
                        .title = "ResNet-" + depth.layers,
                        .reference = "He et al., Deep Residual Learning for Image Recognition, "
                                     "CVPR 2016, table 1; layers as in torchvision",
                        .variants = {resnet(depth, {1, 28, 28}, false),
                                     resnet(depth, {3, 32, 32}, false),
                                     resnet(depth, {3, 64, 64}, false),
                                     resnet(depth, {3, 224, 224}, true)}});
  }
  networks.push_back({.name = "resnet20",
                      .title = "ResNet-20 for CIFAR",
                      .reference = "He et al., Deep Residual Learning for Image Recognition, "
                                   "CVPR 2016, section 4.2 and table 6",
                      .variants = {resnet20()}});
  return networks;
}

}  // namespace epochcast::describe
