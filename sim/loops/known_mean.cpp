// SPDX-License-Identifier: Apache-2.0
#include "sim/loops/known_mean.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace epochcast::sim {
namespace {

constexpr double kConfidence = 0.95;

}  // namespace

double relative_half_width(std::span<const double> samples) {
  const auto count = static_cast<double>(samples.size());
  const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / count;
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  const boost::math::students_t distribution(count - 1);
  const double half = boost::math::quantile(distribution, 0.5 + kConfidence / 2) *
                      std::sqrt(squares / (count - 1) / count);
  return half / mean;
}

bool is_mean_known(std::span<const double> samples) {
  return samples.size() >= 2 && relative_half_width(samples) <= kMeanTolerance;
}

}  // namespace epochcast::sim
