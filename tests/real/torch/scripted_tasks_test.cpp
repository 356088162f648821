// SPDX-License-Identifier: Apache-2.0
// Tokens, values and losses of scripted models.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "real/torch/networks/scripted_network.hpp"
#include "tests/catch.hpp"
#include "tests/real/torch/scripted_models.hpp"

namespace epochcast::real {
namespace {

using Catch::Matchers::Contains;

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

/// As in nanoGPT: scores and the loss; without targets, scores of the last token and no loss.
const std::string kScoresAndLoss =
    "def forward(self, x, targets: Optional[Tensor] = None):\n"
    "  x = torch.embedding(self.weight, x)\n"
    "  if targets is None:\n"
    "    return torch.matmul(x[:, -1:], self.weight.t()), torch.zeros([])\n"
    "  scores = torch.matmul(x, self.weight.t())\n"
    "  return scores, torch.cross_entropy_loss(scores.view(-1, 10), targets.view(-1))\n";

TEST_CASE("a loss may follow the scores, and is requested if scores are not sufficient") {
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
  // A description passes the same arguments as training.
  CHECK(ScriptedNetwork(saved.file(), token_task(10, {})).returns_loss());
  CHECK_THROWS_WITH(ScriptedNetwork(saved.file(), token_task(10, Loss::language_model)),
                    Contains("the model makes 2x1x10 values; expected scores of 10 tokens"));
}

TEST_CASE("optional targets are not passed if scores are sufficient") {
  const Saved saved(
      ten_words("def forward(self, x, targets: Optional[Tensor] = None):\n"
                "  assert targets is None, 'asked for its loss'\n"
                "  return torch.matmul(torch.embedding(self.weight, x), self.weight.t())\n"));

  CHECK_FALSE(ScriptedNetwork(saved.file(), token_task(10)).returns_loss());
}

TEST_CASE("tokens beyond the model's vocabulary are reported before training") {
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

TEST_CASE("tokens are integers") {
  torch::jit::Module words = module_of("Words");
  words.register_parameter("weight", torch::randn({10, 2}).set_requires_grad(true), false);
  words.define("def forward(self, x):\n  return torch.embedding(self.weight, x).mean(1)\n");
  const Saved saved(words);

  CHECK_NOTHROW(ScriptedNetwork(saved.file(), classification(std::vector<std::int64_t>{6}, 2)));
}

}  // namespace
}  // namespace epochcast::real
