// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/Context.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "real/torch/torch_learner.hpp"
#include "tests/real/test_device.hpp"
#include "tests/real/torch/network_cases.hpp"
#include "tests/real/torch/tiny_data.hpp"
#include "tests/support/fake_fabric.hpp"

// The setup of a test of a learner: a network, tiny data, and a fabric.

namespace epochcast::real {

using tests::test_device;
using tests::TinyData;
using Values = std::vector<float>;

inline constexpr std::int64_t kSamples = 24;
inline constexpr std::int64_t kBatch = 4;
inline constexpr std::int64_t kBatches = kSamples / kBatch;

inline Values copy_of(const Payload& payload) {
  const std::span<const std::byte> bytes = payload.data;
  Values numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

inline LearnerSettings settings_of(const std::string& network,
                                   const std::string& optimizer = "sgd") {
  return {.network = network,
          .optimizer = {.name = optimizer},
          .learning_rate = {.base = 0.01},
          .first_bucket_bytes = 1000,
          .bucket_bytes = 20000};
}

/// The setup of a learner for a network on tiny data.
struct Setup {
  explicit Setup(const std::string& network, std::int64_t bad_sample = -1)
      : data(kSamples, small_shape(network), bad_sample) {}

  TinyData data;
};

/// Runs `test` on a fabric with a manual clock; a GPU adds in one order.
inline void alone(const std::function<void(Fabric&)>& test) {
  at::globalContext().setDeterministicCuDNN(true);
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/true);
  static_cast<void>(tests::run_workers(tests::workers_on({0}), [&](Fabric& fabric) {
    torch::set_num_threads(1);  // a setting of each thread; additions in one order
    test(fabric);
  }));
}

inline void begin(TorchLearner& learner, std::int64_t epoch) {
  learner.begin_epoch(epoch);
  learner.use_shuffled({.offset = 0, .length = kBatch, .stride = kBatch, .count = kBatches});
}

}  // namespace epochcast::real
