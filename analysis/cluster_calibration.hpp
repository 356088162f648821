// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/network_fit.hpp"
#include "analysis/validation_plan.hpp"
#include "core/job.hpp"
#include "core/message_trace.hpp"

namespace epochcast {

/// A cluster of a validation: commands run on it, what they measured is kept in a folder, and
/// forecasts rest on that. Where a file is there already, nothing is measured again.
class ClusterCalibration {
 public:
  /// `program`: epochcast itself. `folder` is made.
  ClusterCalibration(ValidationCluster cluster,
                     std::filesystem::path program,
                     const Catalog& catalog,
                     std::filesystem::path folder);

  [[nodiscard]] const ValidationCluster& cluster() const { return cluster_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  /// Runs a command of epochcast on the cluster; what it writes to stdout. Its stderr goes to
  /// `log`. Throws a RunError with the last of it when it fails.
  [[nodiscard]] std::string output_of(const std::vector<std::string>& words,
                                      const std::filesystem::path& log) const;

  /// Messages, once per session: the machine is not the same at all times.
  void measure_messages(std::size_t session);

  /// Batches of case number `number`, which trains, with all ranks at it and slowed as in training:
  /// as session number `session` of the case's `repetition`.
  void measure_batches(const ValidationCase& one,
                       std::size_t number,
                       std::size_t repetition,
                       std::int64_t session) const;

  /// The configuration with the calibrated platform in the place of the case's own, and with the
  /// costs measured around its `repetition` where it trains. All messages have to be measured.
  [[nodiscard]] JobConfig forecast_config(const ValidationCase& one,
                                          std::size_t number,
                                          std::size_t repetition);

 private:
  /// The same for all cases.
  struct MeasuredNetwork {
    MessageTrace trace;
    nlohmann::ordered_json document;  ///< of the trace's first session
    NetworkFit fit;
  };

  [[nodiscard]] std::filesystem::path batches(std::size_t number, std::size_t repetition) const;

  ValidationCluster cluster_;
  std::filesystem::path program_;
  const Catalog& catalog_;
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> messages_;
  std::optional<MeasuredNetwork> network_;  ///< once all messages are measured
};

}  // namespace epochcast
