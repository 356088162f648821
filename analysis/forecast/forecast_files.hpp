// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/process/helpers.hpp"
#include "base/process/keyed_locks.hpp"
#include "base/process/process_pool.hpp"
#include "core/job/job.hpp"
#include "results/forecast_outcome.hpp"

namespace epochcast {

/// Forecasts in a folder that several processes share: a sealed file each,
/// `epochcast.kept-forecast/1`, named by all inputs of the forecast.
class ForecastFiles {
 public:
  /// Creates the folder; the catalogue must outlive the object. Throws a RunError.
  ForecastFiles(const std::filesystem::path& folder, const Catalog& catalog);

  /// A checksum of the inputs of a forecast: job_inputs(), the strategy and this program. Throws a
  /// UserError when a file cannot be read.
  [[nodiscard]] std::string key_of(const ForecastTask& task, const Job& job) const;
  /// None if it is not there, or its file is damaged.
  [[nodiscard]] std::optional<TaskAnswer> read(const std::string& key) const;
  /// Throws a RunError when it cannot be written.
  void write(const std::string& key, const TaskAnswer& answer) const;

  [[nodiscard]] const KeyedLocks& locks() const { return locks_; }

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& key) const;

  std::filesystem::path folder_;
  const Catalog& catalog_;
  KeyedLocks locks_;
};

/// Where the points of a sweep are computed and kept.
struct ForecastPlace {
  std::shared_ptr<const ForecastFiles> kept = {};  ///< null: nowhere
  std::shared_ptr<Helpers> helpers = {};           ///< compute instead of this process; null: none
  bool computes = true;                            ///< if not, what is not kept fails
};

}  // namespace epochcast
