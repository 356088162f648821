// SPDX-License-Identifier: Apache-2.0
#include "analysis/tune/seed_statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>

namespace epochcast {

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
