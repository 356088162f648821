// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include "base/statistics/random.hpp"
#include "real/data/data_source.hpp"

namespace epochcast::tests {

/// A few images of noise whose mean determines their class, one of three.
class TinyData : public real::DataSource {
 public:
  /// All pixels of sample `bad` are NaN; -1: none.
  TinyData(std::int64_t samples, std::vector<std::int64_t> shape, std::int64_t bad = -1)
      : samples_(samples), shape_(std::move(shape)), bad_(bad) {}

  std::int64_t size() const override { return samples_; }
  const std::vector<std::int64_t>& shape() const override { return shape_; }
  std::int64_t classes() const override { return 3; }
  std::int64_t load(std::int64_t index,
                    std::optional<std::uint64_t>,
                    std::span<float> sample) const override {
    Random random(static_cast<std::uint64_t>(index));
    const std::int64_t label = index % 3;
    for (float& value : sample) {
      value = static_cast<float>(random.normal()) + static_cast<float>(label);
      if (index == bad_) value = std::numeric_limits<float>::quiet_NaN();
    }
    return label;
  }

 private:
  std::int64_t samples_;
  std::vector<std::int64_t> shape_;
  std::int64_t bad_;
};

}  // namespace epochcast::tests
