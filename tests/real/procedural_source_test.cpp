// SPDX-License-Identifier: Apache-2.0
#include "real/torch/procedural_source.hpp"

#include <vector>

#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

using Shape = std::vector<std::int64_t>;

TEST_CASE("texts are whole token numbers without padding") {
  ProceduralSource source(Shape{128}, 4, 1);

  const HostBatch batch = source.next(8);

  CHECK(batch.samples.sizes().vec() == Shape{8, 128});
  CHECK(batch.samples.scalar_type() == torch::kFloat32);
  CHECK(torch::equal(batch.samples, batch.samples.round()));
  CHECK(batch.samples.min().item<float>() >= 1);
  CHECK(batch.samples.max().item<float>() < 30'000);
  CHECK(batch.samples.max().item<float>() > 255);
  CHECK(batch.labels.max().item<std::int64_t>() < 4);
}

TEST_CASE("texts of one class have tokens in common") {
  // Where both have their class's token, a quarter of the places, they agree; one label in twenty
  // is wrong, so in 0.25 · 0.95² of the places or more. Texts of different classes almost never
  // agree.
  ProceduralSource source(Shape{128}, 2, 1);
  const HostBatch batch = source.next(256);
  const torch::Tensor agree =
      (batch.samples.unsqueeze(0) == batch.samples.unsqueeze(1)).to(torch::kFloat32).mean(2);
  const torch::Tensor is_same_class = batch.labels.unsqueeze(0) == batch.labels.unsqueeze(1);

  CHECK(agree.masked_select(is_same_class).mean().item<double>() > 0.2);
  CHECK(agree.masked_select(~is_same_class).mean().item<double>() < 0.05);
}

TEST_CASE("images are around zero") {
  ProceduralSource source(Shape{3, 16, 16}, 10, 1);

  const HostBatch batch = source.next(8);

  CHECK(batch.samples.sizes().vec() == Shape{8, 3, 16, 16});
  CHECK(batch.samples.abs().max().item<float>() <= 127.5F / 64);
}

TEST_CASE("the same seed makes the same samples") {
  for (const Shape& shape : {Shape{1, 28, 28}, Shape{16}}) {
    ProceduralSource source(shape, 3, 5);
    ProceduralSource same(shape, 3, 5);
    ProceduralSource other(shape, 3, 6);

    const torch::Tensor samples = source.next(4).samples;

    CHECK(torch::equal(same.next(4).samples, samples));
    CHECK_FALSE(torch::equal(other.next(4).samples, samples));
  }
}

}  // namespace
}  // namespace epochcast::real
