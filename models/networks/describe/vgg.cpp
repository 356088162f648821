// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <utility>

#include "models/networks/describe/families.hpp"
#include "models/networks/describe/variant_builder.hpp"

namespace epochcast::describe {
namespace {

/// Stands in a configuration for a 2x2 max-pool.
constexpr std::int64_t kPool = 0;
constexpr std::array<std::int64_t, 18> kConfigurationD = {64,
                                                          64,
                                                          kPool,
                                                          128,
                                                          128,
                                                          kPool,
                                                          256,
                                                          256,
                                                          256,
                                                          kPool,
                                                          512,
                                                          512,
                                                          512,
                                                          kPool,
                                                          512,
                                                          512,
                                                          512,
                                                          kPool};

void features(VariantBuilder& net, bool batch_norm) {
  int index = 0;
  const auto next = [&index] { return "features." + std::to_string(index++); };
  for (const std::int64_t channels : kConfigurationD) {
    if (channels == kPool) {
      net.pool(next(), {.kernel = 2, .stride = 2});
      continue;
    }
    net.convolution(next(), {.channels = channels, .kernel = 3, .padding = 1, .bias = true});
    if (batch_norm) net.batch_norm(next());
    net.in_place(next());
  }
}

Variant imagenet_vgg16(Shape input) {
  VariantBuilder net(std::move(input),
                     "torchvision's vgg16, without batch norm: average-pooled to 7x7, three linear "
                     "layers with dropout");
  features(net, false);
  net.adaptive_average_pool("avgpool", 7);
  net.flatten();
  net.linear("classifier.0", 4096);
  net.in_place("classifier.1");
  net.pointwise("classifier.2");
  net.linear("classifier.3", 4096);
  net.in_place("classifier.4");
  net.pointwise("classifier.5");
  net.classifier("classifier.6");
  return net.build();
}

Variant cifar_vgg16(Shape input) {
  VariantBuilder net(std::move(input),
                     "with batch norm and one linear layer, as in kuangliu/pytorch-cifar; what the "
                     "five pools leave is averaged (1x1 for 32x32)");
  features(net, true);
  net.global_average_pool("avgpool");
  net.classifier("classifier");
  return net.build();
}

}  // namespace

std::vector<Network> vgg_family() {
  return {{.name = "vgg16",
           .title = "VGG-16",
           .reference = "Simonyan and Zisserman, Very Deep Convolutional Networks, ICLR 2015, "
                        "table 1, column D",
           .variants = {
               cifar_vgg16({3, 32, 32}), cifar_vgg16({3, 64, 64}), imagenet_vgg16({3, 224, 224})}}};
}

}  // namespace epochcast::describe
