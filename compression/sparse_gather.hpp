// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "compression/compression.hpp"
#include "compression/kernels/sparse.hpp"
#include "core/job/setting_value.hpp"

namespace epochcast {

/// The share of values that a sparse method sends: --compression-ratio.
using RatioSetting = StrategySettingOf<value::Number>;
[[nodiscard]] const RatioSetting& compression_ratio_setting();
/// The settings of methods that have no other.
[[nodiscard]] std::span<const StrategySetting* const> ratio_settings();

/// Bytes of an entry: a float32 and an index of 32 bits.
inline constexpr double kEntryBytes = 8;
/// Bytes moved for a value when the error feedback is added: two reads, a write.
inline constexpr double kFeedbackBytes = 12;

/// Adds the weighted bucket to the error feedback. Throws a UserError for buckets of 2^31 values or
/// more, whose indices do not fit.
[[nodiscard]] std::span<float> fed_back(const BucketExchange& exchange, std::span<float> residual);
void check_indices(const BucketExchange& exchange);

/// Every member sends k entries to all others, which add up what they get: topk, gaussiank.
class SparseGather : public Compression {
 public:
  explicit SparseGather(double ratio) : ratio_(ratio) {}
  double wire_bytes(std::int64_t count, int members, const TensorShapes&) const override;

 protected:
  Finish start_compressed(const BucketExchange& exchange) override;
  /// Fills `kept` with a selection of these values, by ascending index.
  virtual void select(std::span<const float> values, std::span<SparseEntry> kept) = 0;
  /// Bytes moved to select from a value.
  [[nodiscard]] virtual double select_bytes() const = 0;

 private:
  double ratio_;
};

}  // namespace epochcast
