// SPDX-License-Identifier: Apache-2.0
#include "real/torch/flat_model.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/real/test_device.hpp"
#include "tests/real/torch/network_cases.hpp"

namespace epochcast::real {
namespace {

TEST_CASE("a flat model's buffers are its network's parameters, statistics and gradients") {
  torch::manual_seed(1);
  const auto original = make_network("resnet20", classification(small_shape("resnet20"), 3));
  torch::manual_seed(1);
  FlatModel model(
      make_network("resnet20", classification(small_shape("resnet20"), 3)), torch::kCPU, 1e6, 1e6);

  const std::vector<torch::Tensor> parameters = model.network().parameters();
  const float* value = model.state().data_ptr<float>();
  const float* gradient = model.gradients().data_ptr<float>();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    CHECK(parameters[i].data_ptr<float>() == value);
    CHECK(parameters[i].grad().data_ptr<float>() == gradient);
    CHECK(torch::equal(parameters[i], original->parameters()[i]));
    value += parameters[i].numel();
    gradient += parameters[i].numel();
  }
  CHECK(model.parameters().numel() == gradient - model.gradients().data_ptr<float>());
  CHECK(model.parameters().data_ptr<float>() == model.state().data_ptr<float>());
  CHECK(model.parameters().grad().data_ptr<float>() == model.gradients().data_ptr<float>());
  for (const torch::Tensor& buffer : model.network().buffers()) {
    if (!buffer.is_floating_point()) continue;
    CHECK(buffer.data_ptr<float>() == value);
    value += buffer.numel();
  }
  CHECK(model.state().numel() == value - model.state().data_ptr<float>());
  CHECK(model.host_state().data() == model.state().data_ptr<float>());
  CHECK(model.host_gradients().data() == model.gradients().data_ptr<float>());
}

TEST_CASE("a network computes with the values in its buffer") {
  const torch::Device device(tests::test_device());
  FlatModel model(
      make_network("small-cnn", classification(small_shape("small-cnn"), 3)), device, 1e6, 1e6);
  const torch::Tensor samples = random_samples(2, small_shape("small-cnn")).to(device);
  REQUIRE(model.network().forward(samples).abs().sum().item<float>() > 0);

  std::ranges::fill(model.host_state(), 0.F);
  model.state_from_host();

  CHECK(model.network().forward(samples).abs().sum().item<float>() == 0);
}

TEST_CASE("gradients are copied to the host's buffer, range by range") {
  const torch::Device device(tests::test_device());
  FlatModel model(
      make_network("small-cnn", classification(small_shape("small-cnn"), 3)), device, 1000, 20000);
  const torch::Tensor samples = random_samples(2, small_shape("small-cnn")).to(device);
  model.network().forward(samples).sum().backward();

  for (const FlatModel::Range& range : model.ranges()) model.gradients_to_host(range);
  model.state_to_host();

  const auto equals = [](std::span<const float> host, const torch::Tensor& tensor) {
    const torch::Tensor values = tensor.cpu();
    return std::ranges::equal(
        host, std::span(values.data_ptr<float>(), static_cast<std::size_t>(values.numel())));
  };
  REQUIRE(model.gradients().abs().sum().item<float>() > 0);
  CHECK(equals(model.host_gradients(), model.gradients()));
  CHECK(equals(model.host_state(), model.state()));
}

struct Limits {
  double first_bytes;
  double bytes;
};

TEST_CASE("ranges cover all gradients once, from the last to the first") {
  for (const std::string network : {"small-cnn", "resnet20", "gan"}) {
    for (const Limits& limits : {Limits{1, 1}, Limits{3000, 50000}, Limits{1e9, 1}}) {
      const FlatModel model(make_network(network, classification(small_shape(network), 3)),
                            torch::kCPU,
                            limits.first_bytes,
                            limits.bytes);

      std::int64_t end = model.gradients().numel();
      for (std::size_t i = 0; i < model.ranges().size(); ++i) {
        const FlatModel::Range& range = model.ranges()[i];
        CHECK(range.end == end);
        CHECK(range.begin < range.end);
        end = range.begin;
        const double limit = i == 0 ? limits.first_bytes : limits.bytes;
        if (end > 0) CHECK(4.0 * static_cast<double>(range.end - range.begin) >= limit);
      }
      CHECK(end == 0);
    }
  }
}

}  // namespace
}  // namespace epochcast::real
