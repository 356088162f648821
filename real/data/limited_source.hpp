// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "real/data/data_source.hpp"

namespace epochcast::real {

/// The first samples of another source.
class LimitedSource : public DataSource {
 public:
  LimitedSource(std::unique_ptr<DataSource> all, std::int64_t size)
      : all_(std::move(all)), size_(size) {}

  std::int64_t size() const override { return size_; }
  const std::vector<std::int64_t>& shape() const override { return all_->shape(); }
  std::int64_t classes() const override { return all_->classes(); }
  bool are_tokens() const override { return all_->are_tokens(); }
  Targets targets() const override { return all_->targets(); }
  std::int64_t load(std::int64_t index,
                    std::optional<std::uint64_t> variant,
                    std::span<float> sample) const override {
    return all_->load(index, variant, sample);
  }
  void load_targets(std::int64_t index, std::span<float> targets) const override {
    all_->load_targets(index, targets);
  }
  bool is_slow() const override { return all_->is_slow(); }
  std::vector<PixelLevels> pixel_levels() const override { return all_->pixel_levels(); }

 private:
  std::unique_ptr<DataSource> all_;
  std::int64_t size_;
};

}  // namespace epochcast::real
