// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compression/bucket_memory.hpp"
#include "core/fabric.hpp"
#include "core/job/job_config.hpp"
#include "core/job/strategy_setting.hpp"
#include "core/learner.hpp"

namespace epochcast {

/// An exchange of gradients among workers: one bucket of a step.
struct BucketExchange {
  Fabric& fabric;
  KernelObserver& observer;
  Payload bucket;         ///< float32; in worlds without numbers only their count
  std::size_t index = 0;  ///< of the bucket among those of a step
  TensorShapes tensors;   ///< in the bucket, in the order of its numbers; empty: unknown
  double weight = 1;
  const Communicator& among;

  [[nodiscard]] std::int64_t count() const { return bucket.count; }
  [[nodiscard]] bool has_numbers() const { return bucket.has_numbers(); }
  [[nodiscard]] int members() const { return among.size(); }
  /// This worker among the members.
  [[nodiscard]] int member() const { return among.member_of(fabric.rank()); }
};

/// A job's method of making exchanged gradients smaller, for one worker.
///
/// Contract:
/// - An exchange replaces the bucket by an approximation of Σ_q weight_q · bucket_q, bit for bit
///   the same on all members.
/// - Among members without others it only multiplies by the weight.
/// - A method with error feedback keeps what it has not sent in the bucket's memory, and adds it to
///   the next exchange: result + Σ_q kept_q after = Σ_q (weight_q · bucket_q + kept_q before).
/// - Sizes of messages depend on the counts and the members alone, never on numbers: worlds without
///   numbers send the same bytes.
/// - It tells the observer of each kernel's work after it is done.
class Compression {
 public:
  /// The rest of an exchange, called once: afterwards the bucket has the result.
  using Finish = std::function<void()>;

  virtual ~Compression() = default;

  /// Starts an exchange. All members call it, in the same order, and finish in that order.
  [[nodiscard]] Finish start_exchange(const BucketExchange& exchange);

  /// The step from which on it compresses; earlier ones exchange all numbers. (Warm-up: PowerSGD's
  /// start_powerSGD_iter, 1-bit Adam's freeze_step.)
  [[nodiscard]] virtual std::int64_t first_step() const { return 0; }
  /// Steps whose gradients were exchanged.
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  /// Counts more of them.
  void add_steps(std::int64_t steps) { steps_ += steps; }
  [[nodiscard]] bool is_warming_up() const { return steps_ < first_step(); }

  /// Bytes that all members together send in a compressed exchange of `count` values, with the
  /// least that collectives need: 2(P-1)/P of the size from each member for an all-reduce, P-1
  /// times its part for an all-gather. `tensors`: as in BucketExchange.
  [[nodiscard]] virtual double wire_bytes(std::int64_t count,
                                          int members,
                                          const TensorShapes& tensors) const = 0;

  /// Its state between exchanges, for checkpoints.
  [[nodiscard]] std::string save() const;
  /// Restores what save() returned. Throws a RunError if it is not that.
  void load(const std::string& bytes);

 protected:
  /// Starts an exchange that compresses, among two members or more.
  [[nodiscard]] virtual Finish start_compressed(const BucketExchange& exchange) = 0;

  /// The bucket's error feedback: what was not sent, in units of the weighted sum.
  [[nodiscard]] std::span<float> residual(const BucketExchange& exchange) {
    return memory_.numbers<float>(
        exchange.index, "residual", static_cast<std::size_t>(exchange.count()));
  }
  [[nodiscard]] BucketMemory& memory() { return memory_; }

 private:
  BucketMemory memory_;
  std::int64_t steps_ = 0;
};

/// The needs of a method, and its construction.
struct CompressionMethod {
  std::string_view name;
  std::string_view summary;  ///< one line for `epochcast list compressions`
  std::string_view source;
  bool has_error_feedback = false;
  std::string_view collectives;  ///< "all-reduce", ...
  std::span<const StrategySetting* const> settings = {};
  /// The one of these with the steps before it compresses; null if it compresses all.
  const StrategySetting* warm_up = nullptr;
  /// The method of the worker with this rank.
  std::unique_ptr<Compression> (*make)(const JobConfig& config, int rank) = nullptr;

  [[nodiscard]] bool has(std::string_view setting) const;
};

/// Every method, in the order in which `list` shows them.
[[nodiscard]] std::span<const CompressionMethod> compressions();
/// The settings of all methods but those of warm-ups, each once.
[[nodiscard]] std::vector<const StrategySetting*> kernel_settings();
/// The one of that name; null for "none". Throws a UserError with the closest name.
[[nodiscard]] const CompressionMethod* find_compression(std::string_view name);
/// A note if the first exchanges of a job of so many, or all of them, travel whole; else empty.
[[nodiscard]] std::string warm_up_note(const JobConfig& config, std::int64_t exchanges);
/// The job's compression for the worker of this rank; null if it has none.
[[nodiscard]] std::unique_ptr<Compression> make_compression(const JobConfig& config, int rank);

}  // namespace epochcast
