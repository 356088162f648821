// SPDX-License-Identifier: Apache-2.0
#include "real/torch/pretrained/pretrained.hpp"

#include <vector>

#include "base/error.hpp"
#include "base/files/checksum.hpp"
#include "base/files/text_file.hpp"
#include "real/torch/networks/torch_network.hpp"
#include "real/torch/torch_learner.hpp"
#include "tests/catch.hpp"
#include "tests/real/torch/network_cases.hpp"
#include "tests/real/torch/pretrained/weights.hpp"
#include "tests/real/torch/tiny_data.hpp"
#include "tests/support/fake_fabric.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::real {
namespace {

using tests::Texts;

std::shared_ptr<TorchNetwork> network_of(const std::string& name,
                                         int seed,
                                         std::int64_t classes = 3) {
  torch::manual_seed(seed);
  return make_network(name, classification(small_shape(name), classes));
}

/// A network whose BatchNorm statistics differ from the initial ones.
std::shared_ptr<TorchNetwork> used_network(const std::string& name, std::int64_t classes = 3) {
  const auto network = network_of(name, 1, classes);
  for (int i = 0; i < 3; ++i)
    static_cast<void>(network->forward(random_samples(4, small_shape(name)) + 0.5));
  return network;
}

torch::Tensor predictions(TorchNetwork& network, const std::string& name) {
  torch::manual_seed(9);
  const torch::Tensor samples = random_samples(4, small_shape(name));
  network.eval();
  return network.forward(samples).detach();
}

void check_equal(const TensorDict& one, const TensorDict& other) {
  CHECK(one.size() == other.size());
  for (const auto& each : one) {
    CAPTURE(each.key());
    CHECK(torch::equal(each.value(), other.at(each.key())));
  }
}

TensorDict without(const TensorDict& tensors, const std::string& beginning) {
  TensorDict kept;
  for (const auto& each : tensors) {
    if (!each.key().starts_with(beginning)) kept.insert(each.key(), each.value());
  }
  return kept;
}

TEST_CASE("a network with another's weights has the same predictions, bit for bit") {
  const TemporaryFolder folder;
  for (const std::string name :
       {"small-cnn", "resnet20", "resnet18", "densenet121", "shufflenetv2-1x", "gru", "gan"}) {
    CAPTURE(name);
    const auto trained = used_network(name);
    const auto file = write_weights(folder.path() / "weights.pt", tensors_of(*trained));
    const auto network = network_of(name, 2);
    REQUIRE_FALSE(torch::equal(predictions(*network, name), predictions(*trained, name)));

    const Pretrained pretrained = load_pretrained(*network, file);

    CHECK(torch::equal(predictions(*network, name), predictions(*trained, name)));
    check_equal(tensors_of(*network), tensors_of(*trained));
    CHECK(pretrained.checksum == checksum(read_text_file(file, kDataFile)));
    CHECK(pretrained.note == "pretrained: " + file.string() + ", checksum " + pretrained.checksum);
  }
}

TEST_CASE("a classifier of other classes, other layers or none is unchanged") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "weights.pt";
  struct Case {
    TensorDict tensors;
    std::string difference;
  };
  const TensorDict same = tensors_of(*used_network("resnet18"));
  TensorDict deeper = without(same, "fc.");
  deeper.insert("fc.1.weight", torch::zeros({3, 512}));
  TensorDict unbiased = same.copy();
  REQUIRE(unbiased.erase("fc.bias") == 1);
  TensorDict biased_twice = same.copy();
  biased_twice.insert("fc.scale", torch::zeros({3}));
  const std::vector<Case> cases = {
      {tensors_of(*used_network("resnet18", 10)), "fc.weight is 10x512 there, 3x512 here"},
      {without(same, "fc."), "there is no fc.weight there"},
      {deeper, "there is no fc.weight there"},
      {unbiased, "there is no fc.bias there"},
      {biased_twice, "fc.scale is 3 there, nothing here"}};
  const TensorDict before = tensors_of(*network_of("resnet18", 2));
  for (const Case& each : cases) {
    CAPTURE(each.difference);
    write_weights(file, each.tensors);
    const auto network = network_of("resnet18", 2);

    const Pretrained pretrained = load_pretrained(*network, file);

    const TensorDict after = tensors_of(*network);
    check_equal(without(after, "fc."), without(each.tensors, "fc."));
    CHECK(torch::equal(after.at("fc.weight"), before.at("fc.weight")));
    CHECK(torch::equal(after.at("fc.bias"), before.at("fc.bias")));
    CHECK(pretrained.note ==
          "pretrained: " + file.string() + ", checksum " + pretrained.checksum +
              "; the classifier fc keeps its initial values: " + each.difference);
  }
}

TEST_CASE("the classifier is the last layer; a GAN has none") {
  const std::vector<std::pair<std::string, std::string>> classifiers = {
      {"small-cnn", "fc2"},
      {"resnet20", "linear"},
      {"resnet18", "fc"},
      {"densenet121", "classifier"},
      {"vgg16", "classifier"},
      {"vit-s", "heads.head"},
      {"lstm", "fc2"},
      {"gan", ""}};
  for (const auto& [name, classifier] : classifiers) {
    CAPTURE(name);
    CHECK(network_of(name, 1)->classifier() == classifier);
  }
}

TEST_CASE("missing, unexpected and differently shaped tensors are listed, without changes") {
  const TemporaryFolder folder;
  const auto network = network_of("resnet20", 2);
  const TensorDict before = tensors_of(*network);
  TensorDict tensors = without(tensors_of(*used_network("resnet20")), "layer2.0.bn1.");
  tensors.insert("layer2.0.norm.weight", torch::zeros({32}));
  tensors.insert_or_assign("conv1.weight", torch::zeros({16, 3, 7, 7}));
  tensors.insert_or_assign("bn1.bias", torch::zeros({16}, torch::kInt64));
  const auto file = write_weights(folder.path() / "weights.pt", tensors);

  const Texts problems =
      tests::problems_of([&] { static_cast<void>(load_pretrained(*network, file)); });

  const std::string origin = "--pretrained: " + file.string() + ": ";
  CHECK(problems == Texts{origin + "lacks tensors of the network: layer2.0.bn1.weight, "
                                   "layer2.0.bn1.bias, layer2.0.bn1.running_mean, "
                                   "layer2.0.bn1.running_var",
                          origin + "has tensors that the network lacks: layer2.0.norm.weight",
                          origin + "conv1.weight is 16x3x7x7; expected 16x3x3x3",
                          origin + "bn1.bias is of Long; expected Float"});
  check_equal(tensors_of(*network), before);
}

TEST_CASE("at most twenty names are listed, and the rest is counted") {
  const TemporaryFolder folder;
  const auto network = network_of("resnet20", 2);
  const auto file = write_weights(folder.path() / "weights.pt", TensorDict());

  const Texts problems =
      tests::problems_of([&] { static_cast<void>(load_pretrained(*network, file)); });

  // 19 convolutions, and four tensors of each batch norm.
  REQUIRE(problems.size() == 1);
  CHECK_THAT(problems[0], Catch::EndsWith(" and " + std::to_string(19 * 5 - 20) + " more"));
}

TEST_CASE("names of a parallel wrapper, other precisions and missing counters are accepted") {
  const TemporaryFolder folder;
  TensorDict trained;
  TensorDict wrapped;
  for (const auto& each : tensors_of(*used_network("resnet20"))) {
    if (!each.value().is_floating_point()) continue;
    trained.insert(each.key(), each.value());
    wrapped.insert("module." + each.key(), each.value().to(torch::kFloat64));
  }
  const auto network = network_of("resnet20", 2);

  static_cast<void>(
      load_pretrained(*network, write_weights(folder.path() / "weights.pt", wrapped)));

  const TensorDict after = tensors_of(*network);
  for (const auto& each : trained) CHECK(torch::equal(after.at(each.key()), each.value()));
}

TEST_CASE("a tensor under two names, a causal mask and a compiler's wrapper are accepted") {
  const std::string folder = EPOCHCAST_SOURCE_DIR "/tests/real/torch/pretrained/data/";
  const std::vector<std::int64_t> image = {3, 16, 16};
  const auto plain = make_network("small-cnn", classification(image, 4));
  const auto tied = make_network("small-cnn", classification(image, 4));

  static_cast<void>(load_pretrained(*plain, folder + "small-cnn.pt"));
  static_cast<void>(load_pretrained(*tied, folder + "small-cnn-tied.pt"));

  check_equal(tensors_of(*tied), tensors_of(*plain));
}

TEST_CASE("the first rank reads the file, and broadcasts its parameters") {
  const TemporaryFolder folder;
  const auto file =
      write_weights(folder.path() / "weights.pt", tensors_of(*network_of("small-cnn", 5)));
  const auto expected = network_of("small-cnn", 5);
  const tests::TinyData data(8, small_shape("small-cnn"));
  LearnerSettings settings = {.network = "small-cnn",
                              .optimizer = {},
                              .learning_rate = {.base = 0.01},
                              .first_bucket_bytes = 1000,
                              .bucket_bytes = 20000};
  settings.pretrained = file.string();

  static_cast<void>(tests::run_workers(tests::workers_on({0, 0}), [&](Fabric& fabric) {
    TorchLearner learner(fabric, data, settings, torch::kCPU);

    CHECK(learner.pretrained().has_value() == (fabric.rank() == 0));
    const float first = values<float>(learner.parameters())[0];
    const float pretrained = expected->parameters().front().flatten()[0].item<float>();
    CHECK((first == pretrained) == (fabric.rank() == 0));
  }));
}

}  // namespace
}  // namespace epochcast::real
