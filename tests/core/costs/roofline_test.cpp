// SPDX-License-Identifier: Apache-2.0
#include "core/costs/roofline.hpp"

#include <nlohmann/json.hpp>
#include <numeric>

#include "base/json/json_file.hpp"
#include "core/costs/batch_cost.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

DeviceSpec device_of(int cores) {
  DeviceSpec device;
  device.name = "g";
  device.title = "G";
  device.device_class = "gpu";
  device.flops_per_s = {{Precision::float32, 1e12}, {Precision::float16, 4e12}};
  device.memory_bytes_per_s = 1e9;
  device.cores = cores;
  return device;
}

Efficiency half() {
  return {.of_products = {{ProductKind::convolution, 0.5},
                          {ProductKind::grouped_convolution, 0.25},
                          {ProductKind::matrix, 0.5},
                          {ProductKind::recurrent, 0.1}},
          .of_memory = 0.5,
          .of_cores = 0.25,
          .operation_s = 1e-5,
          .usual_error = 1.25,
          .most_error = 2,
          .usual_scaled_error = 1.125,
          .most_scaled_error = 1.5,
          .most_cores_error = 4};
}

/// A convolution of a million multiply-adds and a normalisation.
Network small_network() {
  Network network;
  network.name = "small";
  network.input = {4};
  network.layers = {{.name = "norm", .parameters = 10, .moved_bytes = 2000, .operations = 1},
                    {.name = "conv",
                     .parameters = 100,
                     .kind = ProductKind::convolution,
                     .product_flops = 2e6,
                     .moved_bytes = 4000,
                     .operations = 2}};
  return network;
}

TEST_CASE("the time of a batch is that of its products, bytes and operations, in three passes") {
  const BatchWork work = work_of(small_network(), 8, Precision::float32);
  CHECK(work.flops.at(ProductKind::convolution) == 3 * 8 * 2e6);
  CHECK(work.bytes == 3 * (8 * 6000 + 4 * 110) + 20 * 110);
  CHECK(work.operations == 3 * 3 + 1);

  const double bytes_s = work.bytes / (0.5 * 1e9);
  CHECK(seconds_of(work, device_of(1), Precision::float32, half()) ==
        Approx(3 * 8 * 2e6 / (0.5 * 1e12) + bytes_s + 10e-5));
  CHECK(seconds_of(work, device_of(64), Precision::float32, half()) ==
        Approx(3 * 8 * 2e6 / (0.25 * 0.5 * 1e12) + bytes_s + 10e-5));
}

TEST_CASE("in 16 bits, products are faster and activations have half the bytes") {
  const BatchWork full = work_of(small_network(), 8, Precision::float32);
  const BatchWork half_bits = work_of(small_network(), 8, Precision::float16);
  const double of_step = 20 * 110;
  CHECK(half_bits.bytes - of_step == (full.bytes - of_step) / 2);
  CHECK(half_bits.flops == full.flops);
}

TEST_CASE(
    "an estimated cost has the parts of a batch, the layers' shares and a note on its error") {
  const Network network = small_network();
  const CostTrace trace = estimated_cost(network, device_of(1), Precision::float32, half(), 100, 1);
  const BatchCost cost(trace);

  CHECK(cost.grade() == Grade::estimated);
  CHECK_THAT(cost.error_note(),
             Catch::Contains("factor of 1.25") && Catch::Contains("ten by 2.00"));
  CHECK_THAT(cost.error_note(), Catch::Contains("for a loader that keeps up"));
  for (const std::int64_t batch : {1, 100, 128, 4096}) {
    CAPTURE(batch);
    const BatchTimes times = cost.median(batch);
    CHECK(times.total_s() == Approx(seconds_of(work_of(network, batch, Precision::float32),
                                               device_of(1),
                                               Precision::float32,
                                               half())));
    CHECK(times.backward_s == Approx(2 * times.forward_s));
    CHECK(times.step_s > 0);
  }
  REQUIRE(cost.backward_layers().size() == 2);
  CHECK(cost.backward_layers()[0].share + cost.backward_layers()[1].share == Approx(1));
  CHECK(cost.backward_layers()[1].share > cost.backward_layers()[0].share);

  const BatchCost scaled(
      estimated_cost(network, device_of(1), Precision::float32, half(), 100, 1.5));
  CHECK(scaled.median(100).total_s() == Approx(1.5 * cost.median(100).total_s()));
  CHECK_THAT(scaled.error_note(), Catch::Contains("factor of 1.12"));
  CHECK_THAT(estimated_cost(network, device_of(8), Precision::float32, half(), 100, 1).error_note,
             Catch::Contains("several cores by up to 4.00"));
  DeviceSpec processor = device_of(1);
  processor.device_class = "cpu";
  CHECK_THAT(estimated_cost(network, processor, Precision::float32, half(), 100, 1).error_note,
             !Catch::Contains("loader"));
}

TEST_CASE("efficiencies read back as they were written, and must be shares and factors") {
  Roofline roofline;
  roofline.by_class[{"gpu", Kernels::plain}] = half();
  roofline.source = {.grade = Grade::estimated, .method = "made up"};
  const std::string text = to_json(roofline).dump();
  const Efficiency read =
      parse_roofline(parse_json(text, "r.json"), "r.json").by_class.at({"gpu", Kernels::plain});
  CHECK(read.of_products == half().of_products);
  CHECK(read.of_memory == 0.5);
  CHECK(read.operation_s == Approx(1e-5));
  CHECK(read.most_scaled_error == 1.5);

  const auto problems = [](const std::string& wrong) {
    return problems_of(
        [&] { static_cast<void>(parse_roofline(parse_json(wrong, "r.json"), "r.json")); });
  };
  CHECK_THAT(problems(with(text, "\"memory\":0.5", "\"memory\":0"))[0],
             Catch::Contains("a share above 0, to 2"));
  CHECK_THAT(problems(with(text, "\"most_error\":2.0", "\"most_error\":0.5"))[0],
             Catch::Contains("a factor from 1 to 1000"));
}

}  // namespace
}  // namespace epochcast::tests
