// SPDX-License-Identifier: Apache-2.0
#include "lab/explain/explanation.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

using Words = std::vector<std::string>;

// Of 2 s of computing a tenth more, of 4 s of exchanges a quarter less: the run should have taken
// 0.8 s less than the forecast, which is that much of 8 s too high.
TEST_CASE("drift of batches and exchanges is weighted by the forecast's phases") {
  const PhaseTimes phases = {.compute_s = 2, .exposed_communication_s = 4, .blocked_s = 4};

  CHECK(drift_error_of({.batches = 0.1, .exchanges = -0.25}, phases, 8) == Approx(0.8 / 8));
  CHECK(drift_error_of({.batches = 0.1, .exchanges = {}}, phases, 8) == Approx(-0.2 / 8));
}

TEST_CASE("the rest of an error is the model's") {
  Explanation explanation = {.group = "g", .point = "p", .error = 0.25};
  CHECK_FALSE(explanation.model_error());
  CHECK(to_json({explanation}, "", "")["rows"][0]["model_error"].is_null());

  explanation.drift_error = 0.1;
  CHECK(*explanation.model_error() == Approx(0.15));
}

TEST_CASE("a run times batches if it trains, and the size next to what it exchanges") {
  ValidationCase one;
  one.config.network = "resnet20";  // 1,078,888 bytes of gradients
  one.config.dataset = "cifar10";
  const std::vector<std::int64_t> sizes = {65536, 1048576, 4194304};

  CHECK(timer_words(one, sizes, Catalog::standard()) == Words{"--time-exchanges=1048576B"});
  one.config.overlap = Overlap::bucket;
  one.config.bucket_bytes = 100'000;
  one.command = Command::train;
  CHECK(timer_words(one, sizes, Catalog::standard()) ==
        Words{"--time-batches=on", "--time-exchanges=65536B"});
}

}  // namespace
}  // namespace epochcast::tests
