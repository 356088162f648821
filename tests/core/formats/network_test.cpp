// SPDX-License-Identifier: Apache-2.0
#include "core/formats/network.hpp"

#include <nlohmann/json.hpp>

#include "base/json/json_file.hpp"
#include "core/formats/precision.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

/// A linear layer on 8 features after a convolution of 2 kernels of 1x3x3, for 1x4x4 samples.
const std::string kNetwork = R"({
  "schema": "epochcast.network/1", "name": "tiny", "title": "Tiny",
  "source": {"grade": "published", "reference": "table 1"},
  "variants": [
    {"input": [3, 32, 32], "buffers": 0, "layers": [
      {"name": "other", "tensors": [["w", [7]]], "forward": "1flop", "activation": "1B"}]},
    {"input": [1, 4, 4], "note": "stride 2", "buffers": 4, "layers": [
      {"name": "fc", "tensors": [["fc.weight", ["classes", 8]], ["fc.bias", ["classes"]]],
       "forward": "10flop", "activation": "100B",
       "per_class": {"forward": "16flop", "activation": "4B"}},
      {"name": "pool", "tensors": [], "forward": "8flop", "activation": "32B"},
      {"name": "conv", "tensors": [["conv.weight", [2, 1, 3, 3]]],
       "forward": "144flop", "activation": "32B"}]}]})";

const std::string kDataset = R"({"schema": "epochcast.dataset/1", "name": "dots",
  "title": "Dots", "source": {"grade": "published", "reference": "home page"},
  "train_samples": 600, "test_samples": 100, "shape": [1, 4, 4], "sample": "16B", "classes": 5})";

Dataset parsed_dataset(const std::string& text) {
  return parse_dataset(parse_json(text, "d.json"), "d.json");
}

Network parsed_network(const std::string& text, const std::string& dataset = kDataset) {
  return parse_network(parse_json(text, "n.json"), "n.json", parsed_dataset(dataset));
}

Texts problems_in_network(const std::string& text, const std::string& dataset = kDataset) {
  return problems_of([&] { static_cast<void>(parsed_network(text, dataset)); });
}

TEST_CASE("\"classes\" in a shape is the data set's number of classes") {
  for (const int classes : {1, 5, 1000}) {
    const std::string dataset =
        with(kDataset, "\"classes\": 5", "\"classes\": " + std::to_string(classes));
    const Network network = parsed_network(kNetwork, dataset);

    REQUIRE(network.layers.size() == 3);
    CHECK(network.layers[0].parameters == classes * 8 + classes);
    CHECK(network.layers[0].forward_flops == 10 + 16.0 * classes);
    CHECK(network.layers[0].activation_bytes == 100 + 4.0 * classes);
    CHECK(network.layers[1].parameters == 0);
    CHECK(network.layers[2].parameters == 2 * 1 * 3 * 3);
    CHECK(network.parameters() == classes * 8 + classes + 18);
    CHECK(network.gradient_bytes() == 4.0 * (classes * 8 + classes + 18));
    CHECK(network.forward_flops() == 10 + 16.0 * classes + 8 + 144);
    CHECK(network.activation_bytes() == 100 + 4.0 * classes + 32 + 32);
  }
}

TEST_CASE("a network whose layers do not depend on the data set scores the classes that it names") {
  const std::string open =
      with(kNetwork, "\"input\": [1, 4, 4]", "\"input\": [1, 4, 4], \"classes\": 3");
  const std::string shape =
      with(kNetwork, "\"input\": [3, 32, 32]", "\"input\": [3, 32, 32], \"classes\": 3");

  CHECK_FALSE(parsed_network(open).fixed_classes);
  CHECK_FALSE(parsed_network(kNetwork, with(kDataset, "[1, 4, 4]", "[3, 32, 32]")).fixed_classes);
  CHECK(parsed_network(shape, with(kDataset, "[1, 4, 4]", "[3, 32, 32]")).fixed_classes == 3);
}

TEST_CASE("the variant is the one for the shape of the data set's samples") {
  CHECK(parsed_network(kNetwork).input == std::vector<std::int64_t>{1, 4, 4});
  CHECK(parsed_network(kNetwork).buffers == 4);
  CHECK(parsed_network(kNetwork, with(kDataset, "[1, 4, 4]", "[3, 32, 32]")).layers[0].name ==
        "other");
}

TEST_CASE("a network without a variant for the samples is refused with its shapes") {
  CHECK(problems_in_network(kNetwork, with(kDataset, "[1, 4, 4]", "[3, 224, 224]")) ==
        Texts{"n.json: network tiny has no variant for dots, whose samples are 3x224x224; it has "
              "3x32x32, 1x4x4"});
}

TEST_CASE("training needs parameters, gradients, momentum, statistics, inputs and activations") {
  const Network network = parsed_network(kNetwork);
  const double parameters = 5 * 8 + 5 + 18;
  const double activation_bytes = 100 + 4 * 5 + 32 + 32;

  for (const std::int64_t batch : {0, 1, 64}) {
    const double expected_bytes =
        4 * (3 * parameters + 4) + static_cast<double>(batch) * (activation_bytes + 4 * 1 * 4 * 4);

    CHECK(network.training_bytes(batch) == expected_bytes);
  }
}

TEST_CASE("in half precision inputs and activations need half as much, parameters do not") {
  Network network = parsed_network(kNetwork);
  const double fixed_bytes = network.training_bytes(0);
  const double sample_bytes = network.training_bytes(1) - fixed_bytes;

  network.bytes_per_activation = activation_size(Precision::bfloat16);

  CHECK(network.training_bytes(0) == fixed_bytes);
  CHECK(network.training_bytes(10) == fixed_bytes + 10 * sample_bytes / 2);
  CHECK(activation_size(Precision::float16) == 2);
  CHECK(activation_size(Precision::tf32) == 4);
}

TEST_CASE("a tensor whose elements overflow is refused") {
  CHECK(parsed_network(with(kNetwork, "[2, 1, 3, 3]", "[4194304, 2097152]")).layers[2].parameters ==
        std::int64_t{1} << 43);
  CHECK(problems_in_network(with(kNetwork, "[2, 1, 3, 3]", "[4194304, 4194304, 2]")) ==
        Texts{"n.json: /variants/1/layers/2/tensors/0/1: got a list of 3; expected a tensor of at "
              "most 2^44 elements"});
}

TEST_CASE("layers and networks whose parameters overflow are refused") {
  const std::string conv = R"(["conv.weight", [2, 1, 3, 3]])";
  const std::string half = R"(["a", [8796093022208]], ["b", [8796093022208]])";  // 2^43 each
  CHECK(problems_in_network(with(kNetwork, conv, half + R"(, ["c", [1]])")) ==
        Texts{"n.json: /variants/1/layers/2: has more than 2^44 parameters"});
  const std::string two_layers = with(kNetwork, "[2, 1, 3, 3]", "[17592186044416]");
  CHECK(problems_in_network(with(two_layers, R"("tensors": [])", R"("tensors": [["d", [1]]])")) ==
        Texts{"n.json: /variants/1: has more than 2^44 parameters"});
}

TEST_CASE("a tensor is a name and a shape") {
  const std::string expected = "; expected a tensor as [\"name\", [shape]]";
  CHECK(problems_in_network(
            with(kNetwork, R"(["conv.weight", [2, 1, 3, 3]])", R"(["conv.weight"])")) ==
        Texts{"n.json: /variants/1/layers/2/tensors/0: got a list of 1" + expected});
  CHECK(
      problems_in_network(with(kNetwork, R"(["conv.weight", [2, 1, 3, 3]])", R"([[2], "conv"])")) ==
      Texts{"n.json: /variants/1/layers/2/tensors/0: got a list of 2" + expected});
  CHECK(problems_in_network(with(kNetwork, "[2, 1, 3, 3]", "[2, \"clases\"]")) ==
        Texts{"n.json: /variants/1/layers/2/tensors/0/1/1: got \"clases\"; expected a whole number "
              "of at least 1"});
}

TEST_CASE("a network that has nothing to exchange is refused") {
  const std::string other = R"([["w", [7]]])";
  CHECK(problems_in_network(with(kNetwork, other, "[]"),
                            with(kDataset, "[1, 4, 4]", "[3, 32, 32]")) ==
        Texts{"n.json: network tiny has no parameters"});
}

TEST_CASE("all problems of a network are reported at once") {
  std::string text = with(kNetwork, "\"144flop\"", "144");
  text = with(text, "\"buffers\": 4", "\"bufers\": 4");

  CHECK(problems_in_network(text) ==
        Texts{"n.json: /variants/1/buffers: missing",
              "n.json: /variants/1/layers/2/forward: got 144; expected an operation count with its "
              "unit, such as \"3.6Gflop\"",
              "n.json: /variants/1/bufers: unknown key \"bufers\"; did you mean \"buffers\"?"});
}

TEST_CASE("a data set is read with its sample size in bytes") {
  const Dataset dataset = parsed_dataset(kDataset);

  CHECK(dataset.name == "dots");
  CHECK(dataset.title == "Dots");
  CHECK(dataset.train_samples == 600);
  CHECK(dataset.test_samples == 100);
  CHECK(dataset.shape == std::vector<std::int64_t>{1, 4, 4});
  CHECK(dataset.sample_bytes == 16);
  CHECK(dataset.classes == 5);
  CHECK(dataset.source.grade == Grade::published);
}

TEST_CASE("all problems of a data set are reported at once") {
  std::string text = with(kDataset, "\"train_samples\": 600", "\"train_samples\": 0");
  text = with(text, "[1, 4, 4]", "[]");
  text = with(text, "\"16B\"", "16");
  text = with(text, "\"classes\"", "\"class\"");

  CHECK(problems_of([&] { static_cast<void>(parsed_dataset(text)); }) ==
        Texts{"d.json: /train_samples: got 0; expected a whole number of at least 1",
              "d.json: /shape: got a list of 0; expected a list that is not empty",
              "d.json: /sample: got 16; expected a size with its unit, such as \"32GiB\"",
              "d.json: /classes: missing",
              "d.json: /class: unknown key \"class\"; did you mean \"classes\"?"});
}

TEST_CASE("images that are resized before they are cropped are at least as large as their crops") {
  const auto resized = [](const std::string& pixels) {
    return with(kDataset, "\"classes\": 5", "\"classes\": 5, \"resize\": " + pixels);
  };

  CHECK_FALSE(parsed_dataset(kDataset).resize);
  CHECK(parsed_dataset(resized("4")).resize == 4);
  CHECK(problems_of([&] { static_cast<void>(parsed_dataset(resized("3"))); }) ==
        Texts{"d.json: /resize: got 3; expected a whole number of at least 4"});
  CHECK(problems_of([&] {
          static_cast<void>(parsed_dataset(with(resized("4"), "[1, 4, 4]", "[16]")));
        }) == Texts{"d.json: /resize: is for images; the samples are 16"});
}

TEST_CASE("a data set needs no test samples") {
  CHECK(
      parsed_dataset(with(kDataset, "\"test_samples\": 100", "\"test_samples\": 0")).test_samples ==
      0);
}

TEST_CASE("model files have the endings named in messages, or that of torch.export") {
  CHECK(kExpectedModelFile == std::string("a TorchScript file that ends in .pt, .pth or .ts"));
  for (const std::string file : {"m.pt", "folder/m.pth", "m.ts", "m.pt2"})
    CHECK(is_model_file(file));
  for (const std::string name : {"pt", "resnet20", "m.json", "m.onnx"})
    CHECK_FALSE(is_model_file(name));
}

TEST_CASE("a model file's network has its name, with - for characters that names may not have") {
  CHECK(network_name("resnet50") == "resnet50");
  CHECK(network_name("models/mine.pt") == "mine");
  CHECK(network_name("my model \u00fc.pt") == "my-model---");
  CHECK(network_name("a,b.pt") == "a-b");
  CHECK(network_name("x&y.pth") == "x-y");
  CHECK(network_name(std::string(240, 'n') + ".ts") == std::string(100, 'n'));
}

}  // namespace
}  // namespace epochcast::tests
