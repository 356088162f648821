// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "tests/catch.hpp"
#include "tests/real/run/jobs.hpp"

namespace epochcast::tests {
namespace {

using Json = nlohmann::json;

TEST_CASE("every hyperparameter changes the training, and is recorded") {
  const ShortTraining job;
  struct Case {
    std::string optimizer;
    std::string name;
    std::string value;
  };
  const std::vector<Case> cases = {{"sgd", "momentum", "0.5"},
                                   {"sgd", "weight-decay", "0.5"},
                                   {"rmsprop", "rms-decay", "0.5"},
                                   {"rmsprop", "epsilon", "0.125"},
                                   {"adam", "beta1", "0.5"},
                                   {"adam", "beta2", "0.5"},
                                   {"adamw", "weight-decay", "0"},
                                   {"adabelief", "epsilon", "0.125"},
                                   {"adabelief --weight-decay 0.5", "decoupled-decay", "on"},
                                   {"angulargrad", "beta1", "0.5"}};
  std::map<std::string, double> usual;
  for (const Case& each : cases) {
    CAPTURE(each.optimizer, each.name);
    const std::string base = "--set learning-rate=0.002 --optimizer " + each.optimizer + " ";
    if (!usual.contains(base)) usual[base] = job.test_loss(base);

    const Outcome changed =
        job.run(base + "--metrics changed.jsonl --format json --" + each.name + "=" + each.value);

    REQUIRE(changed.status == 0);
    CHECK(metrics_of(job.folder, "changed.jsonl").at(0).at("test_loss") != usual[base]);
    CHECK(Json::parse(changed.out).at("runs").at(0).at("config").at(each.name) == each.value);
  }
}

TEST_CASE("a result records an optimizer's defaults, which are used in training") {
  const ShortTraining job;

  const Outcome outcome = job.run("--optimizer adamw --format json");

  REQUIRE(outcome.status == 0);
  const Json config = Json::parse(outcome.out).at("runs").at(0).at("config");
  CHECK(config.at("beta1") == "0.9");
  CHECK(config.at("beta2") == "0.999");
  CHECK(config.at("epsilon") == "1e-08");
  CHECK(config.at("weight-decay") == "0.01");
  CHECK_FALSE(config.contains("momentum"));
  CHECK(job.test_loss("--optimizer adamw") ==
        job.test_loss("--optimizer adamw --beta1 0.9 --beta2 0.999 --epsilon 1e-8 --weight-decay "
                      "0.01"));
}

TEST_CASE("a hyperparameter that the optimizer lacks is refused") {
  const ShortTraining job;

  CHECK(job.run("--optimizer adam --momentum 0.5").err ==
        "epochcast: --momentum: adam has none; expected --optimizer sgd or rmsprop\n");
  CHECK(job.run("--beta1 0.5").err ==
        "epochcast: --beta1: sgd has none; expected --optimizer adam, adamw, adabelief or "
        "angulargrad\n");
}

}  // namespace
}  // namespace epochcast::tests
