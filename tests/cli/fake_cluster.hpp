// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/formats/result.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {

/// A folder with experiments of `epochcast validate`, whose cluster measures nothing and runs
/// nothing: it tells what files say.
class FakeCluster {
 public:
  /// Runs take 5 s, until run_takes() says otherwise.
  FakeCluster();

  void run_takes(double epoch_s,
                 const std::vector<TimedRank>& batches = {},
                 const std::optional<TimedExchanges>& exchanges = {}) const;

  /// An experiment of a row, or a list of them, on pair.json, or one that trains; `more` goes over
  /// its settings.
  void experiment(const std::string& file,
                  const std::string& network,
                  const nlohmann::json& rows,
                  const std::string& command = "emulate",
                  const nlohmann::json& more = nlohmann::json::object()) const;

  [[nodiscard]] Outcome validate(const std::string& files, int repetitions = 1) const;

  /// What was asked of the cluster since the last time. A command that `broken` names fails.
  [[nodiscard]] std::vector<std::string> calls() const;

  /// The folder of the only kept result that begins so.
  [[nodiscard]] std::filesystem::path kept(const std::string& prefix) const;

  Folder folder;
};

}  // namespace epochcast::tests
