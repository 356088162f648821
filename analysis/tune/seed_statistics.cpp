// SPDX-License-Identifier: Apache-2.0
#include "analysis/tune/seed_statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/hypergeometric.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>

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

double least_significant_difference(const std::vector<std::vector<double>>& rows,
                                    double confidence) {
  const std::size_t seeds = rows.front().size();
  if (rows.size() < 2 || seeds < 2) return std::numeric_limits<double>::infinity();
  std::vector<double> of_seed(seeds, 0);
  double of_all = 0;
  for (const std::vector<double>& row : rows) {
    for (std::size_t seed = 0; seed < seeds; ++seed)
      of_seed[seed] += row[seed] / static_cast<double>(rows.size());
    of_all += mean_of(row) / static_cast<double>(rows.size());
  }
  double squares = 0;
  for (const std::vector<double>& row : rows) {
    for (std::size_t seed = 0; seed < seeds; ++seed) {
      const double residual = row[seed] - mean_of(row) - of_seed[seed] + of_all;
      squares += residual * residual;
    }
  }
  const auto freedom = static_cast<double>((rows.size() - 1) * (seeds - 1));
  const double variance = squares / freedom;
  const boost::math::students_t_distribution<double> distribution(freedom);
  return boost::math::quantile(distribution, confidence) *
         std::sqrt(2 * variance / static_cast<double>(seeds));
}

std::vector<std::vector<double>> ranks_by_column(const std::vector<std::vector<double>>& rows) {
  std::vector<std::vector<double>> ranks = rows;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t column = 0; column < rows[row].size(); ++column) {
      const double value = rows[row][column];
      const auto count = [&](auto is_counted) {
        return static_cast<double>(
            std::count_if(rows.begin(), rows.end(), [&](const std::vector<double>& other) {
              return is_counted(other[column]);
            }));
      };
      const double lower = count([&](double other) { return other < value; });
      const double equal = count([&](double other) { return other == value; });
      ranks[row][column] = lower + (1 + equal) / 2;
    }
  }
  return ranks;
}

}  // namespace epochcast
