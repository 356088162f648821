// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/cost_summary.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/calibrate/warm_up.hpp"
#include "core/costs/batch_cost.hpp"

namespace epochcast {
namespace {

using Values = std::vector<double>;

/// The limit above which a sample of the series is an outlier.
double outlier_limit(const Values& series) {
  constexpr double kDeviations = 6;
  constexpr double kMadToDeviation = 1.4826;  // of a normal distribution: 1 / its 3/4 quantile
  constexpr double kRounding = 1e-6;          // traces keep 7 digits: a smaller MAD is rounding
  const double middle = median_of(series);
  Values distances;
  for (const double value : series) distances.push_back(std::abs(value - middle));
  const double deviation = kMadToDeviation * median_of(std::move(distances));
  return middle + kDeviations * std::max(deviation, kRounding * middle);
}

/// Median of the last third over that of the first.
double drift_of(const Values& series) {
  const auto third = static_cast<std::ptrdiff_t>(series.size() / 3);
  if (third == 0) return 1;
  return median_of({series.end() - third, series.end()}) /
         median_of({series.begin(), series.begin() + third});
}

double distance_from_1(double ratio) { return std::abs(std::log(ratio)); }

double spread_of(const Values& medians) {
  const auto [least, most] = std::minmax_element(medians.begin(), medians.end());
  return *most / *least;
}

/// Fills in the figures that depend on the series of one batch size, without warm-ups.
class RowMaker {
 public:
  void add(const BatchSamples& series) {
    const Values& values = series.total_s;
    all_.insert(all_.end(), values.begin(), values.end());
    Values& session = sessions_[series.session];
    session.insert(session.end(), values.begin(), values.end());
    medians_[series.session].push_back(median_of(values));
    const double limit = outlier_limit(values);
    outliers_ += static_cast<std::size_t>(std::count_if(
        values.begin(), values.end(), [limit](double value) { return value > limit; }));
    const double drift = drift_of(values);
    if (distance_from_1(drift) > distance_from_1(drift_)) drift_ = drift;
  }

  void finish(CostRow& row) {
    std::sort(all_.begin(), all_.end());
    row.median_s = quantile_of(all_, 0.5);
    row.p5_s = quantile_of(all_, 0.05);
    row.p95_s = quantile_of(all_, 0.95);
    row.longest_s = all_.back();
    row.outliers = outliers_;
    row.drift = drift_;
    row.sessions = sessions_.size();
    Values session_medians;
    Values rank_spreads;
    for (const auto& [session, values] : sessions_) session_medians.push_back(median_of(values));
    for (const auto& [session, medians] : medians_) {
      row.ranks = std::max(row.ranks, medians.size());
      rank_spreads.push_back(spread_of(medians));
    }
    row.session_spread = spread_of(session_medians);
    row.rank_spread = median_of(rank_spreads);
  }

 private:
  Values all_;
  std::map<std::int64_t, Values> sessions_;
  std::map<std::int64_t, Values> medians_;  ///< by session, of its ranks
  std::size_t outliers_ = 0;
  double drift_ = 1;
};

void trim(BatchSamples& series, const WarmUp& warm_up) {
  for (Values* values :
       {&series.total_s, &series.load_s, &series.forward_s, &series.backward_s, &series.step_s}) {
    if (values->empty()) continue;
    values->erase(values->begin(), values->begin() + static_cast<std::ptrdiff_t>(warm_up.samples));
  }
}

}  // namespace

std::vector<CostRow> cost_rows(const CostTrace& trace) {
  std::vector<CostRow> rows;
  std::map<std::int64_t, std::vector<BatchSamples>> by_batch;
  for (const BatchSamples& series : trace.batches) by_batch[series.batch].push_back(series);
  for (auto& [batch, all] : by_batch) {
    CostRow row;
    row.device = trace.device;
    row.network = trace.network;
    row.input = trace.input;
    row.batch = batch;
    RowMaker maker;
    for (BatchSamples& series : all) {
      const WarmUp warm_up = warm_up_of(series.total_s);
      row.samples += series.total_s.size();
      row.trimmed += warm_up.samples;
      row.unsteady += warm_up.is_steady ? 0 : 1;
      trim(series, warm_up);
      maker.add(series);
    }
    maker.finish(row);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace epochcast
