// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "real/torch/networks/torch_network.hpp"
#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kWords = 11;

Task texts(std::int64_t tokens) {
  return {.shape = {tokens},
          .classes = kWords,
          .are_tokens = true,
          .targets = {.kind = TargetKind::tokens, .shape = {tokens}}};
}

TEST_CASE("a GPT scores every token by earlier tokens only") {
  torch::manual_seed(1);
  const auto network = make_network("gpt-char", texts(6));
  network->eval();
  torch::Tensor tokens = torch::tensor({{1.F, 2.F, 3.F, 4.F, 5.F, 6.F}});
  const torch::Tensor before = network->forward(tokens);
  tokens[0][3] = 9;
  const torch::Tensor after = network->forward(tokens);

  REQUIRE(before.sizes().vec() == std::vector<std::int64_t>{1, 6, kWords});
  for (int token = 0; token < 6; ++token) {
    CAPTURE(token);
    CHECK(torch::equal(before[0][token], after[0][token]) == (token < 3));
  }
}

TEST_CASE("a GPT's initial loss is about the logarithm of the vocabulary's size") {
  torch::manual_seed(1);
  const auto network = make_network("gpt-char", texts(16));
  const torch::Tensor tokens = torch::randint(kWords, {4, 16});

  const BatchLoss loss = network->loss(tokens.to(torch::kFloat32), tokens.roll(-1, 1));

  CHECK(loss.loss.item<double>() == Approx(std::log(double{kWords})).epsilon(0.1));
  loss.loss.backward();
  for (const auto& parameter : network->named_parameters()) {
    INFO(parameter.key());
    CHECK(parameter.value().grad().abs().sum().item<double>() > 0);
  }
}

TEST_CASE("a GPT's tensors are named as nanoGPT names them, its head being its embedding") {
  const auto network = make_network("gpt-char", texts(6));
  const auto parameters = network->named_parameters();

  for (const std::string name : {"transformer.wte.weight",
                                 "transformer.wpe.weight",
                                 "transformer.h.0.ln_1.weight",
                                 "transformer.h.5.attn.c_attn.weight",
                                 "transformer.h.5.attn.c_proj.weight",
                                 "transformer.h.5.mlp.c_fc.weight",
                                 "transformer.h.5.mlp.c_proj.weight",
                                 "transformer.ln_f.weight"})
    CHECK(parameters.contains(name));
  CHECK_FALSE(parameters.contains("lm_head.weight"));
}

TEST_CASE("networks that score tokens require tokens as targets, others refuse them") {
  CHECK_THROWS_WITH(make_network("gpt-char", classification(std::vector<std::int64_t>{6}, 4)),
                    "gpt-char: makes something of each token, and the data have something for "
                    "each sample");
  CHECK_THROWS_WITH(make_network("distilbert", texts(6)),
                    "distilbert: makes something of each sample, and the data have something for "
                    "each token");
  CHECK_THROWS_WITH(make_network("gpt-char", texts(257)),
                    "gpt-char: got samples of shape 257; expected texts [tokens] of at most 256 "
                    "tokens");
  Task numbers = classification(std::vector<std::int64_t>{6}, 4);
  numbers.are_tokens = false;
  CHECK_THROWS_WITH(make_network("distilbert", numbers),
                    "distilbert: got samples of shape 6 (numbers, no tokens); expected texts "
                    "[tokens] of at most 512 tokens");
}

}  // namespace
}  // namespace epochcast::real
