// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/fabric.hpp"

namespace epochcast::tests {

/// Collects the failures of one worker; assertions of a test framework may not work in a fabric's
/// workers (threads, actors, processes).
class Expectations {
 public:
  /// Times may differ by `slack_s`: 0 up to rounding on simulated clocks, scheduling noise on real
  /// ones.
  explicit Expectations(double slack_s) : slack_s_(slack_s + 1e-9) {}

  void is_true(bool holds, const std::string& what);
  void equal(double actual, double expected, const std::string& what);
  void equal(std::span<const float> actual,
             const std::vector<float>& expected,
             const std::string& what);
  void near_s(double actual_s, double expected_s, const std::string& what);
  /// `times`: number of clock readings behind the compared value.
  void at_least_s(double actual_s, double least_s, const std::string& what, double times = 1);

  /// One line per broken expectation.
  [[nodiscard]] const std::string& broken() const { return broken_; }
  /// Whether numbers are wrong, which no load of the machine explains.
  [[nodiscard]] bool has_wrong_numbers() const { return has_wrong_numbers_; }

 private:
  double slack_s_;
  std::string broken_;
  bool has_wrong_numbers_ = false;
};

/// The program of every worker of a claim.
using FabricProgram = std::function<void(Fabric&, Expectations&)>;

/// One sentence of Fabric's contract, and the program that checks it.
struct FabricClaim {
  std::string text;
  std::vector<int> node_of_rank;  ///< the job's layout: one worker per entry
  FabricProgram program;
};

/// The contract of every implementation of Fabric.
[[nodiscard]] std::vector<FabricClaim> fabric_contract();

/// Runs `program` on a fabric with one worker per entry of `node_of_rank`, and returns the workers'
/// failures, "" if there are none.
using FabricRunner =
    std::function<std::string(const std::vector<int>& node_of_rank, const FabricProgram& program)>;

/// The text and layout of a claim, as a section's name.
[[nodiscard]] std::string name_of(const FabricClaim& claim);

}  // namespace epochcast::tests
