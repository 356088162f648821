// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/formats/network.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace epochcast;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run(data, size, [](const nlohmann::json& document) {
    const Dataset dataset = parse_dataset(document, "input");

    fuzz::require(dataset.train_samples > 0 && dataset.test_samples >= 0 && dataset.classes > 0);
    fuzz::require(std::isfinite(dataset.sample_bytes) && dataset.sample_bytes > 0);
    fuzz::require(!shape_text(dataset.shape).empty());
  });
}
