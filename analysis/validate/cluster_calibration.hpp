// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/calibrate/network_fit.hpp"
#include "analysis/forecast/kept_results.hpp"
#include "analysis/validate/cluster_commands.hpp"
#include "analysis/validate/cluster_runner.hpp"
#include "core/formats/message_trace.hpp"
#include "core/job/job.hpp"
#include "results/result.hpp"

namespace epochcast {

/// The prefix of kept results with messages, and the name of their file.
inline constexpr const char* kMessagesPrefix = "messages";
inline constexpr const char* kMessagesFile = "messages.json";

/// A case with the calibrated platform and costs instead of its own.
struct CalibratedCase {
  JobConfig config;
  Platform platform;  ///< that of JobConfig::platform, without figures
};

/// A cluster that is measured once and calibrated; forecasts of its cases use nothing else. Kept
/// measurements of the same commands, surroundings, programs and input files are not repeated.
class ClusterCalibration {
 public:
  /// `program`: epochcast itself, beside the programs that measure. `kept` and `catalog` outlive
  /// this.
  ClusterCalibration(ValidationCluster cluster,
                     std::filesystem::path program,
                     const Catalog& catalog,
                     const KeptResults& kept);

  [[nodiscard]] const ValidationCluster& cluster() const { return runner_.cluster(); }

  /// Plans messages up to the size of the calibrated network's gradients and, for `train`, batches.
  /// To be called before measure().
  void expect(const ValidationCase& one);

  /// Measures messages and batches, once. Throws a RunError if a command fails, a UserError if
  /// messages cannot be fitted.
  void measure();

  /// The job of a forecast; its platform is kept as a file, too. To be called after measure().
  /// Throws a UserError if the case's settings do not turn the calibrated machines into its own.
  [[nodiscard]] CalibratedCase calibrated(const ValidationCase& one) const;

  /// The sizes of messages that are measured, ascending.
  [[nodiscard]] std::vector<std::int64_t> sizes() const;

 private:
  struct Batches {
    MeasuredKernels kernels;
    std::filesystem::path file;
  };

  void measure_messages();
  /// The file of batches that this command measures.
  [[nodiscard]] std::filesystem::path measured_batches(const std::vector<std::string>& words);
  /// The measured costs of a rank's batches in the case.
  [[nodiscard]] std::filesystem::path trace_of_rank(const ValidationCase& one,
                                                    std::size_t rank) const;
  [[nodiscard]] Platform platform_of(const ValidationCase& one, JobConfig& config) const;

  ClusterRunner runner_;
  const Catalog& catalog_;
  const KeptResults& kept_;
  double most_bytes_ = 0;
  MessageTrace messages_;
  std::optional<NetworkFit> fit_;
  std::map<std::vector<std::string>, Batches> batches_;  ///< by batch_words()
};

}  // namespace epochcast
