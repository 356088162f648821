// SPDX-License-Identifier: Apache-2.0
#include "strategies/averaging.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace epochcast {
namespace {

/// The index of parameters among the buckets of a compression; gradients have lower ones.
constexpr std::size_t kParameterBucket = std::size_t{1} << 32;

/// The name of the last common parameters among the kept vectors.
constexpr std::string_view kCommon = "common";

bool keeps_common(const Worker& worker) {
  return worker.averages_parameters && (worker.compression != nullptr || worker.outer_step);
}

/// The tensors of a range of parameters; BatchNorm statistics follow them, as a vector. Those of a
/// fragment, which may begin within a tensor, are unknown.
TensorShapes tensors_of(Worker& worker, const ParameterRange& range) {
  TensorShapes all = all_tensors(worker.learner.bucket_tensors());
  std::int64_t count = range.count;
  for (const auto& tensor : all)
    count -= std::accumulate(tensor.begin(), tensor.end(), std::int64_t{1}, std::multiplies<>());
  if (all.empty() || count < 0) return {};
  if (count > 0) all.push_back({count});
  return all;
}

/// Starts averaging the differences to the last common parameters; the result replaces `numbers` by
/// these plus the average.
Compression::Finish start_compressed(Worker& worker,
                                     double weight,
                                     const ParameterRange& range,
                                     const Payload& numbers) {
  // To subtract and to add a number: two are read, one or two are written.
  const double bytes = numbers.bytes();
  const std::span<float> values_now = values<float>(numbers);
  const std::span<float> common = common_parameters(worker, range);
  for (std::size_t i = 0; i < values_now.size(); ++i) values_now[i] -= common[i];
  worker.learner.kernel("difference", 3 * bytes);
  Compression::Finish finish =
      worker.compression->start_exchange({.fabric = worker.fabric,
                                          .observer = worker.learner,
                                          .bucket = numbers,
                                          .index = kParameterBucket + range.index,
                                          .tensors = tensors_of(worker, range),
                                          .weight = weight,
                                          .among = worker.fabric.world()});
  return [&worker, bytes, values_now, common, finish = std::move(finish)] {
    finish();
    for (std::size_t i = 0; i < values_now.size(); ++i) values_now[i] += common[i];
    worker.learner.kernel("apply", (worker.outer_step ? 3 : 4) * bytes);
    worker.compression->add_steps(1);
  };
}

/// The outer step after an average, and the new common parameters.
void end_average(Worker& worker, const ParameterRange& range, const Payload& numbers) {
  const std::span<float> averaged = values<float>(numbers);
  const std::span<float> common = common_parameters(worker, range);
  if (worker.outer_step) worker.outer_step(worker, range, averaged, common, numbers.bytes());
  if (!common.empty()) std::ranges::copy(averaged, common.begin());
}

}  // namespace

TensorShapes all_tensors(const std::vector<TensorShapes>& buckets) {
  TensorShapes all;
  for (auto bucket = buckets.rbegin(); bucket != buckets.rend(); ++bucket)
    all.insert(all.end(), bucket->begin(), bucket->end());
  return all;
}

std::span<float> common_parameters(Worker& worker, const ParameterRange& range) {
  if (!keeps_common(worker)) return {};
  const std::size_t count = worker.kept.kept<float>(0, kCommon).size();
  if (count == 0) return {};
  return worker.kept.numbers<float>(0, kCommon, count)
      .subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.count));
}

void share_parameters(Worker& worker) {
  const Payload parameters = worker.learner.parameters();
  worker.fabric.broadcast(parameters, 0, worker.fabric.world());
  keep_common(worker);
}

void keep_common(Worker& worker) {
  const Payload parameters = worker.learner.parameters();
  if (keeps_common(worker) && parameters.has_numbers())
    worker.kept.keep<float>(0, kCommon, values<float>(parameters));
}

Compression::Finish start_average(Worker& worker,
                                  double weight,
                                  const ParameterRange& range,
                                  const Payload& numbers) {
  if (worker.compression != nullptr) {
    return [&worker, range, numbers, finish = start_compressed(worker, weight, range, numbers)] {
      finish();
      end_average(worker, range, numbers);
    };
  }
  Request request = worker.fabric.start_all_reduce(numbers, weight, worker.fabric.world());
  return [&worker, range, numbers, request = std::move(request)] {
    worker.fabric.wait(request);
    end_average(worker, range, numbers);
  };
}

void average_range(Worker& worker,
                   double weight,
                   const ParameterRange& range,
                   const Payload& numbers) {
  if (worker.compression != nullptr) {
    start_compressed(worker, weight, range, numbers)();
  } else {
    worker.fabric.all_reduce(numbers, weight, worker.fabric.world());
  }
  end_average(worker, range, numbers);
}

void average_parameters(Worker& worker, double weight) {
  const Payload parameters = worker.learner.parameters();
  average_range(worker, weight, {.begin = 0, .count = parameters.count}, parameters);
}

std::size_t trained_count(Worker& worker,
                          const ParameterRange& range,
                          std::span<const float> numbers) {
  if (numbers.empty()) return 0;
  std::int64_t trained = -range.begin;
  for (const Payload& bucket : worker.learner.buckets()) trained += bucket.count;
  return static_cast<std::size_t>(std::clamp<std::int64_t>(trained, 0, range.count));
}

}  // namespace epochcast
