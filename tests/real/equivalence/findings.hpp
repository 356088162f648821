// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tests/real/equivalence/trial.hpp"

namespace epochcast::tests {

/// Largest distance of the results of two trainings that differ only in the order of additions,
/// relative to the distance from the start. A rounding is 6e-8 of a number, and eight steps
/// propagate it through the network. Measured: up to 3e-6, printed for every case; the rest is a
/// margin for machines with another order of additions in BLAS. Wrong weights or samples: 0.08.
constexpr double kRounding = 2e-5;

/// Largest difference of a parameter, relative to the largest change of any in `b`.
[[nodiscard]] double distance(const Outcome& a, const Outcome& b);

/// Collects the failures of a case. Outcomes are the same on every rank, and so are findings.
class Findings {
 public:
  void is_true(bool holds, const std::string& what);
  /// The same up to the order of additions.
  void is_near(const Outcome& a, const Outcome& b, const std::string& what);
  /// Further apart than by rounding: a test of the test.
  void is_far(const Outcome& a, const Outcome& b, const std::string& what);
  /// The same bits on a CPU. A GPU's libraries may add in another order in another process.
  void is_identical(const Outcome& a, const Outcome& b, const std::string& what);
  /// Every rank ends with the same bits.
  void ranks_agree(const Outcome& outcome, const std::string& what);

  /// The failures, a line each; empty: none.
  [[nodiscard]] const std::string& broken() const { return broken_; }
  /// Measured distances, for the reader.
  [[nodiscard]] const std::string& notes() const { return notes_; }

 private:
  std::string broken_;
  std::string notes_;
};

/// A claim, and the numbers of ranks for its check.
struct Case {
  std::string claim;
  std::vector<int> ranks;
  std::function<void(int ranks, Findings& findings)> check;
};

[[nodiscard]] std::vector<Case> gradient_cases();   ///< sync, hetgrad, dlb, byteps
[[nodiscard]] std::vector<Case> parameter_cases();  ///< local-sgd, biased-local-sgd, node-based
/// Compressed gradients and averages.
[[nodiscard]] std::vector<Case> compression_cases();
[[nodiscard]] std::vector<Case> exchange_cases();  ///< overlap, all-reduce algorithms, agreement
[[nodiscard]] std::vector<Case> server_cases();    ///< ps-sync and others with parameter servers
[[nodiscard]] std::vector<Case> peer_cases();      ///< gossip, decentralized, time-synced
[[nodiscard]] std::vector<Case> sample_cases();    ///< the samples of each worker
[[nodiscard]] std::vector<Case> plain_cases();     ///< against LibTorch alone

}  // namespace epochcast::tests
