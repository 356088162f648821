// SPDX-License-Identifier: Apache-2.0
#include "core/job/experiment.hpp"

#include <nlohmann/json.hpp>

#include "base/json/json_file.hpp"
#include "base/json/json_input.hpp"
#include "core/job/job_config.hpp"
#include "strategies/settings.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

JobConfig applied(const std::string& members) {
  JobConfig config;
  const std::string text = R"({"schema": "epochcast.experiment/1")" + members + "}";
  apply_experiment(config, all_settings(), parse_json(text, "exp.json"), "exp.json");
  return config;
}

Texts problems_in(const std::string& members) {
  return problems_of([&] { applied(members); });
}

TEST_CASE("an experiment file holds the flags' settings as texts, numbers, booleans or lists") {
  const JobConfig config = applied(R"(, "platform": "esb", "batch": 64, "alpha": 0.25,
    "deterministic": true, "weighted-aggregation": false, "trace": ["a", "b.json"],
    "batch-seconds": "gpu=51ms", "local-steps": ["fast=16", "slow=4"], "nodes": "3")");

  CHECK(config.platform == "esb");
  CHECK(config.batch == 64);
  CHECK(config.of_strategies.at("alpha") == "0.25");
  CHECK(config.deterministic);
  CHECK(config.of_strategies.at("weighted-aggregation") == "off");
  CHECK(config.traces == Texts{"a", "b.json"});
  CHECK(config.batch_seconds.at("gpu") == 51 * 1e-3);
  CHECK(config.of_strategies.at("local-steps") == "fast=16,slow=4");
  CHECK(config.nodes == 3);
}

TEST_CASE("an experiment file changes only the settings that it has") {
  JobConfig config;
  config.batch = 77;

  apply_experiment(config,
                   all_settings(),
                   parse_json(R"({"schema": "epochcast.experiment/1", "epochs": 3})", "e"),
                   "e");

  CHECK(config.batch == 77);
  CHECK(config.epochs == 3);
}

TEST_CASE("an unknown setting in an experiment is refused with the closest one, at its path") {
  CHECK(problems_in(R"(, "bach": 64)") ==
        Texts{"exp.json: /bach: unknown setting \"bach\"; did you mean \"batch\"?"});
  CHECK(problems_in(R"(, "a/b~": 64)")
            .front()
            .starts_with("exp.json: /a~1b~0: unknown setting \"a/b~\"; known: platform, "));
}

TEST_CASE("an experiment's value that no flag could have is refused") {
  const std::string expected = "; expected a text, a number, true, false, or a list of these";
  CHECK(problems_in(R"(, "batch": null)") == Texts{"exp.json: /batch: got null" + expected});
  CHECK(problems_in(R"(, "batch": {"gpu": 1})") ==
        Texts{"exp.json: /batch: got an object" + expected});
  CHECK(problems_in(R"(, "trace": ["a", {}])") ==
        Texts{"exp.json: /trace: got a list of 2" + expected});
  CHECK(problems_in(R"(, "trace": [["a"]])") ==
        Texts{"exp.json: /trace: got a list of 1" + expected});
}

TEST_CASE("all problems of an experiment are reported at once") {
  CHECK(problems_in(R"(, "batch": 64.5, "epochs": "ten", "exact": null, "alpha": 0.1)") ==
        Texts{"exp.json: /batch: got \"64.5\"; expected a whole number of at least 1",
              "exp.json: /epochs: got \"ten\"; expected a whole number of at least 1",
              "exp.json: /exact: got null; expected a text, a number, true, false, or a list of "
              "these"});
}

TEST_CASE("an experiment file has its schema") {
  JobConfig config;

  CHECK(problems_of([&] {
          apply_experiment(config, all_settings(), parse_json("{}", "e.json"), "e.json");
        }) == Texts{"e.json: /schema: missing; expected \"epochcast.experiment/1\""});
}

}  // namespace
}  // namespace epochcast::tests
