// SPDX-License-Identifier: Apache-2.0
#include "compression/sparse_gather.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.hpp"
#include "compression/wire.hpp"

namespace epochcast {

const RatioSetting& compression_ratio_setting() {
  static constexpr RatioSetting kRatio(
      "compression-ratio",
      "SHARE",
      "topk, gtopk, oktopk, gaussiank: share of each bucket's values that is sent",
      "0.01",
      "0.25",
      value::Number{1e-6, 1, "a share from 0.000001 to 1, such as 0.01"});
  return kRatio;
}

std::span<const StrategySetting* const> ratio_settings() {
  static const std::array<const StrategySetting*, 1> own = {&compression_ratio_setting()};
  return own;
}

void check_indices(const BucketExchange& exchange) {
  if (exchange.count() <= std::numeric_limits<std::int32_t>::max()) return;
  throw UserError("--compression: indices have 32 bits; got a bucket of " +
                  std::to_string(exchange.count()) + " values; use --overlap bucket");
}

std::span<float> fed_back(const BucketExchange& exchange, std::span<float> residual) {
  const auto weight = static_cast<float>(exchange.weight);
  const std::span<float> bucket = values<float>(exchange.bucket);
  for (std::size_t i = 0; i < residual.size(); ++i) residual[i] += weight * bucket[i];
  return residual;
}

double SparseGather::wire_bytes(std::int64_t count, int members, const TensorShapes&) const {
  const double part = kEntryBytes * static_cast<double>(kept_count(count, ratio_));
  return all_gather_wire_bytes(members * part, members);
}

Compression::Finish SparseGather::start_compressed(const BucketExchange& exchange) {
  check_indices(exchange);
  const std::int64_t kept = kept_count(exchange.count(), ratio_);
  const auto part_bytes = static_cast<std::int64_t>(sizeof(SparseEntry)) * kept;
  const WireBuffer mine(part_bytes, exchange.has_numbers());
  const WireBuffer all(exchange.members() * part_bytes, exchange.has_numbers());
  const auto count = static_cast<double>(exchange.count());
  if (exchange.has_numbers()) {
    const std::span<float> sum = fed_back(exchange, residual(exchange));
    select(sum, mine.as<SparseEntry>());
    clear_entries(mine.as<SparseEntry>(), sum);
  }
  exchange.observer.kernel("compress", (kFeedbackBytes + select_bytes()) * count);
  const Request request =
      exchange.fabric.start_all_gather(mine.payload(), all.payload(), exchange.among);
  return [exchange, mine, all, request, count, part_bytes] {
    exchange.fabric.wait(request);
    if (exchange.has_numbers()) {
      const std::span<float> bucket = values<float>(exchange.bucket);
      std::fill(bucket.begin(), bucket.end(), 0.0F);
      add_entries(all.as<SparseEntry>(), bucket);
    }
    // Zeros are written; an entry is read, and a value read and written.
    exchange.observer.kernel("decompress",
                             4 * count + 2 * static_cast<double>(exchange.members() * part_bytes));
  };
}

}  // namespace epochcast
