// SPDX-License-Identifier: Apache-2.0
// gtopk: the k largest of all workers' k largest values, merged along a binary tree that keeps the
// k largest sums in each step, then broadcast (Shi et al., ICDCS 2019, algorithms 2 and 4). What a
// merge drops stays as error feedback of the worker that merges.
#include <algorithm>
#include <array>

#include "compression/sparse_gather.hpp"
#include "compression/wire.hpp"

namespace epochcast {
namespace {

// Selection as in topk.
constexpr double kSelectBytes = 8 + 24 + 8;
// To merge an entry: sort and add (64), select (40), copy (16).
constexpr double kMergeBytes = 120;

class GTopK : public Compression {
 public:
  explicit GTopK(double ratio) : ratio_(ratio) {}

  // P-1 messages up the tree, and P-1 down.
  double wire_bytes(std::int64_t count, int members, const TensorShapes&) const override {
    return 2.0 * (members - 1) * kEntryBytes * static_cast<double>(kept_count(count, ratio_));
  }

 protected:
  Finish start_compressed(const BucketExchange& exchange) override {
    check_indices(exchange);
    const std::int64_t kept = kept_count(exchange.count(), ratio_);
    const WireBuffer mine(static_cast<std::int64_t>(sizeof(SparseEntry)) * kept,
                          exchange.has_numbers());
    const auto count = static_cast<double>(exchange.count());
    if (exchange.has_numbers()) {
      const std::span<float> sum = fed_back(exchange, residual(exchange));
      select_largest(sum, mine.as<SparseEntry>());
      clear_entries(mine.as<SparseEntry>(), sum);
    }
    exchange.observer.kernel("compress", (kFeedbackBytes + kSelectBytes) * count);
    return [this, exchange, mine, kept, count] {
      reduce(exchange, mine);
      exchange.fabric.broadcast(mine.payload(), exchange.among.ranks.front(), exchange.among);
      if (exchange.has_numbers()) {
        const std::span<float> bucket = values<float>(exchange.bucket);
        std::fill(bucket.begin(), bucket.end(), 0.0F);
        add_entries(mine.as<SparseEntry>(), bucket);
      }
      exchange.observer.kernel("decompress",
                               4 * count + 2 * kEntryBytes * static_cast<double>(kept));
    };
  }

 private:
  /// Merges all members' entries to those of the first one.
  void reduce(const BucketExchange& exchange, const WireBuffer& mine) {
    Fabric& fabric = exchange.fabric;
    const std::vector<int>& ranks = exchange.among.ranks;
    const auto self = static_cast<std::size_t>(exchange.member());
    for (std::size_t distance = 1; distance < ranks.size(); distance *= 2) {
      if (self % (2 * distance) != 0) {
        fabric.wait(fabric.start_send(ranks[self - distance], mine.payload()));
        return;
      }
      if (self + distance >= ranks.size()) continue;
      const WireBuffer other(mine.payload().count, exchange.has_numbers());
      fabric.wait(fabric.start_receive(ranks[self + distance], other.payload()));
      if (exchange.has_numbers()) merge(exchange, mine, other);
      exchange.observer.kernel(
          "merge", kMergeBytes * static_cast<double>(mine.payload().count) / kEntryBytes);
    }
  }
  void merge(const BucketExchange& exchange, const WireBuffer& mine, const WireBuffer& other) {
    const std::array<std::span<const SparseEntry>, 2> parts = {mine.as<SparseEntry>(),
                                                               other.as<SparseEntry>()};
    add_entries(keep_largest(sum_of(parts), mine.as<SparseEntry>()), residual(exchange));
  }

  double ratio_;
};

}  // namespace

CompressionMethod gtopk_compression() {
  return {.name = "gtopk",
          .summary = "the k largest sums, along a tree (--compression-ratio)",
          .source = "Shi et al., ICDCS 2019",
          .has_error_feedback = true,
          .collectives = "messages, broadcast",
          .settings = ratio_settings(),
          .make = [](const JobConfig& config, int) -> std::unique_ptr<Compression> {
            return std::make_unique<GTopK>(compression_ratio_setting().of(config));
          }};
}

}  // namespace epochcast
