// SPDX-License-Identifier: Apache-2.0
#include "real/torch/slow_device.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "core/costs/batch_cost.hpp"

namespace epochcast::real {
namespace {

/// The sum of pieces [begin, end); throws a std::logic_error if there are fewer.
double sum_of(const std::vector<double>& pieces, std::size_t begin, std::size_t end) {
  if (end > pieces.size()) throw std::logic_error("a slow device was shown no such piece of work");
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += pieces[i];
  return sum;
}

}  // namespace

double SlowDevice::operator()(const Piece& piece) {
  if (piece.is_example) {
    learn(piece);
    return 0;
  }
  if (factor_ <= 1) return 0;
  if (piece.samples == 0) return (factor_ - 1) * piece.real_s;
  const double target_s = factor_ * at_full_speed(piece);
  const double left_s = target_s - piece.real_s - behind_s_;
  behind_s_ = std::clamp(-left_s, 0.0, target_s);
  return std::max(0.0, left_s);
}

void SlowDevice::learn(const Piece& piece) {
  if (piece.end != piece.begin + 1) return;  // whose times are unknown
  medians_.clear();
  std::vector<std::vector<double>>& pieces = examples_[piece.samples];
  pieces.resize(std::max(pieces.size(), piece.end));
  pieces[piece.begin].push_back(piece.real_s);
}

void SlowDevice::take_medians() {
  for (const auto& [samples, pieces] : examples_) {
    Pieces& medians = medians_[samples];
    for (const std::vector<double>& seconds : pieces) medians.push_back(median_of(seconds));
  }
}

double SlowDevice::at_full_speed(const Piece& piece) {
  if (medians_.empty()) take_medians();
  if (medians_.empty()) throw std::logic_error("a slow device was shown no work");
  const auto seconds_of = [&](const auto& size) {
    return sum_of(size->second, piece.begin, piece.end);
  };
  auto above = medians_.lower_bound(piece.samples);
  if (above != medians_.end() && above->first == piece.samples) return seconds_of(above);
  const auto samples = static_cast<double>(piece.samples);
  if (medians_.size() == 1) {
    const auto only = medians_.begin();
    return seconds_of(only) * samples / static_cast<double>(only->first);
  }
  if (above == medians_.begin()) ++above;
  if (above == medians_.end()) --above;
  const auto below = std::prev(above);
  const auto first = static_cast<double>(below->first);
  const double slope =
      (seconds_of(above) - seconds_of(below)) / (static_cast<double>(above->first) - first);
  return std::max(0.0, seconds_of(below) + slope * (samples - first));
}

}  // namespace epochcast::real
