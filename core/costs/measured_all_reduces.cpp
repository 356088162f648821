// SPDX-License-Identifier: Apache-2.0
#include "core/costs/measured_all_reduces.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace epochcast {
namespace {

/// Those by this algorithm among this number of ranks, by size.
std::vector<MeasuredAllReduce> alike(const std::vector<MeasuredAllReduce>& all,
                                     const std::string& algorithm,
                                     int ranks) {
  std::vector<MeasuredAllReduce> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some), [&](const auto& each) {
    return each.algorithm == algorithm && each.ranks == ranks;
  });
  std::stable_sort(
      some.begin(), some.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  return some;
}

}  // namespace

double measured_factor(const std::vector<MeasuredAllReduce>& all_reduces,
                       const std::string& algorithm,
                       double bytes,
                       int ranks) {
  const std::vector<MeasuredAllReduce> known = alike(all_reduces, algorithm, ranks);
  if (known.empty()) return 1;
  const auto factor = [](const MeasuredAllReduce& each) {
    return each.measured_s / each.forecast_s;
  };
  const auto above = std::lower_bound(
      known.begin(), known.end(), bytes, [](const MeasuredAllReduce& each, double size) {
        return each.bytes < size;
      });
  if (above == known.begin()) return factor(*above);
  if (above == known.end()) return factor(known.back());
  const MeasuredAllReduce& below = *(above - 1);
  return std::lerp(factor(below),
                   factor(*above),
                   std::log(bytes / below.bytes) / std::log(above->bytes / below.bytes));
}

double uncertainty_of(const std::vector<MeasuredAllReduce>& all_reduces,
                      double of_messages,
                      const std::string& algorithm,
                      double bytes,
                      int ranks) {
  const bool is_library = algorithm == kLibrary;
  const bool is_measured =
      std::any_of(all_reduces.begin(), all_reduces.end(), [&](const auto& each) {
        return each.algorithm == algorithm && each.ranks == ranks;
      });
  std::vector<const MeasuredAllReduce*> alike;
  for (const MeasuredAllReduce& each : all_reduces) {
    const bool is_of_these = is_measured ? each.ranks == ranks : !each.is_extrapolated;
    if (is_of_these && (each.algorithm == kLibrary) == is_library) alike.push_back(&each);
  }
  double below = 0;
  double above = std::numeric_limits<double>::infinity();
  for (const MeasuredAllReduce* each : alike) {
    if (each->bytes <= bytes) below = std::max(below, each->bytes);
    if (each->bytes >= bytes) above = std::min(above, each->bytes);
  }
  double sum = 0;
  double count = 0;
  for (const MeasuredAllReduce* each : alike) {
    if (each->bytes != below && each->bytes != above) continue;
    const double off =
        is_measured ? each->deviation : std::log(each->forecast_s / each->measured_s);
    sum += off * off;
    ++count;
  }
  const double of_all_reduces = count > 0 ? std::sqrt(sum / count) : 0;
  if (is_measured) return std::min(of_all_reduces, kMostUncertainty);
  return std::clamp(of_all_reduces, of_messages, std::max(of_messages, kMostUncertainty));
}

}  // namespace epochcast
