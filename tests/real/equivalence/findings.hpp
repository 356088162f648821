// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tests/real/equivalence/trial.hpp"

namespace epochcast::tests {

/// How far from where one training ends another may, as a share of the way that it went, when they
/// differ in the order of additions alone. A rounding is 6e-8 of a number, and eight steps carry it
/// through the network. Measured: up to 3e-6, printed for every case; the rest is for machines
/// whose BLAS adds in yet another order. A wrong weight or sample is off by 0.08 or more.
constexpr double kRounding = 2e-5;

/// Largest difference of a parameter, as a share of the largest way that one went in `b`.
[[nodiscard]] double distance(const Outcome& a, const Outcome& b);

/// Collects what a case finds broken. Outcomes are the same on every rank, and so are findings.
class Findings {
 public:
  void is_true(bool holds, const std::string& what);
  /// The same up to the order of additions.
  void is_near(const Outcome& a, const Outcome& b, const std::string& what);
  /// Further apart than rounding explains: a test of the test.
  void is_far(const Outcome& a, const Outcome& b, const std::string& what);
  /// On a CPU the same bits. A GPU's libraries may add in another order in another process.
  void is_identical(const Outcome& a, const Outcome& b, const std::string& what);
  /// Every rank ends with the same bits.
  void ranks_agree(const Outcome& outcome, const std::string& what);

  /// What is broken, a line each; empty: nothing.
  [[nodiscard]] const std::string& broken() const { return broken_; }
  /// Measured distances, for the reader.
  [[nodiscard]] const std::string& notes() const { return notes_; }

 private:
  std::string broken_;
  std::string notes_;
};

/// A claim, and the numbers of ranks that it is checked with.
struct Case {
  std::string claim;
  std::vector<int> ranks;
  std::function<void(int ranks, Findings& findings)> check;
};

[[nodiscard]] std::vector<Case> gradient_cases();   ///< sync, hetgrad, dlb, byteps
[[nodiscard]] std::vector<Case> parameter_cases();  ///< local-sgd, biased-local-sgd, node-based
[[nodiscard]] std::vector<Case> exchange_cases();   ///< overlap, all-reduce algorithms, agreement
[[nodiscard]] std::vector<Case> sample_cases();     ///< who sees which samples
[[nodiscard]] std::vector<Case> plain_cases();      ///< against LibTorch alone

}  // namespace epochcast::tests
