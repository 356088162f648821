// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "models/networks/describe/families.hpp"
#include "models/networks/describe/variant_builder.hpp"

namespace epochcast::describe {
namespace {

/// Smaller images are padded to LeNet's 32x32.
Variant small_cnn(Shape input, std::int64_t padding) {
  VariantBuilder net(
      std::move(input),
      "two 5x5 convolutions (6 and 16 channels), each with ReLU and 2x2 max-pool; "
      "linear layers of 120 and of one unit per class; the first convolution pads by " +
          std::to_string(padding));
  net.convolution("conv1", {.channels = 6, .kernel = 5, .padding = padding, .bias = true});
  net.in_place("relu1");
  net.pool("pool1", {.kernel = 2, .stride = 2});
  net.convolution("conv2", {.channels = 16, .kernel = 5, .bias = true});
  net.in_place("relu2");
  net.pool("pool2", {.kernel = 2, .stride = 2});
  net.flatten();
  net.linear("fc1", 120);
  net.in_place("relu3");
  net.classifier("fc2");
  return net.build();
}

}  // namespace

std::vector<Network> small_cnn_family() {
  return {{.name = "small-cnn",
           .title = "Small LeNet-like CNN",
           .reference = "LeCun et al., Gradient-Based Learning Applied to Document Recognition, "
                        "1998, figure 2 (LeNet-5), with ReLU and max-pool and without layer F6",
           .variants = {small_cnn({1, 28, 28}, 2), small_cnn({3, 32, 32}, 0)}}};
}

}  // namespace epochcast::describe
