// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <utility>

#include "models/networks/describe/families.hpp"
#include "models/networks/describe/variant_builder.hpp"

namespace epochcast::describe {
namespace {

/// A block with batch norm and ReLU before each convolution; a 1x1 convolution shortcuts where the
/// width changes.
void wide_block(VariantBuilder& net,
                const std::string& name,
                std::int64_t channels,
                std::int64_t stride) {
  const Shape input = net.shape();
  net.batch_norm(name + ".bn1");
  net.in_place(name + ".relu1");
  net.convolution(name + ".conv1",
                  {.channels = channels, .kernel = 3, .stride = stride, .padding = 1});
  net.batch_norm(name + ".bn2");
  net.in_place(name + ".relu2");
  // The sum is kept, its operands are not.
  net.convolution(
      name + ".conv2", {.channels = channels, .kernel = 3, .padding = 1}, Output::kFreed);
  if (input[0] != channels) {
    net.set_shape(input);
    net.convolution(name + ".convShortcut",
                    {.channels = channels, .kernel = 1, .stride = stride},
                    Output::kFreed);
  }
  net.add(name + ".add", Output::kKept);
}

Variant wide_resnet(std::int64_t depth,
                    std::int64_t widening,
                    Shape input,
                    const std::string& note) {
  VariantBuilder net(std::move(input), note);
  net.convolution("conv1", {.channels = 16, .kernel = 3, .padding = 1});
  for (std::int64_t stage = 0; stage < 3; ++stage) {
    const std::int64_t channels = widening * (std::int64_t{16} << stage);
    for (std::int64_t b = 0; b < (depth - 4) / 6; ++b) {
      const std::string name = "block" + std::to_string(stage + 1) + ".layer." + std::to_string(b);
      wide_block(net, name, channels, stage > 0 && b == 0 ? 2 : 1);
    }
  }
  net.batch_norm("bn1");
  net.in_place("relu");
  net.global_average_pool("avgpool");
  net.classifier("fc");
  return net.build();
}

Network wide_resnet_network(std::int64_t depth, std::int64_t widening, const std::string& note) {
  const std::string layers = std::to_string(depth);
  const std::string large =
      note + "; the CIFAR network on larger images: no stem of stride 2, averaged at the end";
  return {.name = "wide-resnet-" + layers,
          .title = "Wide ResNet-" + layers + "-" + std::to_string(widening),
          .reference = "Zagoruyko and Komodakis, Wide Residual Networks, BMVC 2016, table 1",
          .variants = {wide_resnet(depth, widening, {3, 32, 32}, note),
                       wide_resnet(depth, widening, {3, 64, 64}, large),
                       wide_resnet(depth, widening, {3, 224, 224}, large)}};
}

}  // namespace

std::vector<Network> wide_resnet_family() {
  return {wide_resnet_network(16,
                              8,
                              "widening factor 8, no dropout; arXiv 2508.08540 trains a WRN16 on "
                              "Flowers-102, its factor and image size are not known to us"),
          wide_resnet_network(28,
                              10,
                              "widening factor 10, no dropout; arXiv 2508.08540 trains a WRN28 on "
                              "CIFAR-100, its factor is not known to us")};
}

}  // namespace epochcast::describe
