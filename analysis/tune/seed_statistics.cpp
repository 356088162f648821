// SPDX-License-Identifier: Apache-2.0
#include "analysis/tune/seed_statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/hypergeometric.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstddef>
#include <functional>

namespace epochcast {
namespace {

/// Samples that were classified correctly.
std::int64_t correct_of(double accuracy, std::int64_t samples) {
  constexpr double kRounding = 1e-6;
  const double correct = std::floor(accuracy * static_cast<double>(samples) + kRounding);
  return std::clamp(static_cast<std::int64_t>(correct), std::int64_t{0}, samples);
}

}  // namespace

double confidence_of_more(const std::vector<double>& first, const std::vector<double>& others) {
  std::vector<double> differences(first.size());
  std::transform(
      first.begin(), first.end(), others.begin(), differences.begin(), std::minus<double>());
  const double mean = mean_of(differences);
  const double deviation = deviation_of(differences);
  if (first.size() < 2 || std::isnan(mean) || (deviation == 0 && mean == 0)) return 0.5;
  if (deviation == 0 || std::isinf(mean)) return mean > 0 ? 1 : 0;
  const auto count = static_cast<double>(first.size());
  const boost::math::students_t_distribution<double> distribution(count - 1);
  return boost::math::cdf(distribution, mean / (deviation / std::sqrt(count)));
}

double p_of_chance(double accuracy, std::int64_t samples, std::int64_t classes) {
  const std::int64_t correct = correct_of(accuracy, samples);
  if (correct == 0) return 1;
  const boost::math::binomial_distribution<double> guessed(static_cast<double>(samples),
                                                           1 / static_cast<double>(classes));
  return boost::math::cdf(boost::math::complement(guessed, static_cast<double>(correct - 1)));
}

double confidence_of_more_correct(double first, double other, std::int64_t all_samples) {
  constexpr std::int64_t kMost = 1'000'000;  // fewer samples give less confidence
  const std::int64_t samples = std::min(all_samples, kMost);
  const std::int64_t correct = correct_of(first, samples);
  const std::int64_t all_correct = correct + correct_of(other, samples);
  const std::int64_t least = std::max(std::int64_t{0}, all_correct - samples);
  if (correct <= least) return 0;
  const boost::math::hypergeometric_distribution<double> drawn(static_cast<unsigned>(all_correct),
                                                               static_cast<unsigned>(samples),
                                                               static_cast<unsigned>(2 * samples));
  return boost::math::cdf(drawn, static_cast<unsigned>(correct - 1));
}

}  // namespace epochcast
