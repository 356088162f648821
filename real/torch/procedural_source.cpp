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
constexpr std::int64_t kTokenBytes = 8;
constexpr std::int64_t kTokenNumbers = 30'000;  // of WordPiece, nearly

std::int64_t cells(std::int64_t pixels) { return (pixels + kCell - 1) / kCell; }

std::vector<std::int64_t> with_front(std::int64_t front, std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> sizes = {front};
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  return sizes;
}

}  // namespace

ProceduralSource::ProceduralSource(std::span<const std::int64_t> shape,
                                   std::int64_t classes,
                                   std::uint64_t seed)
    : generator_(at::make_generator<at::CPUGeneratorImpl>(seed)), is_text_(shape.size() == 1) {
  const std::int64_t sample_bytes = std::accumulate(
      shape.begin(), shape.end(), is_text_ ? kTokenBytes : std::int64_t{1}, std::multiplies<>());
  const std::int64_t pool = std::clamp<std::int64_t>(kPoolBytes / sample_bytes, 1, kLargestPool);
  labels_ = torch::randint(classes, {pool}, generator_, torch::kInt64);
  if (is_text_) {
    make_texts(shape, classes);
  } else {
    make_images(shape, classes);
  }
  const torch::Tensor is_noisy = torch::rand({pool}, generator_) < 0.1;
  labels_ =
      torch::where(is_noisy, torch::randint(classes, {pool}, generator_, torch::kInt64), labels_);
}

void ProceduralSource::make_images(std::span<const std::int64_t> shape, std::int64_t classes) {
  const std::int64_t pool = labels_.size(0);
  const torch::Tensor patterns = torch::randint(
      128, {classes, shape[0], cells(shape[1]), cells(shape[2])}, generator_, torch::kUInt8);
  samples_ = torch::randint(128, with_front(pool, shape), generator_, torch::kUInt8);
  for (std::int64_t i = 0; i < pool; ++i) {
    const torch::Tensor pattern = patterns[labels_[i].item<std::int64_t>()];
    samples_[i] += pattern.repeat_interleave(kCell, 1)
                       .repeat_interleave(kCell, 2)
                       .narrow(1, 0, shape[1])
                       .narrow(2, 0, shape[2]);
  }
}

void ProceduralSource::make_texts(std::span<const std::int64_t> shape, std::int64_t classes) {
  const std::vector<std::int64_t> sizes = with_front(labels_.size(0), shape);
  const torch::Tensor patterns =
      torch::randint(1, kTokenNumbers, with_front(classes, shape), generator_, torch::kInt64);
  const torch::Tensor others = torch::randint(1, kTokenNumbers, sizes, generator_, torch::kInt64);
  const torch::Tensor is_pattern = torch::rand(sizes, generator_) < 0.5;
  samples_ = torch::where(is_pattern, patterns.index_select(0, labels_), others);
}

HostBatch ProceduralSource::next(std::int64_t batch) {
  const torch::Tensor chosen = torch::randint(labels_.size(0), {batch}, generator_, torch::kInt64);
  torch::Tensor samples = samples_.index_select(0, chosen).to(torch::kFloat32);
  if (!is_text_) samples.sub_(127.5).div_(64);
  return {.samples = samples, .labels = labels_.index_select(0, chosen)};
}

}  // namespace epochcast::real
