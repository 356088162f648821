// SPDX-License-Identifier: Apache-2.0
#include "real/torch/procedural_source.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace epochcast::real {
namespace {

constexpr std::int64_t kLargestPool = 2048;
constexpr std::int64_t kPoolBytes = 64 << 20;
constexpr std::int64_t kCell = 4;  // patterns are made of squares of 4 x 4 pixels

std::int64_t cells(std::int64_t pixels) { return (pixels + kCell - 1) / kCell; }

}  // namespace

ProceduralSource::ProceduralSource(std::span<const std::int64_t> shape,
                                   std::int64_t classes,
                                   std::uint64_t seed)
    : generator_(at::make_generator<at::CPUGeneratorImpl>(seed)) {
  const std::int64_t sample_bytes =
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  const std::int64_t pool = std::clamp<std::int64_t>(kPoolBytes / sample_bytes, 1, kLargestPool);
  labels_ = torch::randint(classes, {pool}, generator_, torch::kInt64);
  const torch::Tensor patterns = torch::randint(
      128, {classes, shape[0], cells(shape[1]), cells(shape[2])}, generator_, torch::kUInt8);
  std::vector<std::int64_t> pool_shape = {pool};
  pool_shape.insert(pool_shape.end(), shape.begin(), shape.end());
  samples_ = torch::randint(128, pool_shape, generator_, torch::kUInt8);
  for (std::int64_t i = 0; i < pool; ++i) {
    const torch::Tensor pattern = patterns[labels_[i].item<std::int64_t>()];
    samples_[i] += pattern.repeat_interleave(kCell, 1)
                       .repeat_interleave(kCell, 2)
                       .narrow(1, 0, shape[1])
                       .narrow(2, 0, shape[2]);
  }
  const torch::Tensor is_noisy = torch::rand({pool}, generator_) < 0.1;
  labels_ =
      torch::where(is_noisy, torch::randint(classes, {pool}, generator_, torch::kInt64), labels_);
}

HostBatch ProceduralSource::next(std::int64_t batch) {
  const torch::Tensor chosen = torch::randint(labels_.size(0), {batch}, generator_, torch::kInt64);
  const torch::Tensor samples = samples_.index_select(0, chosen).to(torch::kFloat32);
  return {.samples = samples.sub_(127.5).div_(64), .labels = labels_.index_select(0, chosen)};
}

}  // namespace epochcast::real
