// SPDX-License-Identifier: Apache-2.0
#include "base/text/suggest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace epochcast {
namespace {

/// Letters inserted, deleted, replaced, or swapped with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last, row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace

std::string closest_name(std::string_view name, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  if (name.size() > 200) return best;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  if (!best.empty()) return best;
  for (const std::string& candidate : known) {  // a prefix is no typing error, but a good guess
    if (name.size() >= 3 && candidate.starts_with(name)) return candidate;
  }
  return best;
}

std::string unknown_name(std::string_view kind,
                         std::string_view name,
                         const std::vector<std::string>& known) {
  std::string text = "unknown " + std::string(kind) + " \"" + std::string(name) + "\"; ";
  const std::string closest = closest_name(name, known);
  if (!closest.empty()) return text + "did you mean \"" + closest + "\"?";
  text += "known: ";
  for (std::size_t i = 0; i < known.size(); ++i) text += (i == 0 ? "" : ", ") + known[i];
  return text;
}

std::string unknown_option(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t kMostListed = 20;
  if (known.size() <= kMostListed || !closest_name(name, known).empty())
    return unknown_name("option", name, known);
  return "unknown option \"" + std::string(name) + "\"; `--help all` lists the options";
}

}  // namespace epochcast
