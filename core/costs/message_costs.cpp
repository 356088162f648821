// SPDX-License-Identifier: Apache-2.0
#include "core/costs/message_costs.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace epochcast {

const MessageRegime& MessageCosts::regime(double bytes) const {
  const auto after = std::upper_bound(
      regimes.begin() + 1, regimes.end(), bytes, [](double size, const MessageRegime& regime) {
        return size < regime.from_bytes;
      });
  return *(after - 1);
}

MessageCosts between_ends(const MessageCosts& a, const MessageCosts& b) {
  MessageCosts both = a;
  both.uncertainty = std::max(a.uncertainty, b.uncertainty);
  both.all_reduces.insert(both.all_reduces.end(), b.all_reduces.begin(), b.all_reduces.end());
  for (const std::string& note : b.notes) {
    if (std::find(a.notes.begin(), a.notes.end(), note) == a.notes.end())
      both.notes.push_back(note);
  }
  std::set<double> sizes;
  for (const MessageCosts* costs : {&a, &b}) {
    for (const MessageRegime& regime : costs->regimes) sizes.insert(regime.from_bytes);
  }
  both.regimes.clear();
  for (const double bytes : sizes) {
    const MessageRegime& of_a = a.regime(bytes);
    const MessageRegime& of_b = b.regime(bytes);
    both.regimes.push_back({.from_bytes = bytes,
                            .latency_s = std::midpoint(of_a.latency_s, of_b.latency_s),
                            .bytes_per_s = std::min(of_a.bytes_per_s, of_b.bytes_per_s)});
  }
  return both;
}

}  // namespace epochcast
