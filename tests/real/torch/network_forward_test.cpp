// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "real/torch/networks/layers.hpp"
#include "real/torch/networks/torch_network.hpp"
#include "tests/catch.hpp"
#include "tests/real/torch/network_cases.hpp"

namespace epochcast::real {
namespace {

TEST_CASE("networks classify large images, too, and those of one channel") {
  const torch::NoGradGuard no_gradients;
  for (const std::string name : {"small-cnn",
                                 "shufflenetv2-1x",
                                 "densenet121",
                                 "wide-resnet-16",
                                 "resnet18",
                                 "vgg16",
                                 "vit-s",
                                 "lstm"}) {
    CAPTURE(name);
    auto network = make_network(name, classification(Shape{1, 80, 96}, 7));

    const torch::Tensor scores = network->forward(torch::randn({2, 1, 80, 96}));

    CHECK(scores.sizes().vec() == Shape{2, 7});
  }
}

TEST_CASE("the padded shortcut keeps every second pixel and adds channels of zeros on both sides") {
  // Convolutions of zero leave the shortcuts alone; the last stage then holds 24 + 24 channels of
  // zeros around the 16 of the first stage (16 -> 8+16+8 -> 16+32+16).
  torch::NoGradGuard no_gradients;
  auto network = make_network("resnet20", classification(Shape{3, 32, 32}, 10));
  for (auto& parameter : network->named_parameters()) {
    const bool is_stem_or_head = parameter.key() == "conv1.weight" ||
                                 parameter.key() == "bn1.weight" ||
                                 parameter.key().rfind("linear", 0) == 0;
    parameter.value().fill_(is_stem_or_head ? 1.0 : 0.0);
  }
  auto head = network->named_parameters()["linear.weight"];
  head.zero_();
  head[0].fill_(1);                   // class 0 sums all channels
  head[1].slice(0, 24, 40).fill_(1);  // class 1 only the middle sixteen
  network->named_parameters()["linear.bias"].zero_();
  network->eval();

  const torch::Tensor scores = network->forward(torch::ones({1, 3, 32, 32}));

  CHECK(scores[0][0].item<float>() > 0);
  CHECK(scores[0][1].item<float>() == scores[0][0].item<float>());
}

TEST_CASE("attention equals that of torch.nn") {
  constexpr std::int64_t kFeatures = 6;
  torch::manual_seed(1);
  torch::NoGradGuard no_gradients;
  torch::nn::MultiheadAttention reference(kFeatures, 3);
  const torch::Tensor tokens = torch::randn({2, 5, kFeatures});
  torch::Tensor is_padding = torch::zeros({2, 5}, torch::kBool);
  is_padding[1][4] = true;

  const auto parts =
      torch::linear(tokens, reference->in_proj_weight, reference->in_proj_bias).chunk(3, -1);
  const torch::Tensor attended = reference->out_proj->forward(
      attend(*reference, parts[0], parts[1], parts[2], {.heads = 3, .is_padding = is_padding}));

  const torch::Tensor first = tokens.transpose(0, 1);  // [tokens, batch, features]
  const torch::Tensor expected =
      std::get<0>(reference->forward(first, first, first, is_padding)).transpose(0, 1);
  // Values near 1, a few roundings of 6e-8 apart.
  CHECK(torch::allclose(attended, expected, 1e-5, 1e-6));
}

TEST_CASE("a text of padding only is classified") {
  const torch::NoGradGuard no_gradients;
  auto network = make_network("distilbert", classification(Shape{4}, 3));

  CHECK(network->forward(torch::zeros({2, 4})).isfinite().all().item<bool>());
}

TEST_CASE("padding after a text changes nothing") {
  const torch::NoGradGuard no_gradients;
  auto network = make_network("distilbert", classification(Shape{4}, 3));
  network->eval();

  const torch::Tensor bare = network->forward(torch::tensor({{101.0F, 30'521.0F}}));
  const torch::Tensor padded = network->forward(torch::tensor({{101.0F, 30'521.0F, 0.0F, 0.0F}}));
  const torch::Tensor longer = network->forward(torch::tensor({{101.0F, 30'521.0F, 7.0F, 0.0F}}));

  // Scores near 0.1 after six layers of sums of 768 and 3072 products, in another order.
  CHECK(torch::allclose(bare, padded, 0, 1e-5));
  CHECK_FALSE(torch::allclose(bare, longer, 0, 1e-4));
}

TEST_CASE("an image is read row by row, all channels at once, and the last row counts most") {
  // Without memory of earlier steps only the last row counts.
  const torch::NoGradGuard no_gradients;
  auto network = make_network("rnn", classification(Shape{2, 4, 3}, 5));
  network->eval();
  network->named_parameters()["rnn.weight_hh_l0"].zero_();
  const torch::Tensor image = torch::randn({1, 2, 4, 3});
  torch::Tensor other_top = image.clone();
  other_top.narrow(2, 0, 3).normal_();
  torch::Tensor other_pixel = image.clone();
  other_pixel[0][1][3][0] += 1;

  const torch::Tensor scores = network->forward(image);

  CHECK(torch::equal(network->forward(other_top), scores));
  CHECK_FALSE(torch::equal(network->forward(other_pixel), scores));
}

TEST_CASE("a recurrent network drops features in training only, and learns from a single sample") {
  torch::manual_seed(1);
  auto network = make_network("gru", classification(Shape{1, 4, 3}, 5));
  const torch::Tensor image = torch::randn({1, 1, 4, 3});
  const auto gap = [&] {
    return (network->forward(image) - network->forward(image)).abs().max().item<float>();
  };

  CHECK(gap() > 0);  // two draws of 128 and of 32
  const torch::Tensor mean = network->named_buffers()["norm.running_mean"];
  CHECK_FALSE(mean.any().item<bool>());
  const torch::Tensor label = torch::zeros({1}, torch::kInt64);
  CHECK(std::isfinite(network->loss(image, label).loss.item<double>()));
  network->loss(torch::cat({image, -image}), torch::zeros({2}, torch::kInt64));
  CHECK(mean.any().item<bool>());
  network->eval();
  CHECK(gap() == 0);
}

}  // namespace
}  // namespace epochcast::real
