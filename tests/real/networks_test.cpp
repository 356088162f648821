// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/json_input.hpp"
#include "core/network.hpp"
#include "real/torch/backward_layers.hpp"
#include "real/torch/networks/network_names.hpp"
#include "real/torch/networks/torch_network.hpp"
#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

using Shape = std::vector<std::int64_t>;

const Shape kCifar = {3, 32, 32};
const Shape kImageNet = {3, 224, 224};

std::filesystem::path models() { return std::filesystem::path(EPOCHCAST_SOURCE_DIR) / "models"; }

std::int64_t parameter_count(const std::string& name, const Shape& shape, std::int64_t classes) {
  std::int64_t count = 0;
  for (const torch::Tensor& tensor : make_network(name, shape, classes)->parameters()) {
    count += tensor.numel();
  }
  return count;
}

/// Sizes by tensor name, as the network's file states them for this shape.
std::map<std::string, Shape> described_tensors(const std::string& name,
                                               const Shape& shape,
                                               std::int64_t classes) {
  std::map<std::string, Shape> tensors;
  const auto document = read_json_file(models() / "networks" / (name + ".json"));
  for (const auto& variant : document.at("variants")) {
    if (variant.at("input") != nlohmann::json(shape)) continue;
    for (const auto& layer : variant.at("layers")) {
      for (const auto& tensor : layer.at("tensors")) {
        Shape sizes;
        for (const auto& size : tensor.at(1)) {
          sizes.push_back(size.is_string() ? classes : size.get<std::int64_t>());
        }
        tensors[tensor.at(0)] = sizes;
      }
    }
  }
  return tensors;
}

std::map<std::string, Shape> trained_tensors(const std::string& name,
                                             const Shape& shape,
                                             std::int64_t classes) {
  std::map<std::string, Shape> tensors;
  for (const auto& parameter : make_network(name, shape, classes)->named_parameters()) {
    tensors[parameter.key()] = parameter.value().sizes().vec();
  }
  return tensors;
}

std::vector<std::string> described_layers(const std::string& name, const Dataset& dataset) {
  std::vector<std::string> names;
  for (const Layer& layer :
       load_network(models() / "networks" / (name + ".json"), dataset).layers) {
    if (layer.parameters > 0) names.push_back(layer.name);
  }
  return names;
}

TEST_CASE("networks have the published numbers of parameters") {
  CHECK(parameter_count("resnet18", kImageNet, 1000) == 11'689'512);
  CHECK(parameter_count("resnet34", kImageNet, 1000) == 21'797'672);
  CHECK(parameter_count("resnet50", kImageNet, 1000) == 25'557'032);
  CHECK(parameter_count("resnet101", kImageNet, 1000) == 44'549'160);
  CHECK(parameter_count("resnet20", kCifar, 10) == 269'722);
  // Convolutions 6·(3·25+1) and 16·(6·25+1), linear 120·(16·25+1) and 10·(120+1).
  CHECK(parameter_count("small-cnn", kCifar, 10) == 456 + 2'416 + 48'120 + 1'210);
}

TEST_CASE("tensors are those of the network's file") {
  for (const std::string& name : network_names()) {
    CAPTURE(name);

    CHECK(trained_tensors(name, kCifar, 10) == described_tensors(name, kCifar, 10));
  }
  CHECK(trained_tensors("resnet50", kImageNet, 1000) ==
        described_tensors("resnet50", kImageNet, 1000));
  CHECK(trained_tensors("small-cnn", {1, 28, 28}, 10) ==
        described_tensors("small-cnn", {1, 28, 28}, 10));
}

TEST_CASE("networks turn a batch into one score per class") {
  for (const std::string& name : network_names()) {
    for (const Shape& shape : {kCifar, Shape{1, 28, 28}}) {
      CAPTURE(name, shape);
      auto network = make_network(name, shape, 7);

      const torch::Tensor scores =
          network->forward(torch::zeros({2, shape[0], shape[1], shape[2]}));

      CHECK(scores.sizes().vec() == Shape{2, 7});
    }
  }
}

TEST_CASE("the padded shortcut keeps every second pixel and adds channels of zeros on both sides") {
  // Convolutions of zero leave the shortcuts alone; the last stage then holds 24 + 24 channels of
  // zeros around the 16 of the first stage (16 -> 8+16+8 -> 16+32+16).
  torch::NoGradGuard no_gradients;
  auto network = make_network("resnet20", kCifar, 10);
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

TEST_CASE("gradients become ready in the order of the network's file") {
  const Dataset dataset = load_dataset(models() / "datasets" / "cifar10.json");
  for (const std::string name : {"small-cnn", "resnet20", "resnet18", "resnet50"}) {
    CAPTURE(name);
    auto network = make_network(name, dataset.shape, dataset.classes);
    double ticks = 0;
    BackwardLayers layers(*network, [&] { return ++ticks; });

    network->forward(torch::zeros({2, 3, 32, 32})).sum().backward();

    std::vector<std::string> names;
    double total_ticks = 0;
    for (const LayerSeconds& layer : layers.seconds(0, ticks)) {
      names.push_back(layer.name);
      total_ticks += layer.seconds;
    }
    CHECK(names == described_layers(name, dataset));
    CHECK(total_ticks == ticks);
  }
}

TEST_CASE("backward shares are the medians over the passes, scaled to sum to 1") {
  const std::vector<std::vector<LayerSeconds>> passes = {
      {{"fc", 1}, {"conv", 2}}, {{"fc", 2}, {"conv", 6}}, {{"fc", 9}, {"conv", 7}}};

  const std::vector<LayerShare> shares = backward_shares(passes);

  REQUIRE(shares.size() == 2);
  CHECK(shares[0].name == "fc");
  CHECK(shares[0].share == 2.0 / (2 + 6));
  CHECK(shares[1].share == 6.0 / (2 + 6));
}

TEST_CASE("an unknown network or an unsuitable shape is the user's mistake") {
  CHECK_THROWS_WITH(make_network("resnet19", kCifar, 10),
                    "unknown network \"resnet19\"; did you mean \"resnet18\"?");
  CHECK_THROWS_WITH(
      make_network("resnet18", Shape{128}, 10),
      "resnet18: got samples of shape 128; expected images [channels, rows, columns] of at "
      "least 16 x 16 pixels");
  CHECK_THROWS_AS(make_network("small-cnn", Shape{3, 8, 8}, 10), UserError);
}

}  // namespace
}  // namespace epochcast::real
