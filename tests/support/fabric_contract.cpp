// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fabric_contract.hpp"

#include <algorithm>
#include <cmath>

#include "tests/support/fabric_claims.hpp"

namespace epochcast::tests {
namespace {

std::string text_of(std::span<const float> values) {
  std::string text = "[";
  for (const float value : values) text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "]";
}

/// The first difference of two long lists, and its size.
std::string difference_of(std::span<const float> actual, std::span<const float> expected) {
  const auto [at, expected_at] = std::ranges::mismatch(actual, expected);
  if (at == actual.end() || expected_at == expected.end())
    return std::to_string(actual.size()) + " numbers, not " + std::to_string(expected.size());
  return "number " + std::to_string(at - actual.begin()) + " is " + std::to_string(*at) + ", not " +
         std::to_string(*expected_at);
}

}  // namespace

void Expectations::is_true(bool holds, const std::string& what) {
  if (!holds) broken_ += what + "\n";
}

void Expectations::equal(double actual, double expected, const std::string& what) {
  const bool holds = std::abs(actual - expected) <= 1e-9 * std::max(1.0, std::abs(expected));
  has_wrong_numbers_ = has_wrong_numbers_ || !holds;
  is_true(holds, what + ": " + std::to_string(actual) + ", not " + std::to_string(expected));
}

void Expectations::equal(std::span<const float> actual,
                         const std::vector<float>& expected,
                         const std::string& what) {
  constexpr std::size_t kMostShown = 100;
  if (std::ranges::equal(actual, expected)) return;
  has_wrong_numbers_ = true;
  const bool is_short = std::max(actual.size(), expected.size()) <= kMostShown;
  is_true(false,
          what + ": " +
              (is_short ? text_of(actual) + ", not " + text_of(expected)
                        : difference_of(actual, expected)));
}

void Expectations::near_s(double actual_s, double expected_s, const std::string& what) {
  is_true(std::abs(actual_s - expected_s) <= slack_s_,
          what + ": " + std::to_string(actual_s) + " s, not " + std::to_string(expected_s) + " s");
}

void Expectations::at_least_s(double actual_s,
                              double least_s,
                              const std::string& what,
                              double times) {
  is_true(actual_s >= least_s - times * slack_s_,
          what + ": " + std::to_string(actual_s) + " s, below " + std::to_string(least_s) + " s");
}

std::vector<FabricClaim> fabric_contract() {
  std::vector<FabricClaim> claims = claims_about_numbers();
  for (FabricClaim& claim : claims_about_time()) claims.push_back(std::move(claim));
  for (FabricClaim& claim : claims_about_messages()) claims.push_back(std::move(claim));
  for (FabricClaim& claim : claims_about_any()) claims.push_back(std::move(claim));
  for (FabricClaim& claim : claims_about_deals()) claims.push_back(std::move(claim));
  for (FabricClaim& claim : claims_about_types()) claims.push_back(std::move(claim));
  return claims;
}

std::string name_of(const FabricClaim& claim) {
  std::string layout;
  for (const int node : claim.node_of_rank) {
    layout += (layout.empty() ? "" : ", ") + std::to_string(node);
  }
  return claim.text + " (nodes " + layout + ")";
}

}  // namespace epochcast::tests
