// SPDX-License-Identifier: Apache-2.0
#include "core/job/cost_estimates.hpp"

#include <fstream>

#include "base/process/temp_folder.hpp"
#include "core/costs/batch_cost.hpp"
#include "core/job/job.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

DeviceSpec device_of(const std::string& name, const std::string& device_class) {
  DeviceSpec device;
  device.name = name;
  device.title = name;
  device.device_class = device_class;
  device.flops_per_s = {{Precision::float32, 1e12}, {Precision::float16, 4e12}};
  device.memory_bytes_per_s = 1e11;
  return device;
}

Network small_network() {
  Network network;
  network.name = "small";
  network.layers = {{.name = "fc", .parameters = 100, .product_flops = 1e9, .operations = 1}};
  return network;
}

CostEstimates some_estimates() {
  Roofline roofline;
  roofline.by_class[{"gpu", Kernels::plain}] = {.of_products = {{ProductKind::matrix, 0.5}},
                                                .of_memory = 0.5};
  return CostEstimates(roofline, {{"g", device_of("g", "gpu")}, {"n", device_of("n", "npu")}});
}

std::optional<CostTrace> estimate(const CostEstimates& estimates,
                                  const std::string& device,
                                  Precision precision = Precision::float32,
                                  std::optional<Kernels> kernels = {}) {
  return estimates.of(device, small_network(), 10, precision, kernels);
}

CostTrace measured_on(const std::string& device, double seconds) {
  CostTrace trace;
  trace.file = "m.json";
  trace.device = device;
  BatchSamples samples;
  samples.batch = 10;
  samples.total_s = {seconds};
  trace.batches = {samples};
  return trace;
}

TEST_CASE("costs are estimated from a data sheet; an unknown device has no estimate") {
  const CostEstimates estimates = some_estimates();
  const auto cost = estimate(estimates, "g");
  REQUIRE(cost);
  CHECK(BatchCost(*cost).median(10).total_s() == Approx(10 * 3e9 / 0.5e12).epsilon(1e-3));
  CHECK_FALSE(estimate(estimates, "other"));
}

TEST_CASE("a device that cannot be estimated is refused with those that can") {
  CHECK(problems_of([] {
          static_cast<void>(estimate(some_estimates(), "g", Precision::bfloat16));
        }) == Texts{"--precision: g does not compute in bfloat16; it does in float32, float16"});
  CHECK(problems_of([] { static_cast<void>(estimate(some_estimates(), "n")); }) ==
        Texts{"no trace of small on n, and there are no efficiencies for devices of class npu; "
              "measure it (`epochcast measure batches`), or give --batch-seconds"});
}

TEST_CASE("tuned kernels are refused without their efficiencies") {
  CHECK(problems_of([] {
          static_cast<void>(estimate(some_estimates(), "g", Precision::float32, Kernels::tuned));
        }) == Texts{"--kernels: there are no efficiencies of tuned kernels on devices of class "
                    "gpu, such as g"});
}

TEST_CASE("estimates are scaled by measurements of other networks on the device") {
  CostEstimates estimates = some_estimates();
  const double before_s = BatchCost(*estimate(estimates, "g")).median(10).total_s();
  for (const double factor : {1.5, 3.0, 2.0})
    estimates.scale(measured_on("g", factor * before_s), small_network());
  CHECK(estimates.scaled() == Texts{"g"});
  CHECK(BatchCost(*estimate(estimates, "g")).median(10).total_s() == Approx(2 * before_s));
  CHECK_THROWS_WITH(estimates.scale(measured_on("other", 1), small_network()),
                    Catch::StartsWith("--calibrate-on: m.json: measures other"));
}

TEST_CASE("measurements scale estimates of their own precision, and others are refused") {
  CostEstimates estimates = some_estimates();
  const auto seconds = [&](Precision precision) {
    return BatchCost(*estimate(estimates, "g", precision)).median(10).total_s();
  };
  const double exact_s = seconds(Precision::float32);
  CHECK(estimates.is_scaled_in("g", Precision::float16));  // in none
  estimates.scale(measured_on("g", 2 * exact_s), small_network());

  CHECK(seconds(Precision::float32) == Approx(2 * exact_s));
  CHECK(seconds(Precision::tf32) == Approx(2 * exact_s));  // the device has none
  CHECK(estimates.is_scaled_in("g", Precision::tf32));
  CHECK_FALSE(estimates.is_scaled_in("g", Precision::float16));
  CHECK(problems_of([&] { static_cast<void>(seconds(Precision::float16)); }) ==
        Texts{"--calibrate-on: was measured on g in float32, and the job computes in float16; "
              "measure it with `epochcast measure batches --precision float16`"});
}

TEST_CASE("a job computes in the precision of --calibrate-on unless it says otherwise") {
  const Catalog catalog{EPOCHCAST_SOURCE_DIR};
  JobConfig config;
  config.platform = "dgx-a100";
  config.network = "mobilenetv2";
  config.dataset = "imagenet";
  CHECK(load_job(config, catalog).chosen_precision() == Precision::bfloat16);
  const TempFolder folder("epochcast-calibrate");
  const std::string trace = (folder.path() / "mine.json").string();
  std::ofstream(trace) << R"({"schema": "epochcast.trace/1", "name": "t", "title": "T",
      "device": "a100-80gb-sxm", "source": {"grade": "estimated", "method": "m"},
      "costs": [{"network": "resnet18", "input": [3, 32, 32],
                 "batches": [{"batch": 8, "seconds": [0.1]}]}]})";
  config.calibrate_on = {trace};

  CHECK(load_job(config, catalog).chosen_precision() == Precision::float32);
  config.precision = Precision::bfloat16;
  CHECK(load_job(config, catalog).chosen_precision() == Precision::bfloat16);
}

TEST_CASE("--calibrate-on must name a trace of an estimated device") {
  const Catalog catalog{EPOCHCAST_SOURCE_DIR};
  JobConfig config;
  config.platform = "deep-est-esb";
  config.network = "mobilenetv2";
  config.dataset = "imagenet";
  const auto problems = [&] {
    return problems_of([&] { static_cast<void>(load_job(config, catalog)); }).at(0);
  };
  config.calibrate_on = {"estimated-v100-32gb"};
  CHECK(load_job(config, catalog).estimates.scaled() == Texts{"v100-32gb"});
  config.calibrate_on = {"estimated-rtx4090"};
  CHECK(problems() == "--calibrate-on: measures rtx4090, which deep-est-esb does not have");
  config.calibrate_on = {"estimated-v100-32gb"};
  config.batch_seconds = {{"gpu", 1}};
  CHECK(problems() == "--calibrate-on: scales estimates, and there are none with --batch-seconds");
  config.batch_seconds.clear();
  config.network = "resnet50";
  CHECK_THAT(problems(), Catch::StartsWith("--calibrate-on: nothing is estimated on v100-32gb"));
}

TEST_CASE("a trace of --calibrate-on with an unknown network is refused with advice") {
  const TempFolder folder("epochcast-calibrate");
  const std::string trace = (folder.path() / "mine.json").string();
  std::ofstream(trace) << R"({"schema": "epochcast.trace/1", "name": "t", "title": "T",
      "device": "v100-32gb", "source": {"grade": "estimated", "method": "m"},
      "costs": [{"network": "mine", "input": [3, 8, 8],
                 "batches": [{"batch": 8, "seconds": [0.1]}]}]})";
  JobConfig config;
  config.calibrate_on = {trace};

  CHECK_THROWS_WITH(
      load_estimates(config, Catalog(EPOCHCAST_SOURCE_DIR)),
      Catch::StartsWith("--calibrate-on: " + trace + ": unknown network \"mine\"; ") &&
          Catch::EndsWith("; a model of one's own is to be described first: `epochcast describe "
                          "MODEL.pt --input 3x8x8 --output models/networks/mine.json`"));
}

}  // namespace
}  // namespace epochcast::tests
