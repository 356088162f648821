// SPDX-License-Identifier: Apache-2.0
#include "sim/loops/deal_watch.hpp"

#include <algorithm>
#include <numeric>

#include "sim/loops/known_mean.hpp"

namespace epochcast::sim {
namespace {

/// Numbers per worker that are not counted at the start, and kept at the end.
constexpr std::int64_t kEnds = 4;
/// Numbers per worker in a batch, at first.
constexpr std::int64_t kShortestBatch = 2;
/// Batches at each look.
constexpr std::size_t kBatches = 20;

}  // namespace

DealWatch::DealWatch(int workers, std::int64_t count)
    : start_(kEnds * workers), end_(count - kEnds * workers), length_(kShortestBatch * workers) {}

std::int64_t DealWatch::dealt(std::int64_t index, double now_s) {
  if (has_decided_ || index < start_) return 0;
  if (index == start_) {
    began_s_ = now_s;
    return 0;
  }
  if ((index - start_) % length_ != 0) return 0;
  batches_s_.push_back(now_s - began_s_);
  began_s_ = now_s;
  if (batches_s_.size() < kBatches) return 0;
  if (is_mean_known(batches_s_)) {
    has_decided_ = true;
    const double sum_s = std::accumulate(batches_s_.begin(), batches_s_.end(), 0.0);
    mean_s_ = sum_s / static_cast<double>(kBatches) / static_cast<double>(length_);
    return std::max<std::int64_t>(0, end_ - index - 1);
  }
  for (std::size_t i = 0; i < kBatches / 2; ++i)
    batches_s_[i] = batches_s_[2 * i] + batches_s_[2 * i + 1];
  batches_s_.resize(kBatches / 2);
  length_ *= 2;
  return 0;
}

}  // namespace epochcast::sim
