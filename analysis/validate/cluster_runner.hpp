// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/validate/validation_plan.hpp"

namespace epochcast {

/// Runs commands of epochcast on a cluster.
class ClusterRunner {
 public:
  /// `program`: epochcast itself, beside the programs that measure and run.
  ClusterRunner(ValidationCluster cluster, std::filesystem::path program);

  [[nodiscard]] const ValidationCluster& cluster() const { return cluster_; }

  /// The command's stdout; its stderr goes to `log`. Throws a RunError with the end of `log` if it
  /// fails.
  [[nodiscard]] std::string output_of(const std::vector<std::string>& words,
                                      const std::filesystem::path& log) const;

  /// The conditions of all results of the cluster; `programs` do the work.
  [[nodiscard]] nlohmann::json place(const std::vector<std::string>& programs) const;

 private:
  ValidationCluster cluster_;
  std::filesystem::path program_;
};

}  // namespace epochcast
