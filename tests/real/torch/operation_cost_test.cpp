// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/operation_cost.hpp"

#include <stdexcept>

#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

/// The cost of an operation that is not run in LibTorch: for a batch of this size.
OperationCost cost_of(const std::string& name,
                      const std::vector<torch::IValue>& inputs,
                      const torch::Tensor& output,
                      std::int64_t samples = 1) {
  return operation_cost({.name = name, .inputs = inputs, .outputs = {output}, .samples = samples});
}

TEST_CASE("attention of newer versions is two products and a softmax, of each sample") {
  const torch::Tensor query = torch::zeros({2, 4, 5, 8});
  const torch::Tensor key = torch::zeros({2, 4, 7, 8});
  const torch::Tensor value = torch::zeros({2, 4, 7, 3});

  const OperationCost cost = cost_of(
      "aten::scaled_dot_product_attention", {query, key, value}, torch::zeros({2, 4, 5, 3}), 2);

  const std::int64_t scores = 4 * 5 * 7;
  CHECK(cost.multiply_adds == scores * (8 + 3));
  CHECK(cost.forward_flop == 2 * scores * (8 + 3) + 5 * scores);
  CHECK(cost.read.size() == 4);
}

TEST_CASE("several images per sample all count") {
  const torch::Tensor weight = torch::zeros({6, 3, 3, 3});
  const torch::Tensor frames = torch::zeros({10, 3, 4, 4});
  const torch::Tensor maps = torch::zeros({10, 6, 4, 4});

  CHECK(cost_of("aten::conv2d", {frames, weight}, maps, 10).multiply_adds == 6 * 27 * 16);
  CHECK(cost_of("aten::conv2d", {frames, weight}, maps, 2).multiply_adds == 5 * 6 * 27 * 16);
}

TEST_CASE("in-place operations have the same cost; unknown names have none") {
  const torch::Tensor values = torch::zeros({3, 4});

  CHECK(cost_of("aten::lerp_", {values, values, 0.5}, values).forward_flop == 2 * 12);
  CHECK(cost_of("aten::lerp", {values, values, 0.5}, values).forward_flop == 2 * 12);
  CHECK(has_operation_cost("aten::relu_"));
  CHECK(cost_of("aten::resize_", {values}, values).moves);
  CHECK(cost_of("aten::resize_as_", {values, values}, values).moves);
  CHECK_FALSE(has_operation_cost("aten::renorm_"));
  CHECK_FALSE(has_operation_cost("torchvision::nms"));
  CHECK_THROWS_AS(cost_of("torchvision::nms", {values}, values), std::logic_error);
}

}  // namespace
}  // namespace epochcast::real
