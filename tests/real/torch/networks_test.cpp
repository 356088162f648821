// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/error.hpp"
#include "real/torch/networks/network_names.hpp"
#include "real/torch/networks/torch_network.hpp"
#include "tests/catch.hpp"
#include "tests/real/torch/network_cases.hpp"

namespace epochcast::real {
namespace {

const Shape kMnist = {1, 28, 28};
const Shape kCifar = {3, 32, 32};
const Shape kImageNet = {3, 224, 224};

/// Sizes by tensor name, as the network's file states them.
std::map<std::string, Shape> described_tensors(const nlohmann::json& variant,
                                               std::int64_t classes) {
  std::map<std::string, Shape> tensors;
  for (const auto& layer : variant.at("layers")) {
    for (const auto& tensor : layer.at("tensors")) {
      Shape sizes;
      for (const auto& size : tensor.at(1)) {
        sizes.push_back(size.is_string() ? classes : size.get<std::int64_t>());
      }
      tensors[tensor.at(0)] = sizes;
    }
  }
  return tensors;
}

/// What a network consists of.
struct Inventory {
  std::map<std::string, Shape> tensors;  ///< sizes of the parameters
  std::int64_t parameters = 0;
  std::int64_t statistics = 0;        ///< elements of the batch norms' running means and variances
  std::set<torch::ScalarType> types;  ///< of parameters and running statistics
};

Inventory take_inventory(const TorchNetwork& network) {
  Inventory inventory;
  for (const auto& parameter : network.named_parameters()) {
    inventory.tensors[parameter.key()] = parameter.value().sizes().vec();
    inventory.parameters += parameter.value().numel();
    inventory.types.insert(parameter.value().scalar_type());
  }
  for (const auto& buffer : network.named_buffers()) {
    const std::string& name = buffer.key();
    if (name.substr(name.rfind('.') + 1) == "num_batches_tracked") continue;
    inventory.statistics += buffer.value().numel();
    inventory.types.insert(buffer.value().scalar_type());
  }
  return inventory;
}

/// The large networks take a second to initialise, so each is made once for all tests.
const Inventory& inventory(const std::string& name, const Shape& shape, std::int64_t classes) {
  static std::map<std::tuple<std::string, Shape, std::int64_t>, Inventory> known;
  const std::tuple key(name, shape, classes);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known.emplace(key, take_inventory(*make_network(name, shape, classes))).first->second;
}

std::int64_t parameter_count(const std::string& name, const Shape& shape, std::int64_t classes) {
  return inventory(name, shape, classes).parameters;
}

TEST_CASE("networks have the published numbers of parameters") {
  // torchvision.models, `num_params` of the ImageNet weights; timm, deit_small_patch16_224.
  CHECK(parameter_count("resnet18", kImageNet, 1000) == 11'689'512);
  CHECK(parameter_count("resnet34", kImageNet, 1000) == 21'797'672);
  CHECK(parameter_count("resnet50", kImageNet, 1000) == 25'557'032);
  CHECK(parameter_count("resnet101", kImageNet, 1000) == 44'549'160);
  CHECK(parameter_count("vgg16", kImageNet, 1000) == 138'357'544);
  CHECK(parameter_count("densenet121", kImageNet, 1000) == 7'978'856);
  CHECK(parameter_count("shufflenetv2-1x", kImageNet, 1000) == 2'278'604);
  CHECK(parameter_count("vit-b", kImageNet, 1000) == 86'567'656);
  CHECK(parameter_count("vit-s", kImageNet, 1000) == 22'050'664);
  // akamaster/pytorch_resnet_cifar10 (option A); kuangliu/pytorch-cifar; osmr/imgclsmob
  // (WRN-16-8 there for 100 classes).
  CHECK(parameter_count("resnet20", kCifar, 10) == 269'722);
  CHECK(parameter_count("vgg16", kCifar, 10) == 14'728'266);
  CHECK(parameter_count("densenet121", kCifar, 10) == 6'956'298);
  CHECK(parameter_count("shufflenetv2-1x", kCifar, 10) == 1'263'854);
  CHECK(parameter_count("wide-resnet-28", kCifar, 10) == 36'479'194);
  CHECK(parameter_count("wide-resnet-16", kCifar, 10) == 11'007'540 - 90 * (512 + 1));
  // Hugging Face, distilbert-base-uncased with a classification head, there of two labels.
  CHECK(parameter_count("distilbert", {128}, 10) == 66'955'010 + 8 * (768 + 1));
  // Convolutions 6·(3·25+1) and 16·(6·25+1), linear 120·(16·25+1) and 10·(120+1).
  CHECK(parameter_count("small-cnn", kCifar, 10) == 456 + 2'416 + 48'120 + 1'210);
  // timm, vit_base_patch16_384 and vit_small_patch16_384: 24·24 patches instead of 14·14.
  CHECK(parameter_count("vit-b", {3, 384, 384}, 1000) == 86'859'496);
  CHECK(parameter_count("vit-s", {3, 384, 384}, 1000) == 22'196'584);
}

TEST_CASE("networks without published numbers of parameters have those of their formulas") {
  // Per gate 64·(28+64) weights and two biases of 64; batch norm 2·64, linear 32·(64+1) and
  // 10·(32+1).
  constexpr std::int64_t kHead = 128 + 2'080 + 330;
  CHECK(parameter_count("rnn", kMnist, 10) == 6'016 + kHead);
  CHECK(parameter_count("gru", kMnist, 10) == 3 * 6'016 + kHead);
  CHECK(parameter_count("lstm", kMnist, 10) == 4 * 6'016 + kHead);
  for (const Shape& image : {kMnist, kCifar}) {
    // Embedding 128 a class, linear 128·(s/4)²·(128+1), convolutions 128·(9·128+1), 64·(9·128+1)
    // and c·(9·64+1), batch norms of 128, 128 and 64 channels.
    const std::int64_t quarter = image[1] / 4;
    const std::int64_t generator = 10 * 128 + 128 * quarter * quarter * 129 + 147'584 + 73'792 +
                                   image[0] * 577 + 2 * (128 + 128 + 64);
    // Convolutions 16·(9·c+1), 32·(9·16+1), 64·(9·32+1) and 128·(9·64+1), batch norms of 32, 64 and
    // 128 channels; of 2·2·128 features one output and ten classes.
    const std::int64_t discriminator =
        16 * (9 * image[0] + 1) + 4'640 + 18'496 + 73'856 + 2 * (32 + 64 + 128) + 11 * 513;
    CHECK(parameter_count("gan", image, 10) == generator + discriminator);
  }
}

TEST_CASE("tensors are those of the network's file, for every shape in it, and all are float32") {
  for (const std::string& name : network_names()) {
    for (const auto& variant : described_variants(name)) {
      const auto shape = variant.at("input").get<Shape>();
      const std::int64_t classes = shape == kImageNet ? 1000 : 10;
      CAPTURE(name, shape);

      const Inventory& made = inventory(name, shape, classes);

      CHECK(made.tensors == described_tensors(variant, classes));
      CHECK(made.statistics == variant.at("buffers").get<std::int64_t>());
      CHECK(made.types == std::set{torch::kFloat32});
    }
  }
}

TEST_CASE("an unknown network or an unsuitable shape is the user's mistake") {
  const std::string image = "expected images [channels, rows, columns] ";

  CHECK_THROWS_WITH(make_network("resnet19", kCifar, 10),
                    "unknown network \"resnet19\"; did you mean \"resnet18\"?");
  CHECK_THROWS_WITH(make_network("resnet18", Shape{128}, 10),
                    "resnet18: got samples of shape 128; " + image + "of at least 16 x 16 pixels");
  CHECK_THROWS_WITH(make_network("vgg16", Shape{1, 8, 8}, 10),
                    "vgg16: got samples of shape 1x8x8; " + image + "of at least 32 x 32 pixels");
  CHECK_THROWS_WITH(
      make_network("vit-s", Shape{3, 84, 84}, 10),
      "vit-s: got samples of shape 3x84x84; " + image +
          "whose rows and columns are multiples of 4, or of 16 with more than 64 rows");
  for (const char* size : {"16x16", "30x30"}) {
    const std::int64_t pixels = std::stoi(size);
    CHECK_THROWS_WITH(make_network("gan", Shape{3, pixels, pixels}, 10),
                      "gan: got samples of shape 3x" + std::string(size) + "; " + image +
                          "whose rows and columns are multiples of 4 and at least 20");
  }
  CHECK_THROWS_WITH(make_network("lstm", Shape{128}, 10),
                    "lstm: got samples of shape 128; " + image + "of at least 1 x 1 pixel");
  CHECK_THROWS_WITH(make_network("distilbert", kCifar, 10),
                    "distilbert: got samples of shape 3x32x32; expected texts [tokens] of at most "
                    "512 tokens");
  CHECK_THROWS_WITH(make_network("gru", kCifar, 0), "gru: got 0 classes; expected at least 1");
  CHECK_THROWS_AS(make_network("small-cnn", Shape{3, 8, 8}, 10), UserError);
}

}  // namespace
}  // namespace epochcast::real
