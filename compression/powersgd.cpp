// SPDX-License-Identifier: Apache-2.0
// powersgd: factors of low rank, by one power iteration in each exchange (Vogels et al., NeurIPS
// 2019, algorithms 1 and 2), with the settings and defaults of PyTorch's PowerSGDState. Tensors
// that are not worth it, and all vectors, travel whole, with the first factors.
#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/statistics/random.hpp"
#include "compression/compression.hpp"
#include "compression/kernels/low_rank.hpp"
#include "compression/sparse_gather.hpp"
#include "compression/wire.hpp"
#include "core/job/setting_value.hpp"

namespace epochcast {
namespace {

constexpr StrategySettingOf kRank("powersgd-rank",
                                  "RANK",
                                  "powersgd: rank of the factors (matrix_approximation_rank)",
                                  "1",
                                  "4",
                                  value::Count{1, 65'536});
constexpr StrategySettingOf kStart("powersgd-start",
                                   "STEP",
                                   "powersgd: first step that compresses (start_powerSGD_iter)",
                                   "1000",
                                   "0",
                                   value::Count{0});
constexpr StrategySettingOf kMinRate(
    "powersgd-min-rate",
    "FACTOR",
    "powersgd: compress tensors that become smaller by more than this (min_compression_rate)",
    "2",
    "20",
    value::Number{0, 1e9, "a factor such as 2"});
constexpr StrategySettingOf kErrorFeedback("powersgd-error-feedback",
                                           "on|off",
                                           "powersgd: keep what is not sent (use_error_feedback)",
                                           "on",
                                           "off",
                                           value::Switch{});
constexpr StrategySettingOf kWarmStart(
    "powersgd-warm-start",
    "on|off",
    "powersgd: begin with the factors of the last exchange (warm_start)",
    "on",
    "off",
    value::Switch{});

/// One tensor in its bucket.
struct LowRankTensor {
  LowRankShape shape;
  bool is_compressed = false;
  std::int64_t begin = 0;  ///< of its numbers in the bucket
  std::int64_t left = 0;   ///< of P, or of its numbers, in the first message
  std::int64_t right = 0;  ///< of Q in the second one
};

/// The tensors of a bucket and the sizes of its messages.
struct LowRankPlan {
  std::vector<LowRankTensor> tensors;
  std::int64_t left_size = 0;
  std::int64_t right_size = 0;
};

struct PowerSgdOptions {
  std::int64_t rank = 1;
  std::int64_t start = 0;
  double min_rate = 2;
  bool has_error_feedback = true;
  bool is_warm = true;
  std::uint64_t seed = 0;
};

std::span<float> part_of(std::span<float> all, std::int64_t begin, std::int64_t count) {
  return all.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
}

class PowerSgd : public Compression {
 public:
  explicit PowerSgd(const PowerSgdOptions& options) : options_(options) {}

  std::int64_t first_step() const override { return options_.start; }
  double wire_bytes(std::int64_t count, int members, const TensorShapes& tensors) const override {
    const LowRankPlan plan = plan_of(count, tensors);
    return all_reduce_wire_bytes(
        sizeof(float) * static_cast<double>(plan.left_size + plan.right_size), members);
  }

 protected:
  Finish start_compressed(const BucketExchange& exchange) override {
    const LowRankPlan plan = plan_of(exchange.count(), exchange.tensors);
    const WireBuffer left(bytes_of(plan.left_size), exchange.has_numbers());
    const WireBuffer right(bytes_of(plan.right_size), exchange.has_numbers());
    const WireBuffer matrices(options_.has_error_feedback ? 0 : bytes_of(exchange.count()),
                              exchange.has_numbers());
    if (exchange.has_numbers()) {
      const std::span<float> own = fed_back(exchange, working_copy(exchange, matrices));
      begin_right(exchange, plan, right.as<float>());
      for (const LowRankTensor& tensor : plan.tensors) multiply_left(tensor, own, left, right);
    }
    const auto count = static_cast<double>(exchange.count());
    // Error feedback, and a pass over the matrices.
    exchange.observer.kernel("compress", (kFeedbackBytes + sizeof(float)) * count);
    const Request request =
        exchange.fabric.start_all_reduce(left.payload(Element::float32), 1, exchange.among);
    return [this, exchange, plan, left, right, matrices, request] {
      exchange.fabric.wait(request);
      finish(exchange, plan, left, right, working_copy(exchange, matrices));
    };
  }

 private:
  static std::int64_t bytes_of(std::int64_t count) {
    return static_cast<std::int64_t>(sizeof(float)) * count;
  }

  [[nodiscard]] LowRankPlan plan_of(std::int64_t count, const TensorShapes& tensors) const {
    LowRankPlan plan;
    std::int64_t begin = 0;
    const auto add = [&](std::span<const std::int64_t> sizes) {
      LowRankTensor tensor = {
          .shape = low_rank_shape(sizes, options_.rank),
          .is_compressed = is_compressible(sizes, options_.rank, options_.min_rate),
          .begin = begin,
          .left = plan.left_size,
          .right = plan.right_size};
      begin += tensor.shape.size();
      plan.left_size += tensor.is_compressed ? tensor.shape.left_size() : tensor.shape.size();
      plan.right_size += tensor.is_compressed ? tensor.shape.right_size() : 0;
      plan.tensors.push_back(tensor);
    };
    for (const auto& tensor : tensors) add(tensor);
    if (tensors.empty()) add(std::array<std::int64_t, 1>{count});
    if (begin != count) throw std::logic_error("the tensors of a bucket do not add up to it");
    return plan;
  }

  /// The worker's numbers of this exchange: in the residual, or in memory of their own.
  std::span<float> working_copy(const BucketExchange& exchange, const WireBuffer& matrices) {
    if (!exchange.has_numbers()) return {};
    return options_.has_error_feedback ? residual(exchange) : matrices.as<float>();
  }

  /// Q to begin with, the same on all members: of the last exchange, or random. Orthonormal.
  void begin_right(const BucketExchange& exchange,
                   const LowRankPlan& plan,
                   std::span<float> right) {
    const auto exchanges = memory().numbers<std::uint64_t>(exchange.index, "exchanges", 1);
    const auto last = memory().numbers<float>(exchange.index, "right factors", right.size());
    if (options_.is_warm && exchanges[0] > 0) {
      std::ranges::copy(last, right.begin());
    } else {
      Random random(mix_seed(mix_seed(options_.seed, exchange.index), exchanges[0]));
      for (float& value : right) value = static_cast<float>(random.normal());
    }
    ++exchanges[0];
    for (const LowRankTensor& tensor : plan.tensors) {
      if (tensor.is_compressed)
        orthogonalise(right_of(tensor, right), tensor.shape.columns, tensor.shape.rank);
    }
  }

  static std::span<float> left_of(const LowRankTensor& tensor, std::span<float> all) {
    return part_of(
        all, tensor.left, tensor.is_compressed ? tensor.shape.left_size() : tensor.shape.size());
  }
  static std::span<float> right_of(const LowRankTensor& tensor, std::span<float> all) {
    return part_of(all, tensor.right, tensor.shape.right_size());
  }
  static std::span<float> numbers_of(const LowRankTensor& tensor, std::span<float> all) {
    return part_of(all, tensor.begin, tensor.shape.size());
  }

  static void multiply_left(const LowRankTensor& tensor,
                            std::span<float> own,
                            const WireBuffer& left,
                            const WireBuffer& right) {
    const std::span<float> matrix = numbers_of(tensor, own);
    if (tensor.is_compressed) {
      multiply(matrix,
               right_of(tensor, right.as<float>()),
               tensor.shape,
               left_of(tensor, left.as<float>()));
    } else {
      std::ranges::copy(matrix, left_of(tensor, left.as<float>()).begin());
    }
  }

  /// From the sum of all P on.
  void finish(const BucketExchange& exchange,
              const LowRankPlan& plan,
              const WireBuffer& left,
              const WireBuffer& right,
              std::span<float> own) {
    const auto count = static_cast<double>(exchange.count());
    if (exchange.has_numbers()) {
      for (const LowRankTensor& tensor : plan.tensors) {
        if (!tensor.is_compressed) continue;
        const std::span<float> p = left_of(tensor, left.as<float>());
        orthogonalise(p, tensor.shape.rows, tensor.shape.rank);
        multiply_transposed(
            numbers_of(tensor, own), p, tensor.shape, right_of(tensor, right.as<float>()));
      }
    }
    exchange.observer.kernel("project", sizeof(float) * count);
    if (plan.right_size > 0)
      exchange.fabric.all_reduce(right.payload(Element::float32), 1, exchange.among);
    if (exchange.has_numbers()) use(exchange, plan, left, right, own);
    // The result is written; error feedback is read and written.
    exchange.observer.kernel("decompress", 4 * sizeof(float) * count);
  }

  void use(const BucketExchange& exchange,
           const LowRankPlan& plan,
           const WireBuffer& left,
           const WireBuffer& right,
           std::span<float> own) {
    const std::span<float> bucket = values<float>(exchange.bucket);
    const auto weight = static_cast<float>(exchange.weight);
    for (const LowRankTensor& tensor : plan.tensors) {
      const std::span<float> result = numbers_of(tensor, bucket);
      const std::span<float> rest = numbers_of(tensor, own);
      const std::span<float> p = left_of(tensor, left.as<float>());
      if (!tensor.is_compressed) {
        std::ranges::copy(p, result.begin());
        std::ranges::fill(rest, 0.0F);
        continue;
      }
      expand(p, right_of(tensor, right.as<float>()), tensor.shape, result);
      // Weights sum to 1: each worker takes its share of the result.
      for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= weight * result[i];
    }
    memory().keep<float>(exchange.index, "right factors", right.as<float>());
  }

  PowerSgdOptions options_;
};

}  // namespace

CompressionMethod powersgd_compression() {
  static const std::array<const StrategySetting*, 5> own = {
      &kRank, &kStart, &kMinRate, &kErrorFeedback, &kWarmStart};
  return {.name = "powersgd",
          .summary = "factors of low rank: PyTorch's powerSGD_hook (--powersgd-rank)",
          .source = "Vogels et al., NeurIPS 2019, arXiv 1905.13727",
          .has_error_feedback = true,
          .collectives = "all-reduce",
          .settings = own,
          .warm_up = &kStart,
          .make = [](const JobConfig& config, int) -> std::unique_ptr<Compression> {
            return std::make_unique<PowerSgd>(
                PowerSgdOptions{.rank = kRank.of(config),
                                .start = kStart.of(config),
                                .min_rate = kMinRate.of(config),
                                .has_error_feedback = kErrorFeedback.of(config),
                                .is_warm = kWarmStart.of(config),
                                .seed = config.seed});
          }};
}

}  // namespace epochcast
