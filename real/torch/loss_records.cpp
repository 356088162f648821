// SPDX-License-Identifier: Apache-2.0
#include "real/torch/loss_records.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

namespace epochcast::real {
namespace {

constexpr std::size_t kIndexWords = 2;  // a 64-bit index in a payload of 32-bit words
constexpr std::size_t kLossWords = kIndexWords + 1;

Payload payload_of(std::span<float> values) {
  return {.bytes = static_cast<double>(values.size_bytes()), .values = values};
}

void put_index(float* words, std::int64_t index) { std::memcpy(words, &index, sizeof index); }

std::int64_t index_at(const float* words) {
  std::int64_t index = 0;
  std::memcpy(&index, words, sizeof index);
  return index;
}

}  // namespace

void LossRecords::begin(std::size_t share) {
  recorded_.clear();
  recorded_.reserve(kLossWords * share);
}

void LossRecords::add(const SampleLoss& loss) {
  recorded_.resize(recorded_.size() + kLossWords);
  float* words = &recorded_[recorded_.size() - kLossWords];
  put_index(words, loss.sample);
  words[kIndexWords] = loss.loss;
}

Payload LossRecords::recorded() { return payload_of(recorded_); }

Payload LossRecords::gathered(std::int64_t samples) {
  gathered_.resize(kLossWords * static_cast<std::size_t>(samples));
  for (std::size_t i = 0; i < gathered_.size(); i += kLossWords) put_index(&gathered_[i], -1);
  return payload_of(gathered_);
}

void LossRecords::draw(const BiasedDraw& draw,
                       const std::vector<std::int64_t>& order,
                       const std::vector<std::int64_t>& slow_order) {
  losses_.resize(static_cast<std::size_t>(samples_),
                 {.sample = 0, .loss = std::numeric_limits<float>::quiet_NaN()});
  std::vector<SampleLoss> records;
  records.reserve(gathered_.size() / kLossWords);
  for (std::size_t i = 0; i < gathered_.size(); i += kLossWords)
    records.push_back({.sample = index_at(&gathered_[i]), .loss = gathered_[i + kIndexWords]});
  keep_latest(records, draw.local_steps, losses_);
  std::vector<SampleLoss> known;
  std::copy_if(
      losses_.begin(), losses_.end(), std::back_inserter(known), [](const SampleLoss& each) {
        return !std::isnan(each.loss);
      });
  const std::vector<std::int64_t> samples = draw_samples(draw, known, order, slow_order);
  drawn_.resize(kIndexWords * samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) put_index(&drawn_[kIndexWords * i], samples[i]);
}

Payload LossRecords::drawn(const BiasedDraw& draw) {
  drawn_.resize(kIndexWords * static_cast<std::size_t>(draw.fast_samples + draw.slow_samples));
  return payload_of(drawn_);
}

std::vector<std::int64_t> LossRecords::drawn_samples() const {
  std::vector<std::int64_t> samples;
  samples.reserve(drawn_.size() / kIndexWords);
  for (std::size_t i = 0; i < drawn_.size(); i += kIndexWords)
    samples.push_back(index_at(&drawn_[i]));
  return samples;
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
