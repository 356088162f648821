// SPDX-License-Identifier: Apache-2.0
#include "core/job/optimizer_settings.hpp"

#include "base/error.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("defaults are PyTorch's, except rmsprop's momentum and sgd's") {
  const OptimizerSettings sgd = with_defaults({.name = "sgd"});
  const OptimizerSettings rmsprop = with_defaults({.name = "rmsprop"});

  CHECK(sgd.momentum == 0.9);
  CHECK(sgd.weight_decay == 0.0);
  CHECK_FALSE(sgd.epsilon);
  CHECK(rmsprop.momentum == 0.9);
  CHECK(rmsprop.rms_decay == 0.99);
  CHECK(rmsprop.epsilon == 1e-8);
  for (const std::string name : {"adam", "adamw", "adabelief", "angulargrad"}) {
    CAPTURE(name);
    const OptimizerSettings settings = with_defaults({.name = name});
    CHECK(settings.beta1 == 0.9);
    CHECK(settings.beta2 == 0.999);
    CHECK(settings.epsilon == 1e-8);
    CHECK(settings.weight_decay == (name == "adamw" ? 0.01 : 0.0));
    CHECK_FALSE(settings.momentum);
    CHECK(settings.decoupled_decay.has_value() == (name == "adabelief"));
  }
  CHECK(with_defaults({.name = "adabelief"}).decoupled_decay == false);
}

TEST_CASE("settings are kept, also 0") {
  const OptimizerSettings settings =
      with_defaults({.name = "adamw", .beta1 = 0, .weight_decay = 0});

  CHECK(settings.beta1 == 0.0);
  CHECK(settings.weight_decay == 0.0);
  CHECK(settings.beta2 == 0.999);
}

TEST_CASE("a hyperparameter that an optimizer lacks is refused with those that have it") {
  CHECK(problems_of([] {
          check_hyperparameters({.name = "sgd", .beta1 = 0.5, .epsilon = 1e-3});
        }) == Texts{"--beta1: sgd has none; expected --optimizer adam, adamw, adabelief or "
                    "angulargrad",
                    "--epsilon: sgd has none; expected --optimizer rmsprop, adam, adamw, adabelief "
                    "or angulargrad"});
  CHECK(problems_of([] { check_hyperparameters({.name = "adam", .momentum = 0.9}); }) ==
        Texts{"--momentum: adam has none; expected --optimizer sgd or rmsprop"});
  CHECK(problems_of([] { check_hyperparameters({.name = "adam", .decoupled_decay = true}); }) ==
        Texts{"--decoupled-decay: adam has none; expected --optimizer adabelief"});
}

TEST_CASE("an optimizer accepts its own hyperparameters, and all accept weight decay") {
  for (const std::string& name : optimizer_names()) {
    CHECK_NOTHROW(check_hyperparameters(with_defaults({.name = name})));
    CHECK_NOTHROW(check_hyperparameters({.name = name, .weight_decay = 0.5}));
  }
  CHECK_NOTHROW(check_hyperparameters({.name = "adamv", .momentum = 0.5}));
}

}  // namespace
}  // namespace epochcast::tests
