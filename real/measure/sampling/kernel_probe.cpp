// SPDX-License-Identifier: Apache-2.0
#include "real/measure/sampling/kernel_probe.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "real/measure/sampling/sampling.hpp"

namespace epochcast::real {
namespace {

JobConfig without_warm_up(JobConfig config) {
  const CompressionMethod* const method = find_compression(config.compression);
  if (method != nullptr && method->warm_up != nullptr)
    config.of_strategies[std::string(method->warm_up->name)] = "0";
  return config;
}

}  // namespace

KernelProbe::KernelProbe(const JobConfig& config,
                         std::span<const float> gradients,
                         TensorShapes tensors)
    : name_(config.compression),
      compression_(make_compression(without_warm_up(config), 0)),
      gradients_(gradients),
      tensors_(std::move(tensors)),
      bucket_(gradients.size()) {}

void KernelProbe::exchange(bool is_kept) {
  is_kept_ = is_kept;
  std::ranges::copy(gradients_, bucket_.begin());
  last_s_ = clock_s();
  compression_->start_exchange({.fabric = fabric_,
                                .observer = *this,
                                .bucket = payload_of(std::span<float>(bucket_)),
                                .index = 0,
                                .tensors = tensors_,
                                .weight = 0.5,
                                .among = fabric_.world()})();
  compression_->add_steps(1);
  if (is_kept) ++exchanges_;
}

void KernelProbe::kernel(std::string_view what, double moved_bytes) {
  const double now_s = clock_s();
  const double kernel_s = now_s - last_s_;
  if (is_kept_) {
    auto own = std::ranges::find_if(samples_, [&](const KernelSamples& samples) {
      return samples.kernel == what && samples.moved_bytes == moved_bytes;
    });
    if (own == samples_.end())
      own = samples_.insert(
          own, {.compression = name_, .kernel = std::string(what), .moved_bytes = moved_bytes});
    own->seconds.push_back(kernel_s);
    seconds_ += kernel_s;
  }
  last_s_ = clock_s();
}

std::int64_t numbers_of(const TensorShapes& tensors) {
  std::int64_t sum = 0;
  for (const std::vector<std::int64_t>& shape : tensors)
    sum += std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  return sum;
}

TensorShapes first_tensors(const TensorShapes& tensors, std::int64_t count) {
  TensorShapes first;
  for (const std::vector<std::int64_t>& shape : tensors) {
    first.push_back(shape);
    if (first.size() == 1 || numbers_of(first) <= count) continue;
    first.pop_back();
    break;
  }
  return first;
}

}  // namespace epochcast::real
