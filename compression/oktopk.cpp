// SPDX-License-Identifier: Apache-2.0
// oktopk: each worker adds up one region of the bucket, from about k/P values of every other
// worker, and sends about k/P of the sums to all (Ok-Topk: Li and Hoefler, PPoPP'22, algorithm 1).
//
// Readings: a message has room for ceil(k/P) values, so sizes do not depend on numbers; of more,
// the largest are sent, of fewer, places stay empty. Thresholds of single workers are estimated
// anew every --oktopk-threshold-period exchanges. Regions are balanced by the places of the last
// result, which all workers have, so they need no exchange of their own. The largest sums of a
// region take the place of a common threshold. Sums that are not sent stay as error feedback of the
// worker that has added them.
#include <algorithm>
#include <array>

#include "compression/all_to_all.hpp"
#include "compression/kernels/regions.hpp"
#include "compression/sparse_gather.hpp"
#include "compression/wire.hpp"

namespace epochcast {
namespace {

constexpr StrategySettingOf kThresholdPeriod(
    "oktopk-threshold-period",
    "EXCHANGES",
    "oktopk: exchanges between exact selections; in between their threshold is used (the authors' "
    "program: 32)",
    "32",
    "1",
    value::Count{1});

// Selection as in topk, every so many exchanges; a pass that compares with the threshold.
constexpr double kExactBytes = 8 + 24;
constexpr double kSelectBytes = 4;
// To sort, add and select an entry of a region.
constexpr double kMergeBytes = 120;

class OkTopK : public Compression {
 public:
  OkTopK(double ratio, std::int64_t period) : ratio_(ratio), period_(period) {}

  double wire_bytes(std::int64_t count, int members, const TensorShapes&) const override {
    const double part = static_cast<double>(part_bytes(count, members));
    return members * (members - 1) * part + all_gather_wire_bytes(members * part, members);
  }

 protected:
  Finish start_compressed(const BucketExchange& exchange) override {
    check_indices(exchange);
    const int members = exchange.members();
    const std::int64_t part = part_bytes(exchange.count(), members);
    const WireBuffer to(members * part, exchange.has_numbers());
    const WireBuffer from(members * part, exchange.has_numbers());
    if (exchange.has_numbers()) select(exchange, to, part);
    exchange.observer.kernel(
        "compress",
        (kFeedbackBytes + kSelectBytes + kExactBytes / static_cast<double>(period_)) *
            static_cast<double>(exchange.count()));
    const std::vector<Request> requests = start_all_to_all(exchange.fabric,
                                                           exchange.among,
                                                           parts_of(to, part, members),
                                                           parts_of(from, part, members));
    return [this, exchange, to, from, part, requests] {
      for (const Request& request : requests) exchange.fabric.wait(request);
      gather(exchange, to, from, part);
    };
  }

 private:
  /// Room of a message, in values.
  [[nodiscard]] std::int64_t room(std::int64_t count, int members) const {
    return (kept_count(count, ratio_) + members - 1) / members;
  }
  [[nodiscard]] std::int64_t part_bytes(std::int64_t count, int members) const {
    return static_cast<std::int64_t>(sizeof(SparseEntry)) * room(count, members);
  }
  static std::vector<Payload> parts_of(const WireBuffer& all, std::int64_t part, int members) {
    std::vector<Payload> parts;
    parts.reserve(static_cast<std::size_t>(members));
    for (int i = 0; i < members; ++i) parts.push_back(slice(all.payload(), i * part, part));
    return parts;
  }

  /// This worker's threshold: exact, or that of an earlier exchange.
  float threshold(const BucketExchange& exchange, std::span<const float> sum) {
    const std::int64_t kept = kept_count(exchange.count(), ratio_);
    const std::span<float> known = memory().numbers<float>(exchange.index, "threshold", 1);
    const std::span<std::int64_t> exchanges =
        memory().numbers<std::int64_t>(exchange.index, "exchanges", 1);
    if (exchanges[0]++ % period_ == 0)
      known[0] = kept == exchange.count() ? 0 : kth_magnitude(sum, kept);
    return known[0];
  }

  /// Fills messages to the members with values of their regions.
  void select(const BucketExchange& exchange, const WireBuffer& to, std::int64_t part) {
    const std::span<float> sum = fed_back(exchange, residual(exchange));
    const float above = threshold(exchange, sum);
    const std::vector<std::int64_t> bounds =
        balanced_regions(memory().kept<std::int32_t>(exchange.index, "last places"),
                         exchange.count(),
                         exchange.members());
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
      const auto region = std::span<const float>(sum).subspan(
          static_cast<std::size_t>(bounds[i]), static_cast<std::size_t>(bounds[i + 1] - bounds[i]));
      const auto room_bytes = to.part(static_cast<int>(i), part);
      keep_largest(select_above(region, above, true, bounds[i]),
                   {reinterpret_cast<SparseEntry*>(room_bytes.data()),
                    room_bytes.size() / sizeof(SparseEntry)});
    }
    clear_entries(to.as<SparseEntry>(), sum);
  }

  /// Adds up this worker's region, and gathers the largest sums of all.
  void gather(const BucketExchange& exchange,
              const WireBuffer& to,
              const WireBuffer& from,
              std::int64_t part) {
    const int members = exchange.members();
    const WireBuffer mine(part, exchange.has_numbers());
    if (exchange.has_numbers()) {
      const int self = exchange.member();
      std::ranges::copy(to.part(self, part), from.part(self, part).begin());
      const std::array<std::span<const SparseEntry>, 1> all = {from.as<SparseEntry>()};
      add_entries(keep_largest(sum_of(all), mine.as<SparseEntry>()), residual(exchange));
    }
    const auto entries = static_cast<double>(members * part) / kEntryBytes;
    exchange.observer.kernel("merge", kMergeBytes * entries);
    const WireBuffer result(members * part, exchange.has_numbers());
    exchange.fabric.all_gather(mine.payload(), result.payload(), exchange.among);
    if (exchange.has_numbers()) use(exchange, result);
    exchange.observer.kernel("decompress",
                             4 * static_cast<double>(exchange.count()) + 2 * kEntryBytes * entries);
  }

  void use(const BucketExchange& exchange, const WireBuffer& result) {
    const std::span<float> bucket = values<float>(exchange.bucket);
    std::fill(bucket.begin(), bucket.end(), 0.0F);
    add_entries(result.as<SparseEntry>(), bucket);
    std::vector<std::int32_t> places;  // ascending: regions follow each other
    for (const SparseEntry& entry : result.as<SparseEntry>())
      if (entry.index != SparseEntry::kNone) places.push_back(entry.index);
    memory().keep<std::int32_t>(exchange.index, "last places", places);
  }

  double ratio_;
  std::int64_t period_;
};

}  // namespace

CompressionMethod oktopk_compression() {
  static const std::array<const StrategySetting*, 2> own = {&compression_ratio_setting(),
                                                            &kThresholdPeriod};
  return {.name = "oktopk",
          .summary = "the largest sums of balanced regions (--compression-ratio)",
          .source = "Li and Hoefler, PPoPP'22 (Ok-Topk)",
          .has_error_feedback = true,
          .collectives = "messages, all-gather",
          .settings = own,
          .make = [](const JobConfig& config, int) -> std::unique_ptr<Compression> {
            return std::make_unique<OkTopK>(compression_ratio_setting().of(config),
                                            kThresholdPeriod.of(config));
          }};
}

}  // namespace epochcast
