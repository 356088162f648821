// SPDX-License-Identifier: Apache-2.0
#include "real/measure/batches/rank_costs.hpp"

#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

std::vector<NetworkCosts> costs_of(double seconds) {
  const BatchTiming timing = {.load_s = seconds / 3,
                              .forward_s = seconds,
                              .backward_s = 2 * seconds,
                              .step_s = seconds / 7,
                              .cpu_s = 3 * seconds};
  return {{.network = "resnet20",
           .input = {3, 32, 32},
           .batches = {{.batch = 2, .samples = {timing, timing}, .preempted = 1, .dropped = 5},
                       {.batch = 4, .samples = {timing}}},
           .backward_layers = {{.name = "linear", .share = seconds}},
           .layers_batch = 4},
          {.network = "small-cnn", .input = {3, 32, 32}, .batches = {{.batch = 2}}}};
}

TEST_CASE("costs of ranks are joined by batch size, then rank, bit for bit") {
  const std::vector<NetworkCosts> joined =
      joined_costs({rank_costs_text(costs_of(0.1)), rank_costs_text(costs_of(0.7))});

  REQUIRE(joined.size() == 2);
  CHECK(joined[0].network == "resnet20");
  CHECK(joined[0].input == std::vector<std::int64_t>{3, 32, 32});
  CHECK(joined[0].layers_batch == 4);
  REQUIRE(joined[0].backward_layers.size() == 1);
  CHECK(joined[0].backward_layers[0].name == "linear");
  CHECK(joined[0].backward_layers[0].share == 0.1);
  REQUIRE(joined[0].batches.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(joined[0].batches[i].batch == (i < 2 ? 2 : 4));
    CHECK(joined[0].batches[i].rank == static_cast<int>(i % 2));
  }
  CHECK(joined[0].batches[0].preempted == 1);
  CHECK(joined[0].batches[1].dropped == 5);
  REQUIRE(joined[0].batches[1].samples.size() == 2);
  const BatchTiming& timing = joined[0].batches[1].samples[1];
  CHECK(timing.load_s == 0.7 / 3);
  CHECK(timing.forward_s == 0.7);
  CHECK(timing.backward_s == 2 * 0.7);
  CHECK(timing.step_s == 0.7 / 7);
  CHECK(timing.cpu_s == 3 * 0.7);
  CHECK(joined[1].network == "small-cnn");
  CHECK(joined[1].batches.size() == 2);
}

}  // namespace
}  // namespace epochcast::real
