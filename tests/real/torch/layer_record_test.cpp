// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/layer_record.hpp"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/version.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "real/torch/networks/torch_network.hpp"
#include "tests/catch.hpp"
#include "tests/real/torch/network_cases.hpp"

namespace epochcast::real {
namespace {

/// Two linear layers, from 3 features over 4 to 2, with a forward pass given by a test.
class Tiny : public TorchNetwork {
 public:
  using Pass = std::function<torch::Tensor(Tiny&, const torch::Tensor&)>;

  explicit Tiny(Pass pass) : pass_(std::move(pass)) {
    first = register_module("first", torch::nn::Linear(3, 4));
    second = register_module("second", torch::nn::Linear(4, 2));
  }

  torch::Tensor forward(torch::Tensor samples) override { return pass_(*this, samples); }

  torch::nn::Linear first = nullptr;
  torch::nn::Linear second = nullptr;

 private:
  Pass pass_;
};

std::vector<LayerRecord> layers_of(const Tiny::Pass& pass) {
  const auto network = std::make_shared<Tiny>(pass);
  return record_layers(*network, Shape{3});
}

TEST_CASE("a layer has its parameters, two flop per multiply-add, and outputs that are read") {
  const auto layers = layers_of([](Tiny& net, const torch::Tensor& samples) {
    const torch::Tensor hidden = net.first->forward(samples).relu_();
    return net.second->forward(named(net, "relu", hidden));
  });

  REQUIRE(layers.size() == 3);
  CHECK(layers[0].name == "first");
  CHECK(layers[0].tensors == std::vector<std::string>{"first.weight", "first.bias"});
  CHECK(layers[0].forward_flop == 2 * 3 * 4);
  CHECK(layers[0].activation_bytes == 4 * 4);
  CHECK(layers[1].name == "relu");
  CHECK(layers[1].tensors.empty());
  CHECK(layers[1].forward_flop == 4);
  CHECK(layers[1].activation_bytes == 0);  // in place
  CHECK(layers[2].name == "second");
  CHECK(layers[2].forward_flop == 2 * 4 * 2);
  CHECK(layers[2].activation_bytes == 2 * 4);
}

TEST_CASE("an output that no backward pass reads is not kept") {
  // The derivative of tanh follows from its output, that of a dropout from its mask.
  const auto layers = layers_of([](Tiny& net, const torch::Tensor& samples) {
    const torch::Tensor hidden = named(net, "tanh", torch::tanh(net.first->forward(samples)));
    return named(net, "dropout", torch::dropout(net.second->forward(hidden), 0.5, true));
  });

  REQUIRE(layers.size() == 4);
  CHECK(layers[0].activation_bytes == 0);
  CHECK(layers[1].activation_bytes == 4 * 4);
  CHECK(layers[2].activation_bytes == 0);
  CHECK(layers[3].activation_bytes == 2 * 4);  // the loss reads it
}

TEST_CASE("a copy of an output is that output") {
  const auto layers = layers_of([](Tiny& net, const torch::Tensor& samples) {
    const torch::Tensor hidden = net.first->forward(samples);
    return net.second->forward(torch::constant_pad_nd(hidden, {0, 0}) * 0.5);
  });

  REQUIRE(layers.size() == 2);
  CHECK(layers[0].activation_bytes == 4 * 4);
}

TEST_CASE("operations without a name or a rule, and unused layers, are refused") {
  CHECK_THROWS_WITH(layers_of([](Tiny& net, const torch::Tensor& samples) {
                      return net.second->forward(net.first->forward(samples).relu_());
                    }),
                    "aten::relu_ behind first is not named()");
  CHECK_THROWS_WITH(
      layers_of([](Tiny& net, const torch::Tensor& samples) {
        const torch::Tensor hidden = net.first->forward(samples);
        return net.second->forward(torch::cat({hidden.narrow(1, 0, 2), hidden}, 1).narrow(1, 0, 4));
      }),
      "aten::cat, whose output backward reads, is not named()");
  CHECK_THROWS_WITH(layers_of([](Tiny& net, const torch::Tensor& samples) {
                      return net.second->forward(net.first->forward(samples).renorm(2, 0, 1));
                    }),
                    "aten::renorm has no rule in real/torch/networks/operation_cost.cpp");
  CHECK_THROWS_WITH(layers_of([](Tiny& net, const torch::Tensor& samples) {
                      return net.first->forward(samples);
                    }),
                    "no sample passes second.weight");
}

#if TORCH_VERSION_MAJOR >= 2
using TotalBytes = std::size_t;
#else
using TotalBytes = std::int64_t;
#endif

/// Counts the bytes that LibTorch has allocated on this thread and not freed.
class LiveBytes : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* /*memory*/,
                         std::int64_t change,
                         TotalBytes /*total_allocated*/,
                         TotalBytes /*total_reserved*/,
                         c10::Device /*device*/) override {
    bytes += change;
  }
  bool memoryProfilingEnabled() const override { return true; }

  std::int64_t bytes = 0;
};

/// Bytes that are live between the forward and the backward pass.
std::int64_t held_bytes(TorchNetwork& network, const Shape& shape, std::int64_t batch) {
  const torch::Tensor samples = random_samples(batch, shape);
  const auto live = std::make_shared<LiveBytes>();
  const c10::DebugInfoGuard counted(c10::DebugInfoKind::PROFILER_STATE, live);
  const std::vector<torch::Tensor> results = network.pass_all_layers(samples);
  return live->bytes;
}

TEST_CASE("activations are the bytes that LibTorch holds after the forward pass") {
  struct Row {
    std::string name;
    Shape shape;
    std::int64_t not_counted_bytes;  ///< of a sample
  };
  const std::vector<Row> rows = {
      {"resnet18", {3, 32, 32}, 0},
      {"wide-resnet-16", {3, 32, 32}, 0},
      {"densenet121", {3, 32, 32}, 0},
      // 25 layer norms: mean and deviation of each of 65 tokens.
      {"vit-s", {3, 32, 32}, 25 * 65 * 2 * 4},
      // Dropout masks of 16, 32, 64 and 128 channels, 128 values of noise, a label.
      {"gan", {1, 28, 28}, (16 + 32 + 64 + 128 + 128) * 4 + 8},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    auto network = make_network(row.name, classification(row.shape, 10));
    std::int64_t described = 0;
    for (const LayerRecord& layer : record_layers(*network, row.shape)) {
      described += layer.activation_bytes;
    }

    const std::int64_t held =
        (held_bytes(*network, row.shape, 4) - held_bytes(*network, row.shape, 2)) / 2;

    CHECK(held == described + row.not_counted_bytes);
  }
}

}  // namespace
}  // namespace epochcast::real
