// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <future>
#include <optional>
#include <span>
#include <vector>

#include "real/data/data_source.hpp"

namespace epochcast::real {

/// Samples float32 [batch, shape...] and their targets, on a device: classes int64 [batch], tokens
/// int64 [batch, tokens] or values float32 [batch, shape...].
struct Batch {
  std::vector<std::int64_t> indices;
  torch::Tensor samples;
  torch::Tensor targets;
};

/// Loads batches of a data source. If its samples are slow to load, several threads do so, and the
/// expected next batch is loaded while the current one is in use.
class BatchLoader {
 public:
  /// `source` must outlive the loader.
  BatchLoader(const DataSource& source, torch::Device device);

  /// The batch of these samples. `variant` seeds their augmentation; none: as stored. `expected`:
  /// the samples of the next call with the same variant, empty: unknown.
  [[nodiscard]] Batch load(std::span<const std::int64_t> indices,
                           std::optional<std::uint64_t> variant,
                           std::span<const std::int64_t> expected = {});

 private:
  [[nodiscard]] Batch make(std::vector<std::int64_t> indices,
                           std::optional<std::uint64_t> variant) const;
  /// Empty targets of so many samples.
  [[nodiscard]] torch::Tensor new_targets(std::int64_t count) const;

  const DataSource& source_;
  torch::Device device_;
  std::optional<std::uint64_t> ahead_variant_;
  std::vector<std::int64_t> ahead_indices_;
  std::future<Batch> ahead_;
};

}  // namespace epochcast::real
