// SPDX-License-Identifier: Apache-2.0
#include "core/costs/kernel_cost.hpp"

#include <vector>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

std::vector<KernelSamples> measured() {
  return {{.compression = "topk", .kernel = "compress", .moved_bytes = 100, .seconds = {1, 3}},
          {.compression = "topk", .kernel = "compress", .moved_bytes = 200, .seconds = {6}},
          {.compression = "int8", .kernel = "compress", .moved_bytes = 100, .seconds = {9}}};
}

TEST_CASE("a kernel takes the mean of its measured times, between sizes on a line") {
  const KernelCost cost(measured(), "topk");
  const WorkerInfo device;

  CHECK(cost.is_measured());
  CHECK(cost.seconds(device, "compress", 100) == 2);
  CHECK(cost.seconds(device, "compress", 200) == 6);
  CHECK(cost.seconds(device, "compress", 150) == 4);
  CHECK(cost.seconds(device, "compress", 50) == 1);
  CHECK(cost.seconds(device, "compress", 400) == 12);
}

TEST_CASE("a kernel without measurements takes the time of its moved bytes") {
  WorkerInfo core;
  core.device_class = "cpu";
  WorkerInfo half_a_gpu;
  half_a_gpu.device_class = "gpu";
  half_a_gpu.sharers = 2;

  CHECK(KernelCost(measured(), "topk").seconds(core, "sum", 3e9) == 1);
  CHECK_FALSE(KernelCost(measured(), "qsgd").is_measured());
  CHECK(KernelCost().seconds(half_a_gpu, "compress", 3e11) == 1);
}

TEST_CASE("kernels on a GPU of known memory bandwidth move two thirds of it") {
  WorkerInfo core;
  core.device_class = "cpu";
  WorkerInfo gpu;
  gpu.device_class = "gpu";
  const KernelCost cost({}, "fp16", 1.8e12);

  CHECK(cost.seconds(gpu, "compress", 1.2e12) == Approx(1));
  CHECK(cost.seconds(core, "compress", 3e9) == 1);
}

}  // namespace
}  // namespace epochcast::tests
