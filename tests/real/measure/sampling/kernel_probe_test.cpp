// SPDX-License-Identifier: Apache-2.0
#include "real/measure/sampling/kernel_probe.hpp"

#include <set>
#include <string>
#include <vector>

#include "base/statistics/random.hpp"
#include "tests/catch.hpp"
#include "tests/compression/exchanges.hpp"

namespace epochcast::tests {
namespace {

const TensorShapes kShapes = {{16, 32}, {16}, {8, 4, 3}};

std::vector<float> random_gradients() {
  Random random(3);
  std::vector<float> gradients(static_cast<std::size_t>(real::numbers_of(kShapes)));
  for (float& gradient : gradients) gradient = static_cast<float>(random.normal());
  return gradients;
}

TEST_CASE("each kernel of a compression is timed in each exchange that counts") {
  const std::vector<float> gradients = random_gradients();
  for (const CompressionMethod& method : compressions()) {
    CAPTURE(method.name);
    real::KernelProbe probe(compressed_job(std::string(method.name)), gradients, kShapes);

    probe.exchange(false);
    CHECK(probe.samples().empty());
    for (int i = 0; i < 3; ++i) probe.exchange(true);

    CHECK(probe.exchanges() == 3);
    std::set<std::string> kernels;
    double sum_s = 0;
    for (const KernelSamples& samples : probe.samples()) {
      CHECK(samples.compression == method.name);
      CHECK(samples.moved_bytes > 0);
      REQUIRE(samples.seconds.size() == 3);
      for (const double kernel_s : samples.seconds) sum_s += kernel_s;
      kernels.insert(samples.kernel);
    }
    CHECK(sum_s == Approx(probe.seconds()));
    CHECK(kernels.contains("compress"));
    CHECK(kernels.contains("decompress"));
  }
}

TEST_CASE("a kernel that is timed moves the bytes of one between two workers") {
  const std::vector<float> gradients = random_gradients();
  for (const CompressionMethod& method : compressions()) {
    CAPTURE(method.name);
    const std::string name(method.name);
    real::KernelProbe probe(compressed_job(name), gradients, kShapes);
    probe.exchange(true);
    double bytes = 0;
    for (const KernelSamples& samples : probe.samples()) bytes += samples.moved_bytes;

    std::string settings = name;
    if (name == "powersgd") settings += " powersgd-start=0";
    if (name == "onebit") settings += " onebit-freeze-step=0";
    const Exchanged two = exchange({.config = compressed_job(settings),
                                    .tensors = kShapes,
                                    .buckets = {{gradients, gradients}},
                                    .weights = {0.5, 0.5}});
    CHECK(bytes == two.kernel_bytes[0]);
  }
}

TEST_CASE("the first tensors are as many as have the numbers, and one at least") {
  CHECK(real::first_tensors(kShapes, 528) == TensorShapes{{16, 32}, {16}});
  CHECK(real::first_tensors(kShapes, 527) == TensorShapes{{16, 32}});
  CHECK(real::first_tensors(kShapes, 1) == TensorShapes{{16, 32}});
  CHECK(real::first_tensors({}, 9).empty());
}

}  // namespace
}  // namespace epochcast::tests
