// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "real/torch/optimizers/flat_optimizer.hpp"
#include "tests/catch.hpp"
#include "tests/real/torch/optimizer_steps.hpp"

namespace epochcast::real {
namespace {

const std::vector<std::string> kNames = {
    "sgd", "rmsprop", "adam", "adamw", "adabelief", "angulargrad"};

/// 1 to 2, so an update by zero is detected.
torch::Tensor some_parameters(std::int64_t count = 21) {
  return leaf(torch::linspace(1, 2, count));
}

/// Differs in every step and element, with either sign.
torch::Tensor some_gradient(int step, std::int64_t count = 21) {
  return torch::sin(torch::arange(count, torch::kFloat) * 0.7 + step);
}

std::string saved(const FlatOptimizer& optimizer) {
  torch::serialize::OutputArchive archive;
  optimizer.save(archive);
  std::ostringstream bytes;
  archive.save_to(bytes);
  return bytes.str();
}

void load(FlatOptimizer& optimizer, const std::string& bytes) {
  std::istringstream stream(bytes);
  torch::serialize::InputArchive archive;
  archive.load_from(stream);
  optimizer.load(archive);
}

TEST_CASE("sgd on the flat tensor is bit-identical to sgd on the separate tensors") {
  // Sizes that leave remainders to vector units and fill more than one thread's share.
  const std::vector<std::vector<std::int64_t>> shapes = {{3, 5, 7}, {1}, {13}, {70001}, {16, 8}};
  std::vector<torch::Tensor> separate, pieces;
  torch::manual_seed(7);
  for (const auto& shape : shapes) separate.push_back(leaf(torch::randn(shape)));
  for (const torch::Tensor& tensor : separate) pieces.push_back(tensor.detach().flatten());
  torch::Tensor flat = leaf(torch::cat(pieces));
  torch::optim::SGD expected(separate,
                             torch::optim::SGDOptions(1).momentum(0.9).weight_decay(1e-4));
  auto optimizer = make_optimizer({.name = "sgd", .momentum = 0.9, .weight_decay = 1e-4}, flat);

  for (int i = 1; i <= 5; ++i) {
    std::vector<torch::Tensor> gradients;
    for (torch::Tensor& tensor : separate) {
      tensor.mutable_grad() = torch::randn_like(tensor);
      gradients.push_back(tensor.grad().flatten());
    }
    expected.param_groups()[0].options().set_lr(0.3 / i);
    expected.step();
    step(*optimizer, flat, torch::cat(gradients), 0.3 / i);
  }

  for (std::size_t i = 0; i < separate.size(); ++i) pieces[i] = separate[i].detach().flatten();
  CHECK(torch::equal(flat.detach(), torch::cat(pieces)));
}

TEST_CASE("weight decay is an L2 term of the gradient") {
  for (const std::string name : {"sgd", "rmsprop", "adam", "adabelief", "angulargrad"}) {
    CAPTURE(name);
    torch::Tensor decayed = some_parameters();
    torch::Tensor plain = some_parameters();
    auto decaying = make_optimizer({.name = name, .weight_decay = 0.125}, decayed);
    auto optimizer = make_optimizer({.name = name}, plain);

    for (int i = 0; i < 3; ++i) {
      step(*decaying, decayed, some_gradient(i), 0.1);
      step(*optimizer, plain, some_gradient(i).add(plain.detach(), 0.125), 0.1);
      CHECK(torch::equal(decayed.detach(), plain.detach()));
      CHECK(torch::equal(decayed.grad(), some_gradient(i)));
    }
  }
}

TEST_CASE("decoupled decay shrinks the parameters themselves before the step") {
  struct Case {
    OptimizerSettings settings;
    std::string plain;
    double decay;
  };
  const std::vector<Case> cases = {
      {{.name = "adamw", .weight_decay = 0.5}, "adam", 0.5},
      {{.name = "adamw"}, "adam", 0.01},  // PyTorch's default
      {{.name = "adabelief", .weight_decay = 0.5, .decoupled_decay = true}, "adabelief", 0.5}};
  for (const Case& each : cases) {
    CAPTURE(each.settings.name, each.decay);
    torch::Tensor parameters = some_parameters();
    torch::Tensor expected = some_parameters();
    auto decaying = make_optimizer(each.settings, parameters);
    auto plain = make_optimizer({.name = each.plain, .weight_decay = 0}, expected);

    for (int i = 0; i < 3; ++i) {
      step(*decaying, parameters, some_gradient(i), 0.1);
      expected.detach().mul_(1 - 0.1 * each.decay);
      step(*plain, expected, some_gradient(i), 0.1);
    }

    // float32 rounds at 6e-8 of parameters up to 2, some operations in each of three steps.
    CHECK(torch::allclose(parameters, expected, 0, 2e-6));
  }
}

TEST_CASE("each step uses its own learning rate") {
  for (const std::string& name : kNames) {
    CAPTURE(name);
    torch::Tensor parameters = leaf(torch::zeros(21));
    torch::Tensor twice = leaf(torch::zeros(21));
    auto optimizer = make_optimizer({.name = name}, parameters);
    auto doubled = make_optimizer({.name = name}, twice);

    step(*optimizer, parameters, some_gradient(1), 0.25);
    step(*doubled, twice, some_gradient(1), 0.5);
    const torch::Tensor before = parameters.detach().clone();
    step(*optimizer, parameters, some_gradient(2), 0);

    CHECK(before.abs().min().item<double>() > 0);
    CHECK(torch::equal(2 * before, twice.detach()));  // a power of two: no rounding
    CHECK(torch::equal(before, parameters.detach()));
  }
}

TEST_CASE("training continues bit-identically from a saved state, even in a used optimizer") {
  for (const std::string& name : kNames) {
    for (const int steps_before : {0, 1, 3}) {
      CAPTURE(name, steps_before);
      const OptimizerSettings settings = {.name = name, .momentum = 0.9, .weight_decay = 1e-2};
      torch::Tensor parameters = some_parameters();
      auto optimizer = make_optimizer(settings, parameters);
      for (int i = 0; i < steps_before; ++i) step(*optimizer, parameters, some_gradient(i), 0.1);
      torch::Tensor resumed = leaf(parameters.detach());
      torch::Tensor forgetful = leaf(parameters.detach());
      auto loaded = make_optimizer(settings, resumed);
      auto fresh = make_optimizer(settings, forgetful);
      step(*loaded, resumed, some_gradient(9), 0.1);
      resumed.detach().copy_(parameters.detach());

      load(*loaded, saved(*optimizer));

      for (int i = steps_before; i < steps_before + 3; ++i) {
        step(*optimizer, parameters, some_gradient(i), 0.05);
        step(*loaded, resumed, some_gradient(i), 0.05);
        step(*fresh, forgetful, some_gradient(i), 0.05);
        CHECK(torch::equal(resumed.detach(), parameters.detach()));
      }
      CHECK(torch::equal(forgetful.detach(), parameters.detach()) == (steps_before == 0));
    }
  }
}

TEST_CASE("the state of another optimizer or network is refused") {
  torch::Tensor parameters = some_parameters();
  torch::Tensor fewer = some_parameters(20);
  for (const std::string& name : kNames) {
    CAPTURE(name);
    const std::string bytes = saved(*make_optimizer({.name = name}, parameters));
    const std::string other = name == "sgd" ? "adabelief" : "sgd";

    CHECK_THROWS_WITH(load(*make_optimizer({.name = other}, parameters), bytes),
                      "optimizer state: got \"" + name + "\" for 21 parameters; expected \"" +
                          other + "\" for 21 parameters");
    CHECK_THROWS_AS(load(*make_optimizer({.name = name}, fewer), bytes), UserError);
  }
}

TEST_CASE("an unknown name or a bad number is a UserError") {
  const torch::Tensor parameters = some_parameters();

  CHECK(optimizer_names() == kNames);
  CHECK_THROWS_WITH(make_optimizer({.name = "adamv"}, parameters),
                    "unknown optimizer \"adamv\"; did you mean \"adam\"?");
  CHECK_THROWS_AS(make_optimizer({.name = "adamv"}, parameters), UserError);
  CHECK_THROWS_WITH(make_optimizer({.momentum = 1.5}, parameters),
                    "momentum: got 1.5; expected a number from 0 to less than 1");
  CHECK_THROWS_WITH(make_optimizer({.name = "adabelief", .weight_decay = -1}, parameters),
                    "weight_decay: got -1; expected a number from 0");
  CHECK_THROWS_WITH(make_optimizer({.name = "rmsprop", .rms_decay = 1}, parameters),
                    "rms_decay: got 1; expected a number from 0 to less than 1");
  CHECK_THROWS_WITH(make_optimizer({.name = "adam", .beta1 = -0.5}, parameters),
                    "beta1: got -0.5; expected a number from 0 to less than 1");
  CHECK_THROWS_WITH(make_optimizer({.name = "adam", .beta2 = 1}, parameters),
                    "beta2: got 1; expected a number from 0 to less than 1");
  CHECK_THROWS_WITH(make_optimizer({.name = "adam", .epsilon = 0}, parameters),
                    "epsilon: got 0; expected a number above 0");
}

}  // namespace
}  // namespace epochcast::real
