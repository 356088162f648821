// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "models/networks/describe/families.hpp"
#include "models/networks/describe/variant_builder.hpp"

namespace epochcast::describe {
namespace {

constexpr std::array<std::int64_t, 3> kUnits = {4, 8, 4};
constexpr std::array<std::int64_t, 3> kChannels = {116, 232, 464};

/// A depthwise 3x3 convolution and its batch norm, without activation.
void depthwise(VariantBuilder& net, const std::string& branch, int index, std::int64_t stride) {
  const std::int64_t channels = net.shape()[0];
  net.convolution(
      branch + std::to_string(index),
      {.channels = channels, .kernel = 3, .stride = stride, .padding = 1, .groups = channels});
  net.batch_norm(branch + std::to_string(index + 1));
}

/// A 1x1 convolution, its batch norm and ReLU.
void pointwise_convolution(VariantBuilder& net,
                           const std::string& branch,
                           int index,
                           std::int64_t channels) {
  net.convolution(branch + std::to_string(index), {.channels = channels, .kernel = 1});
  net.batch_norm(branch + std::to_string(index + 1));
  net.in_place(branch + std::to_string(index + 2));
}

/// One unit: the first of a stage halves the map and sends it through both branches, the others
/// pass half of the channels on untouched. The shuffled copy is what the next unit reads.
void unit(VariantBuilder& net, const std::string& name, std::int64_t channels, bool first) {
  const std::int64_t half = channels / 2;
  const Shape input = net.shape();
  if (first) {
    depthwise(net, name + ".branch1.", 0, 2);
    pointwise_convolution(net, name + ".branch1.", 2, half);
    net.set_shape(input);
  } else {
    net.set_shape({half, input[1], input[2]});
  }
  pointwise_convolution(net, name + ".branch2.", 0, half);
  depthwise(net, name + ".branch2.", 3, first ? 2 : 1);
  pointwise_convolution(net, name + ".branch2.", 5, half);
  net.concatenate(name + ".shuffle", channels);
}

Variant shufflenet(Shape input, bool imagenet_stem) {
  VariantBuilder net(std::move(input),
                     imagenet_stem
                         ? "3x3 stem of stride 2 and max-pool"
                         : "3x3 stem of stride 1, no max-pool, as in kuangliu/pytorch-cifar");
  net.convolution("conv1.0",
                  {.channels = 24, .kernel = 3, .stride = imagenet_stem ? 2 : 1, .padding = 1});
  net.batch_norm("conv1.1");
  net.in_place("conv1.2");
  if (imagenet_stem) net.pool("maxpool", {.kernel = 3, .stride = 2, .padding = 1});
  for (std::size_t stage = 0; stage < kUnits.size(); ++stage) {
    for (std::int64_t u = 0; u < kUnits[stage]; ++u) {
      const std::string name = "stage" + std::to_string(stage + 2) + "." + std::to_string(u);
      unit(net, name, kChannels[stage], u == 0);
    }
  }
  net.convolution("conv5.0", {.channels = 1024, .kernel = 1});
  net.batch_norm("conv5.1");
  net.in_place("conv5.2");
  net.global_average_pool("mean");
  net.classifier("fc");
  return net.build();
}

}  // namespace

std::vector<Network> shufflenet_family() {
  return {{.name = "shufflenetv2-1x",
           .title = "ShuffleNet V2 1x",
           .reference = "Ma et al., ShuffleNet V2, ECCV 2018, table 5; layers as in torchvision",
           .variants = {shufflenet({3, 32, 32}, false),
                        shufflenet({3, 64, 64}, false),
                        shufflenet({3, 224, 224}, true)}}};
}

}  // namespace epochcast::describe
