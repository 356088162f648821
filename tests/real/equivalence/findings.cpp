// SPDX-License-Identifier: Apache-2.0
#include "tests/real/equivalence/findings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "tests/real/test_device.hpp"

namespace epochcast::tests {
namespace {

std::string short_text(double value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.1e", value);
  return text.data();
}

/// Compares all bits, which distinguishes NaN and -0.
bool have_same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && !a.empty() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

double distance(const Outcome& a, const Outcome& b) {
  const std::vector<float>& ends_a = a.parameters.at(0);
  const std::vector<float>& ends_b = b.parameters.at(0);
  if (ends_a.size() != ends_b.size() || !have_same_bits(a.start, b.start))
    return std::numeric_limits<double>::infinity();
  double difference = 0;
  double way = 0;
  for (std::size_t i = 0; i < ends_a.size(); ++i) {
    const auto from = static_cast<double>(b.start[i]);
    const auto to = static_cast<double>(ends_b[i]);
    const double off = std::abs(static_cast<double>(ends_a[i]) - to);
    if (std::isnan(off)) return off;
    difference = std::max(difference, off);
    way = std::max(way, std::abs(to - from));
  }
  return difference / way;
}

void Findings::is_true(bool holds, const std::string& what) {
  if (!holds) broken_ += "  " + what + "\n";
}

void Findings::is_near(const Outcome& a, const Outcome& b, const std::string& what) {
  const double off = distance(a, b);
  notes_ += " " + short_text(off);
  is_true(off <= kRounding, what + ": off by " + short_text(off) + " of the way");
}

void Findings::is_far(const Outcome& a, const Outcome& b, const std::string& what) {
  const double off = distance(a, b);
  notes_ += " not:" + short_text(off);
  is_true(off > 100 * kRounding, what + ": off by only " + short_text(off) + " of the way");
}

void Findings::is_identical(const Outcome& a, const Outcome& b, const std::string& what) {
  const bool adds_in_order = test_device() == "cpu";
  is_true(have_same_bits(a.parameters.at(0), b.parameters.at(0)) ||
              (!adds_in_order && distance(a, b) <= kRounding),
          what + ": bits differ, by up to " + short_text(distance(a, b)) + " of the way");
  is_true(!have_same_bits(a.parameters.at(0), a.start), what + ": nothing was trained");
}

void Findings::ranks_agree(const Outcome& outcome, const std::string& what) {
  for (std::size_t rank = 1; rank < outcome.parameters.size(); ++rank) {
    is_true(have_same_bits(outcome.parameters[rank], outcome.parameters[0]),
            what + ": rank " + std::to_string(rank) + " ends with other bits than rank 0");
  }
}

}  // namespace epochcast::tests
