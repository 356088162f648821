// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/scripted_network.hpp"

#include <torch/script.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/process/temp_folder.hpp"
#include "real/torch/flat_model.hpp"
#include "real/torch/networks/model_description.hpp"
#include "tests/catch.hpp"
#include "tests/real/torch/network_cases.hpp"
#include "tests/real/torch/scripted_models.hpp"

namespace epochcast::real {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("a scripted model computes with the flat buffer, and trains as without it") {
  const Saved saved(usual());
  const torch::Tensor samples = torch::randn({5, 1, 1, 3});
  const torch::Tensor labels = torch::tensor({0, 1, 1, 0, 1}, torch::kInt64);

  torch::jit::Module alone = torch::jit::load(saved.file());
  torch::nn::functional::cross_entropy(alone.forward({samples}).toTensor(), labels).backward();
  FlatModel model(std::make_shared<ScriptedNetwork>(saved.file(), classification(kRows, 2)),
                  torch::kCPU,
                  1e6,
                  1e6);
  model.network().loss(samples, labels).loss.backward();

  std::vector<std::string> names;
  const float* value = model.state().data_ptr<float>();
  for (const auto& parameter : model.network().named_parameters()) {
    names.push_back(parameter.key());
    CHECK(parameter.value().data_ptr<float>() == value);
    value += parameter.value().numel();
  }
  std::vector<std::string> expected;
  for (const auto& parameter : alone.named_parameters()) expected.push_back(parameter.name);
  CHECK(names == expected);
  std::int64_t at = 0;
  for (const torch::Tensor& parameter : alone.parameters()) {
    const torch::Tensor gradient = model.gradients().narrow(0, at, parameter.numel());
    CHECK(torch::allclose(gradient, parameter.grad().flatten()));
    at += parameter.numel();
  }
  // BatchNorm's statistics were updated in the state.
  const std::int64_t statistics = model.state().numel() - at;
  CHECK(statistics == 8);
  CHECK(torch::allclose(model.state().narrow(0, at, 4),
                        alone.attr("norm").toModule().attr("running_mean").toTensor()));

  std::ranges::fill(model.host_state(), 0.F);
  CHECK(model.network().forward(samples).abs().sum().item<float>() == 0);
}

TEST_CASE("a scripted model follows train() and eval()") {
  const Saved saved(
      two_layers(on_rows("  x = torch.dropout(self.body.first.forward(x), 1.0, self.training)\n"
                         "  return self.head.forward(self.norm.forward(x))\n")));
  ScriptedNetwork network(saved.file(), classification(kRows, 2));
  const torch::Tensor samples = torch::randn({4, 1, 1, 3});
  CHECK(network.is_training());

  network.eval();
  const torch::Tensor once = network.forward(samples);
  CHECK(torch::equal(network.forward(samples), once));
  network.train();
  CHECK_FALSE(torch::equal(network.forward(samples), once));
}

TEST_CASE("a model traced in training mode is tested in evaluation mode") {
  const Saved saved(two_layers(on_rows(
      "  return self.head.forward(torch.dropout(self.body.first.forward(x), 1.0, True))\n")));
  ScriptedNetwork network(saved.file(), classification(kRows, 2));
  const torch::Tensor samples = torch::randn({4, 1, 1, 3});
  const torch::Tensor bias = network.named_parameters()["head.bias"];

  CHECK(torch::equal(network.forward(samples), bias.expand({4, 2})));
  network.eval();
  CHECK_FALSE(torch::allclose(network.forward(samples), bias.expand({4, 2})));
}

TEST_CASE("a model of batches of one size is refused, with that size") {
  const auto problem_with = [](const std::string& rows) {
    const Saved saved(two_layers("def forward(self, x):\n  x = " + rows +
                                 "\n  return self.head.forward(self.body.first.forward(x))\n"));
    try {
      const ScriptedNetwork network(saved.file(), classification(kRows, 2));
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };

  CHECK(problem_with("x.reshape([-1, 3])").empty());
  CHECK_THAT(problem_with("x.reshape([2, 3])"),
             Contains("the model takes batches of 2 samples alone: ") &&
                 Contains("write it with torch.jit.script"));
  CHECK_THAT(problem_with("x.reshape([16, 3])"), Contains("batches of 16 samples alone: "));
  CHECK_THAT(problem_with("x.reshape([-1, 3])[0:1].expand([8, 3])"),
             Contains("of 3 samples, too, it makes 8x2 values"));
}

TEST_CASE("buffers of other types than float32 are not changed") {
  torch::jit::Module model = two_layers("def unused(self):\n  return 1\n");
  model.register_buffer("table", torch::full({4}, 1 + 1e-12, torch::kFloat64));
  model.register_buffer("order", torch::tensor({3, 2, 1, 0}));
  model.define(
      on_rows("  x = self.body.first.forward(x).double() * self.table\n"
              "  return self.head.forward(x.float()[:, self.order])\n"));
  const Saved saved(model);
  FlatModel flat(std::make_shared<ScriptedNetwork>(saved.file(), classification(kRows, 2)),
                 torch::kCPU,
                 1e6,
                 1e6);

  CHECK(flat.network().forward(torch::randn({4, 1, 1, 3})).sizes() ==
        std::vector<std::int64_t>{4, 2});
  CHECK(flat.network().named_buffers()["table"][0].item<double>() == 1 + 1e-12);
  CHECK(flat.state().numel() == flat.parameters().numel() + 8);  // BatchNorm's, not table's
}

TEST_CASE("a tensor of two modules is one parameter, and tensors without gradient are buffers") {
  torch::jit::Module model = usual();
  torch::jit::Module head = model.attr("head").toModule();
  torch::jit::Module twin = linear(4, 2);
  twin.setattr("weight", head.attr("weight"));
  model.register_module("twin", twin);
  head.attr("bias").toTensor().set_requires_grad(false);
  const Saved saved(model);
  const ScriptedNetwork network(saved.file(), classification(kRows, 2));

  std::vector<std::string> parameters;
  for (const auto& parameter : network.named_parameters()) parameters.push_back(parameter.key());
  CHECK(std::ranges::count(parameters, "head.weight") == 1);
  CHECK(std::ranges::count(parameters, "twin.weight") == 0);
  CHECK(std::ranges::count(parameters, "head.bias") == 0);
  CHECK(network.named_buffers().contains("head.bias"));
}

TEST_CASE("auxiliary scores add 0.3 of their loss while the model trains") {
  const Saved saved(
      two_layers(on_rows("  x = self.body.first.forward(x)\n"
                         "  return self.head.forward(x), self.head.forward(2 * x)\n")));
  ScriptedNetwork network(saved.file(), classification(kRows, 2));
  const torch::Tensor samples = torch::randn({4, 1, 1, 3});
  const torch::Tensor labels = torch::zeros({4}, torch::kInt64);
  const auto scores = network.pass_all_layers(samples);
  REQUIRE(scores.size() == 2);
  const auto entropy = [&](const torch::Tensor& each) {
    return torch::nn::functional::cross_entropy(each, labels).item<double>();
  };

  CHECK(network.loss(samples, labels).loss.item<double>() ==
        Approx(entropy(scores[0]) + 0.3 * entropy(scores[1])));
  network.eval();
  CHECK(network.loss(samples, labels).loss.item<double>() == Approx(entropy(scores[0])));
}

TEST_CASE("a model that takes labels returns its loss") {
  const Saved saved(
      two_layers("def forward(self, x, labels):\n"
                 "  x = self.head.forward(self.body.first.forward(torch.flatten(x, 1)))\n"
                 "  return torch.nll_loss(torch.log_softmax(x, 1), labels)\n"));
  ScriptedNetwork network(saved.file(), classification(kRows, 2));
  const BatchLoss loss = network.loss(torch::randn({4, 1, 1, 3}), torch::zeros({4}, torch::kInt64));

  CHECK(network.returns_loss());
  CHECK(loss.loss.dim() == 0);
  CHECK(loss.sample_losses.sizes() == std::vector<std::int64_t>{4});
}

TEST_CASE("a file without a trainable model is refused with the reason and advice") {
  const auto problem_with = [](const torch::jit::Module& module, std::int64_t classes = 2) {
    const Saved saved(module);
    try {
      const ScriptedNetwork network(saved.file(), classification(kRows, classes));
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };

  CHECK_THROWS_WITH(ScriptedNetwork("nowhere.pt", classification(kRows, 2)),
                    "nowhere.pt: no such file");
  const TempFolder folder("epochcast-test-model");
  const std::string text = (folder.path() / "text.pt").string();
  std::ofstream(text) << "no archive";
  CHECK_THROWS_WITH(ScriptedNetwork(text, classification(kRows, 2)),
                    Contains("cannot load it as TorchScript") && Contains("torch.jit.script"));
  CHECK_THAT(problem_with(usual(), 3), Contains("expected scores of 3 classes"));
  CHECK_THAT(problem_with(two_layers()), Contains("does not take samples of 1x1x3"));
  CHECK_THAT(problem_with(two_layers("def forward(self):\n  return self.head.weight\n")),
             Contains("forward() requires 0 arguments"));
  CHECK_THAT(
      problem_with(two_layers(on_rows(
          "  return self.head.forward(torch.dropout(self.body.first.forward(x), 0.5, False))\n"))),
      Contains("aten::dropout was traced as it is in evaluation"));
  const std::string fast =
      "x = torch._native_multi_head_attention(x, x, x, 3, 1, self.head.weight, self.head.bias, "
      "self.head.weight, self.head.bias)[0]\n";
  CHECK_THAT(problem_with(two_layers("def forward(self, x):\n  " + fast + "  return x\n")),
             Contains("aten::_native_multi_head_attention was traced as it is in evaluation"));
  // In the usual form of scripts, which check first.
  CHECK(
      problem_with(two_layers(on_rows("  if not self.training and x.dim() > 2:\n    " + fast +
                                      "  return self.head.forward(self.body.first.forward(x))\n")))
          .empty());
  torch::jit::Module doubles = usual();
  doubles.to(torch::kFloat64);
  CHECK_THAT(problem_with(doubles), Contains("body.first.weight is Double; expected float32"));
}

TEST_CASE("a model is described by running a sample") {
  const Saved saved(usual(), "mine.pt");

  const ModelDescription description = describe_model(saved.file(), classification(kRows, 2));

  CHECK(description.file.name == "mine");
  CHECK(description.unknown.empty());
  CHECK(description.multiply_adds == 3 * 4 + 4 * 2);
  const NetworkVariant& variant = description.file.variants.at(0);
  CHECK(variant.input == kRows);
  CHECK(variant.classes == 2);
  CHECK(variant.buffers == 8);
  REQUIRE(variant.layers.size() == 3);  // backward order
  CHECK(variant.layers[0].name == "head");
  CHECK(variant.layers[0].forward_flops == 2 * 4 * 2);
  CHECK(variant.layers[0].activation_bytes == 4 * 2);  // the loss reads it
  CHECK(variant.layers[1].name == "norm");
  CHECK(variant.layers[1].forward_flops == 4 * 4 + 4);  // and the relu behind it
  CHECK(variant.layers[2].name == "body.first");
  CHECK(variant.layers[2].forward_flops == 2 * 3 * 4);
  REQUIRE(variant.layers[2].tensors.size() == 2);
  CHECK(variant.layers[2].tensors[0].name == "body.first.weight");
  CHECK(variant.layers[2].tensors[0].shape == std::vector<std::int64_t>{4, 3});
  CHECK(variant.layers[2].tensors[1].name == "body.first.bias");
}

TEST_CASE(
    "operations without a rule are reported, and nested operations count instead of their caller") {
  const Saved saved(
      two_layers(on_rows("  x = torch.cummax(self.body.first.forward(x), 1)[0]\n"
                         "  x = torch.einsum('bi,oi->bo', x, self.head.weight)\n"
                         "  return x\n")));

  const ModelDescription description = describe_model(saved.file(), classification(kRows, 2));

  REQUIRE(description.unknown.size() == 1);
  CHECK(description.unknown[0].name == "aten::cummax");
  CHECK(description.unknown[0].calls == 1);
  CHECK(description.unknown[0].elements == 4);
  CHECK(description.multiply_adds == 3 * 4 + 4 * 2);
  // Unused parameters are included: they are exchanged.
  std::int64_t parameters = 0;
  for (const NetworkLayer& layer : description.file.variants.at(0).layers) {
    for (const NetworkTensor& tensor : layer.tensors) {
      std::int64_t elements = 1;
      for (const std::int64_t size : tensor.shape) elements *= size;
      parameters += elements;
    }
  }
  CHECK(parameters == 3 * 4 + 4 + 4 + 4 + 4 * 2 + 2);
}

TEST_CASE(
    "a model that fails, or returns nothing, in training mode only is refused with the reason") {
  const auto problem_of_describing = [](const std::string& forward) {
    const Saved saved(two_layers(forward));
    try {
      static_cast<void>(describe_model(saved.file(), classification(kRows, 2)));
    } catch (const UserError& error) {
      return std::string(error.what()).substr(saved.file().size());
    }
    return std::string();
  };
  const std::string scores = "self.head.forward(self.body.first.forward(torch.flatten(x, 1)))\n";

  CHECK(problem_of_describing("def forward(self, x):\n"
                              "  assert not self.training, 'only for use'\n"
                              "  return " +
                              scores) ==
        ": the model does not take samples of 1x1x3 in training: RuntimeError: AssertionError: "
        "only for use");
  CHECK(problem_of_describing("def forward(self, x):\n"
                              "  made = [" +
                              scores +
                              "]\n"
                              "  if self.training:\n"
                              "    made = made[:0]\n"
                              "  return made\n") == ": forward() returns no tensor in training");
  CHECK(problem_of_describing("def forward(self, x):\n  return [x][:0]\n") ==
        ": forward() returns no tensor");
}

TEST_CASE("a model is tried with random numbers") {
  const Saved saved(
      two_layers("def forward(self, x):\n"
                 "  x = torch.inverse(x)\n"
                 "  return self.head.forward(self.body.first.forward(x[:, 0]))\n"));

  CHECK_NOTHROW(ScriptedNetwork(saved.file(), classification(std::vector<std::int64_t>{3, 3}, 2)));
}

TEST_CASE("a model that refuses integer samples gets a message about words") {
  const Saved saved(two_layers());
  const Task task = {.shape = {3}, .classes = 2, .are_tokens = true};

  CHECK_THROWS_WITH(ScriptedNetwork(saved.file(), task),
                    Contains(": the model does not take samples of 3 tokens (whole numbers are "
                             "words; save array.astype(\"float32\") where they are quantities): "));
}

}  // namespace
}  // namespace epochcast::real
