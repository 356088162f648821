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

#include "core/error.hpp"
#include "core/process/temp_folder.hpp"
#include "real/torch/flat_model.hpp"
#include "real/torch/networks/model_description.hpp"
#include "tests/catch.hpp"
#include "tests/real/torch/network_cases.hpp"

namespace epochcast::real {
namespace {

using Catch::Matchers::Contains;

torch::jit::Module module_of(const std::string& name) {
  torch::jit::Module module(name);
  module.register_attribute("training", c10::BoolType::get(), true);
  return module;
}

torch::jit::Module linear(std::int64_t in, std::int64_t out) {
  torch::jit::Module module = module_of("Linear");
  module.register_parameter("weight", torch::randn({out, in}).set_requires_grad(true), false);
  module.register_parameter("bias", torch::randn({out}).set_requires_grad(true), false);
  module.define("def forward(self, x):\n  return torch.linear(x, self.weight, self.bias)\n");
  return module;
}

torch::jit::Module norm(std::int64_t features) {
  torch::jit::Module module = module_of("BatchNorm1d");
  module.register_parameter("weight", torch::ones({features}).set_requires_grad(true), false);
  module.register_parameter("bias", torch::zeros({features}).set_requires_grad(true), false);
  module.register_buffer("running_mean", torch::zeros({features}));
  module.register_buffer("running_var", torch::ones({features}));
  module.register_buffer("num_batches_tracked", torch::zeros({}, torch::kInt64));
  module.define(
      "def forward(self, x):\n"
      "  return torch.batch_norm(x, self.weight, self.bias, self.running_mean, self.running_var,\n"
      "                          self.training, 0.1, 1e-5, False)\n");
  return module;
}

/// Rows of 3 features to `classes` scores over 4 hidden ones; `forward` may be another.
torch::jit::Module two_layers(
    const std::string& forward =
        "def forward(self, x):\n"
        "  x = torch.relu(self.norm.forward(self.body.first.forward(x)))\n"
        "  return self.head.forward(x)\n",
    std::int64_t classes = 2) {
  torch::manual_seed(1);
  torch::jit::Module body = module_of("Body");
  body.register_module("first", linear(3, 4));
  torch::jit::Module top = module_of("TwoLayers");
  top.register_module("body", body);
  top.register_module("norm", norm(4));
  top.register_module("head", linear(4, classes));
  top.define(forward);
  return top;
}

/// A model in a file.
class Saved {
 public:
  explicit Saved(const torch::jit::Module& module, const std::string& name = "model.pt")
      : file_((folder_.path() / name).string()) {
    module.save(file_);
  }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  TempFolder folder_{"epochcast-test-model"};
  std::string file_;
};

const std::vector<std::int64_t> kRows = {1, 1, 3};  // what forward() flattens
const std::string kFlat = "def forward(self, x):\n  x = torch.flatten(x, 1)\n";

std::string on_rows(const std::string& rest) { return kFlat + rest; }

torch::jit::Module usual() {
  return two_layers(
      on_rows("  x = torch.relu(self.norm.forward(self.body.first.forward(x)))\n"
              "  return self.head.forward(x)\n"));
}

TEST_CASE("a scripted model computes with what lies in one buffer, and trains as it would alone") {
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
  // BatchNorm's statistics have gone on where they travel.
  const std::int64_t statistics = model.state().numel() - at;
  CHECK(statistics == 8);
  CHECK(torch::allclose(model.state().narrow(0, at, 4),
                        alone.attr("norm").toModule().attr("running_mean").toTensor()));

  std::ranges::fill(model.host_state(), 0.F);
  CHECK(model.network().forward(samples).abs().sum().item<float>() == 0);
}

TEST_CASE("a scripted model knows whether it trains") {
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

TEST_CASE("what a trace of training has written down is otherwise where the model is tested") {
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

TEST_CASE("buffers of other types than float32 stay as they are") {
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

TEST_CASE("a tensor of two modules is one parameter, and what needs no gradient is a buffer") {
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

/// A model of 10 words that scores them, with `forward`.
torch::jit::Module ten_words(const std::string& forward) {
  torch::manual_seed(2);
  torch::jit::Module module = module_of("Words");
  module.register_parameter("weight", torch::randn({10, 4}).set_requires_grad(true), false);
  module.define(forward);
  return module;
}

Task token_task(std::int64_t vocabulary, std::optional<Loss> loss = Loss::automatic) {
  return {.shape = {6},
          .classes = vocabulary,
          .are_tokens = true,
          .targets = {.kind = TargetKind::tokens, .shape = {6}},
          .loss = loss};
}

/// As nanoGPT: scores and the loss; without targets, scores of the last token and no loss.
const std::string kScoresAndLoss =
    "def forward(self, x, targets: Optional[Tensor] = None):\n"
    "  x = torch.embedding(self.weight, x)\n"
    "  if targets is None:\n"
    "    return torch.matmul(x[:, -1:], self.weight.t()), torch.zeros([])\n"
    "  scores = torch.matmul(x, self.weight.t())\n"
    "  return scores, torch.cross_entropy_loss(scores.view(-1, 10), targets.view(-1))\n";

TEST_CASE("a loss may be behind the scores, and is asked for where scores alone are not enough") {
  const Saved saved(ten_words(kScoresAndLoss));
  const torch::Tensor tokens = torch::arange(12).view({2, 6}) % 10;
  const torch::Tensor targets = (tokens + 1) % 10;
  for (const std::optional<Loss> loss : {Loss::automatic, Loss::model}) {
    ScriptedNetwork network(saved.file(), token_task(10, loss));
    const BatchLoss found = network.loss(tokens.to(torch::kFloat32), targets);

    const torch::Tensor weight = network.parameters().front();
    const torch::Tensor scores = torch::matmul(torch::embedding(weight, tokens), weight.t());
    const torch::Tensor expected =
        torch::nn::functional::cross_entropy(scores.view({-1, 10}), targets.flatten());
    CHECK(network.returns_loss());
    CHECK(found.loss.dim() == 0);
    CHECK(found.loss.item<double>() == Approx(expected.item<double>()));
  }
  // Who only describes it gives it what training would.
  CHECK(ScriptedNetwork(saved.file(), token_task(10, {})).returns_loss());
  CHECK_THROWS_WITH(ScriptedNetwork(saved.file(), token_task(10, Loss::language_model)),
                    Contains("the model makes 2x1x10 values; expected scores of 10 tokens"));
}

TEST_CASE("targets that a model can do without stay away where its scores are enough") {
  const Saved saved(
      ten_words("def forward(self, x, targets: Optional[Tensor] = None):\n"
                "  assert targets is None, 'asked for its loss'\n"
                "  return torch.matmul(torch.embedding(self.weight, x), self.weight.t())\n"));

  CHECK_FALSE(ScriptedNetwork(saved.file(), token_task(10)).returns_loss());
}

TEST_CASE("tokens that the model has no words for are told before training") {
  const Saved saved(
      ten_words("def forward(self, x):\n"
                "  return torch.matmul(torch.embedding(self.weight, x), self.weight.t())\n"));

  CHECK_NOTHROW(ScriptedNetwork(saved.file(), token_task(10)));
  CHECK_THROWS_WITH(ScriptedNetwork(saved.file(), token_task(12)),
                    saved.file() +
                        ": the model does not take samples of 6 tokens up to 11: RuntimeError: "
                        "index out of range in self");
}

/// Values of rows of 3 features, two for each.
Task value_task(const std::vector<std::int64_t>& shape = {2}) {
  return {.shape = {3}, .classes = 2, .targets = {.kind = TargetKind::values, .shape = shape}};
}

TEST_CASE("values are compared in their own order, and losses are float32, or refused") {
  const auto problem_with = [](const std::string& forward) {
    const Saved saved(two_layers(forward));
    try {
      ScriptedNetwork network(saved.file(), value_task());
      const BatchLoss loss = network.loss(torch::randn({4, 3}), torch::randn({4, 2}));
      CHECK(loss.sample_losses.scalar_type() == torch::kFloat32);
      loss.loss.backward();
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string made = "self.head.forward(self.body.first.forward(x))";
  const std::string with_targets = "def forward(self, x, y):\n  return ";

  CHECK(problem_with("def forward(self, x):\n  return " + made + "\n").empty());
  CHECK(problem_with("def forward(self, x):\n  return " + made + ".double()\n").empty());
  CHECK(problem_with(with_targets + "(" + made + " - y).double().abs().mean()\n").empty());
  CHECK_THAT(
      problem_with("def forward(self, x):\n  return " + made + ".sum(0, True)\n"),
      Contains(
          "the model takes batches of 1 sample alone: of 3 samples, too, it makes 1x2 values"));
  CHECK_THAT(problem_with("def forward(self, x):\n  return " + made + ".argmax(1, True)\n"),
             Contains("values of Long; expected 2 values each"));
  CHECK_THAT(problem_with("def forward(self, x):\n  return " + made + ".sum()\n"),
             Contains("the model makes a single value; expected 2 values each"));
  CHECK_THAT(problem_with(with_targets + "(" + made + " - y).argmax()\n"),
             Contains("returns a single value of Long; expected the loss, one value"));
  CHECK_THAT(problem_with(with_targets + "(" + made + ".detach() - y).abs().mean()\n"),
             Contains("its loss does not depend on its parameters"));
  CHECK_THAT(problem_with("def forward(self, x):\n  return " + made + ".detach()\n"),
             Contains("its loss does not depend on its parameters"));
}

TEST_CASE("tokens are whole numbers") {
  torch::jit::Module words = module_of("Words");
  words.register_parameter("weight", torch::randn({10, 2}).set_requires_grad(true), false);
  words.define("def forward(self, x):\n  return torch.embedding(self.weight, x).mean(1)\n");
  const Saved saved(words);

  CHECK_NOTHROW(ScriptedNetwork(saved.file(), classification(std::vector<std::int64_t>{6}, 2)));
}

TEST_CASE("what is no model to train is refused with the reason and what to do") {
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
  // As scripts have it: they ask first.
  CHECK(
      problem_with(two_layers(on_rows("  if not self.training and x.dim() > 2:\n    " + fast +
                                      "  return self.head.forward(self.body.first.forward(x))\n")))
          .empty());
  torch::jit::Module doubles = usual();
  doubles.to(torch::kFloat64);
  CHECK_THAT(problem_with(doubles), Contains("body.first.weight is Double; expected float32"));
}

TEST_CASE("a model is described by what it does with a sample") {
  const Saved saved(usual(), "mine.pt");

  const ModelDescription description = describe_model(saved.file(), classification(kRows, 2));

  CHECK(description.file.name == "mine");
  CHECK(description.unknown.empty());
  CHECK(description.multiply_adds == 3 * 4 + 4 * 2);
  const NetworkVariant& variant = description.file.variants.at(0);
  CHECK(variant.input == kRows);
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
    "operations that nobody knows are told, and those that only call others are what these are") {
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
  // Parameters that nothing uses are there all the same: they are exchanged.
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

TEST_CASE("a model that fails, or returns nothing, in training alone is refused with the reason") {
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

TEST_CASE("a model is tried with numbers that differ, as samples do") {
  const Saved saved(
      two_layers("def forward(self, x):\n"
                 "  x = torch.inverse(x)\n"
                 "  return self.head.forward(self.body.first.forward(x[:, 0]))\n"));

  CHECK_NOTHROW(ScriptedNetwork(saved.file(), classification(std::vector<std::int64_t>{3, 3}, 2)));
}

TEST_CASE("whole numbers that a model does not take are said to be words") {
  const Saved saved(two_layers());
  const Task task = {.shape = {3}, .classes = 2, .are_tokens = true};

  CHECK_THROWS_WITH(ScriptedNetwork(saved.file(), task),
                    Contains(": the model does not take samples of 3 tokens (whole numbers are "
                             "words; save array.astype(\"float32\") where they are quantities): "));
}

}  // namespace
}  // namespace epochcast::real
