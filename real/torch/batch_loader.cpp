// SPDX-License-Identifier: Apache-2.0
#include "real/torch/batch_loader.hpp"

#include <algorithm>
#include <utility>

#include "base/statistics/random.hpp"

namespace epochcast::real {
namespace {

constexpr int kThreads = 4;  // for samples that are slow to load

}  // namespace

BatchLoader::BatchLoader(const DataSource& source, torch::Device device)
    : source_(source), device_(device) {}

Batch BatchLoader::make(std::vector<std::int64_t> indices,
                        std::optional<std::uint64_t> variant) const {
  const auto count = static_cast<std::int64_t>(indices.size());
  std::vector<std::int64_t> sizes = {count};
  sizes.insert(sizes.end(), source_.shape().begin(), source_.shape().end());
  const bool is_pinned = device_.is_cuda();
  torch::Tensor samples =
      torch::empty(sizes, torch::TensorOptions(torch::kFloat32).pinned_memory(is_pinned));
  const TargetKind kind = source_.targets().kind;
  torch::Tensor labels = torch::empty(
      {count},
      torch::TensorOptions(torch::kInt64).pinned_memory(is_pinned && kind == TargetKind::classes));
  torch::Tensor targets = kind == TargetKind::classes ? labels : new_targets(count);
  float* values = samples.data_ptr<float>();
  auto* label = labels.data_ptr<std::int64_t>();
  float* target = kind == TargetKind::classes ? nullptr : targets.data_ptr<float>();
  const auto size_of = [count](const torch::Tensor& all) {
    return static_cast<std::size_t>(count == 0 ? 0 : all.numel() / count);
  };
  const std::size_t sample_size = size_of(samples);
  const std::size_t target_size = size_of(targets);
  const auto load_some = [&](std::size_t first, std::size_t stride) {
    for (std::size_t i = first; i < indices.size(); i += stride) {
      std::optional<std::uint64_t> own;
      if (variant) own = mix_seed(*variant, static_cast<std::uint64_t>(indices[i]));
      label[i] = source_.load(indices[i], own, {values + i * sample_size, sample_size});
      if (target != nullptr)
        source_.load_targets(indices[i], {target + i * target_size, target_size});
    }
  };
  if (source_.is_slow()) {
    std::vector<std::future<void>> parts;
    parts.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      parts.push_back(std::async(std::launch::async, [&, t] {
        load_some(static_cast<std::size_t>(t), static_cast<std::size_t>(kThreads));
      }));
    }
    for (std::future<void>& part : parts) part.wait();  // wait for all before one of them throws
    for (std::future<void>& part : parts) part.get();
  } else {
    load_some(0, 1);
  }
  if (kind == TargetKind::tokens) targets = targets.to(torch::kInt64);
  return {.indices = std::move(indices), .samples = samples, .targets = targets};
}

torch::Tensor BatchLoader::new_targets(std::int64_t count) const {
  const Targets targets = source_.targets();
  std::vector<std::int64_t> sizes = {count};
  sizes.insert(sizes.end(), targets.shape.begin(), targets.shape.end());
  const bool is_pinned = device_.is_cuda() && targets.kind == TargetKind::values;
  return torch::empty(sizes, torch::TensorOptions(torch::kFloat32).pinned_memory(is_pinned));
}

Batch BatchLoader::load(std::span<const std::int64_t> indices,
                        std::optional<std::uint64_t> variant,
                        std::span<const std::int64_t> expected) {
  const bool is_ahead =
      ahead_.valid() && ahead_variant_ == variant && std::ranges::equal(ahead_indices_, indices);
  Batch batch;
  if (is_ahead) {
    batch = ahead_.get();
  } else {
    if (ahead_.valid()) ahead_.wait();
    ahead_ = {};
    batch = make({indices.begin(), indices.end()}, variant);
  }
  if (source_.is_slow() && !expected.empty()) {
    ahead_indices_.assign(expected.begin(), expected.end());
    ahead_variant_ = variant;
    ahead_ = std::async(std::launch::async,
                        [this, wanted = ahead_indices_, variant] { return make(wanted, variant); });
  }
  if (!device_.is_cpu()) {
    batch.samples = batch.samples.to(device_, /*non_blocking=*/true);
    batch.targets = batch.targets.to(device_, /*non_blocking=*/true);
  }
  return batch;
}

}  // namespace epochcast::real
