// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/calibrate/network_fit.hpp"
#include "analysis/forecast/kept_results.hpp"
#include "analysis/validate/cluster_runner.hpp"
#include "core/formats/message_trace.hpp"
#include "core/formats/result.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// How results with messages begin, and the file in them.
inline constexpr const char* kMessagesPrefix = "messages";
inline constexpr const char* kMessagesFile = "messages.json";

/// A cluster that is measured once and calibrated; forecasts of its cases rest on that alone.
/// Nothing is measured again that is kept of the same commands, in the same surroundings, with the
/// same programs and contents of input files.
class ClusterCalibration {
 public:
  /// `program`: epochcast itself, beside the programs that measure. `kept` and `catalog` outlive
  /// this.
  ClusterCalibration(ValidationCluster cluster,
                     std::filesystem::path program,
                     const Catalog& catalog,
                     const KeptResults& kept);

  [[nodiscard]] const ValidationCluster& cluster() const { return runner_.cluster(); }

  /// Has messages measured up to the gradients of what is calibrated for the case, and its batches
  /// where it trains. Before measure().
  void expect(const ValidationCase& one);

  /// Messages and batches, once. Throws a RunError when a command fails, a UserError when messages
  /// cannot be fitted.
  void measure();

  /// The case with the calibrated platform and costs in the place of its own. After measure().
  /// Throws a UserError where the case asks about other machines than its settings make of the
  /// calibrated ones.
  [[nodiscard]] JobConfig forecast_config(const ValidationCase& one) const;

  /// The sizes of messages that are measured, ascending.
  [[nodiscard]] std::vector<std::int64_t> sizes() const;
  [[nodiscard]] const MessageTrace& messages() const { return messages_; }
  /// What a rank's batches of the case cost, as measured.
  [[nodiscard]] std::filesystem::path trace_of_rank(const ValidationCase& one,
                                                    std::size_t rank) const;

 private:
  void measure_messages();
  void measure_batches(const std::vector<std::string>& words);
  [[nodiscard]] Platform platform_of(const ValidationCase& one, JobConfig& config) const;

  ClusterRunner runner_;
  const Catalog& catalog_;
  const KeptResults& kept_;
  double most_bytes_ = 0;
  MessageTrace messages_;
  std::optional<NetworkFit> fit_;
  /// By the command that measures them, their file.
  std::map<std::vector<std::string>, std::filesystem::path> batches_;
};

}  // namespace epochcast
