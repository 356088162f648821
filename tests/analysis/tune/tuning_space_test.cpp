// SPDX-License-Identifier: Apache-2.0
#include "analysis/tune/tuning_space.hpp"

#include "strategies/settings.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

JobConfig job(const std::string& strategy) {
  JobConfig config;
  config.platform = "deep-est-dam";
  config.nodes = 4;
  config.workers = "gpu";
  config.network = "resnet20";
  config.dataset = "cifar10";
  config.strategy = strategy;
  config.batch = 32;
  config.epochs = 10;
  config.batch_seconds = {{"gpu", 0.01}};
  return config;
}

/// Of post-local SGD with H = 16.
double epoch_s(const std::string& local_from) {
  JobConfig config = job("post-local-sgd");
  all_settings().set(config, "local-from", local_from, "test");
  const TuningChoice choice = choice_of({parse_axis("local-steps=16")}, config);
  REQUIRE(choice.candidates.front().name == "local-steps 16");
  return choice.candidates.front().epoch_s;
}

TEST_CASE("a candidate's epoch is the mean of all, of all kinds") {
  const double synchronous_s = epoch_s("10");
  const double local_s = epoch_s("0");

  CHECK(local_s < 0.99 * synchronous_s);
  CHECK(epoch_s("7") == Approx(0.7 * synchronous_s + 0.3 * local_s).epsilon(1e-3));
}

TEST_CASE("a strategy without an averaging period requires axes to choose from") {
  CHECK(problems_of([] { (void)choice_of({}, job("one-shot")); }) ==
        std::vector<std::string>{
            "--strategy: one-shot has no setting of how often it averages; say what to choose "
            "from, such as --choose batch=16,32,64"});
}

}  // namespace
}  // namespace epochcast::tests
