// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "results/result.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {

/// A folder with experiments of `epochcast validate`, and a cluster that measures and runs nothing:
/// its results come from files.
class FakeCluster {
 public:
  /// Runs take 5 s, until run_takes() changes it.
  FakeCluster();

  void run_takes(double epoch_s,
                 const std::vector<TimedRank>& batches = {},
                 const std::optional<TimedExchanges>& exchanges = {}) const;

  /// An experiment of a row, or a list of them, on pair.json, or one that trains; `more` replaces
  /// its settings.
  void experiment(const std::string& file,
                  const std::string& network,
                  const nlohmann::json& rows,
                  const std::string& command = "emulate",
                  const nlohmann::json& more = nlohmann::json::object()) const;

  [[nodiscard]] Outcome validate(const std::string& files, int repetitions = 1) const;

  /// The cluster's commands since the last call. A command that `broken` names fails.
  [[nodiscard]] std::vector<std::string> calls() const;

  /// The folder of the only kept result with this prefix.
  [[nodiscard]] std::filesystem::path kept(const std::string& prefix) const;

  Folder folder;
};

}  // namespace epochcast::tests
