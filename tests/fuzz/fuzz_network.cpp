// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/costs/buckets.hpp"
#include "core/formats/network.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace epochcast;

namespace {

void exercise(const Network& network) {
  fuzz::require(network.gradient_bytes() > 0);
  for (const std::int64_t batch : {std::int64_t{0}, std::int64_t{64}, JsonInput::kMaxCount}) {
    fuzz::require(std::isfinite(network.training_bytes(batch)));
  }
  const std::vector<LayerShare> measured = {{network.layers.front().name, 1.0}};
  double bytes = 0;
  double share = 0;
  for (const Bucket& bucket : cut_buckets(network, measured, 1e3, 1e6)) {
    bytes += bucket.bytes;
    share += bucket.backward_share;
  }
  fuzz::require(bytes == network.gradient_bytes());
  fuzz::require(std::abs(share - 1) < 1e-6);  // sums of some thousand terms
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run(data, size, [](const nlohmann::json& document) {
    for (const std::vector<std::int64_t>& shape : std::vector<std::vector<std::int64_t>>{
             {3, 32, 32}, {3, 224, 224}, {1, 28, 28}, {128}, {1}}) {
      Dataset dataset;
      dataset.name = "seed";
      dataset.shape = shape;
      dataset.classes = 1000;
      try {
        exercise(parse_network(document, "input", dataset));
      } catch (const UserError& error) {
        fuzz::check_problems(error);
      }
    }
  });
}
