// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/models/model_files.hpp"

namespace epochcast {
namespace {

using nlohmann::json;

struct Published {
  std::string network;
  Shape input;
  std::int64_t classes;
  std::int64_t parameters;
};

TEST_CASE("parameters equal the published counts") {
  const std::vector<Published> published = {
      // torchvision.models, the `num_params` of the ImageNet weights.
      {"resnet18", {3, 224, 224}, 1000, 11'689'512},
      {"resnet34", {3, 224, 224}, 1000, 21'797'672},
      {"resnet50", {3, 224, 224}, 1000, 25'557'032},
      {"resnet101", {3, 224, 224}, 1000, 44'549'160},
      {"vgg16", {3, 224, 224}, 1000, 138'357'544},
      {"densenet121", {3, 224, 224}, 1000, 7'978'856},
      {"shufflenetv2-1x", {3, 224, 224}, 1000, 2'278'604},
      {"vit-b", {3, 224, 224}, 1000, 86'567'656},
      // timm: deit_small_patch16_224, vit_base_patch16_384 and vit_small_patch16_384.
      {"vit-s", {3, 224, 224}, 1000, 22'050'664},
      {"vit-b", {3, 384, 384}, 1000, 86'859'496},
      {"vit-s", {3, 384, 384}, 1000, 22'196'584},
      // He et al., CVPR 2016, table 6: 0.27 M. Exactly: akamaster/pytorch_resnet_cifar10, option A.
      {"resnet20", {3, 32, 32}, 10, 269'722},
      // kuangliu/pytorch-cifar: VGG16, DenseNet121, ResNet18 and ShuffleNetV2(1).
      {"vgg16", {3, 32, 32}, 10, 14'728'266},
      {"densenet121", {3, 32, 32}, 10, 6'956'298},
      {"resnet18", {3, 32, 32}, 10, 11'173'962},
      {"shufflenetv2-1x", {3, 32, 32}, 10, 1'263'854},
      // Zagoruyko and Komodakis, BMVC 2016, table 4: 11.0 M and 36.5 M. Exactly: osmr/imgclsmob,
      // CIFAR tables
      // (WRN-28-10), and the same formula for WRN-16-8.
      {"wide-resnet-16", {3, 32, 32}, 100, 11'007'540},
      {"wide-resnet-28", {3, 32, 32}, 10, 36'479'194},
      {"wide-resnet-28", {3, 32, 32}, 100, 36'536'884},
      // Hugging Face, distilbert-base-uncased with a classification head of two labels.
      {"distilbert", {128}, 2, 66'955'010},
      // nanoGPT: 10.65 M without the 98,304 of positions. Hugging Face, gpt2: 124,439,808.
      {"gpt-char", {256}, 65, 10'646'784 + 98'304},
      {"gpt2", {1024}, 50'257, 124'439'808},
  };
  for (const Published& row : published) {
    const json variant = read_variant(row.network, row.input);

    INFO(row.network << " for " << row.classes << " classes");
    CHECK(parameters(variant, row.classes) == row.parameters);
  }
}

using Counts = std::map<std::string, std::map<Shape, std::int64_t>>;

/// The parameters of every variant for ten classes, from published counts for a thousand.
Counts counts_for_ten_classes() {
  const Shape mnist = {1, 28, 28};
  const Shape cifar = {3, 32, 32};
  const Shape tiny = {3, 64, 64};
  const Shape large = {3, 224, 224};
  const Shape larger = {3, 384, 384};
  const auto of_ten = [](std::int64_t published, std::int64_t features) {
    return published - 990 * (features + 1);
  };
  Counts counts;
  // A stem of 3x3 instead of 7x7 for 64 channels, of one colour instead of three.
  const auto add_resnet = [&](const std::string& name, std::int64_t count) {
    const std::int64_t small = count - (7 * 7 - 3 * 3) * 3 * 64;
    counts[name] = {{large, count}, {tiny, small}, {cifar, small}, {mnist, small - 3 * 3 * 2 * 64}};
  };
  add_resnet("resnet18", of_ten(11'689'512, 512));
  add_resnet("resnet34", of_ten(21'797'672, 512));
  add_resnet("resnet50", of_ten(25'557'032, 2048));
  add_resnet("resnet101", of_ten(44'549'160, 2048));
  // A patch has 3 * side * side weights a feature, and every token a position.
  const auto add_vit = [&](const std::string& name, std::int64_t count, std::int64_t features) {
    const auto variant = [&](std::int64_t side, std::int64_t tokens) {
      return count + (3 * (side * side - 16 * 16) + tokens - 197) * features;
    };
    counts[name] = {{cifar, variant(4, 8 * 8 + 1)},
                    {tiny, variant(4, 16 * 16 + 1)},
                    {large, count},
                    {larger, variant(16, 24 * 24 + 1)}};
  };
  add_vit("vit-s", of_ten(22'050'664, 384), 384);
  add_vit("vit-b", of_ten(86'567'656, 768), 768);
  counts["resnet20"] = {{cifar, 269'722}};
  counts["vgg16"] = {{cifar, 14'728'266}, {tiny, 14'728'266}, {large, of_ten(138'357'544, 4096)}};
  counts["densenet121"] = {{cifar, 6'956'298}, {tiny, 6'956'298}, {large, of_ten(7'978'856, 1024)}};
  const std::int64_t shufflenet = of_ten(2'278'604, 1024);
  counts["shufflenetv2-1x"] = {{cifar, shufflenet}, {tiny, shufflenet}, {large, shufflenet}};
  const std::int64_t wide16 = 11'007'540 - 90 * (512 + 1);
  counts["wide-resnet-16"] = {{cifar, wide16}, {tiny, wide16}, {large, wide16}};
  counts["wide-resnet-28"] = {{cifar, 36'479'194}, {tiny, 36'479'194}, {large, 36'479'194}};
  // Described by tools/describe_published.py; counts of torchvision 0.14, and of Devlin et al.'s
  // BERT (109,482,240 and 335,141,888 with two token types) with a head for ten classes.
  counts["mobilenetv2"] = {{large, of_ten(3'504'872, 1280)}};
  counts["efficientnet-b0"] = {{large, of_ten(5'288'548, 1280)}};
  counts["convnext-tiny"] = {{large, of_ten(28'589'128, 768)}};
  counts["wide-resnet-50-2"] = {{large, of_ten(68'883'240, 2048)}};
  counts["resnext101-32x4d"] = {{large, of_ten(44'177'704, 2048)}};
  const std::int64_t bert_base = 109'482'240 - 2 * 768 + 10 * (768 + 1);
  const std::int64_t bert_large = 335'141'888 - 2 * 1024 + 10 * (1024 + 1);
  counts["bert-base"] = {{{128}, bert_base}, {{384}, bert_base}};
  counts["bert-large"] = {{{128}, bert_large}, {{384}, bert_large}};
  counts["distilbert"] = {{{128}, 66'955'010 + 8 * (768 + 1)}};
  // A vocabulary of ten words instead of 65 and 50,257.
  for (const std::int64_t half : {1, 2, 4, 8}) {
    counts["gpt-char"][{256 / half}] = 10'745'088 - 55 * 384;
    counts["gpt2"][{1024 / half}] = 124'439'808 - (50'257 - 10) * 768;
  }
  // Convolutions of 5x5 with 6 and 16 channels, linear layers of 120 and 10.
  const std::int64_t lenet = 16 * (6 * 25 + 1) + 120 * (16 * 25 + 1) + 10 * (120 + 1);
  counts["small-cnn"] = {{mnist, 6 * (25 + 1) + lenet}, {cifar, 6 * (3 * 25 + 1) + lenet}};
  // gates * (hidden * (input + hidden) + 2 * hidden); batch norm, linear 32, linear 10
  const std::int64_t gate = 64 * (28 + 64) + 2 * 64;
  const std::int64_t head = 2 * 64 + 32 * (64 + 1) + 10 * (32 + 1);
  counts["rnn"] = {{mnist, gate + head}};
  counts["gru"] = {{mnist, 3 * gate + head}};
  counts["lstm"] = {{mnist, 4 * gate + head}};
  // Embedding, linear, convolutions 128-128-64-image, batch norms; convolutions 16-32-64-128, batch
  // norms, one output and ten classes of 2 * 2 * 128 features.
  for (const Shape& image : {mnist, cifar}) {
    const std::int64_t quarter = image[1] / 4;
    const std::int64_t generator = 10 * 128 + 128 * quarter * quarter * (128 + 1) +
                                   (128 + 64) * (9 * 128 + 1) + image[0] * (9 * 64 + 1) +
                                   2 * (128 + 128 + 64);
    const std::int64_t discriminator = 16 * (9 * image[0] + 1) + 32 * (9 * 16 + 1) +
                                       64 * (9 * 32 + 1) + 128 * (9 * 64 + 1) +
                                       2 * (32 + 64 + 128) + (1 + 10) * (512 + 1);
    counts["gan"][image] = generator + discriminator;
  }
  return counts;
}

TEST_CASE("every variant of every network has the parameters of its formula") {
  Counts found;
  for (const auto& path : json_files(models_folder("networks"))) {
    const json network = json::parse(file_text(path));
    for (const json& variant : network["variants"])
      found[network["name"]][variant["input"].get<Shape>()] = parameters(variant, 10);
  }

  const Counts expected = counts_for_ten_classes();

  CHECK(found.size() == expected.size());
  for (const auto& [name, variants] : expected) {
    INFO(name);
    CHECK(found[name] == variants);
  }
}

TEST_CASE("DistilBERT without its head has 66,362,880 parameters") {
  // Sanh et al., arXiv 1910.01108, table 3: 66 M; exactly: Hugging Face, DistilBertModel.
  CHECK(parameters(read_variant("distilbert", {128}), 4, "distilbert.") == 66'362'880);
}

}  // namespace
}  // namespace epochcast
