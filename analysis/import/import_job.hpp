// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/import/all_reduce_costs.hpp"
#include "analysis/import/iteration_table.hpp"
#include "core/formats/cost_trace.hpp"

namespace epochcast {

/// The options of an import.
struct ImportSettings {
  std::vector<std::filesystem::path> files = {};  ///< profiles of one job's ranks, or tables
  /// Samples per rank and iteration; absent: from tables or the shapes in profiles.
  std::optional<std::int64_t> batch = {};
  std::vector<std::int64_t> input = {};  ///< shape of a sample
  std::int64_t skip = 1;                 ///< first iterations of each rank, left out
  int ranks_per_node = 0;                ///< 0: all ranks on one node
  /// The time of an iteration without the profiler: computation, which the profiler slows down, is
  /// scaled to it.
  std::optional<double> iteration_s = {};
  TimeColumn column = {};  ///< of tables
};

/// The costs of a job from its own records.
struct ImportedJob {
  std::vector<BatchSamples> batches;  ///< ascending sizes, then ranks
  AllReduceCosts all_reduces;
  bool has_profiles = false;                    ///< rather than tables
  std::optional<double> began_s;                ///< seconds since 1970
  std::map<std::string, std::string> versions;  ///< of libraries, by their names
  std::string note;                             ///< method of sampling, for a trace's source
  std::vector<std::string> findings;            ///< findings by file, a line each
};

/// Reads the files. Throws a UserError for missing or wrong data.
[[nodiscard]] ImportedJob import_job(const ImportSettings& settings);

}  // namespace epochcast
