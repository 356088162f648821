// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/calibrate/network_fit.hpp"
#include "analysis/forecast/kept_results.hpp"
#include "analysis/validate/validation_plan.hpp"
#include "core/formats/message_trace.hpp"
#include "core/formats/result.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// How results with messages begin, and the file in them.
inline constexpr const char* kMessagesPrefix = "messages-";
inline constexpr const char* kMessagesFile = "messages.json";

/// What a case took for real, once.
struct RealRun {
  RunResult result = {};
  /// What was measured right before and after it, where the case trains; of slowed ranks beside it.
  std::filesystem::path batches = {};
};

/// How often a case runs in each repetition. One that trains is short beside what measures its
/// batches, on machines whose cores change their speed by the second, so it runs several times in a
/// row.
[[nodiscard]] int runs_in_a_row(Command command);

/// A cluster of a validation: commands run on it, what they measured and took is kept, and
/// forecasts rest on what was measured. Nothing is measured or run again that is kept of the same
/// commands, in the same surroundings, with the same programs and contents of input files.
class ClusterCalibration {
 public:
  /// `program`: epochcast itself, beside the programs that measure and run. `kept` and `catalog`
  /// outlive this.
  ClusterCalibration(ValidationCluster cluster,
                     std::filesystem::path program,
                     const Catalog& catalog,
                     const KeptResults& kept);

  [[nodiscard]] const ValidationCluster& cluster() const { return cluster_; }

  /// Has the case's all-reduce measured with the messages, and those up to what it exchanges.
  void expect(const ValidationCase& one);

  /// Messages, once per session: the machine is not the same at all times.
  void measure_messages(std::size_t session);

  /// One repetition of a case, run for real, runs_in_a_row. Where the case trains, batches are
  /// measured before and after each run with all ranks at it, slowed as in training: all these
  /// belong together and are kept, or done again, together. Throws a RunError when one of them
  /// fails.
  [[nodiscard]] std::vector<RealRun> run(const ValidationCase& one, std::size_t repetition) const;

  /// The configuration with the calibrated platform in the place of the case's own, at the speed
  /// that exchanges had around `run`, and with the costs measured around it where it trains. Rests
  /// on all messages measured so far, at least one session. Throws a UserError when these cannot be
  /// fitted.
  [[nodiscard]] JobConfig forecast_config(const ValidationCase& one, const RealRun& run);

 private:
  /// The same for all cases.
  struct MeasuredNetwork {
    MessageTrace trace;
    NetworkFit fit;
  };

  /// Runs a command of epochcast on the cluster; what it writes to stdout. Its stderr goes to
  /// `log`. Throws a RunError with the last of it when it fails.
  [[nodiscard]] std::string output_of(const std::vector<std::string>& words,
                                      const std::filesystem::path& log) const;
  [[nodiscard]] double gradient_bytes(const ValidationCase& one) const;
  /// What all results of the cluster depend on; `programs` do the work.
  [[nodiscard]] nlohmann::json place(const std::vector<std::string>& programs) const;
  ValidationCluster cluster_;
  std::filesystem::path program_;
  const Catalog& catalog_;
  const KeptResults& kept_;
  /// Rings go both ways at once, trees one way; what both show is doubted of others, too.
  std::set<std::string> all_reduces_ = {"ring", "binary-tree"};
  double most_bytes_ = 0;  ///< that a case exchanges
  std::vector<std::filesystem::path> messages_;
  std::optional<MeasuredNetwork> network_;  ///< of these messages, once it is asked for
};

}  // namespace epochcast
