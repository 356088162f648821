// SPDX-License-Identifier: Apache-2.0
#include "core/costs/buckets.hpp"

#include <numeric>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

Layer layer(const char* name, std::int64_t parameters, double forward_flops) {
  return {.name = name,
          .parameters = parameters,
          .forward_flops = forward_flops,
          .activation_bytes = 0};
}

/// In backward order; 4 bytes per parameter.
Network network_of(std::vector<Layer> layers) {
  Network network;
  network.layers = std::move(layers);
  return network;
}

const std::vector<Layer> kLayers = {layer("fc", 10, 20),
                                    layer("pool", 0, 5),
                                    layer("conv2", 100, 300),
                                    layer("conv1", 50, 600),
                                    layer("stem", 0, 75)};

std::vector<double> bytes_of(const std::vector<Bucket>& buckets) {
  std::vector<double> bytes;
  bytes.reserve(buckets.size());
  for (const Bucket& bucket : buckets) bytes.push_back(bucket.bytes);
  return bytes;
}

double share_sum(const std::vector<Bucket>& buckets) {
  return std::accumulate(buckets.begin(), buckets.end(), 0.0, [](double sum, const Bucket& bucket) {
    return sum + bucket.backward_share;
  });
}

TEST_CASE("with any limits, buckets carry every gradient and all of backward") {
  const Network network = network_of(kLayers);

  for (const double first_bytes : {1.0, 40.0, 100.0, 1e9}) {
    for (const double bytes : {1.0, 300.0, 1e9}) {
      CAPTURE(first_bytes, bytes);
      const std::vector<Bucket> buckets = cut_buckets(network, {}, first_bytes, bytes);

      const std::vector<double> all = bytes_of(buckets);
      CHECK(std::accumulate(all.begin(), all.end(), 0.0) == network.gradient_bytes());
      CHECK(share_sum(buckets) == Approx(1).epsilon(1e-12));
      for (const Bucket& bucket : buckets) CHECK(bucket.bytes > 0);
    }
  }
}

TEST_CASE("the first bucket has a limit of its own; a bucket is full when it reaches its limit") {
  const Network network = network_of(kLayers);

  CHECK(bytes_of(cut_buckets(network, {}, 40, 600)) == std::vector<double>{40, 600});
  CHECK(bytes_of(cut_buckets(network, {}, 41, 400)) == std::vector<double>{440, 200});
  CHECK(bytes_of(cut_buckets(network, {}, 40, 400)) == std::vector<double>{40, 400, 200});
  CHECK(bytes_of(cut_buckets(network, {}, 1e9, 1)) == std::vector<double>{640});
}

TEST_CASE("gradients of two bytes do not change the cut and halve the exchanged bytes") {
  Network network = network_of(kLayers);
  const std::vector<Bucket> whole = cut_buckets(network, {}, 40, 400);
  CHECK(exchanged_bucket_bytes(network, 400) == 400);
  CHECK(exchanged_bucket_bytes(network, 1e9) == network.gradient_bytes());

  network.bytes_per_gradient = 2;
  const std::vector<Bucket> halves = cut_buckets(network, {}, 40, 400);

  REQUIRE(halves.size() == whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    CHECK(halves[i].bytes == whole[i].bytes / 2);
    CHECK(halves[i].backward_share == whole[i].backward_share);
  }
  CHECK(exchanged_bucket_bytes(network, 400) == 200);
  CHECK(exchanged_bucket_bytes(network, 1e9) == network.gradient_bytes());
}

TEST_CASE(
    "without measured shares backward is spread by FLOPs; work behind the last gradient "
    "counts to the last bucket") {
  const std::vector<Bucket> buckets = cut_buckets(network_of(kLayers), {}, 40, 400);

  REQUIRE(buckets.size() == 3);
  const double flops = 20 + 5 + 300 + 600 + 75;
  CHECK(buckets[0].backward_share == Approx(20 / flops));
  CHECK(buckets[1].backward_share == Approx((5 + 300) / flops));
  CHECK(buckets[2].backward_share == Approx((600 + 75) / flops));
}

TEST_CASE("measured shares are used when they cover every layer with parameters") {
  const std::vector<LayerShare> measured = {{"fc", 0.5}, {"conv2", 0.3}, {"conv1", 0.2}};

  const std::vector<Bucket> buckets = cut_buckets(network_of(kLayers), measured, 40, 400);

  REQUIRE(buckets.size() == 3);
  CHECK(buckets[0].backward_share == Approx(0.5));
  CHECK(buckets[1].backward_share == Approx(0.3));
  CHECK(buckets[2].backward_share == Approx(0.2));
}

TEST_CASE("measured shares that miss a layer with parameters are not used") {
  const Network network = network_of(kLayers);
  const std::vector<LayerShare> measured = {{"fc", 0.5}, {"pool", 0.2}, {"conv2", 0.3}};

  const std::vector<Bucket> buckets = cut_buckets(network, measured, 40, 400);
  const std::vector<Bucket> by_flops = cut_buckets(network, {}, 40, 400);

  REQUIRE(buckets.size() == by_flops.size());
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    CHECK(buckets[i].backward_share == by_flops[i].backward_share);
  }
}

TEST_CASE("layers without any known work share backward equally") {
  const Network network = network_of({layer("a", 1, 0), layer("b", 1, 0)});

  const std::vector<Bucket> buckets = cut_buckets(network, {}, 1, 1);

  REQUIRE(buckets.size() == 2);
  CHECK(buckets[0].backward_share == 0.5);
  CHECK(buckets[1].backward_share == 0.5);
}

}  // namespace
}  // namespace epochcast::tests
