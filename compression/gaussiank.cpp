// SPDX-License-Identifier: Apache-2.0
// gaussiank: values above a threshold from a Gaussian fit (Shi et al., arXiv 1911.08772), in place
// of an exact selection. A message has room for k values: of more, the largest are sent.
#include "compression/kernels/gaussian.hpp"
#include "compression/sparse_gather.hpp"

namespace epochcast {
namespace {

class GaussianK : public SparseGather {
 public:
  using SparseGather::SparseGather;

 protected:
  void select(std::span<const float> values, std::span<SparseEntry> kept) override {
    keep_largest(select_by_gaussian(values, std::ssize(kept)), kept);
  }
  // A pass for mean and deviation, two that compare with a threshold.
  double select_bytes() const override { return 4 + 2 * 4; }
};

}  // namespace

CompressionMethod gaussiank_compression() {
  return {.name = "gaussiank",
          .summary = "values above a threshold from a Gaussian fit (--compression-ratio)",
          .source = "Shi et al., arXiv 1911.08772",
          .has_error_feedback = true,
          .collectives = "all-gather",
          .settings = ratio_settings(),
          .make = [](const JobConfig& config, int) -> std::unique_ptr<Compression> {
            return std::make_unique<GaussianK>(compression_ratio_setting().of(config));
          }};
}

}  // namespace epochcast
