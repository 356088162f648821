// SPDX-License-Identifier: Apache-2.0
#include "real/torch/loss_records.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

namespace epochcast::real {
namespace {

constexpr std::size_t kIndexBytes = sizeof(std::int64_t);
constexpr std::size_t kLossBytes = kIndexBytes + sizeof(float);

void put(std::uint8_t* bytes, const SampleLoss& loss) {
  std::memcpy(bytes, &loss.sample, kIndexBytes);
  std::memcpy(bytes + kIndexBytes, &loss.loss, sizeof(float));
}

SampleLoss loss_at(const std::uint8_t* bytes) {
  SampleLoss loss;
  std::memcpy(&loss.sample, bytes, kIndexBytes);
  std::memcpy(&loss.loss, bytes + kIndexBytes, sizeof(float));
  return loss;
}

constexpr SampleLoss kNone = {.sample = -1, .loss = 0};

}  // namespace

void LossRecords::begin(std::size_t share) {
  recorded_.clear();
  recorded_.reserve(kLossBytes * share);
}

void LossRecords::add(const SampleLoss& loss) {
  recorded_.resize(recorded_.size() + kLossBytes);
  put(&recorded_[recorded_.size() - kLossBytes], loss);
}

Payload LossRecords::recorded() { return payload_of(std::span(recorded_)); }

Payload LossRecords::gathered(std::int64_t samples) {
  gathered_.resize(kLossBytes * static_cast<std::size_t>(samples));
  for (std::size_t i = 0; i < gathered_.size(); i += kLossBytes) put(&gathered_[i], kNone);
  return payload_of(std::span(gathered_));
}

void LossRecords::draw(const BiasedDraw& draw,
                       const std::vector<std::int64_t>& order,
                       const std::vector<std::int64_t>& slow_order) {
  losses_.resize(static_cast<std::size_t>(samples_),
                 {.sample = 0, .loss = std::numeric_limits<float>::quiet_NaN()});
  std::vector<SampleLoss> records;
  records.reserve(gathered_.size() / kLossBytes);
  for (std::size_t i = 0; i < gathered_.size(); i += kLossBytes)
    records.push_back(loss_at(&gathered_[i]));
  keep_latest(records, draw.local_steps, losses_);
  std::vector<SampleLoss> known;
  std::copy_if(
      losses_.begin(), losses_.end(), std::back_inserter(known), [](const SampleLoss& each) {
        return !std::isnan(each.loss);
      });
  drawn_ = draw_samples(draw, known, order, slow_order);
}

Payload LossRecords::drawn(const BiasedDraw& draw) {
  drawn_.resize(static_cast<std::size_t>(draw.fast_samples + draw.slow_samples));
  return payload_of(std::span(drawn_));
}

LossRecords::State LossRecords::state() const {
  State state = {.recorded = recorded_, .drawn = drawn_, .losses = {}};
  for (const SampleLoss& each : losses_) state.losses.push_back(each.loss);
  return state;
}

void LossRecords::restore(State state) {
  recorded_ = std::move(state.recorded);
  drawn_ = std::move(state.drawn);
  losses_.resize(state.losses.size());
  for (std::size_t i = 0; i < losses_.size(); ++i)
    losses_[i] = {.sample = static_cast<std::int64_t>(i), .loss = state.losses[i]};
}

}  // namespace epochcast::real
