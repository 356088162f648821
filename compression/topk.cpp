// SPDX-License-Identifier: Apache-2.0
// topk: the k largest absolute values of each worker, by an all-gather of values and indices
// (TopkA; Aji and Heafield, EMNLP 2017). The others stay as error feedback.
#include "compression/sparse_gather.hpp"

namespace epochcast {
namespace {

class TopK : public SparseGather {
 public:
  using SparseGather::SparseGather;

 protected:
  void select(std::span<const float> values, std::span<SparseEntry> kept) override {
    select_largest(values, kept);
  }
  // A copy of the magnitudes (8); selecting reads and writes about three times their number (24, as
  // quickselect does on average); two passes that compare with the threshold (8).
  double select_bytes() const override { return 8 + 24 + 8; }
};

}  // namespace

CompressionMethod topk_compression() {
  return {.name = "topk",
          .summary = "the k largest values of each worker (--compression-ratio)",
          .source = "Aji and Heafield, EMNLP 2017 (TopkA)",
          .has_error_feedback = true,
          .collectives = "all-gather",
          .settings = ratio_settings(),
          .make = [](const JobConfig& config, int) -> std::unique_ptr<Compression> {
            return std::make_unique<TopK>(compression_ratio_setting().of(config));
          }};
}

}  // namespace epochcast
