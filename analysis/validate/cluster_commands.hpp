// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/validate/validation_plan.hpp"
#include "core/job/job.hpp"

namespace epochcast {

// Commands of epochcast that a validation starts on its clusters: the words after the program.

/// The sizes of messages and all-reduces that are measured for exchanges of up to `most_bytes`,
/// ascending, in whole floats. `most_bytes` is one of them if it is large, because messages that do
/// not fit in caches take longer.
[[nodiscard]] std::vector<std::int64_t> message_sizes(double most_bytes);

/// The bytes of the gradients that a job exchanges, as 32-bit floats.
[[nodiscard]] double gradient_bytes(const JobConfig& config, const Catalog& catalog);

/// Measures messages: ring steps, point-to-point, and two kinds of all-reduce, independent of the
/// cases. Rings send and receive at once, trees in one direction.
[[nodiscard]] std::vector<std::string> message_words(const ValidationCluster& cluster,
                                                     const std::vector<std::int64_t>& sizes);

/// Measures batches of half, all and twice the calibrated size, for a case that trains;
/// `--device-name` is kMeasuredDevice. Equal for cases that differ only in strategy, all-reduce,
/// overlap, compression or batch.
[[nodiscard]] std::vector<std::string> batch_words(const ValidationCase& one);
inline constexpr const char* kMeasuredDevice = "this-cpu";

/// The compressions of cases with equal batch_words().
struct MeasuredKernels {
  std::set<std::string> compressions;
  std::map<std::string, std::string> settings;

  /// Adds that of a case. Throws a UserError if its setting has another value than before.
  void add(const JobConfig& config);
  /// batch_words() that measure them, too.
  [[nodiscard]] std::vector<std::string> words_after(std::vector<std::string> words) const;
};

/// Runs a configuration for real.
[[nodiscard]] std::vector<std::string> run_words(Command command, const JobConfig& config);

}  // namespace epochcast
