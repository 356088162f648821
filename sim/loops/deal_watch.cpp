// SPDX-License-Identifier: Apache-2.0
#include "sim/loops/deal_watch.hpp"

#include <algorithm>
#include <utility>

#include "sim/loops/known_mean.hpp"

namespace epochcast::sim {
namespace {

/// Numbers in a batch, at first: two per worker, but no more than this, unless each worker has one.
constexpr std::int64_t kShortestBatch = 64;
/// Batches at each look.
constexpr std::size_t kBatches = 20;

std::int64_t shortest_batch(std::int64_t workers) {
  return std::max(workers, std::min(2 * workers, kShortestBatch));
}

}  // namespace

DealWatch::DealWatch(int workers, std::int64_t count)
    : start_(kEnds * workers),
      end_(count - kEnds * workers),
      least_(static_cast<std::int64_t>(kBatches) * shortest_batch(workers)),
      length_(shortest_batch(workers)),
      begin_(start_),
      patience_(kPatience * workers) {}

bool DealWatch::is_known(std::int64_t index) {
  std::vector<double> means_s;
  for (const Batch& batch : batches_)
    means_s.push_back(batch.seconds / static_cast<double>(batch.numbers));
  half_width_ = relative_half_width(means_s);
  return half_width_ <= kMeanTolerance ||
         (index - start_ >= patience_ && half_width_ <= kWidestTolerance);
}

void DealWatch::end_batch(std::int64_t index, double now_s) {
  batches_.push_back({.seconds = now_s - began_s_, .numbers = index - begin_});
  began_s_ = now_s;
  begin_ = index;
  if (batches_.size() < kBatches) return;
  if (is_known(index)) {
    Batch all;
    for (const Batch& batch : batches_)
      all = {all.seconds + batch.seconds, all.numbers + batch.numbers};
    mean_s_ = all.seconds / static_cast<double>(all.numbers);
    return;
  }
  for (std::size_t i = 0; i < kBatches / 2; ++i) {
    const Batch& one = batches_[2 * i];
    const Batch& next = batches_[2 * i + 1];
    batches_[i] = {one.seconds + next.seconds, one.numbers + next.numbers};
  }
  batches_.resize(kBatches / 2);
  length_ *= 2;
}

std::int64_t DealWatch::dealt(std::int64_t index, double now_s, bool may_omit) {
  if (index == 0) has_omitted_ = false;
  const bool is_later = now_s > std::exchange(last_s_, now_s);
  if (index <= start_) {
    begin_ = index;
    began_s_ = now_s;
    return 0;
  }
  if (has_omitted_ || index > end_) return 0;
  if (mean_s_ == 0 && is_later && index - begin_ >= length_) end_batch(index, now_s);
  if (mean_s_ == 0 || index - start_ < least_ || !may_omit) return 0;
  has_omitted_ = true;
  return std::max<std::int64_t>(0, end_ - index - 1);
}

}  // namespace epochcast::sim
